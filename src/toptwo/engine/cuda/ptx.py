"""Kernels compiled to PTX, the assembly language of devices, which takes no device."""

from collections.abc import Iterator
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any

import numpy as np
from numba import cuda
from numba.core.errors import NumbaError
from numba.cuda import dispatcher
from numba.cuda.typing.typeof import typeof

from toptwo.engine.code import Code
from toptwo.engine.compiling import why_not_compiled
from toptwo.engine.cuda.compiling import teacher
from toptwo.engine.cuda.kernel import TURN, Launch, called, kernel, settling
from toptwo.engine.cuda.lanes import Layout
from toptwo.engine.cuda.nvvm_choices import for_lanes
from toptwo.engine.rounds import Setup
from toptwo.engine.runs import Share, output_for
from toptwo.errors import InputError
from toptwo.records import rebuild
from toptwo.rules.schedules import Filled
from toptwo.streams import Random

HOPPER = (9, 0)
"""A compute capability, that of the H100 and H200."""


def ptx(setup: Setup, capability: tuple[int, int] = HOPPER, arms: int = 10) -> str:
    """Return the PTX of the kernel that plays runs of a setup, or raise InputError if its rules do not compile."""
    layout, ready = Layout(setup, arms), rebuild(setup, _described)
    lane_of = layout.lane_of()
    teacher().teach(Code(ready, Random([0]), *called(setup, lane_of)))
    launch = Launch(ready, np.zeros((1, arms)), Share(0, 0, 0, 0), output_for(1, arms), np.zeros(3, np.int64), TURN, 1)
    kinds = (typeof(launch), typeof(layout.allocated(1, np.zeros)))
    try:
        with for_lanes(), _supposed_device(capability):
            text, _ = cuda.compile_ptx(kernel("", lane_of, settling(setup)), kinds, device=False, cc=capability)
    except NumbaError as problem:
        raise InputError(why_not_compiled(str(problem), setup)) from None
    return str(text)


def _described(value: Any) -> Any:
    """Return what has the type of what the device would be given."""
    if type(value) is tuple:
        return np.array(value, dtype=np.float64)
    return Filled(np.zeros(1), value) if hasattr(value, "at") else value


@contextmanager
def _supposed_device(capability: tuple[int, int]) -> Iterator[None]:
    """Answer numba-cuda's question for the device when it compiles the parts of a kernel."""
    usual = dispatcher.get_current_device
    dispatcher.get_current_device = lambda: SimpleNamespace(compute_capability=capability)
    try:
        yield
    finally:
        dispatcher.get_current_device = usual
