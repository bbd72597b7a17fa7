"""How often a wrong arm may lead, and from when on that no longer matters (docs/upper-bounds.md)."""

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from toptwo import checks
from toptwo.special import lambert_bar
from toptwo.theory.arguments import FloatOrArray, Floats, gaps_of, numbers, unwrap
from toptwo.theory.complexity import hardness
from toptwo.theory.functions import concentration_parameters
from toptwo.theory.implicit import from_log, log_crossing

Bonus = Callable[[float], float]
"""g as a function of ln n."""


def union(alpha: float, s: float) -> Bonus:
    """Return g_u as a function of ln n.

    Examples
    --------
    >>> round(union(1.2, 1.2)(math.log(1000.0)), 3)
    36.473
    """
    return lambda logarithm: 2.0 * alpha * (1.0 + s) * logarithm


def mixture(alpha: float, s: float) -> Bonus:
    """Return g_m as a function of ln n.

    Examples
    --------
    >>> round(mixture(1.2, 1.2)(math.log(1000.0)), 3)
    29.956
    """

    def bonus(logarithm: float) -> float:
        return lambert_bar(2.0 * s * alpha * logarithm + 2.0 * math.log(2.0 + alpha * logarithm) + 2.0)

    return bonus


class Leadership(NamedTuple):
    """Bound on the rounds t ≤ n that the best arm does not lead, under the concentration event of n.

    max{K + h g(n), max{K, n^{1/α}} + h′ g(n)}, h = 2H₁/β, and h′ the same without the arm of the largest gap.

    Parameters
    ----------
    log_unit
        ln(4σ²/(β Δ_min²)).
    shares, rest
        The sum of (Δ_min/Δ_i)² over the sub-optimal arms, and the same without the smallest.
    alpha, arms, bonus
        α, K and g.
    """

    log_unit: float
    shares: float
    rest: float
    alpha: float
    arms: int
    bonus: Bonus

    def log_wrong(self, logarithm: float) -> float:
        """Return the logarithm of the bound at ln n."""
        log_bonus = self.log_unit + math.log(max(self.bonus(logarithm), 1e-300))
        early = np.logaddexp(math.log(self.arms), log_bonus + math.log(self.shares))
        late = max(math.log(self.arms), logarithm / self.alpha)
        if self.rest > 0.0:
            late = np.logaddexp(late, log_bonus + math.log(self.rest))
        return float(max(early, late))

    def log_settled(self, slack: float, floor: float) -> float:
        """Return ln sup{n : n − 1 < (1 + 1/ε)(bound + 2/a)}, the "hardness" term, a = `floor`."""
        log_twice, log_spare = math.log(2.0 / floor), math.log1p(1.0 / slack)

        def balance(level: float) -> float:
            logarithm = level + math.log1p(math.exp(-level))
            return level - log_spare - float(np.logaddexp(self.log_wrong(logarithm), log_twice))

        level = log_crossing(balance, 0.0)
        return level + math.log1p(math.exp(-level))


def leaderships(means: Floats, sigma: float, beta: float, alpha: float, bonus: Bonus) -> list[Leadership]:
    """Return the bound of each instance.

    Examples
    --------
    >>> [found] = leaderships(np.array([1.0, 0.0, 0.0]), 1.0, 0.5, 1.2, union(1.2, 1.2))
    >>> found.shares, found.rest
    (2.0, 1.0)
    """
    gaps = gaps_of(np.atleast_2d(means))
    found = []
    for best, smallest, shares in zip(gaps.best, gaps.smallest, gaps.shares, strict=True):
        log_unit = math.log(4.0 / beta) + 2.0 * (math.log(sigma) - math.log(smallest))
        others = np.sort(np.delete(shares, best))
        found.append(Leadership(log_unit, float(others.sum()), float(others[1:].sum()), alpha, means.shape[-1], bonus))
    return found


def wrong_leaderships(
    means: ArrayLike,
    samples: ArrayLike,
    *,
    beta: float = 0.5,
    alpha: float = 1.2,
    s: float = 1.2,
    bonus: str = "union",
    sigma: float = 1.0,
    as_printed: bool = False,
) -> FloatOrArray:
    """Return a bound on the rounds before n that the best arm does not lead, on TTUCB's concentration event of n.

    The initial pulls count as such rounds. docs/upper-bounds.md, lemma 2, proves max{K + 2H₁g(n)/β, max{K, n^{1/α}} +
    2H₁′g(n)/β}, H₁′ without the arm of the largest gap. The paper's Lemma "UCB leader, counts" prints
    2Hg(n)/β + K/β, which is false: nothing limits the rounds before n^{1/α} (docs/errata.md).

    Parameters
    ----------
    means
        Means of shape (K,), with one best arm.
    samples
        The round n, or an array of rounds.
    beta, alpha, s, sigma
        As in `upper_bound`.
    bonus
        "union" for g_u, "mixture" for g_m.
    as_printed
        Return what the paper prints.

    Examples
    --------
    >>> round(wrong_leaderships([1.0, 0.0, 0.0], 1e6)), round(wrong_leaderships([1.0, 0.0, 0.0], 1e6, as_printed=True))
    (100584, 1757)
    """
    values, share = checks.means(means, axes=(1,)), checks.probability("beta", beta)
    scale = checks.at_least("sigma", sigma, 0.0, strict=True)
    law = checks.one_of("bonus", bonus, {"union": union, "mixture": mixture})(*concentration_parameters(alpha, s))
    logarithms = np.log(numbers("samples", samples, 1.0))
    if as_printed:
        factor = 2.0 * float(hardness(values, sigma=scale)) / share
        return unwrap(np.vectorize(law, otypes=[float])(logarithms) * factor + values.size / share)
    [found] = leaderships(values, scale, share, alpha, law)
    return unwrap(np.vectorize(lambda logarithm: from_log(found.log_wrong(logarithm)), otypes=[float])(logarithms))
