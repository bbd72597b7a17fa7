"""What the engine and the study ask of a complete algorithm."""

from typing import Any, NamedTuple, Protocol

from toptwo.families.base import Family
from toptwo.optional import optional
from toptwo.rules.round import Round
from toptwo.rules.stopping import Stopping
from toptwo.streams import Random


class Algorithm(Protocol):
    """A sampling rule: which arm next.

    It may also define `memory`, `learn` and `batch_size` (rules/parts.py), and `bind`, if it depends on δ.
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


@optional
def bind(algorithm: Any, question: Question) -> tuple[Any, Stopping]:
    """Return the sampling and the stopping rule for a question.

    An algorithm that depends on δ or stops by a rule of its own has a method `bind`; any other samples as it is and
    leaves stopping to the threshold.
    """
    return algorithm, question.stopping
