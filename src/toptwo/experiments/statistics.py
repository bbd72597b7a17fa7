"""Intervals, and what they say about a sentence."""

import math
from collections.abc import Iterable
from enum import Enum
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

NORMAL_95 = 1.959963984540054
"""Half-width of the intervals that are shown, in standard errors."""

NORMAL_999 = 3.290526731491926
"""Half-width of the intervals that verdicts are based on: a table of fifty claims is to be right as a whole."""


class Verdict(Enum):
    """What a table says about a sentence."""

    HOLDS = "holds"
    CORRECTED = "holds with a correction"
    FAILS = "does not hold"
    OPEN = "not decided by this size"


class Interval(NamedTuple):
    """A number and how well it is known."""

    value: float
    low: float
    high: float

    def above(self, level: float) -> Verdict:
        """Return whether the number is above a level.

        Examples
        --------
        >>> Interval(2.0, 1.5, 2.5).above(1.0), Interval(2.0, 0.5, 3.5).above(1.0)
        (<Verdict.HOLDS: 'holds'>, <Verdict.OPEN: 'not decided by this size'>)
        """
        if self.low > level:
            return Verdict.HOLDS
        return Verdict.FAILS if self.high < level else Verdict.OPEN

    def below(self, level: float) -> Verdict:
        """Return whether the number is below a level."""
        return Interval(-self.value, -self.high, -self.low).above(-level)

    def within(self, low: float, high: float) -> Verdict:
        """Return whether the number is between two levels."""
        return every([self.above(low), self.below(high)])


def every(verdicts: Iterable[Verdict]) -> Verdict:
    """Return the verdict on a sentence all of whose parts must hold.

    Examples
    --------
    >>> every([Verdict.HOLDS, Verdict.OPEN]), every([Verdict.OPEN, Verdict.FAILS])
    (<Verdict.OPEN: 'not decided by this size'>, <Verdict.FAILS: 'does not hold'>)
    """
    found = set(verdicts)
    for verdict in (Verdict.FAILS, Verdict.OPEN, Verdict.CORRECTED):
        if verdict in found:
            return verdict
    return Verdict.HOLDS


def exactly(true: bool) -> Verdict:
    """Return the verdict on something computed without noise."""
    return Verdict.HOLDS if true else Verdict.FAILS


def wilson(successes: ArrayLike, trials: ArrayLike, width: float = NORMAL_95) -> tuple[NDArray, NDArray]:  # type: ignore[type-arg]
    """Return Wilson's score interval of probabilities (Wilson, 1927), element by element; (0, 1) without trials.

    Examples
    --------
    >>> low, high = wilson([0, 5], [10, 10])
    >>> low.round(3).tolist(), high.round(3).tolist()
    ([0.0, 0.237], [0.278, 0.763])
    """
    wins, total = np.asarray(successes, float), np.asarray(trials, float)
    known = np.maximum(total, 1.0)
    share = wins / known
    centre = share + width**2 / (2.0 * known)
    spread = width * np.sqrt(share * (1.0 - share) / known + width**2 / (4.0 * known**2))
    scale = 1.0 + width**2 / known
    some = total > 0
    low = np.where(some & (wins > 0), (centre - spread) / scale, 0.0)
    high = np.where(some & (wins < total), (centre + spread) / scale, 1.0)
    return low, high


def of_mean(mean: float, variance: float, runs: int, width: float = NORMAL_95) -> Interval:
    """Return a mean of so many runs with its normal interval."""
    error = math.sqrt(max(variance, 0.0) / runs) if runs > 1 else math.inf
    return Interval(mean, mean - width * error, mean + width * error)


def exponential(interval: Interval) -> Interval:
    """Return the interval of e^x for that of x."""
    return Interval(*(math.exp(min(end, 700.0)) for end in interval))


def difference(one: Interval, other: Interval) -> Interval:
    """Return the difference of two numbers; the interval is that of independent ones, too wide if they move together.

    Examples
    --------
    >>> difference(Interval(5.0, 2.0, 8.0), Interval(1.0, -3.0, 5.0))
    Interval(value=4.0, low=-1.0, high=9.0)
    """
    value = one.value - other.value
    low = math.hypot(one.value - one.low, other.high - other.value)
    high = math.hypot(one.high - one.value, other.value - other.low)
    return Interval(value, value - low, value + high)


def ratio_of_means(
    means: tuple[float, float], variances: tuple[float, float], covariance: float, runs: int, width: float = NORMAL_95
) -> Interval:
    """Return the ratio of two means over the same runs, its interval by the delta method.

    Examples
    --------
    >>> ratio_of_means((2.0, 1.0), (4.0, 1.0), 2.0, 100).high  # one is twice the other, run by run
    2.0
    """
    ratio = means[0] / means[1]
    residual = variances[0] - 2.0 * ratio * covariance + ratio**2 * variances[1]
    return of_mean(ratio, residual / means[1] ** 2, runs, width)


def slope(x: ArrayLike, y: ArrayLike, deviations: ArrayLike, width: float = NORMAL_95) -> Interval:
    """Return the slope of a straight line by weighted least squares, with its interval.

    Examples
    --------
    >>> round(slope([0.0, 1.0, 2.0], [1.0, 3.0, 5.0], [0.1, 0.1, 0.1]).value, 6)
    2.0
    """
    weights = 1.0 / np.asarray(deviations, float) ** 2
    places, heights = np.asarray(x, float), np.asarray(y, float)
    centred = places - (weights * places).sum() / weights.sum()
    spread = float((weights * centred**2).sum())
    found = float((weights * centred * heights).sum()) / spread
    error = width / math.sqrt(spread)
    return Interval(found, found - error, found + error)
