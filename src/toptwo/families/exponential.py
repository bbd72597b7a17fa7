"""Exponential rewards: waiting times and durations."""

import math

from toptwo import checks
from toptwo.families.base import Interval
from toptwo.families.gamma_conjugate import GammaConjugate
from toptwo.families.poisson import Scale
from toptwo.families.quadrature import posterior_excess_over_arm, posterior_excess_over_value
from toptwo.special import log_excess, log_ratio
from toptwo.state import State
from toptwo.streams import unit


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
        return log_excess((x - y) / y) if y > 0.0 else math.inf

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
        """Return κS/u + N ln(1 − κ) and its derivative in 1/u, κ = θ/(1 + θ) for θ > 0 and θ below."""
        share = tilt / (1.0 + tilt) if tilt > 0.0 else tilt
        stretch = 1.0 / (1.0 - shift * place)
        value = share * mean * place * stretch + math.log1p(-share)
        return count * value, count * share * mean * stretch * stretch

    def largest_variance(self, low: float, high: float) -> float:
        """Return the square of the upper end."""
        return high * high

    def upper_bound(self, arm: int, width: float, state: State) -> float:
        """Return the largest u with N d(μ̂, u) ≤ width²/2."""
        return state.means[arm] * math.exp(-log_ratio(0.5 * width * width * state.inverse[arm], -1.0))

    def lower_bound(self, arm: int, width: float, state: State) -> float:
        """Return the least u with N d(μ̂, u) ≤ width²/2."""
        return state.means[arm] * math.exp(-log_ratio(0.5 * width * width * state.inverse[arm], 1.0))

    def events(self, arm: int, state: State) -> float:
        """Return N."""
        return state.counts[arm]

    def exposure(self, arm: int, state: State) -> float:
        """Return S."""
        return state.kept.totals[arm]

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
