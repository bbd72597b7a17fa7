"""The engines by name, and which one a call gets."""

from collections.abc import Callable
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from toptwo import checks
from toptwo.engine.rounds import Setup
from toptwo.engine.runs import Output, Share, output_for
from toptwo.errors import InputError

PAYS_FROM = 20_000
"""Runs from which `auto` takes a GPU: with fewer, compiling for it and the slowest run take most of the time."""


class Engine(Protocol):
    """Something that can play runs of a setup."""

    name: str

    def play(
        self, means: NDArray[np.float64], share: Share, output: Output, workers: int, show: Callable[[int], None]
    ) -> bool:
        """Play a share of the runs, showing how many are finished; return whether the user interrupted."""
        ...


def _python(setup: Setup) -> Engine:
    from toptwo.engine.python import PythonEngine

    return PythonEngine(setup)


def _cpu(setup: Setup) -> Engine:
    from toptwo.engine.cpu import CompiledEngine

    return CompiledEngine(setup)


def _cuda(setup: Setup) -> Engine:
    from toptwo.engine.cuda.device import why_none

    if reason := why_none():
        raise InputError(reason)
    from toptwo.engine.cuda.driver import CudaEngine

    return CudaEngine(setup)


ENGINES: dict[str, Callable[[Setup], Engine]] = {"cpu": _cpu, "python": _python, "cuda": _cuda}


def make_engine(name: str, setup: Setup, arms: int, runs: int) -> Engine:
    """Return the engine of a name; `auto` is a GPU where it pays and can run these rules, and else the processor."""
    if name != "auto":
        return checks.one_of("engine", name, {**ENGINES, "auto": _cpu})(setup)
    if runs >= PAYS_FROM:
        try:
            engine = _cuda(setup)
            if engine.play(np.zeros((1, arms)), Share(0, 0, 0, 0), output_for(1, arms), 1, lambda finished: None):
                raise KeyboardInterrupt
            return engine
        except InputError:  # no GPU, or none that can run these rules
            pass
    return _cpu(setup)
