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


class Judgement(Enum):
    """What a table says about a sentence."""

    HOLDS = "holds"
    CORRECTED = "holds with a correction"
    FAILS = "does not hold"
    OPEN = "not decided by this size"


class Estimate(NamedTuple):
    """A number and how well it is known."""

    value: float
    low: float
    high: float

    def above(self, level: float) -> Judgement:
        """Return whether the number is above a level.

        Examples
        --------
        >>> Estimate(2.0, 1.5, 2.5).above(1.0), Estimate(2.0, 0.5, 3.5).above(1.0)
        (<Judgement.HOLDS: 'holds'>, <Judgement.OPEN: 'not decided by this size'>)
        """
        if self.low > level:
            return Judgement.HOLDS
        return Judgement.FAILS if self.high < level else Judgement.OPEN

    def below(self, level: float) -> Judgement:
        """Return whether the number is below a level."""
        return Estimate(-self.value, -self.high, -self.low).above(-level)

    def within(self, low: float, high: float) -> Judgement:
        """Return whether the number is between two levels."""
        return every([self.above(low), self.below(high)])


def every(verdicts: Iterable[Judgement]) -> Judgement:
    """Return the verdict on a sentence all of whose parts must hold.

    Examples
    --------
    >>> every([Judgement.HOLDS, Judgement.OPEN]), every([Judgement.OPEN, Judgement.FAILS])
    (<Judgement.OPEN: 'not decided by this size'>, <Judgement.FAILS: 'does not hold'>)
    """
    found = set(verdicts)
    for verdict in (Judgement.FAILS, Judgement.OPEN, Judgement.CORRECTED):
        if verdict in found:
            return verdict
    return Judgement.HOLDS


def exactly(true: bool) -> Judgement:
    """Return the verdict on something computed without noise."""
    return Judgement.HOLDS if true else Judgement.FAILS


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


def of_mean(mean: float, variance: float, runs: int, width: float = NORMAL_95) -> Estimate:
    """Return a mean of so many runs with its normal interval."""
    error = math.sqrt(max(variance, 0.0) / runs) if runs > 1 else math.inf
    return Estimate(mean, mean - width * error, mean + width * error)


def exponential(interval: Estimate) -> Estimate:
    """Return the interval of e^x for that of x."""
    return Estimate(*(math.exp(min(end, 700.0)) for end in interval))


def difference(one: Estimate, other: Estimate) -> Estimate:
    """Return the difference of two numbers; the interval is that of independent ones, too wide if they move together.

    Examples
    --------
    >>> difference(Estimate(5.0, 2.0, 8.0), Estimate(1.0, -3.0, 5.0))
    Estimate(value=4.0, low=-1.0, high=9.0)
    """
    value = one.value - other.value
    low = math.hypot(one.value - one.low, other.high - other.value)
    high = math.hypot(one.high - one.value, other.value - other.low)
    return Estimate(value, value - low, value + high)


def ratio_of_means(
    means: tuple[float, float], variances: tuple[float, float], covariance: float, runs: int, width: float = NORMAL_95
) -> Estimate:
    """Return the ratio of two means over the same runs, its interval by the delta method.

    Examples
    --------
    >>> ratio_of_means((2.0, 1.0), (4.0, 1.0), 2.0, 100).high  # one is twice the other, run by run
    2.0
    """
    ratio = means[0] / means[1]
    residual = variances[0] - 2.0 * ratio * covariance + ratio**2 * variances[1]
    return of_mean(ratio, residual / means[1] ** 2, runs, width)


def slope(x: ArrayLike, y: ArrayLike, deviations: ArrayLike, width: float = NORMAL_95) -> Estimate:
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
    return Estimate(found, found - error, found + error)
