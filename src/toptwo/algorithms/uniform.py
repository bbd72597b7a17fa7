"""Uniform sampling: every arm in turn, the baseline that any clever rule must beat (paper, theorem 5)."""

from typing import NamedTuple

from toptwo.rules.round import Round
from toptwo.streams import Random


class RoundRobin(NamedTuple):
    """Pull the arms one after the other, without looking at the rewards."""

    def next_pull(self, now: Round, random: Random) -> tuple[int, int]:
        """Return arm n − 1 modulo K; nobody leads."""
        return -1, (now.number - 1) % len(now.state.means)
