"""What a fixed share β costs against the optimal one, and where T* lies without solving for it."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from toptwo import checks
from toptwo.theory.arguments import FloatOrArray, gaps_of, numbers, probabilities, unwrap
from toptwo.theory.complexity import characteristic_time, times_and_allocations
from toptwo.theory.laws import law_of


def time_ratio(means: ArrayLike, beta: ArrayLike = 0.5, *, family: Any = None) -> FloatOrArray:
    """Return T*_β(μ)/T*(μ) ≥ 1: what fixing the best arm's share at β costs (Lemma "improved robust β").

    Examples
    --------
    >>> round(time_ratio([1.0, 0.85, 0.8, 0.7]), 4)
    1.0327
    >>> time_ratio([1.0, 0.0])
    1.0
    """
    fixed = np.asarray(characteristic_time(means, beta, family=family))
    return unwrap(fixed / np.asarray(characteristic_time(means, family=family)))


def worst_time_ratio(arms: ArrayLike, beta: ArrayLike = 0.5) -> FloatOrArray:
    """Return the smallest r with T*_β ≤ r T* for all instances of K Gaussian arms; at β = ½ it is r_K = 2K/(1+√(K−1))².

    r = max{(1+√(K−1))²/4, 1+(K−2)β}/(β(1−β)(1+√(K−1))²), proved in docs/theory.md. The second is reached when all
    sub-optimal means are equal, and is the larger from β = `robust_share(K)` on; the first is reached by two arms, and
    approached by more when all but two fall behind. The paper conjectures the case β = ½.

    Parameters
    ----------
    arms
        K, a number or an array.
    beta
        The fixed share; broadcasts against `arms`.

    Examples
    --------
    >>> [round(worst_time_ratio(arms), 4) for arms in (2, 3, 10, 1000)]
    [1.0, 1.0294, 1.25, 1.8811]
    >>> worst_time_ratio(10, [0.1, 0.375, 0.9]).round(4)
    array([2.7778, 1.0667, 5.6944])
    """
    count, share = numbers("arms", arms, 2.0), probabilities("beta", beta)
    root = (1.0 + np.sqrt(count - 1.0)) ** 2
    return unwrap(np.maximum(root / 4.0, 1.0 + (count - 2.0) * share) / (share * (1.0 - share) * root))


def robust_share(arms: ArrayLike) -> FloatOrArray:
    """Return the fixed share β = (3+√(K−1))/(4(1+√(K−1))) whose worst T*_β/T* of K Gaussian arms is the smallest.

    The worst ratio there is 1/(4β(1−β)) < 4/3 for every K, where β = ½ may cost up to 2 (docs/theory.md).

    Examples
    --------
    >>> robust_share([2, 10, 1000]).round(4), worst_time_ratio([2, 10, 1000], robust_share([2, 10, 1000])).round(4)
    (array([0.5   , 0.375 , 0.2653]), array([1.    , 1.0667, 1.2825]))
    """
    root = np.sqrt(numbers("arms", arms, 2.0) - 1.0)
    return unwrap((3.0 + root) / (4.0 * (1.0 + root)))


def time_ratio_bound(means: ArrayLike, beta: ArrayLike = 0.5, *, family: Any = None) -> FloatOrArray:
    """Return max{β*/β, (1−β*)/(1−β)} with β* = w*_best, an upper bound on T*_β/T* (Lemma "robust β").

    Examples
    --------
    >>> round(time_ratio_bound([1.0, 0.85, 0.8, 0.7]), 4)
    1.175
    """
    share = probabilities("beta", beta)
    values = checks.means(means)
    _, allocation = times_and_allocations(values, None, law_of(family))
    optimal = np.take_along_axis(allocation, np.argmax(values, axis=-1)[..., None], axis=-1)[..., 0]
    return unwrap(np.maximum(optimal / share, (1.0 - optimal) / (1.0 - share)))


class TimeRange(NamedTuple):
    """Bounds between which a characteristic time lies."""

    low: FloatOrArray
    high: FloatOrArray


def characteristic_time_range(means: ArrayLike, *, sigma: float = 1.0) -> TimeRange:
    """Return Lemma "Proposition 10"'s bounds on the Gaussian T*, without solving for it.

    max{8/Δ_min², 4(1+√(K−1))/mean of Δ²} ≤ T* ≤ 2(1+√(K−1))²/Δ_min², each times σ²; for K = 2 all are equal.

    Examples
    --------
    >>> characteristic_time_range([2.0, 0.0])
    TimeRange(low=2.0, high=2.0)
    """
    scale = checks.at_least("sigma", sigma, 0.0, strict=True)
    values = checks.means(means)
    gaps = gaps_of(values)
    arms = values.shape[-1]
    root = 1.0 + np.sqrt(arms - 1.0)
    with np.errstate(over="ignore", under="ignore", divide="ignore"):
        unit = (scale / gaps.smallest) * (scale / gaps.smallest)
        # Δ_i²/Δ_min² averaged over the sub-optimal arms; the best arm's share is 0 and must not count.
        squares = np.where(gaps.shares > 0.0, 1.0 / gaps.shares, 0.0).sum(axis=-1) / (arms - 1.0)
        return TimeRange(unwrap(np.maximum(8.0, 4.0 * root / squares) * unit), unwrap(2.0 * root**2 * unit))
