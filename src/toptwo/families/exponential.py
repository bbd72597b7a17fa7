"""Exponential rewards: waiting times and durations."""

import math

from toptwo import checks
from toptwo.families.base import Interval
from toptwo.families.gamma_conjugate import GammaConjugate
from toptwo.families.poisson import Scale
from toptwo.families.quadrature import posterior_excess_over_arm, posterior_excess_over_value
from toptwo.special import cross_difference, log_excess_of, log_ratio
from toptwo.state import State
from toptwo.streams import unit

FARTHEST = 700.0
"""e^700 is about as far as a double reaches."""


class Exponential(GammaConjugate, Scale):
    """Positive rewards with an exponential law of unknown mean per arm (docs/families/exponential.md).

    Examples
    --------
    >>> round(Exponential().divergence(2.0, 1.0), 6)
    0.306853
    """

    __slots__ = ()

    def validate(self) -> None:
        """Refuse a scale that is not positive."""
        checks.at_least("scale", self.scale, 0.0, strict=True)

    def assumption(self) -> str:
        """Return what the guarantee rests on, in words."""
        return "independent measurements with an exponential law (memoryless durations), of a fixed mean for each arm"

    def mean_range(self) -> Interval:
        """Return (0, ∞)."""
        return Interval(low=0.0, open_low=True)

    def accepts(self, value: float) -> bool:
        """Return whether the value is positive."""
        return value > 0.0

    def support(self) -> str:
        """Return the values in words."""
        return "a number above 0"

    def reward(self, arm: int, mean: float, bits: int) -> float:
        """Return −mean times the logarithm of a uniform variable."""
        return -mean * math.log(unit(bits))

    def divergence(self, x: float, y: float) -> float:
        """Return x/y − 1 − ln(x/y), exact to rounding however close the two are."""
        return log_excess_of((x - y) / y, x / y) if y > 0.0 else math.inf

    def divergence_from(self, arm: int, offset: float, state: State) -> float:
        """Return d(μ̂, μ̂ + offset)."""
        value = state.means[arm] + offset
        return log_excess_of(-offset / value, state.means[arm] / value) if value > 0.0 else math.inf

    def pooled_cost(self, a: int, b: int, state: State) -> float:
        """Return N_a f(μ̂_a/u − 1) + N_b f(μ̂_b/u − 1), f(x) = x − ln(1 + x), u the pooled mean."""
        total_a, total_b, count_a, count_b = state.store[1][a], state.store[1][b], state.counts[a], state.counts[b]
        lead = cross_difference(total_a, count_a, total_b, count_b) / (total_a + total_b)
        u = (total_a + total_b) / (count_a + count_b)
        cost = count_a * log_excess_of(lead / count_a, total_a / (count_a * u))
        return cost + count_b * log_excess_of(-lead / count_b, total_b / (count_b * u))

    def roughness(self, total: float, count: float) -> float:
        """Return N: the potential feels a rounding of the mean."""
        return count

    def potential(self, x: float) -> float:
        """Return −ln x."""
        return -math.log(x)

    def variance(self, x: float) -> float:
        """Return x²."""
        return x * x

    def slope(self, x: float) -> float:
        """Return −1/x."""
        return -1.0 / x

    def intercept(self, x: float) -> float:
        """Return 1 − ln x."""
        return 1.0 - math.log(x)

    def stabilised(self, x: float) -> float:
        """Return ln x."""
        return math.log(x)

    def largest_variance(self, low: float, high: float) -> float:
        """Return the square of the upper end."""
        return high * high

    def upper_bound(self, arm: int, width: float, state: State) -> float:
        """Return the largest u with N d(μ̂, u) ≤ width²/2."""
        grown = -log_ratio(0.5 * width * width * state.inverse[arm], -1.0)
        return state.means[arm] * math.exp(grown) if grown < FARTHEST else math.inf

    def lower_bound(self, arm: int, width: float, state: State) -> float:
        """Return the least u with N d(μ̂, u) ≤ width²/2."""
        return state.means[arm] * math.exp(-log_ratio(0.5 * width * width * state.inverse[arm], 1.0))

    def events(self, arm: int, state: State) -> float:
        """Return N."""
        return state.counts[arm]

    def exposure(self, arm: int, state: State) -> float:
        """Return S."""
        return state.store[1][arm]

    def shape(self, arm: int, state: State) -> float:
        """Return N."""
        return state.counts[arm]

    def improvement_over_value(self, arm: int, value: float, state: State) -> float:
        """Return ln E(θ_arm − value)₊, infinite after a single reward: the posterior of the mean is then too wide."""
        return math.inf if state.counts[arm] < 2.0 else posterior_excess_over_value(self, arm, value, state)

    def improvement_over_arm(self, arm: int, other: int, state: State) -> float:
        """Return ln E(θ_arm − θ_other)₊, infinite after a single reward of the arm."""
        return math.inf if state.counts[arm] < 2.0 else posterior_excess_over_arm(self, arm, other, state)

    def rises(self) -> float:
        """Return −1: the mean is one over the rate."""
        return -1.0

    def prior_scale(self) -> float:
        """Return the scale of the means."""
        return self.scale
