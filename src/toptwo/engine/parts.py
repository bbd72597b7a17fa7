"""How Numba compiles the parts of the engine: functions that are only ever inlined into one entry point.

Left alone, Numba optimises every function together with all that it calls and turns it into machine code, before the
caller does the same again with the sum: the inner loops would be compiled once per level of nesting. A part stops
before both; the entry point, which contains all of them, is optimised once.

None of this is promised by Numba, so it is tried out before it is used; without it, parts are compiled as Numba would.
"""

from functools import cache
from typing import Any

from numba import njit
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler, DefaultPassBuilder
from numba.core.compiler_machinery import PassManager, register_pass
from numba.core.typed_passes import NativeLowering


class _NoEnvironment:
    """Stands in for the machine-code generator when a finished part asks for a place in memory."""

    def set_env(self, name: str, environment: Any) -> None:
        """Do nothing: a part is never called from the interpreter."""


class PartLibrary(JITCodeLibrary):
    """Code to be linked into other code, never run by itself."""

    @property
    def codegen(self) -> _NoEnvironment:
        """Return what Numba tells the interpreter's environment of a function."""
        return _NoEnvironment()

    def _optimize_final_module(self) -> None:
        """Leave it to the entry point."""

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()
        self._finalized = True

    def get_pointer_to_function(self, name: str) -> int:
        """Return null: there is no machine code."""
        self._ensure_finalized()
        return 0


@register_pass(mutates_CFG=True, analysis_only=False)
class PartLowering(NativeLowering):
    """Numba's last pass, into a library of the kind above."""

    _name = "part_lowering"

    def run_pass(self, state: Any) -> bool:
        """Lower a function."""
        state.library = PartLibrary(state.targetctx.codegen(), state.func_id.func_qualname)
        return bool(super().run_pass(state))


class PartCompiler(Compiler):
    """Numba's usual passes, but for the last."""

    def define_pipelines(self) -> list[Any]:
        """Return the one list of passes."""
        usual = DefaultPassBuilder.define_nopython_pipeline(self.state)
        passes = PassManager("part")
        for step, reason in usual.passes:
            passes.add_pass(PartLowering if step is NativeLowering else step, reason)
        passes.finalize()
        return [passes]


class TriedCompiler(PartCompiler):
    """A compiler of parts if that works with this Numba, or else Numba's own."""

    def define_pipelines(self) -> list[Any]:
        """Return the one list of passes."""
        usual = PartCompiler if works() else Compiler
        return list(usual.define_pipelines(self))


EXPECTED = {
    JITCodeLibrary: (
        "codegen",
        "get_pointer_to_function",
        "_ensure_finalized",
        "_finalized",
        "_finalize_dynamic_globals",
        "_finalize_final_module",
        "_optimize_final_module",
    ),
    NativeLowering: ("run_pass",),
    DefaultPassBuilder: ("define_nopython_pipeline",),
}
"""What the classes above replace or call. A name that is gone would be replaced without effect."""


@cache
def works() -> bool:
    """Return whether parts can be compiled: the names are there, and a part of a part gives the right number."""
    if not all(hasattr(owner, name) for owner, names in EXPECTED.items() for name in names):
        return False
    from toptwo.engine.options import OPTIONS, PART

    try:
        part = njit(**{**PART, "pipeline_class": PartCompiler})
        double = part(lambda x: x + x)
        more = part(lambda x, y: double(x) + y)
        return bool(njit(**OPTIONS)(lambda x: more(x, 1.0) - double(x * x))(3.0) == -11.0)
    except Exception:  # whatever goes wrong inside, Numba's own compiler remains
        return False
