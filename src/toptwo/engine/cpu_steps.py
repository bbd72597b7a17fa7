"""The steps of a study, compiled: for so many arms that the interpreter's scans over them take longer than a call."""

from collections.abc import Callable
from typing import Any

import numpy as np

from toptwo.engine import rounds
from toptwo.engine.compiling import Compiling
from toptwo.engine.rounds import Decision, Knowledge, Setup, Standing
from toptwo.engine.steps import Steps
from toptwo.records import is_record
from toptwo.streams import Random

absorb, settle, decide_from = rounds.absorb, rounds.settle, rounds.decide_from


def _absorbing(code: str) -> Callable[..., None]:
    def run(decision: Any, reward: Any, setup: Any, known: Any) -> None:
        code  # noqa: B018 (part of the key of Numba's cache)
        absorb(decision, reward, setup, known)

    return run


def _settling(code: str) -> Callable[..., Any]:
    def run(decision: Any, reward: Any, last: Any, setup: Any, known: Any, random: Any) -> Any:
        code  # noqa: B018 (part of the key of Numba's cache)
        return settle(decision, reward, last, setup, known, random)

    return run


def _deciding(code: str) -> Callable[..., Any]:
    def run(standing: Any, setup: Any, known: Any, random: Any) -> Any:
        code  # noqa: B018 (part of the key of Numba's cache)
        return decide_from(standing, setup, known, random)

    return run


class CompiledSteps(Steps):
    """The same steps on arrays; what is known must have been moved to arrays first."""

    def __init__(self, setup: Setup) -> None:
        compiling = Compiling(setup)
        super().__init__(compiling.setup)
        self._absorb = compiling.entry(_absorbing, absorb)
        self._settle = compiling.entry(_settling, settle)
        self._decide = compiling.entry(_deciding, decide_from)

    def absorb(self, decision: Decision, reward: float, known: Knowledge) -> None:
        """Take a reward in."""
        self._absorb(decision, reward, self.setup, known)

    def settle(self, decision: Decision, reward: float, last: Standing, known: Knowledge, random: Random) -> Standing:
        """Take a reward in and look."""
        standing: Standing = self._settle(decision, reward, last, self.setup, known, random)
        return standing

    def decide(self, standing: Standing, known: Knowledge, random: Random) -> Decision:
        """Return what to pull next."""
        decision: Decision = self._decide(standing, self.setup, known, random)
        return decision


def to_arrays(known: Knowledge) -> Knowledge:
    """Return what is known as arrays; rows that two rules share stay shared."""
    moved: dict[int, Any] = {}

    def move(part: Any) -> Any:
        if is_record(part):
            return type(part)(*(move(field) for field in part))
        if id(part) not in moved:
            moved[id(part)] = np.array(part, dtype=np.float64)
        return moved[id(part)]

    arrays: Knowledge = move(known)
    return arrays


def to_array_stream(random: Random) -> Random:
    """Return a stream of draws at the same position."""
    return Random(np.array(random.position, dtype=np.uint64))  # type: ignore[arg-type]
