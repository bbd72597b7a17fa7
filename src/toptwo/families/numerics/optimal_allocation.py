"""Optimal allocations, one at a time and without memory of their own.

`theory.optimal_allocation` solves many instances at once with NumPy; a sampling rule needs one in every round.
"""

import math

from toptwo.families.base import Family
from toptwo.state import Row

ITERATIONS = 60
"""Bound on Newton's iterations; 2 to 4 are usual from the root of the round before, 7 without it."""


def gaussian_allocation(best: int, means: Row, start: float, shares: Row) -> float:
    """Write w*(means) into `shares` and return the root y, a good start for the next means (0: no start).

    With y = rΔ²_min and q_i = Δ²_i/Δ²_min the equation Σ 1/(y q_i − 1)² = 1 (paper, appendix on characteristic times)
    reads h(y) = (Σ (y q_i − 1)^{−2})^{−½} − 1 = 0, with h concave and increasing: Newton's iteration lands left of the
    root after one step and climbs to it. The root is between 2 and 1 + √(K−1).
    """
    arms = len(means)
    nearest = math.inf
    for i in range(arms):
        if i != best:
            nearest = min(nearest, (means[best] - means[i]) * (means[best] - means[i]))
    for i in range(arms):
        shares[i] = (means[best] - means[i]) * (means[best] - means[i]) / nearest
    y = min(max(start, 2.0), 1.0 + math.sqrt(arms - 1.0))
    for _ in range(ITERATIONS):
        second, third = 0.0, 0.0
        for i in range(arms):
            if i != best:
                inverse = 1.0 / (y * shares[i] - 1.0)
                second += inverse * inverse
                third += shares[i] * inverse * inverse * inverse
        step = second * (math.sqrt(second) - 1.0) / third
        y = max(2.0, y + step)
        if abs(step) < 1e-8 * y:  # the error left is of the order of its square
            break
    total = 1.0
    for i in range(arms):
        if i != best:
            shares[i] = 1.0 / (y * shares[i] - 1.0)
            total += shares[i]
    shares[best] = 1.0
    for i in range(arms):
        shares[i] /= total
    return y


def general_allocation(family: Family, best: int, means: Row, start: float, shares: Row) -> float:
    """Write w*(means) of any one-parameter family into `shares`; return where the search ended, a start for the next.

    Garivier and Kaufmann (2016, Theorem 5), as in theory/nested.py: with x_i = w_i/w_best and m_i the pooled mean, all
    costs d(μ_best, m_i) + x_i d(μ_i, m_i) are equal at the optimum, and Σ d(μ_best, m_i)/d(μ_i, m_i) = 1. Unknown: ln x
    of the second arm. False position on the logarithm of that sum, which increases (Illinois rule).
    """
    second = -1
    for i in range(len(means)):
        shares[i] = start
        if i != best and (second < 0 or means[i] > means[second]):
            second = i
    low = high = start
    at_low = at_high = imbalance(family, best, second, start, means, shares)
    while at_low > 0.0 and low > -60.0:
        high, at_high = low, at_low
        low -= 0.5
        at_low = imbalance(family, best, second, low, means, shares)
    while at_high < 0.0 and high < 60.0:
        low, at_low = high, at_high
        high += 0.5
        at_high = imbalance(family, best, second, high, means, shares)
    middle = start
    for turn in range(ITERATIONS):
        if high - low <= 1e-14 * max(1.0, abs(low)) or at_low == 0.0 or at_high == 0.0:
            break
        middle = high - at_high * (high - low) / (at_high - at_low)
        if turn % 4 == 3 or not low < middle < high:
            middle = 0.5 * (low + high)
        value = imbalance(family, best, second, middle, means, shares)
        if abs(value) <= 1e-13:
            break
        if value > 0.0:
            high, at_high, at_low = middle, value, 0.5 * at_low
        else:
            low, at_low, at_high = middle, value, 0.5 * at_high
    total = 1.0
    for i in range(len(means)):
        shares[i] = math.exp(shares[i]) if i != best else 1.0
        total += shares[i] if i != best else 0.0
    for i in range(len(means)):
        shares[i] /= total
    return middle


def imbalance(family: Family, best: int, second: int, leading: float, means: Row, shares: Row) -> float:
    """Return ln Σ d(μ_best, m_i)/d(μ_i, m_i) at ln x = leading for the second arm, and leave every ln x in `shares`."""
    x = math.exp(leading)
    middle = pooled(means[best], means[second], x)
    cost = family.divergence(means[best], middle) + x * family.divergence(means[second], middle)
    total = 0.0
    for i in range(len(means)):
        if i != best:
            shares[i] = (
                leading if means[i] == means[second] else log_weight(family, cost, means[best], means[i], shares[i])
            )
            middle = pooled(means[best], means[i], math.exp(shares[i]))
            total += family.divergence(means[best], middle) / family.divergence(means[i], middle)
    return math.log(total)


def pooled(top: float, mean: float, x: float) -> float:
    """Return (top + x · mean)/(1 + x)."""
    return (top + x * mean) / (1.0 + x)


def log_weight(family: Family, cost: float, top: float, mean: float, level: float) -> float:
    """Return ln x at which d(top, m) + x d(mean, m) is the cost.

    Its logarithm is concave and increasing in ln x, with slopes between 0 and 1: Newton's iteration cannot fail.
    """
    for _ in range(ITERATIONS):
        x = math.exp(level)
        middle = pooled(top, mean, x)
        gained = x * family.divergence(mean, middle)
        total = family.divergence(top, middle) + gained
        step = math.log(cost / total) * total / gained
        level += step
        if abs(step) <= 1e-9:  # the error left is of the order of its square
            break
    return level
