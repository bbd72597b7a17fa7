"""Pairs of Gaussian arms of unknown variance: likelihood ratio and t-mixture, each minimised over a common mean.

Distances are in units of the gap between the two arms: the common mean lies x from the first and y = 1 − x from the
second. An arm is its number of rewards k and V, their mean square deviation from their mean, in units of the gap
squared. Neither sum is convex in x, and the two arms may differ by tens of orders of magnitude: places are kept as odds
x/y, so that x and y are both known to full relative precision, and nothing is ever subtracted
(docs/families/unknown-variance.md, section 4).
"""

import math
from typing import NamedTuple

STEPS = 200
"""Bound on the steps of a walk to a minimum; 3 to 6 are usual."""

LEVEL = 1.0 + 1e-10
"""Two forces within this factor are equal: what a further step would gain is of the order of its square."""

SIDE = 0.449
"""Just under 1/(1 + √1.5): how far from an arm its force rules, unless its spread ends that earlier (`rules`)."""

ONE_PLACE = 1.0 + 1e-7
"""Two minima are one if their odds are within this factor."""

PIECES = 2000
"""Bound on the pieces into which the stretch between two minima is cut; some 30 are usual."""


class Evidence(NamedTuple):
    """What is known of an arm: k, V, and c = kτ², the strength of the prior on effects N(0, τ²) against k rewards."""

    pulls: float
    spread: float
    effects: float


class Force(NamedTuple):
    """How an arm's cost grows with the distance d: its derivative is weight · d/((V + d²)(1 + flat · d²))."""

    weight: float
    spread: float
    flat: float


def likelihood_ratio(count: float, variance: float, distance: float) -> float:
    """Return (k/2) ln(1 + d²/V): the cost of believing that the mean lies this far off, the variance being free."""
    return 0.5 * count * math.log1p(distance * distance / variance)


def t_mixture(arm: Evidence, distance: float) -> float:
    """Return ln M, M = (1 + c)^{−1/2} (1 + c d²/((1 + c)V + d²))^{k/2}: a likelihood ratio averaged over effects."""
    return 0.5 * (growth(arm, distance) - math.log1p(arm.effects))


def growth(arm: Evidence, distance: float) -> float:
    """Return the part of 2 ln M that depends on the distance."""
    square = distance * distance
    return arm.pulls * math.log1p(arm.effects * square / ((1.0 + arm.effects) * arm.spread + square))


def mixture_force(arm: Evidence) -> Force:
    """Return the derivative of the t-mixture, kcVd/((V + d²)((1 + c)V + d²))."""
    outer = 1.0 + arm.effects
    return Force(arm.pulls * arm.effects / outer, arm.spread, 1.0 / (outer * arm.spread))


def nearest_mean(count_a: float, variance_a: float, count_b: float, variance_b: float) -> tuple[float, float]:
    """Return x and y = 1 − x where the sum of the two likelihood ratios is least.

    Its derivative has the sign of a cubic polynomial, so that it has at most two minima: the first as seen from either
    end.
    """
    force_a, force_b = Force(count_a, variance_a, 0.0), Force(count_b, variance_b, 0.0)
    if single(force_a, force_b):
        x = one_rest(force_a, force_b)
        return x, 1.0 - x
    odds, back = first_rest(0.0, force_a, force_b), first_rest(0.0, force_b, force_a)
    x, y = odds / (1.0 + odds), 1.0 / (1.0 + odds)
    other_x, other_y = 1.0 / (1.0 + back), back / (1.0 + back)
    if rules(force_a, other_x) or odds * back * ONE_PLACE >= 1.0:
        return x, y
    if rules(force_b, y):
        return other_x, other_y
    cost = likelihood_ratio(count_a, variance_a, x) + likelihood_ratio(count_b, variance_b, y)
    other = likelihood_ratio(count_a, variance_a, other_x) + likelihood_ratio(count_b, variance_b, other_y)
    return (x, y) if cost <= other else (other_x, other_y)


def least_mixture(arm_a: Evidence, arm_b: Evidence) -> float:
    """Return the least sum of two t-mixtures, over all x: at most a few roundings more, whatever the arms.

    The sum falls up to its first minimum as seen from either end. If these are two, the stretch between them is
    searched piece by piece.
    """
    force_a, force_b = mixture_force(arm_a), mixture_force(arm_b)
    if single(force_a, force_b):
        x = one_rest(force_a, force_b)
        return t_mixture(arm_a, x) + t_mixture(arm_b, 1.0 - x)
    odds, back = first_rest(0.0, force_a, force_b), first_rest(0.0, force_b, force_a)
    if rules(force_a, 1.0 / (1.0 + back)) or odds * back * ONE_PLACE >= 1.0:
        return sum_at(odds, arm_a, arm_b)
    if rules(force_b, 1.0 / (1.0 + odds)):
        return sum_at(1.0 / back, arm_a, arm_b)
    least = min(sum_at(odds, arm_a, arm_b), sum_at(1.0 / back, arm_a, arm_b))
    return least_between(odds, back, least, arm_a, arm_b)


def sum_at(odds: float, arm_a: Evidence, arm_b: Evidence) -> float:
    """Return the sum of the t-mixtures at x/y."""
    y = 1.0 / (1.0 + odds)
    return t_mixture(arm_a, odds * y) + t_mixture(arm_b, y)


def single(a: Force, b: Force) -> bool:
    """Return whether it is plain to see that the sum has one minimum, as it has for all but clearly distant arms.

    The logarithm of the quotient of the forces grows with that of the odds at a speed of 1 − 2x Σ y²/(V_b + y²) −
    2y Σ x²/(V_a + x²), where y²/(V + y²) is at most y²/V and at most y/(2√V); xy² ≤ 4/27, and xy ≤ ¼.
    """
    nearness_a, nearness_b = 1.0 / a.spread, 1.0 / b.spread
    if 8.0 * (nearness_a + a.flat + nearness_b + b.flat) < 27.0:
        return True
    return math.sqrt(nearness_a) + math.sqrt(a.flat) + math.sqrt(nearness_b) + math.sqrt(b.flat) < 4.0


def rules(force: Force, distance: float) -> bool:
    """Return whether this force rules here: L (`first_rest`) bends one way only from here to its arm.

    With v = V/x², the derivative of the logarithm of x/((V + x²)(1 + flat · x²)) is P(x), and x² P'(x) is −1 less
    2(v − 1)/(v + 1)² and the same for 1/flat: at least −1.5, and at most −1 where v ≥ 1. The second derivative of L in
    x is P'(x) of the own force less P'(y) of the other one.
    """
    return distance <= SIDE and distance * distance <= force.spread


def one_rest(a: Force, b: Force) -> float:
    """Return the x at which the two forces are equal if there is but one such place and no spread is small.

    Newton's iteration, within bounds, on the difference of the forces without their denominators. At spreads of this
    size (`single`) costs do not feel an error of 1e-12.
    """
    low, high = 0.0, 1.0
    x = tilted(a, b)
    for _ in range(STEPS):
        y = 1.0 - x
        near, far = x * x, y * y
        spread_a, flat_a = a.spread + near, 1.0 + a.flat * near
        spread_b, flat_b = b.spread + far, 1.0 + b.flat * far
        up, down = a.weight * spread_b * flat_b, b.weight * spread_a * flat_a
        excess = x * up - y * down
        if excess > 0.0:
            high = x
        else:
            low = x
        slope = a.weight * (flat_b + b.flat * spread_b) + b.weight * (flat_a + a.flat * spread_a)
        slope = up + down - 2.0 * x * y * slope
        move = x - excess / slope if slope > 0.0 else low
        if abs(move - x) <= 1e-6 * x * y + 1e-12 and low <= move <= high:  # the next error is about its square
            return move
        x = move if low < move < high else 0.5 * (low + high)
    return x


def tilted(a: Force, b: Force) -> float:
    """Return the x that would balance two forces whose arms resist everywhere as they do in the middle."""
    down = b.weight * (a.spread + 0.25) * (1.0 + 0.25 * a.flat)
    return down / (down + a.weight * (b.spread + 0.25) * (1.0 + 0.25 * b.flat))


def first_rest(odds: float, own: Force, other: Force) -> float:
    """Return the odds x/y up to which the sum of two costs falls, coming from these odds where it does so (0: it does).

    Let L be the logarithm of the own force over the other one: negative where the sum falls. As a function of ln(x/y)
    its slope is at most 1, so that a step of −L never passes a zero of L: the odds times the `lag` e^{−L}. Nor does a
    step to the root of a parabola above L; near a zero that is as good as Newton's iteration.
    """
    tilt = other.weight / own.weight
    if odds <= 0.0:
        odds = tilt * own.spread / ((other.spread + 1.0) * (1.0 + other.flat))
    for _ in range(STEPS):
        y = 1.0 / (1.0 + odds)
        x = odds * y
        near, far = x * x, y * y
        own_spread, own_flat = own.spread + near, 1.0 + own.flat * near
        other_spread, other_flat = other.spread + far, 1.0 + other.flat * far
        lag = tilt * own_spread * own_flat / (odds * other_spread * other_flat)
        if lag <= LEVEL or rules(other, y):
            break
        slope = 1.0 - 2.0 * x * far * (other_flat + other.flat * other_spread) / (other_spread * other_flat)
        slope -= 2.0 * y * near * (own_flat + own.flat * own_spread) / (own_spread * own_flat)
        less = 2.0 * (lag - 1.0) / (lag + 1.0)  # at most ln lag
        if near < own.spread:
            odds = max(odds * lag, inner_odds(x, y, less, slope, own))
        else:
            odds = max(odds * lag, outer_odds(odds, less, slope, own, other))
    return odds


def inner_odds(x: float, y: float, less: float, slope: float, own: Force) -> float:
    """Return odds before the next zero of L, from L ≤ −less and its slope, where x is at most √V.

    As a function of x, the second derivative of L is at most 1.5/y² − 1/x² there.
    """
    farthest = min(math.sqrt(own.spread), x + 0.5 * y)
    if slope > 0.0:
        farthest = min(farthest, x + less * x * y / slope)
    step = farthest - x
    end = y - step
    bend = (1.5 / end / end - 1.0 / farthest / farthest) * x * y
    if bend > 0.0:
        step = min(step, parabola(less * x * y, slope, bend))
    return (x + step) / (y - step)


def outer_odds(odds: float, less: float, slope: float, own: Force, other: Force) -> float:
    """Return odds before the next zero of L, from L ≤ −less and its slope, anywhere.

    As a function of t = ln(x/y), the second derivative of L is 4x² Σ B(1 − B) − 4y² Σ A(1 − A) + 2xy (Σ A − Σ B), with
    A = x²/(V_a + x²) and flat · x²/(1 + flat · x²), and B the same of the other.
    """
    reach = min(less / slope, 1.0) if slope > 0.0 else 1.0
    end = odds * (1.0 + reach + 0.5 * reach * reach)
    farthest = end / (1.0 + end)
    bend = 8.0 * farthest * farthest * min(0.25, 1.0 / other.spread)
    bend += 4.0 * farthest * min(1.0, farthest * farthest / own.spread)
    step = min(reach, parabola(less, slope, bend))
    return odds * (1.0 + step + 0.5 * step * step)


def parabola(less: float, slope: float, bend: float) -> float:
    """Return the positive root of −less + slope · s + ½ bend · s², or 1 if it is above."""
    root = math.sqrt(slope * slope + 2.0 * bend * less)
    if slope > 0.0:
        return 2.0 * less / (slope + root)
    return (root - slope) / max(bend, root - slope)


def least_between(odds: float, back: float, least: float, arm_a: Evidence, arm_b: Evidence) -> float:
    """Return the least sum of t-mixtures, knowing what it is outside of two odds and at them.

    A piece is done with when the sum is seen to be monotone in it, or above what was found, or to have no minimum
    within; when it is seen to have one at most, that is looked for. The costs of both arms grow with the distance: a
    piece too short to cut counts as the least that this allows.
    """
    a, b = mixture_force(arm_a), mixture_force(arm_b)
    prices = 0.5 * (math.log1p(arm_a.effects) + math.log1p(arm_b.effects))
    factor, grows, last = 2.0, True, 1.0 / back
    y = 1.0 / (1.0 + odds)
    cost = growth(arm_a, odds * y)
    for _ in range(PIECES):
        if odds >= last:
            return least
        end = min(last, odds * factor)
        x, end_y = odds * y, 1.0 / (1.0 + end)
        end_x = end * end_y
        bound = 0.5 * (cost + growth(arm_b, end_y)) - prices
        if bound < least:
            falls = end * resistance(b, y) * a.weight <= b.weight * resistance(a, x)
            rises = odds * resistance(b, end_y) * a.weight >= b.weight * resistance(a, end_x)
            slowest = 2.0 * (x * hold(b, end_y) + end_y * hold(a, x))
            fastest = 2.0 * (end_x * hold(b, y) + y * hold(a, end_x))
            if falls or slowest >= 1.0:
                least = min(least, sum_at(end, arm_a, arm_b))
            elif fastest <= 1.0 and not rises:
                least = min(least, sum_at(end, arm_a, arm_b), sum_at(min(end, first_rest(odds, a, b)), arm_a, arm_b))
            elif not rises and factor > ONE_PLACE:
                factor, grows = math.sqrt(factor), False
                continue
            elif not rises:
                least = bound
        factor, grows = factor * factor if grows else factor, True
        odds, y, cost = end, end_y, growth(arm_a, end_x)
    return min(least, t_mixture(arm_a, odds * y) + t_mixture(arm_b, back / (1.0 + back)))


def resistance(force: Force, distance: float) -> float:
    """Return (V + d²)(1 + flat · d²): weight times distance over it is the force."""
    square = distance * distance
    return (force.spread + square) * (1.0 + force.flat * square)


def hold(force: Force, distance: float) -> float:
    """Return d²/(V + d²) + flat · d²/(1 + flat · d²), which grows with the distance."""
    square = distance * distance
    return square / (force.spread + square) + force.flat * square / (1.0 + force.flat * square)
