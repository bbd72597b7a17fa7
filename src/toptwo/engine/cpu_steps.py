"""The steps of a study, compiled: for so many arms that the interpreter's scans over them take longer than a call."""

from collections.abc import Callable
from typing import Any

import numpy as np

from toptwo.algorithms.base import WAIT
from toptwo.engine import rounds
from toptwo.engine.compiling import Compiling
from toptwo.engine.rounds import Decision, Knowledge, Setup, Standing
from toptwo.engine.steps import Steps
from toptwo.engine.watching import blaming, watched
from toptwo.errors import InputError
from toptwo.records import is_record, rebuild
from toptwo.streams import Random

BREAKS = (IndexError, ValueError)
"""What a user's rule raises in compiled code."""

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
        self._interpreted = Steps(watched(setup))
        self._absorb = compiling.entry(_absorbing, absorb)
        self._settle = compiling.entry(_settling, settle)
        self._decide = compiling.entry(_deciding, decide_from)

    def absorb(self, decision: Decision, reward: float, known: Knowledge) -> None:
        """Take a reward in."""
        try:
            self._absorb(decision, reward, self.setup, known)
        except BREAKS as problem:
            self._explain(problem, lambda: self._interpreted.absorb(decision, reward, to_lists(known)))
            raise

    def settle(self, decision: Decision, reward: float, last: Standing, known: Knowledge, random: Random) -> Standing:
        """Take a reward in and look."""
        try:
            standing: Standing = self._settle(decision, reward, last, self.setup, known, random)
        except BREAKS as problem:
            copies = to_lists(known), to_list_stream(random)
            self._explain(problem, lambda: self._interpreted.settle(decision, reward, last, *copies))
            raise
        return standing

    def decide(self, standing: Standing, known: Knowledge, random: Random) -> Decision:
        """Return what to pull next."""
        problem: Exception | None = None
        try:
            decision: Decision = self._decide(standing, self.setup, known, random)
            if WAIT <= decision.arm < len(known.state.means):
                return decision
        except BREAKS as broken:
            problem = broken
        self._explain(problem, lambda: self._interpreted.decide(standing, to_lists(known), to_list_stream(random)))
        if problem is not None:
            raise problem
        return decision

    def _explain(self, problem: Exception | None, again: Callable[[], Any]) -> None:
        """Raise what a user's rule did wrong, if the step does it again when interpreted."""
        if not isinstance(problem, InputError):
            with blaming():
                again()


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


def to_lists(known: Knowledge) -> Knowledge:
    """Return a copy of what is known, as lists."""
    lists: Knowledge = rebuild(known, lambda part: part.tolist() if isinstance(part, np.ndarray) else part)
    return lists


def to_list_stream(random: Random) -> Random:
    """Return a stream of draws at the same position, as a list."""
    return Random([int(word) for word in random.position])


def to_array_stream(random: Random) -> Random:
    """Return a stream of draws at the same position."""
    return Random(np.array(random.position, dtype=np.uint64))  # type: ignore[arg-type]
