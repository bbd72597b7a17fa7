"""Normal posteriors: expected improvement, conditional draws, and the probability of being the largest of several."""

import math

from toptwo.special import log_normal_tail
from toptwo.state import State
from toptwo.streams import Random

NODES = (
    0.1252334085114689,
    0.3678314989981802,
    0.5873179542866175,
    0.7699026741943047,
    0.9041172563704748,
    0.9815606342467192,
)
"""Nodes of the 12-point Gauss–Legendre rule on [−1, 1], with both signs: for the probability of being best."""

NODE_WEIGHTS = (
    0.2491470458134027,
    0.2334925365383546,
    0.20316742672306573,
    0.16007832854334642,
    0.10693932599531907,
    0.04717533638651141,
)

REACH = 8.0
"""Length of a panel of that rule, in units of the integrand's own scale."""

NEGLIGIBLE = 18.0
"""A density e^{−18} of its peak is left out of the integral."""

CERTAIN = 6.0
"""Standard deviations above which Φ is 1 within 1e-9."""

FAR = 7.0
"""Standard deviations above which a cliff Φ_i leaves no trace in the roughness either (below 0.002)."""

PANELS = 100
"""Bound on the number of panels (3 are usual) and of Newton's iterations (2 to 7)."""


def log_improvement(gap: float, spread: float) -> float:
    """Return ln E(gap + spread · Z)₊ for a standard normal Z."""
    x = gap / spread
    log_density = -0.5 * x * x - 0.5 * math.log(2.0 * math.pi)
    if x > -25.0:  # the difference of φ(x) and |x| Φ(x) is about φ(x)/x²: it loses x² last digits, no more
        return math.log(spread * (x * 0.5 * math.erfc(-x * math.sqrt(0.5)) + math.exp(log_density)))
    # Asymptotic series; at |x| ≥ 25 the first omitted term is below 2e-10.
    square = x * x
    series = (3.0 - (15.0 - (105.0 - 945.0 / square) / square) / square) / square
    return math.log(spread) + log_density - math.log(square) + math.log1p(-series)


def log_improvement_below(gap: float, spread: float, floor: float) -> bool:
    """Return whether ln E(gap + spread · Z)₊ is surely below the floor.

    For x = gap/spread < 0 it is at most ln of spread φ(x)/(1 + x²), because Φ(x) ≥ |x| φ(x)/(1 + x²); one logarithm
    instead of three special functions. ½ ln 2π is rounded down, so that no rounding error can make up for it.
    """
    x = gap / spread
    if x >= 0.0:
        return False
    square = x * x
    return math.log(spread / (1.0 + square)) - 0.5 * square < floor + 0.9189385


def normal_above(low: float, random: Random) -> float:
    """Return a standard normal variable conditioned to exceed `low` (Robert, 1995)."""
    if low < 0.5:
        while True:
            x = random.normal()
            if x > low:
                return x
    rate = 0.5 * (low + math.sqrt(low * low + 4.0))
    while True:
        x = low - math.log(random.uniform()) / rate
        if random.uniform() <= math.exp(-0.5 * (x - rate) * (x - rate)):
            return x


def log_probability_best(arm: int, level: float, sigma: float, state: State) -> float:
    """Return ln P(θ_arm > θ_i for all i) = ln ∫ φ_arm(x) Π Φ_i(x) dx, to about seven digits; −∞ if surely below level.

    The integrand is log-concave, but between arms of very different counts it is a wide bell cut off by a cliff. So
    march over it from left to right with panels of Gauss and Legendre's rule as long as it is smooth: the curvature of
    its logarithm only falls to the right, so the scale at the start of a panel serves all of it.
    """
    x, peak, curvature = _mode(arm, sigma, state)
    # Left of x the curvature is at least that at x, right of it at least that of φ_arm: two half bells bound the
    # integral, the right one a little more than half, 2Φ(√0.02) < 1.12, because x is just left of the mode.
    bells = 1.0 / math.sqrt(curvature) + 1.12 * sigma * state.root[arm]
    if peak + math.log(bells * math.sqrt(0.5 * math.pi)) < level:
        return -math.inf
    x = _foot(arm, x, peak, curvature, sigma, state)
    total = 0.0
    for _ in range(PANELS):
        density, slope, _, roughness = _shape(arm, x, sigma, state)
        drop = max(0.0, peak - density)
        if drop > NEGLIGIBLE and slope < 0.0:
            break
        # Where the integrand is small, so is its share of the error: longer panels.
        half = 0.5 * REACH * (1.0 + 0.2 * drop) / math.sqrt(roughness + slope * slope)
        for k in range(len(NODES)):
            below = _log_density(arm, x + half * (1.0 - NODES[k]), sigma, state)
            above = _log_density(arm, x + half * (1.0 + NODES[k]), sigma, state)
            total += half * NODE_WEIGHTS[k] * (math.exp(below - peak) + math.exp(above - peak))
        x += 2.0 * half
    return peak + math.log(total)


def _log_density(arm: int, x: float, sigma: float, state: State) -> float:
    """Return ln of φ_arm(x) Π_{i ≠ arm} Φ_i(x), with one logarithm for all factors that do not underflow."""
    z = (x - state.means[arm]) / (sigma * state.root[arm])
    value = -0.5 * z * z - math.log(sigma * state.root[arm] * math.sqrt(2.0 * math.pi))
    product = 1.0
    for i in range(len(state.means)):
        z = (x - state.means[i]) / (sigma * state.root[i])
        if i != arm and z < CERTAIN:
            if z > -20.0 and product > 1e-200:
                product *= 0.5 * math.erfc(-z * math.sqrt(0.5))
            else:
                value += log_normal_tail(-z)
    return value + math.log(product)


def _shape(arm: int, x: float, sigma: float, state: State) -> tuple[float, float, float, float]:
    """Return ln of φ_arm(x) Π Φ_i(x), its slope, minus its second derivative, and its roughness.

    Roughness is a cautious stand-in for the curvature: a fourth root of the hazard notices a cliff Φ_i from afar.
    """
    width = sigma * state.root[arm]
    z = (x - state.means[arm]) / width
    density = -0.5 * z * z - math.log(width * math.sqrt(2.0 * math.pi))
    slope, curvature = -z / width, 1.0 / (width * width)
    roughness = curvature
    for i in range(len(state.means)):
        scale = sigma * state.root[i]
        z = (x - state.means[i]) / scale
        if i != arm and z < FAR:
            tail = log_normal_tail(-z)
            hazard, bend = _hazard(z, tail)
            density += tail
            slope += hazard / scale
            curvature += bend / (scale * scale)
            roughness += min(1.0, math.sqrt(math.sqrt(hazard))) / (scale * scale)
    return density, slope, curvature, roughness


def _hazard(z: float, tail: float) -> tuple[float, float]:
    """Return h = φ(z)/Φ(z), the slope of ln Φ, and h(h + z), minus its second derivative, given `tail` = ln Φ(z)."""
    if z > -25.0:
        hazard = math.exp(-0.5 * z * z - tail) / math.sqrt(2.0 * math.pi)
        return hazard, hazard * (hazard + z)
    # h is −z and a little more: expand the little, of which a difference would keep no digits.
    square = z * z
    little = (1.0 - (3.0 - (15.0 - 105.0 / square) / square) / square) / square
    return -z / (1.0 - little), square * little / ((1.0 - little) * (1.0 - little))


def _mode(arm: int, sigma: float, state: State) -> tuple[float, float, float]:
    """Return a point just left of the integrand's mode, an upper bound of its logarithm, and the curvature there.

    The slope of the logarithm is convex, and positive at μ̂_arm and at its pooled mean with any arm ahead (because the
    hazard of Φ at −z is at least z): from there Newton's iteration climbs towards the mode without overshooting. The
    logarithm is concave, its curvature at least that of φ_arm: that bounds what is left of the climb.
    """
    x, width = state.means[arm], sigma * state.root[arm]
    for i in range(len(state.means)):
        count = state.counts[arm] + state.counts[i]
        x = max(x, (state.counts[arm] * state.means[arm] + state.counts[i] * state.means[i]) / count)
    density, slope, curvature, _ = _shape(arm, x, sigma, state)
    for _ in range(PANELS):
        if slope * slope * width * width < 0.02:
            break
        x += slope / curvature
        density, slope, curvature, _ = _shape(arm, x, sigma, state)
    return x, density + 0.5 * slope * slope * width * width, curvature


def _foot(arm: int, x: float, peak: float, curvature: float, sigma: float, state: State) -> float:
    """Return a point left of which the integrand is negligible.

    To the left of the mode the curvature only grows, so a parabola reaches far enough out, and Newton's iteration comes
    back in without overshooting.
    """
    x -= math.sqrt(2.0 * NEGLIGIBLE / curvature)
    for _ in range(PANELS):
        density, slope, _, _ = _shape(arm, x, sigma, state)
        if peak - density < 1.5 * NEGLIGIBLE:
            break
        x += (peak - NEGLIGIBLE - density) / slope
    return x
