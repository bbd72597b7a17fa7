"""Memory: Gaussian values that resemble the one before, by the likelihood ratio that sees it soonest."""

import math
from collections.abc import Iterator, Sequence

from toptwo.blocks.bounded import log_average
from toptwo.study.diagnostics.autocorrelation import resemble
from toptwo.study.diagnostics.base import FALSE_ALARM, Diagnosis
from toptwo.study.diagnostics.noise import NoiseShape
from toptwo.study.diagnostics.tally import Tally

CORRELATIONS = (0.3, 0.6, 0.85, 0.95)
"""What each value is bet to remember of the one before, with equal weights."""

EQUAL = 1e-10
"""Values that spread less than this, relative to their mean, differ by rounding only."""


def log_memory(tally: Tally) -> float:
    """Return ln of an e-value for values that remember the one before, against independent Gaussian ones.

    Neither the mean nor the variance is known: both are integrated out (docs/diagnostics.md, section 2).

    Examples
    --------
    >>> tally = Tally()
    >>> for value in (1.0, 1.2, 1.3, 1.7, 2.0, 2.1, 2.5, 2.4, 2.8, 3.0):
    ...     _ = tally.add(value)
    >>> round(log_memory(tally), 1)
    7.8
    """
    count, squares, mean = tally.count, tally.squares, tally.mean
    if count < 3 or is_equal(tally):
        return 0.0
    first, last = tally.first - mean, tally.last - mean
    ends, both = first * first + last * last, (first + last) * (first + last)
    logs = []
    for part in CORRELATIONS:
        rest = 1.0 - part
        known = count * rest + 2.0 * part
        left = rest * rest * squares + part * (tally.steps + rest * (ends - part * both / known))
        logs.append(0.5 * math.log((1.0 + part) * count / known) - 0.5 * (count - 1.0) * math.log(left / squares))
    return log_average(logs)


def is_equal(tally: Tally) -> bool:
    """Return whether the values are equal but for rounding."""
    rounding = EQUAL * tally.mean
    return tally.squares <= tally.count * rounding * rounding


class Memory:
    """Bets that values resemble the one before; where σ is given the law need not be Gaussian, and nothing is said."""

    words = resemble()

    def __init__(self, noise: NoiseShape, parts: Sequence[float]) -> None:
        self._watched, self._parts = noise.estimated, parts

    def judge(self, tallies: Sequence[Tally], *, over: bool) -> Iterator[Diagnosis]:
        """Return a diagnosis for each arm on whose memory bets have won its part of 1/FALSE_ALARM."""
        if not self._watched:
            return
        for arm, (tally, parts) in enumerate(zip(tallies, self._parts, strict=True)):
            if log_memory(tally) >= math.log(parts) - math.log(FALSE_ALARM):
                yield Diagnosis("autocorrelation", arm, self.words)
