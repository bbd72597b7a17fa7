"""Runs: who is ahead in a block stays ahead longer than chance makes it, whatever the law of the values."""

import math

from toptwo.blocks.bounded import log_average


class Runs:
    """How often the one of two arms that is ahead was ahead in the block before."""

    __slots__ = ("followed", "side")

    def __init__(self) -> None:
        self.side = -1
        """Who was ahead last, 1 for the first arm and 0 for the second; −1 before anybody was."""
        self.followed = [0, 0, 0, 0]
        """How often the second followed the second, the first the second, the second the first, the first the first."""

    def add(self, ahead: bool) -> None:
        """Take in whether the first arm is ahead in a block; equal ones are left out."""
        side = int(ahead)
        if self.side >= 0:
            self.followed[2 * self.side + side] += 1
        self.side = side

    def log_evidence(self) -> float:
        """Return ln of an e-value for sides that last, against tosses of one coin; 0 where they change sooner.

        Examples
        --------
        >>> runs = Runs()
        >>> for ahead in 3 * ([True] * 6 + [False] * 6):
        ...     runs.add(ahead)
        >>> round(runs.log_evidence(), 1)
        7.4
        """
        second, to_first, to_second, first = self.followed
        if second * first <= to_first * to_second:
            return 0.0
        by_side = _log_coins(second, to_first) + _log_coins(to_second, first)
        staying = _log_coins(second + first, to_first + to_second)
        best = _log_best(second + to_second, first + to_first)
        return log_average([by_side - best, staying - best])

    def kept(self) -> list[object]:
        """Return all of it as plain data."""
        return [self.side, list(self.followed)]

    def fill(self, kept: list[object]) -> None:
        """Go on from what was kept."""
        self.side, self.followed = kept  # type: ignore[assignment]


def _log_coins(heads: int, tails: int) -> float:
    """Return ln of the probability of a sequence of coins of unknown bias, by the law of Krichevsky and Trofimov."""
    return math.lgamma(heads + 0.5) + math.lgamma(tails + 0.5) - math.lgamma(heads + tails + 1.0) - math.log(math.pi)


def _log_best(heads: int, tails: int) -> float:
    """Return ln of the highest probability that any coin gives a sequence."""
    return sum(count * math.log(count / (heads + tails)) for count in (heads, tails) if count)
