"""What the engine and the study ask of a complete algorithm."""

from typing import Any, NamedTuple, Protocol

from toptwo.families.base import Family, store_rows
from toptwo.rules.round import Round
from toptwo.rules.stopping import Stopping
from toptwo.streams import Random


class Algorithm(Protocol):
    """A sampling rule: which arm next.

    It may also define `learn` and `batch_size` (rules/hooks.py), `memory_rows`, and `bind`, if it depends on δ.
    """

    def next_pull(self, now: Round, random: Random) -> tuple[int, int]:
        """Return the leader of the round (−1 if there is none) and the arm to pull."""
        ...


WAIT = -1
"""In place of an arm: nothing to pull before the pulls under way are answered. Only a phased method says so."""


class Question(NamedTuple):
    """What is asked of an algorithm."""

    delta: float
    """Probability of error aimed at."""
    arms: int
    """K."""
    epsilon: float
    """Margin within which an arm is a right answer."""
    family: Family
    """Law of the rewards."""
    stopping: Stopping
    """The stopping rule of the threshold chosen by the user."""


def bind(algorithm: Any, question: Question) -> tuple[Any, Stopping]:
    """Return the algorithm and the stopping rule for a question.

    An algorithm with a method `bind` depends on δ or stops by a rule of its own: it returns the sampling rule for this
    δ and its stopping rule. Any other algorithm samples as it is and leaves stopping to the threshold.
    """
    if hasattr(algorithm, "bind"):
        sampler, stopping = algorithm.bind(question)
        return sampler, stopping
    return algorithm, question.stopping


def memory_rows(algorithm: Any, arms: int, family: Family) -> int:
    """Return how many rows of K numbers an algorithm wants to keep between rounds.

    Behind the rows it asks for there is room for a second store of the family: a rule that keeps private statistics
    (rules/regret.py) keeps them in the family's own way.
    """
    rows = int(algorithm.memory_rows(arms)) if hasattr(algorithm, "memory_rows") else 0
    return rows + store_rows(family) if rows else 0
