"""Stopping thresholds as functions: the level that the smallest pairwise statistic must reach before stopping.

`samples` is the number of rewards seen so far (the paper's n − 1 before round n).
"""

import math

import numpy as np
from numpy.typing import ArrayLike

from toptwo import checks
from toptwo.errors import InputError
from toptwo.families.gaussian import LOG_WEIGHTS, PRECISIONS
from toptwo.theory.arguments import FloatOrArray, Floats, numbers, probabilities, unwrap
from toptwo.theory.functions import calibration_exponential, calibration_gaussian


def threshold_proven(samples: ArrayLike, delta: ArrayLike, arms: int) -> FloatOrArray:
    """Return c(n, δ) = 2C_G(ln((K−1)/δ)/2) + 4 ln(4 + ln(n/2)), proven for Gaussian arms (Lemma "δ-correct threshold").

    Examples
    --------
    >>> round(threshold_proven(1000, 0.1, 10), 4)
    16.9954
    """
    count = numbers("samples", samples, 2.0)
    calibrated = np.asarray(calibration_gaussian(0.5 * log_odds(delta, arms)))
    return unwrap(2.0 * calibrated + 4.0 * np.log(4.0 + np.log(0.5 * count)))


def threshold_heuristic(samples: ArrayLike, delta: ArrayLike) -> FloatOrArray:
    """Return ln((1 + ln n)/δ), the threshold of the paper's experiments (section "Experiments").

    Heuristic: nothing proves that stopping at it errs with probability at most δ.

    Examples
    --------
    >>> round(threshold_heuristic(1000, 0.1), 4)
    4.3704
    """
    return unwrap(np.log1p(np.log(numbers("samples", samples, 1.0))) - np.log(probabilities("delta", delta)))


def threshold_exponential(samples: ArrayLike, delta: ArrayLike, arms: int) -> FloatOrArray:
    """Return 2T(ln((K−1)/δ)/2) + 6 ln(1 + ln(n/2)), δ-correct for one-parameter exponential families.

    Kaufmann and Koolen (2021, Theorem 7) and concavity of ln(1 + ln x), as in Lemma "δ-correct threshold".

    Examples
    --------
    >>> round(threshold_exponential(1000, 0.1, 10), 4)
    34.3918
    """
    count = numbers("samples", samples, 2.0)
    calibrated = np.asarray(calibration_exponential(0.5 * log_odds(delta, arms)))
    return unwrap(2.0 * calibrated + 6.0 * np.log1p(np.log(0.5 * count)))


def threshold_mixture(
    first: ArrayLike,
    second: ArrayLike,
    delta: ArrayLike,
    arms: int,
    *,
    precisions: ArrayLike | None = None,
    weights: ArrayLike | None = None,
) -> FloatOrArray:
    """Return the level that the Gaussian statistic of a pair sampled `first` and `second` times must reach.

    The mixture rule stops on evidence, not on a function of n alone: when the sum over the grid of weight ·
    exp((gap + ε)²/(2(v_a + v_b))) / √((1 + N_a/ρ)(1 + N_b/ρ)), with v = 1/N + ρ/N², reaches (K−1)/δ (docs/mixture.md).
    Solved for the statistic (gap + ε)²/(2(1/N_a + 1/N_b)), that is the level returned here.

    Parameters
    ----------
    first, second
        Counts of the two arms, at least 1; they may be arrays and need not be whole.
    delta, arms
        Error probability and number of arms K.
    precisions, weights
        Grid of prior precisions ρ, in units of 1/σ², fixed before the data, and its weights; by default the grid that
        `threshold="mixture"` ships with, and equal weights for a grid of your own.

    Examples
    --------
    >>> round(threshold_mixture(400, 400, 0.1, 10), 4)
    8.2577
    >>> round(threshold_mixture(400, 400, 0.1, 10, precisions=[10.0]), 4)
    8.4187
    """
    grid, logarithms = mixture_grid(precisions, weights)
    one, two = numbers("first", first, 1.0)[..., None], numbers("second", second, 1.0)[..., None]
    paid = 0.5 * np.log1p(one / grid) + 0.5 * np.log1p(two / grid) - logarithms
    # (v_a + v_b)/(1/N_a + 1/N_b): how much the prior shrinks the statistic.
    shrinkage = 1.0 + grid * (one / two + two / one) / (one + two)
    target = log_odds(delta, arms)[..., None]
    # Where one precision alone suffices, the sum does: start there. The logarithm of the sum is convex and increasing
    # in the statistic, so that Newton's iteration comes down to the solution without overshooting.
    level = ((target + paid) * shrinkage).min(axis=-1, keepdims=True)
    for _ in range(60):
        exponents = level / shrinkage - paid
        top = exponents.max(axis=-1, keepdims=True)
        parts = np.exp(exponents - top)
        total = parts.sum(axis=-1, keepdims=True)
        excess = top + np.log(total) - target
        step = excess * total / (parts / shrinkage).sum(axis=-1, keepdims=True)
        level = level - step
        if (np.abs(step) <= 1e-14 * level).all():
            break
    return unwrap(level[..., 0])


def mixture_loss(
    first: ArrayLike,
    second: ArrayLike,
    delta: ArrayLike,
    arms: int,
    *,
    precisions: ArrayLike | None = None,
    weights: ArrayLike | None = None,
) -> FloatOrArray:
    """Return `threshold_mixture` minus ln((K−1)/δ): the evidence that not knowing the means in advance costs the pair.

    Examples
    --------
    >>> round(mixture_loss(400, 400, 0.1, 10), 4)
    3.7579
    """
    level = threshold_mixture(first, second, delta, arms, precisions=precisions, weights=weights)
    return unwrap(np.asarray(level) - log_odds(delta, arms))


def log_odds(delta: ArrayLike, arms: int) -> Floats:
    """Return ln((K−1)/δ): the error probability, shared among the K−1 wrong answers.

    Examples
    --------
    >>> float(log_odds(0.1, 11).round(4))
    4.6052
    """
    return np.asarray(math.log(checks.whole("arms", arms, 2) - 1.0) - np.log(probabilities("delta", delta)))


def mixture_grid(precisions: ArrayLike | None, weights: ArrayLike | None) -> tuple[Floats, Floats]:
    """Return the precisions and the logarithms of their weights, which must sum to at most 1.

    Examples
    --------
    >>> mixture_grid([1.0, 4.0], None)[1].round(4)
    array([-0.6931, -0.6931])
    """
    if precisions is None and weights is None:
        return np.array(PRECISIONS), np.array(LOG_WEIGHTS)
    grid = np.atleast_1d(numbers("precisions", PRECISIONS if precisions is None else precisions, 0.0, strict=True))
    if grid.ndim != 1 or not np.isfinite(grid).all() or grid.size == 0:
        raise InputError("precisions must be a list of finite positive numbers.")
    if weights is None:
        return grid, np.full(grid.size, -math.log(grid.size))
    shares = np.atleast_1d(numbers("weights", weights, 0.0, strict=True))
    if shares.shape != grid.shape or shares.sum() > 1.0 + 1e-12:
        raise InputError("weights must be as many as precisions and sum to at most 1.")
    return grid, np.log(shares)
