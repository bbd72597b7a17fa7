"""The origin: what is subtracted from all rewards so that means keep their digits (docs/rounding.md).

Means are averages kept up to date in a double. Where rewards are large beside their noise, the roundings of a million
updates add up to several standard errors. A law of shifts, such as the Gaussian, does not care from where rewards are
measured: from a point near the best arm no digit is lost. Each family says where that is (`measured_from`).
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from toptwo.checks import FARTHEST
from toptwo.families.base import measured_from

NEAR = 32.0
"""Rewards up to so many times the differences that matter are measured from 0."""

SURELY = 8.0
"""Deviations that a Gaussian reward is never seen away from its mean: the odds are one in 8·10¹⁴."""


def unless_near(place: float, scale: float) -> float:
    """Return the place, or 0 if it is as good: not farther from it than NEAR times a scale."""
    return place if abs(place) > NEAR * scale else 0.0


def origin_of(family: Any, rewards: Sequence[float]) -> float:
    """Return where to measure from, given one reward or the mean of each arm.

    Any point that is the same for all rewards of all arms leaves a law of shifts what it is, even if it was chosen
    after looking at them: it is subtracted from the data, and nothing that a rule reads depends on it but for rounding.

    Examples
    --------
    >>> from toptwo.families import Bernoulli, Gaussian
    >>> origin_of(Gaussian(), [1e12 + 1.0, 1e12]) - 1e12, origin_of(Gaussian(), [3.0, 2.0])
    (1.0, 0.0)
    >>> origin_of(Gaussian(sigma=[1.0, 1.0, 1e13]).for_arms(3), [1e9, 1e9 + 1.0, 1e13]) - 1e9
    1.0
    >>> origin_of(Bernoulli(), [1.0, 1.0])
    0.0
    """
    place = measured_from(family, rewards)
    return place if abs(place) < FARTHEST else 0.0


def origins_of(family: Any, means: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the origin of each instance, a row of means."""
    return np.array([origin_of(family, row) for row in means.tolist()])
