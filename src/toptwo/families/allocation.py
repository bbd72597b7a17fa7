"""Optimal allocations for Gaussian arms of equal variance, one at a time and without memory of their own.

`theory.optimal_allocation` solves many instances at once with NumPy; a sampling rule needs one in every round.
"""

import math

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
