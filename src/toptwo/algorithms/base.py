"""What the engine and the study ask of a complete algorithm."""

from typing import Protocol

from toptwo.families.base import Family, store_rows
from toptwo.rules.round import Round
from toptwo.streams import Random


class Algorithm(Protocol):
    """A sampling rule: which arm next. May also define `learn` (rules/learning.py) and `memory_rows`."""

    def next_pull(self, now: Round, random: Random) -> tuple[int, int]:
        """Return the leader of the round (−1 if there is none) and the arm to pull."""
        ...


def memory_rows(algorithm: Algorithm, family: Family) -> int:
    """Return how many rows of K numbers an algorithm wants to keep between rounds.

    Behind the rows it asks for there is room for a second store of the family: a rule that keeps private statistics
    (rules/regret.py) keeps them in the family's own way.
    """
    rows = int(algorithm.memory_rows()) if hasattr(algorithm, "memory_rows") else 0
    return rows + store_rows(family) if rows else 0
