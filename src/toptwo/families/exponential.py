"""Exponential rewards: waiting times and durations.

The formulas are those of Gamma laws of any known shape k, of which the exponential laws are those with k = 1.
"""

import math

from toptwo.families.base import MeanRange
from toptwo.families.gamma_conjugate import GammaConjugate
from toptwo.families.numerics.posterior_integrals import posterior_excess_over_arm, posterior_excess_over_value
from toptwo.families.poisson import Scale
from toptwo.special import cross_difference, log_excess_of, log_ratio
from toptwo.state import State
from toptwo.streams import unit

FARTHEST = 700.0
"""e^700 is about as far as a double reaches."""

WIDE = 1.1
"""Shape of a posterior of the rate up to which the mean is too wide for integrals: to 1 its expectation is infinite."""


class GammaLaw(GammaConjugate):
    """What rewards with a Gamma law of known shape share; to be mixed into a NamedTuple."""

    def known_shape(self) -> float:
        """Return k."""
        raise NotImplementedError

    def scale_of_means(self) -> float:
        """Return the rough size of the means."""
        raise NotImplementedError

    def assumption(self) -> str:
        """Return what the guarantee rests on, in words."""
        raise NotImplementedError

    def reward(self, arm: int, mean: float, bits: int) -> float:
        """Return the reward of the bits."""
        raise NotImplementedError

    def mean_range(self) -> MeanRange:
        """Return (0, ∞)."""
        return MeanRange(low=0.0, open_low=True)

    def accepts(self, value: float) -> bool:
        """Return whether the value is positive."""
        return value > 0.0

    def support(self) -> str:
        """Return the values in words."""
        return "a number above 0"

    def divergence(self, x: float, y: float) -> float:
        """Return k(x/y − 1 − ln(x/y)), exact to rounding however close the two are."""
        return self.known_shape() * log_excess_of((x - y) / y, x / y) if 0.0 < y < math.inf else math.inf

    def divergence_from(self, arm: int, offset: float, state: State) -> float:
        """Return d(μ̂, μ̂ + offset)."""
        value = state.means[arm] + offset
        if value <= 0.0:
            return math.inf
        return self.known_shape() * log_excess_of(-offset / value, state.means[arm] / value)

    def pooled_cost(self, a: int, b: int, state: State) -> float:
        """Return kN_a f(μ̂_a/u − 1) + kN_b f(μ̂_b/u − 1), f(x) = x − ln(1 + x), u the pooled mean."""
        total_a, total_b, count_a, count_b = (
            state.kept.totals[a],
            state.kept.totals[b],
            state.counts[a],
            state.counts[b],
        )
        lead = cross_difference(total_a, count_a, total_b, count_b) / (total_a + total_b)
        u = (total_a + total_b) / (count_a + count_b)
        cost = count_a * log_excess_of(lead / count_a, total_a / (count_a * u))
        return self.known_shape() * (cost + count_b * log_excess_of(-lead / count_b, total_b / (count_b * u)))

    def roughness(self, total: float, count: float) -> float:
        """Return kN: the potential feels a rounding of the mean."""
        return self.known_shape() * count

    def potential(self, x: float) -> float:
        """Return −k ln x."""
        return -self.known_shape() * math.log(x)

    def variance(self, x: float) -> float:
        """Return x²/k."""
        return x * x / self.known_shape()

    def slope(self, x: float) -> float:
        """Return −k/x."""
        return -self.known_shape() / x

    def intercept(self, x: float) -> float:
        """Return k(1 − ln x)."""
        return self.known_shape() * (1.0 - math.log(x))

    def stabilised(self, x: float) -> float:
        """Return √k ln x."""
        return math.sqrt(self.known_shape()) * math.log(x)

    def bet_range(self, margin: float, side: float) -> tuple[float, float]:
        """Return the 1/u at which the returned arm's mean, u − side · margin, is positive.

        At the upper end, bets on an arm that has been marked make the wealth infinite: that the end itself is left out
        makes no difference.
        """
        return 0.0, ((1.0 - 1e-12) / margin if side > 0.0 and margin > 0.0 else math.inf)

    def bet_start(self, low: float, top: float, side: float) -> tuple[float, float]:
        """Return the middle and half of the distance on the scale of 1/u."""
        first, second = 1.0 / low, 1.0 / max(top, low / 16.0)
        return 0.5 * (first + second), 0.5 * abs(first - second)

    def contrast(self, low: float, low_count: float, top: float, top_count: float) -> float:
        """Return by how much one mean exceeds the other, relative to it."""
        top = max(top, low / 16.0)
        return max(low, top) / min(low, top) - 1.0

    def bet(self, place: float, tilt: float, count: float, mean: float, shift: float) -> tuple[float, float]:
        """Return k(κS/u + N ln(1 − κ)) and its derivative in 1/u, κ = θ/(1 + θ) for θ > 0 and θ below."""
        share = tilt / (1.0 + tilt) if tilt > 0.0 else tilt
        stretch = 1.0 / (1.0 - shift * place)
        value = share * mean * place * stretch + math.log1p(-share)
        weight = count * self.known_shape()
        return weight * value, weight * share * mean * stretch * stretch

    def largest_variance(self, low: float, high: float) -> float:
        """Return V at the upper end."""
        return high * high / self.known_shape()

    def upper_bound(self, arm: int, width: float, state: State) -> float:
        """Return the largest u with N d(μ̂, u) ≤ width²/2."""
        cost = 0.5 * width * width * state.inverse[arm] / self.known_shape()
        grown = -log_ratio(cost, -1.0)
        return state.means[arm] * math.exp(grown) if grown < FARTHEST else math.inf

    def lower_bound(self, arm: int, width: float, state: State) -> float:
        """Return the least u with N d(μ̂, u) ≤ width²/2."""
        cost = 0.5 * width * width * state.inverse[arm] / self.known_shape()
        return state.means[arm] * math.exp(-log_ratio(cost, 1.0))

    def events(self, arm: int, state: State) -> float:
        """Return kN."""
        return self.known_shape() * state.counts[arm]

    def exposure(self, arm: int, state: State) -> float:
        """Return kS."""
        return self.known_shape() * state.kept.totals[arm]

    def posterior_shape(self, arm: int, state: State) -> float:
        """Return kN."""
        return self.known_shape() * state.counts[arm]

    def improvement_over_value(self, arm: int, value: float, state: State) -> float:
        """Return ln E(θ_arm − value)₊, infinite as long as the posterior of the mean is too wide."""
        if self.posterior_shape(arm, state) < WIDE:
            return math.inf
        return posterior_excess_over_value(self, arm, value, state)

    def improvement_over_arm(self, arm: int, other: int, state: State) -> float:
        """Return ln E(θ_arm − θ_other)₊, infinite as long as the posterior of the arm is too wide."""
        if self.posterior_shape(arm, state) < WIDE:
            return math.inf
        return posterior_excess_over_arm(self, arm, other, state)

    def rises(self) -> float:
        """Return −1: the mean is one over the rate."""
        return -1.0

    def prior_scale(self) -> float:
        """Return the rough size of the means."""
        return self.scale_of_means()


class Exponential(GammaLaw, Scale):
    """Positive rewards with an exponential law of unknown mean per arm (docs/families/exponential.md).

    Examples
    --------
    >>> round(Exponential().divergence(2.0, 1.0), 6)
    0.306853
    """

    __slots__ = ()

    def assumption(self) -> str:
        """Return what the guarantee rests on, in words."""
        return "independent measurements with an exponential law (memoryless durations), of a fixed mean for each arm"

    def reward(self, arm: int, mean: float, bits: int) -> float:
        """Return −mean times the logarithm of a uniform variable."""
        return -mean * math.log(unit(bits))

    def known_shape(self) -> float:
        """Return 1."""
        return 1.0

    def scale_of_means(self) -> float:
        """Return the field."""
        return self.scale
