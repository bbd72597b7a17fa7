"""Pairs of Gaussian arms of unknown variance: likelihood ratio and t-mixture, each minimised over a common mean.

Distances are in units of the gap between the two arms: the common mean lies x from the first and 1 − x from the second.
An arm is its number of rewards k and V, the mean square deviation of these from their mean, in units of the gap squared.
Neither sum is convex in x, but the derivatives are ratios of polynomials, of which every root can be found
(docs/families/unknown-variance.md, section 4).
"""

import math

STEPS = 100
"""Bound on the steps of Newton's iteration; 3 to 8 are usual."""

CLOSE = 1e-9
"""Roots closer to each other than this are one root."""


def likelihood_ratio(count: float, variance: float, distance: float) -> float:
    """Return (k/2) ln(1 + d²/V): the cost of believing that the mean lies this far off, the variance being free."""
    return 0.5 * count * math.log1p(distance * distance / variance)


def t_mixture(count: float, variance: float, effects: float, distance: float) -> float:
    """Return ln M, the log likelihood ratio averaged over effects N(0, τ²), c = kτ² = `effects`.

    M = (1 + c)^{−1/2} (1 + c d²/((1 + c)V + d²))^{k/2}.
    """
    square = distance * distance
    return 0.5 * (count * math.log1p(effects * square / ((1.0 + effects) * variance + square)) - math.log1p(effects))


def nearest_mean(count_a: float, variance_a: float, count_b: float, variance_b: float) -> float:
    """Return the x that minimises the sum of the two likelihood ratios.

    Stationary points are the roots of x³ − (1 + w)x² + (w(1 + V_b) + (1 − w)V_a)x − (1 − w)V_a, w = k_a/(k_a + k_b), all of
    them in (0, 1). From 0 or from 1, on the side of the inflection that has a root, Newton's iteration cannot overshoot;
    division leaves a quadratic equation. Minima are the outer roots.
    """
    share = count_a / (count_a + count_b)
    two, one = -(1.0 + share), share * (1.0 + variance_b) + (1.0 - share) * variance_a
    zero = -(1.0 - share) * variance_a
    turn = (1.0 + share) / 3.0
    first = ((turn + two) * turn + one) * turn + zero >= 0.0
    x = 0.0 if first else 1.0
    for _ in range(STEPS):
        step = (((x + two) * x + one) * x + zero) / ((3.0 * x + 2.0 * two) * x + one)
        x -= step
        if abs(step) <= 1e-14:
            break
    total = two + x
    root = total * total - 4.0 * (one + x * total)
    if root <= 0.0:
        return x
    other = 0.5 * (math.sqrt(root) - total if first else -math.sqrt(root) - total)
    costs = (
        likelihood_ratio(count_a, variance_a, x) + likelihood_ratio(count_b, variance_b, 1.0 - x),
        likelihood_ratio(count_a, variance_a, other) + likelihood_ratio(count_b, variance_b, 1.0 - other),
    )
    return x if costs[0] <= costs[1] else other


def least_mixture(
    count_a: float, variance_a: float, effects_a: float, count_b: float, variance_b: float, effects_b: float
) -> float:
    """Return the least sum of the two t-mixtures, over all x.

    Its derivative has the sign of a polynomial of degree 5, expanded around ever larger x: a step that no root of it, or
    no root of its derivative, can lie within is safe, and holds at most one root.
    """
    outer_a, outer_b = (1.0 + effects_a) * variance_a, (1.0 + effects_b) * variance_b
    pull_a, pull_b = count_a * effects_a * variance_a, count_b * effects_b * variance_b
    sum_a, sum_b, product_a, product_b = variance_a + outer_a, variance_b + outer_b, variance_a * outer_a, variance_b * outer_b
    size = max(pull_a, pull_b)
    pull_a, pull_b = pull_a / size, pull_b / size
    p0 = -pull_b * product_a
    p1 = pull_a * (1.0 + sum_b + product_b) + pull_b * product_a
    p2 = -pull_a * (4.0 + 2.0 * sum_b) - pull_b * sum_a
    p3 = pull_a * (6.0 + sum_b) + pull_b * sum_a
    p4, p5 = -4.0 * pull_a - pull_b, pull_a + pull_b
    least, x = math.inf, 0.0
    while x < 1.0:
        # Taylor coefficients at x, by repeated synthetic division.
        a4 = p4 + x * p5
        a3 = p3 + x * a4
        a2 = p2 + x * a3
        a1 = p1 + x * a2
        t0 = p0 + x * a1
        b4 = a4 + x * p5
        b3 = a3 + x * b4
        b2 = a2 + x * b3
        t1 = a1 + x * b2
        c4 = b4 + x * p5
        c3 = b3 + x * c4
        t2 = b2 + x * c3
        d4 = c4 + x * p5
        t3 = c3 + x * d4
        t4 = d4 + x * p5
        step = 1.0 - x
        while step > CLOSE:
            rest = abs(t2) + step * (abs(t3) + step * (abs(t4) + step * p5))
            if abs(t0) > step * (abs(t1) + step * rest):
                break
            if abs(t1) > step * (2.0 * abs(t2) + step * (3.0 * abs(t3) + step * (4.0 * abs(t4) + step * 5.0 * p5))):
                break
            step *= 0.5
        end = t0 + step * (t1 + step * (t2 + step * (t3 + step * (t4 + step * p5))))
        if t0 <= 0.0 <= end:
            low, high, shift = 0.0, step, 0.5 * step
            for _ in range(STEPS):
                value = t0 + shift * (t1 + shift * (t2 + shift * (t3 + shift * (t4 + shift * p5))))
                speed = t1 + shift * (2.0 * t2 + shift * (3.0 * t3 + shift * (4.0 * t4 + shift * 5.0 * p5)))
                if value > 0.0:
                    high = shift
                else:
                    low = shift
                move = shift - value / speed if speed > 0.0 else low
                move = move if low < move < high else 0.5 * (low + high)
                if abs(move - shift) <= 1e-13:
                    break
                shift = move
            there = x + shift
            least = min(
                least,
                t_mixture(count_a, variance_a, effects_a, there) + t_mixture(count_b, variance_b, effects_b, 1.0 - there),
            )
        x += step
    return least
