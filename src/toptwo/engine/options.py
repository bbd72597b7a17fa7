"""What everything is compiled with: Numba's inside where it is as expected, its public interface where it is not.

Results are the same to the last bit; without the inside, compiling and the rounds take longer (benchmarks/options.py).
This is the one place that decides, for processors and for CUDA devices; only engine/parts.py and
engine/cuda/nvvm_choices.py lean on more than Numba promises.
"""

from typing import Any

Options = dict[str, Any]


def known(**options: Any) -> Options:
    """Return those of some unpromised options that this Numba has."""
    try:
        from numba.core.cpu import CPUTargetOptions
    except ImportError:
        return {}
    return {name: value for name, value in options.items() if hasattr(CPUTargetOptions, name)}


def own_compiler() -> Options:
    """Return the option to compile parts by engine/parts.py, unless what it is built from has moved.

    Whether it also works is tried when something is first compiled.
    """
    try:
        from toptwo.engine.parts import TriedCompiler
    except (ImportError, AttributeError, TypeError):
        return {}
    return {"pipeline_class": TriedCompiler}


OPTIONS: Options = {"error_model": "numpy", **known(_nrt=False)}
"""No checks for division by zero (no rule divides by a count of zero), no reference counts (no rule allocates)."""

PART: Options = {
    **OPTIONS,
    **known(no_cpython_wrapper=True, no_cfunc_wrapper=True, forceinline=True),
    **own_compiler(),
}
"""For what is only called from compiled code: no entry points for the interpreter, nothing compiled twice."""

GUARDS: Options = {"boundscheck": True}
"""For what users wrote, besides: an index that is out of range ends the run, and not the process."""

CUDA_KERNEL: Options = {"lto": False}
"""Linked without further optimisation: the linker would contract products and sums, which processors do not."""

CUDA_PART: Options = {"device": True, "forceinline": True}
"""For what is only called from a kernel."""
