"""Uniform sampling: every arm in turn, the baseline that any clever rule must beat (paper, theorem 5)."""

from typing import NamedTuple

from toptwo.rules.round import Round
from toptwo.streams import Random


class RoundRobin(NamedTuple):
    """Pull the arms one after the other, without looking at the rewards."""

    def next_pull(self, now: Round, random: Random) -> tuple[int, int]:
        """Return arm n − 1 modulo K, or the least pulled one if batches have brought that arm ahead; nobody leads."""
        counts, arms = now.state.counts, len(now.state.means)
        turn = (now.number - 1) % arms
        if counts[turn] * arms < now.number:
            return -1, turn
        least = 0
        for arm in range(1, arms):
            if counts[arm] < counts[least]:
                least = arm
        return -1, least
