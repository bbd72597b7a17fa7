"""Pairs of Gaussian arms of unknown variance: likelihood ratio and t-mixture, each minimised over a common mean.

Distances are in units of the gap between the two arms: the common mean lies x from the first and 1 − x from the second.
An arm is its number of rewards k and V, their mean square deviation from their mean, in units of the gap squared.
Neither sum is convex in x, but the derivatives are ratios of polynomials, of which every root can be found
(docs/families/unknown-variance.md, section 4).
"""

import math
from typing import NamedTuple

STEPS = 100
"""Bound on the steps of Newton's iteration; 3 to 8 are usual."""

CLOSE = 1e-8
"""Roots closer to each other than this are one root."""


class Evidence(NamedTuple):
    """What is known of an arm: k, V, and c = kτ², the strength of the prior on effects N(0, τ²) against k rewards."""

    pulls: float
    spread: float
    effects: float


class Quintic(NamedTuple):
    """Coefficients of a polynomial of degree 5."""

    zero: float
    one: float
    two: float
    three: float
    four: float
    five: float


def likelihood_ratio(count: float, variance: float, distance: float) -> float:
    """Return (k/2) ln(1 + d²/V): the cost of believing that the mean lies this far off, the variance being free."""
    return 0.5 * count * math.log1p(distance * distance / variance)


def t_mixture(arm: Evidence, distance: float) -> float:
    """Return ln M, M = (1 + c)^{−1/2} (1 + c d²/((1 + c)V + d²))^{k/2}: a likelihood ratio averaged over effects."""
    square = distance * distance
    excess = arm.effects * square / ((1.0 + arm.effects) * arm.spread + square)
    return 0.5 * (arm.pulls * math.log1p(excess) - math.log1p(arm.effects))


def nearest_mean(count_a: float, variance_a: float, count_b: float, variance_b: float) -> float:
    """Return the x that minimises the sum of the two likelihood ratios.

    Stationary points are the roots of x³ − (1 + w)x² + (w(1 + V_b) + (1 − w)V_a)x − (1 − w)V_a, w = k_a/(k_a + k_b).
    All lie in (0, 1). From 0 or from 1, on the side of the inflection that has a root, Newton's iteration cannot
    overshoot; division leaves a quadratic equation. Minima are the outer roots.
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


def least_mixture(arm_a: Evidence, arm_b: Evidence) -> float:
    """Return the least sum of two t-mixtures, over all x.

    Its derivative has the sign of a polynomial of degree 5. A step to the right that neither a root of the polynomial
    nor, else, one of its derivative can lie within is safe: it passes one root at most, which is then easy to find.
    """
    polynomial = _derivative(arm_a, arm_b)
    least, x = math.inf, 0.0
    while x < 1.0:
        here = _expanded(polynomial, x)
        step = _safe_step(here, 1.0 - x)
        if here.zero <= 0.0 <= _value(here, step):
            there = x + _root_within(here, step)
            least = min(least, t_mixture(arm_a, there) + t_mixture(arm_b, 1.0 - there))
        x += step
    return least


def _derivative(arm_a: Evidence, arm_b: Evidence) -> Quintic:
    """Return p_a x (V_b + y²)(W_b + y²) − p_b y (V_a + x²)(W_a + x²) with y = 1 − x, p = kcV and W = (1 + c)V."""
    outer_a, outer_b = (1.0 + arm_a.effects) * arm_a.spread, (1.0 + arm_b.effects) * arm_b.spread
    pull_a, pull_b = arm_a.pulls * arm_a.effects * arm_a.spread, arm_b.pulls * arm_b.effects * arm_b.spread
    pull_a, pull_b = pull_a / max(pull_a, pull_b), pull_b / max(pull_a, pull_b)
    sum_a, product_a = arm_a.spread + outer_a, arm_a.spread * outer_a
    sum_b, product_b = arm_b.spread + outer_b, arm_b.spread * outer_b
    return Quintic(
        -pull_b * product_a,
        pull_a * (1.0 + sum_b + product_b) + pull_b * product_a,
        -pull_a * (4.0 + 2.0 * sum_b) - pull_b * sum_a,
        pull_a * (6.0 + sum_b) + pull_b * sum_a,
        -4.0 * pull_a - pull_b,
        pull_a + pull_b,
    )


def _expanded(p: Quintic, x: float) -> Quintic:
    """Return the Taylor coefficients at x, by repeated synthetic division."""
    a4 = p.four + x * p.five
    a3 = p.three + x * a4
    a2 = p.two + x * a3
    a1 = p.one + x * a2
    b4 = a4 + x * p.five
    b3 = a3 + x * b4
    b2 = a2 + x * b3
    c4 = b4 + x * p.five
    c3 = b3 + x * c4
    d4 = c4 + x * p.five
    return Quintic(p.zero + x * a1, a1 + x * b2, b2 + x * c3, c3 + x * d4, d4 + x * p.five, p.five)


def _value(p: Quintic, x: float) -> float:
    """Return the polynomial at x."""
    return p.zero + x * (p.one + x * (p.two + x * (p.three + x * (p.four + x * p.five))))


def _slope(p: Quintic, x: float) -> float:
    """Return its derivative at x."""
    return p.one + x * (2.0 * p.two + x * (3.0 * p.three + x * (4.0 * p.four + x * 5.0 * p.five)))


def _safe_step(p: Quintic, longest: float) -> float:
    """Return a step from 0 that holds no root of the polynomial, or none of its derivative, by size of coefficients."""
    size = Quintic(0.0, abs(p.one), abs(p.two), abs(p.three), abs(p.four), abs(p.five))
    bend = Quintic(0.0, 0.0, size.two, size.three, size.four, size.five)
    step = longest
    while step > CLOSE and abs(p.zero) <= _value(size, step) and size.one <= _slope(bend, step):
        step *= 0.5
    return step


def _root_within(p: Quintic, length: float) -> float:
    """Return the root between 0 and `length` of a polynomial that changes its sign there: Newton, within bounds."""
    low, high, x = 0.0, length, 0.5 * length
    for _ in range(STEPS):
        value, slope = _value(p, x), _slope(p, x)
        if value > 0.0:
            high = x
        else:
            low = x
        move = x - value / slope if slope > 0.0 else low
        move = move if low < move < high else 0.5 * (low + high)
        if abs(move - x) <= 1e-13:
            break
        x = move
    return x
