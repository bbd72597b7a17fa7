"""Two things that numba-cuda does not let one choose, so that they are set where it asks NVVM.

Arithmetic is as on processors: where a product is added to something they round twice, and a device would once. Without
this the law of the results is the same, but runs part from those of a processor sooner.

Tables lie in ordinary memory. A device's memory for constants answers one place at a time, and lanes look at as many
places of the ziggurat as there are lanes.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


@contextmanager
def for_lanes() -> Iterator[None]:
    """Compile so for as long as this lasts."""
    from numba.cuda.core.compiler_lock import global_compiler_lock
    from numba.cuda.cudadrv import nvvm

    with global_compiler_lock:
        usual, constant = nvvm.compile_ir, nvvm.ADDRSPACE_CONSTANT

        def compile_ir(code: Any, **options: Any) -> Any:
            return usual(code, **{"fma": False, **options})

        nvvm.compile_ir, nvvm.ADDRSPACE_CONSTANT = compile_ir, nvvm.ADDRSPACE_GLOBAL
        try:
            yield
        finally:
            nvvm.compile_ir, nvvm.ADDRSPACE_CONSTANT = usual, constant
