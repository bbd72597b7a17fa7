"""Posterior integrals by quadrature: expected improvements and probabilities of being best, for any posterior.

All on the natural scale of a family, where densities and distribution functions of the posteriors are log-concave and
smooth, hence every integrand below is: one peak, to be climbed, and two slopes, to be marched down in panels.
"""

import math
from typing import NamedTuple

from toptwo.families.base import ConjugateFamily
from toptwo.state import State

NODES = (
    0.991455371120812639,
    0.949107912342758525,
    0.864864423359769073,
    0.741531185599394440,
    0.586087235467691130,
    0.405845151377397167,
    0.207784955007898468,
    0.0,
)
"""Nodes of Kronrod's 15-point rule on [−1, 1], with both signs; every second one is Gauss's."""

KRONROD = (
    0.022935322010529225,
    0.063092092629978553,
    0.104790010322250184,
    0.140653259715525919,
    0.169004726639267903,
    0.190350578064785410,
    0.204432940075298892,
    0.209482141084727828,
)
GAUSS = (0.0, 0.129484966168869693, 0.0, 0.279705391489276668, 0.0, 0.381830050505118945, 0.0, 0.417959183673469388)

TOLERANCE = 1e-9
"""Largest difference of the two rules on a panel, relative to the integral; Kronrod's own error is far smaller."""

NEGLIGIBLE = 30.0
"""Beyond a drop of e^{−30} from the peak the integrand is left out."""

STEPS = 200
"""Bound on the steps of a climb and on the panels of a slope."""

CERTAIN = 30.0
"""Deviation beyond which an arm is surely below a value: within e^{−30}."""


class Integrand(NamedTuple):
    """A function of the natural scale, of one of four kinds."""

    kind: int
    arm: int
    other: int
    value: float


BEST, ABOVE, OVER_VALUE, OVER_ARM = 0, 1, 2, 3
"""Kinds: the arm is above all others, above another; its excess over a value, over another arm."""


def height(integrand: Integrand, y: float, family: ConjugateFamily, state: State) -> float:
    """Return the logarithm of the integrand at y."""
    if integrand.kind == OVER_ARM:  # E(θ_arm − θ_other)₊ = ∫ P(θ_arm > x) P(θ_other < x) dx
        above = family.log_above(integrand.arm, y, state)
        return above + family.log_below(integrand.other, y, state) + family.log_slope(y)
    density = family.log_density(integrand.arm, y, state)
    if integrand.kind == ABOVE:
        return density + family.log_below(integrand.other, y, state)
    if integrand.kind == OVER_VALUE:
        excess = family.from_natural(y) - integrand.value
        return density + math.log(excess) if excess > 0.0 else -math.inf
    x = family.from_natural(y)
    for i in range(len(state.means)):
        if i != integrand.arm and (state.means[i] >= x or family.deviation(i, x, state) < CERTAIN):
            density += family.log_below(i, y, state)
    return density


def log_integral(integrand: Integrand, start: float, width: float, family: ConjugateFamily, state: State) -> float:
    """Return the logarithm of the integral of e^height; the height must be finite at the start."""
    low, middle, high = bracket(integrand, start, width, family, state)
    peak = height(integrand, middle, family, state)
    for _ in range(STEPS):  # close in on the peak until the drop to both sides is small
        drop = peak - min(height(integrand, low, family, state), height(integrand, high, family, state))
        if drop < 2.0 or high - low < 1e-13 * max(1.0, abs(middle)):
            break
        if high - middle > middle - low:
            trial = 0.5 * (middle + high)
        else:
            trial = 0.5 * (low + middle)
        value = height(integrand, trial, family, state)
        if value > peak:
            if trial > middle:
                low = middle
            else:
                high = middle
            middle, peak = trial, value
        elif trial > middle:
            high = trial
        else:
            low = trial
    right = slope(integrand, middle, high - middle, peak, family, state)
    left = slope(integrand, middle, low - middle, peak, family, state)
    return peak + math.log(left + right)


def bracket(
    integrand: Integrand, start: float, width: float, family: ConjugateFamily, state: State
) -> tuple[float, float, float]:
    """Return three points of which the one in the middle is the highest, by steps that double."""
    low, middle, high = start - width, start, start + width
    at_middle = height(integrand, middle, family, state)
    at_low, at_high = height(integrand, low, family, state), height(integrand, high, family, state)
    for _ in range(STEPS):
        if at_high > at_middle:
            step = 2.0 * (high - middle)
            low, middle, at_middle = middle, high, at_high
            high = middle + step
            at_high = height(integrand, high, family, state)
        elif at_low > at_middle:
            step = 2.0 * (middle - low)
            high, middle, at_middle = middle, low, at_low
            low = middle - step
            at_low, at_high = height(integrand, low, family, state), -math.inf
        else:
            break
    return low, middle, high


def slope(integrand: Integrand, start: float, step: float, peak: float, family: ConjugateFamily, state: State) -> float:
    """Return the integral on one side of the peak, in units of e^peak; the step's sign says which side."""
    total, y = 0.0, start
    for _ in range(STEPS):
        value, error = panel(integrand, y, step, peak, family, state)
        if error > TOLERANCE * (total + value) and abs(step) > 1e-14 * max(1.0, abs(y)):
            step *= 0.5
        else:
            total += value
            y += step
            if height(integrand, y, family, state) < peak - NEGLIGIBLE:
                break
            if error < 0.01 * TOLERANCE * total:
                step *= 2.0
    return total


def panel(
    integrand: Integrand, y: float, step: float, peak: float, family: ConjugateFamily, state: State
) -> tuple[float, float]:
    """Return Kronrod's rule over [y, y + step] and its distance from Gauss's."""
    half, centre = 0.5 * abs(step), y + 0.5 * step
    fine, coarse = 0.0, 0.0
    for k in range(len(NODES)):
        value = math.exp(height(integrand, centre + half * NODES[k], family, state) - peak)
        if NODES[k] > 0.0:
            value += math.exp(height(integrand, centre - half * NODES[k], family, state) - peak)
        fine += KRONROD[k] * value
        coarse += GAUSS[k] * value
    return half * fine, half * abs(fine - coarse)


def posterior_best(family: ConjugateFamily, arm: int, state: State) -> float:
    """Return ln P(θ_arm > θ_i for all i)."""
    return log_integral(
        Integrand(BEST, arm, arm, 0.0), family.natural_centre(arm, state), state.root[arm], family, state
    )


def posterior_above(family: ConjugateFamily, arm: int, other: int, state: State) -> float:
    """Return ln P(θ_arm > θ_other)."""
    return log_integral(
        Integrand(ABOVE, arm, other, 0.0), family.natural_centre(arm, state), state.root[arm], family, state
    )


def posterior_excess_over_arm(family: ConjugateFamily, arm: int, other: int, state: State) -> float:
    """Return ln E(θ_arm − θ_other)₊."""
    return log_integral(
        Integrand(OVER_ARM, arm, other, 0.0), family.natural_centre(arm, state), state.root[arm], family, state
    )


def posterior_excess_over_value(family: ConjugateFamily, arm: int, value: float, state: State) -> float:
    """Return ln E(θ_arm − value)₊; −∞ if no mean is above the value."""
    if value >= family.highest_mean():
        return -math.inf
    start = family.natural_centre(arm, state)
    if value > family.lowest_mean():
        start = max(start, family.natural(value) + state.root[arm])
    return log_integral(Integrand(OVER_VALUE, arm, arm, value), start, state.root[arm], family, state)
