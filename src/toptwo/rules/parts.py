"""What any part of an algorithm may do besides its decision: learn from rewards, pull in bulk, name its answer.

A part that remembers has a method `memory` (toptwo/memory.py) and finds what it keeps as `mine`, in the round when it
decides and in what it has seen when it learns.
"""

from typing import Any, NamedTuple

from toptwo.families.base import Family
from toptwo.optional import optional
from toptwo.rules.round import Round
from toptwo.state import State


class Seen(NamedTuple):
    """A reward, and the decision that led to it."""

    leader: int
    """The leader of the round; −1 if there was none, as in the first pulls."""
    arm: int
    """The arm that was pulled."""
    value: float
    """Its reward; the average if there were several."""
    size: int
    """How many rewards: more than one if the algorithm pulls in bulk."""
    best: int
    """î when the pull was decided; −1 in the first pulls."""
    cost: float
    """The likelihood ratio of î against its rival when the pull was decided; 0 in the first pulls."""
    state: State
    """Counts and means, this reward included."""
    family: Family
    """The law of the rewards."""
    mine: Any
    """What the part itself keeps."""

    def by(self, mine: Any) -> "Seen":
        """Return the same as a part sees it that keeps this."""
        return Seen(self.leader, self.arm, self.value, self.size, self.best, self.cost, self.state, self.family, mine)


@optional
def learn(part: Any, seen: Seen) -> None:
    """Let a part take in a reward."""


@optional
def batch_size(algorithm: Any, arm: int, now: Round) -> int:
    """Return how many rewards of an arm an algorithm wants before it looks again."""
    return 1


@optional
def answer(stopping: Any, now: Round) -> int:
    """Return the arm that a stopping rule stands for when it fires."""
    return now.best


@optional
def requires(part: Any) -> tuple[str, ...]:
    """Return the questions that a part asks of the family, beyond costs and means."""
    return ()
