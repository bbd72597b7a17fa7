"""Where a race stands: who leads, by how much, and how sure that is."""

from collections.abc import Sequence
from typing import Literal, NamedTuple

Status = Literal["running", "winner", "tie", "undecided"]


class AgainstLeader(NamedTuple):
    """A command against the leader.

    Attributes
    ----------
    effect, low, high
        How much worse than the leader it is, and the interval that holds the truth: a ratio of at least 1 where
        logarithms are compared, an amount for means, the leader's share of decided blocks for wins.
    blocks
        Blocks that held both.
    beaten
        Whether the leader is certified to be better.
    within
        Whether the two are certified to be within the margin of each other.
    won, decided
        For wins: blocks that the leader has won, of so many in which they differ.
    """

    effect: float
    low: float
    high: float
    blocks: int
    beaten: bool
    within: bool
    won: int = 0
    decided: int = 0


class RaceStanding(NamedTuple):
    """What follows from the blocks so far, commands by index."""

    status: Status = "running"
    leader: int = -1
    confidence: float = 0.0
    remaining: float = float("inf")
    """Runs still to go, by estimate."""
    contenders: Sequence[int] = ()
    """Commands that may be the best yet."""
    pairs: Sequence[AgainstLeader | None] = ()
    """Of each command against the leader; None where nothing is known, and for the leader."""
    assumption: str = ""


NOBODY = RaceStanding()
"""Before anything is known."""
