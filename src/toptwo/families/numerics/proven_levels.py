"""Levels that the likelihood ratio of a family must reach before its answer is proven."""

import math
from typing import NamedTuple


class ProvenLevel(NamedTuple):
    """c(n, δ) = constant + factor · ln(offset + ln(n/2)): the constant holds δ, the rest pays for looking all the time.

    Examples
    --------
    >>> round(ProvenLevel(0.0, 4.0, 4.0).at(1000), 4)
    9.2953
    """

    constant: float
    factor: float
    offset: float

    def at(self, n: int) -> float:
        """Return c(n, δ)."""
        return self.constant + self.factor * math.log(self.offset + math.log(0.5 * n))


def log_odds(delta: float, arms: int) -> float:
    """Return ln((K−1)/δ): the error probability, shared among the K−1 wrong answers.

    Examples
    --------
    >>> round(log_odds(0.1, 10), 2)
    4.5
    """
    return math.log((arms - 1) / delta)
