"""Setups made ready for a device, and compiled for it: the same rules, taught to the other compiler."""

import inspect
from collections.abc import Callable
from functools import cache, partial
from typing import Any

import numpy as np
from numba import cuda, types
from numba.core.errors import NumbaError
from numba.cuda import extending
from numba.cuda.datamodel import models
from numba.cuda.typing.templates import builtin_registry

from toptwo.engine.cache import Compiled
from toptwo.engine.compiling import TABLE, Compiling, why_not_compiled
from toptwo.engine.cuda import strips
from toptwo.engine.cuda.device import AT_ONCE, BLOCK
from toptwo.engine.cuda.nvvm_choices import for_lanes
from toptwo.engine.options import CUDA_KERNEL, CUDA_PART, Options
from toptwo.engine.rounds import Setup
from toptwo.engine.teach import FieldlessRule, Target, Teacher
from toptwo.families.base import bound_surely_below, separation_surely_above
from toptwo.records import components, rebuild
from toptwo.rules import schedules
from toptwo.rules.round import score_surely_below
from toptwo.rules.schedules import Filled


class HandOver:
    """How a rule without fields is passed to a kernel: as a pointer to nothing."""

    def prepare_args(self, kind: Any, value: Any, **_: Any) -> tuple[Any, Any]:
        """Return type and value as numba-cuda can pass them."""
        return (types.uint64, 0) if isinstance(kind, FieldlessRule) else (kind, value)


FEW_REGISTERS: Options = {"max_registers": 64}
"""For runs that wait for main memory in each scan over the arms: more of them at once wait together."""


SHORTCUTS = frozenset({separation_surely_above, bound_surely_below, score_surely_below})
"""What spares one lane some work spares a warp nothing as long as another of its lanes does that work."""


@cache
def teacher() -> Teacher:
    """Return what teaches rules to the compiler for devices."""
    return Teacher(Target(extending, models, builtin_registry, cuda.jit, CUDA_PART, SHORTCUTS, strips.CUT_OUT))


class _Filling(Compiling):
    """Fills tables, by the compiler for processors: so that both engines read the same bits."""

    def prepared(self, setup: Any) -> Any:
        """Return the schedule as it is."""
        return setup


def _filling(code: str) -> Callable[..., None]:
    fill = schedules.fill

    def run(values: Any, formula: Any) -> None:
        code  # noqa: B018 (part of the key of Numba's cache)
        fill(values, formula)

    return run


_filled: dict[Any, Any] = {}


def _table(schedule: Any) -> Any:
    """Return the first values of a schedule, on the device."""
    key = (schedule, *(type(part) for part in components(schedule)))
    if key not in _filled:
        values = np.zeros(TABLE)
        _Filling(schedule).entry(_filling, schedules.fill)(values, schedule)
        _filled[key] = cuda.to_device(values)
    return _filled[key]


def _moved(value: Any) -> Any:
    """Return a schedule behind its table, a row of numbers as an array of the device, anything else as it is."""
    if type(value) is tuple:
        return cuda.to_device(np.array(value, dtype=np.float64))
    if isinstance(value, np.ndarray):
        return cuda.to_device(value)
    if hasattr(value, "at"):
        try:
            return Filled(_table(value), value)
        except TypeError:  # an array among the fields: nothing to look a table up by
            return value
    return value


def _with_grid(kernel: Any) -> Callable[..., Any]:
    """Return a kernel whose first argument is the configuration of a launch, or asks how many blocks run at once.

    The question is followed by how much fast memory a block takes.
    """

    def launch(configuration: Any, *arguments: Any) -> Any:
        if configuration == AT_ONCE:
            return max(made.max_cooperative_grid_blocks(BLOCK, *arguments) for made in kernel.overloads.values())
        return kernel[configuration](*arguments)

    return launch


class CudaCompiling(Compiling):
    """A setup whose rules are ready to be compiled for a device."""

    edition = inspect.getsource(strips)

    def __init__(self, setup: Setup, near: bool) -> None:
        self.teacher = teacher()
        self.options = CUDA_KERNEL if near else {**CUDA_KERNEL, **FEW_REGISTERS}
        super().__init__(setup)

    def prepared(self, setup: Setup) -> Setup:
        """Return the setup with its numbers on the device."""
        ready: Setup = rebuild(setup, _moved)
        return ready

    def compiled(self, key: str, run: Callable[..., Any], on_disk: bool) -> Callable[..., Any]:
        """Return the compiled form of a kernel; its first argument is the configuration of a launch."""
        options = {**self.options, "extensions": [HandOver()]}
        kernel = Compiled(partial(cuda.jit, **options), run, on_disk, _with_grid)

        def launch(*arguments: Any) -> Any:
            with for_lanes():
                return kernel(*arguments)

        return launch

    def why_not(self, problem: NumbaError) -> str:
        """Return what a user is told if some code does not compile."""
        return why_not_compiled(str(problem), self._plain).replace(
            "cannot be compiled", "cannot be compiled for CUDA devices"
        )
