"""Poisson rewards: counts."""

import math
from typing import NamedTuple

from toptwo import checks
from toptwo.families.base import MeanRange
from toptwo.families.gamma_conjugate import GammaConjugate
from toptwo.families.numerics.draws import poisson
from toptwo.special import cross_difference, exponential_excess, log_excess_of, log_ratio
from toptwo.state import State


class Scale(NamedTuple):
    """The one field of a family of positive means."""

    scale: float = 1.0
    """Rough size of the means, known before the data: a wrong one costs pulls of `mixture`, never its guarantee."""

    def validate(self) -> None:
        """Refuse a scale that is not positive."""
        checks.at_least("scale", self.scale, 0.0, strict=True)


class Poisson(GammaConjugate, Scale):
    """Rewards 0, 1, 2, … with an unknown mean per arm, and a variance equal to it (docs/families/poisson.md).

    Examples
    --------
    >>> round(Poisson().divergence(2.0, 1.0), 6)
    0.386294
    """

    __slots__ = ()

    def assumption(self) -> str:
        """Return what the guarantee rests on, in words."""
        return "independent measurements that are counts with a Poisson law, of a fixed mean for each arm"

    def mean_range(self) -> MeanRange:
        """Return [0, ∞)."""
        return MeanRange(low=0.0)

    def accepts(self, value: float) -> bool:
        """Return whether the value is a count."""
        return value >= 0.0 and value == math.floor(value)

    def has_whole_sums(self) -> bool:
        """Return True: rewards are counts."""
        return True

    def support(self) -> str:
        """Return the values in words."""
        return "a whole number of at least 0"

    def reward(self, arm: int, mean: float, bits: int) -> float:
        """Return the Poisson variable of the bits."""
        return poisson(mean, bits)

    def divergence(self, x: float, y: float) -> float:
        """Return y − x + x ln(x/y), exact to rounding however close the two are."""
        return x * log_excess_of((y - x) / x, y / x) if x > 0.0 else y

    def divergence_from(self, arm: int, offset: float, state: State) -> float:
        """Return d(μ̂, μ̂ + offset)."""
        mean = state.means[arm]
        return mean * log_excess_of(offset / mean, (mean + offset) / mean) if mean > 0.0 else offset

    def pooled_cost(self, a: int, b: int, state: State) -> float:
        """Return S_a f(u/μ̂_a − 1) + S_b f(u/μ̂_b − 1), f(x) = x − ln(1 + x), u the pooled mean."""
        total_a, total_b, count_a, count_b = (
            state.kept.totals[a],
            state.kept.totals[b],
            state.counts[a],
            state.counts[b],
        )
        lead = cross_difference(total_a, count_a, total_b, count_b) / (count_a + count_b)
        u = (total_a + total_b) / (count_a + count_b)
        cost = total_a * log_excess_of(-lead / total_a, u * count_a / total_a) if total_a > 0.0 else -lead
        return cost + (total_b * log_excess_of(lead / total_b, u * count_b / total_b) if total_b > 0.0 else lead)

    def roughness(self, total: float, count: float) -> float:
        """Return S: the potential feels a rounding of the mean."""
        return total

    def potential(self, x: float) -> float:
        """Return x ln x."""
        return x * math.log(x) if x > 0.0 else 0.0

    def variance(self, x: float) -> float:
        """Return x."""
        return x

    def slope(self, x: float) -> float:
        """Return 1 + ln x."""
        return 1.0 + math.log(x)

    def intercept(self, x: float) -> float:
        """Return −x."""
        return -x

    def stabilised(self, x: float) -> float:
        """Return 2√x."""
        return 2.0 * math.sqrt(x)

    def bet_range(self, margin: float, side: float) -> tuple[float, float]:
        """Return the u ≥ 0 at which the returned arm's mean, u − side · margin, is not negative."""
        return (margin if side > 0.0 else 0.0), math.inf

    def contrast(self, low: float, low_count: float, top: float, top_count: float) -> float:
        """Return the distance of the logarithms, with half an event added."""
        least_low, least_top = 0.5 / low_count, 0.5 / top_count
        return abs(math.log((max(top, 0.0) + least_top) / (max(low, 0.0) + least_low)))

    def bet(self, place: float, tilt: float, count: float, mean: float, shift: float) -> tuple[float, float]:
        """Return θS − Nu(e^θ − 1) and its derivative."""
        rate = place - shift
        gain = tilt * (mean - rate) - rate * exponential_excess(tilt)
        return count * gain, -count * math.expm1(tilt)

    def largest_variance(self, low: float, high: float) -> float:
        """Return the upper end."""
        return high

    def upper_bound(self, arm: int, width: float, state: State) -> float:
        """Return the largest u with N d(μ̂, u) ≤ width²/2."""
        mean, cost = state.means[arm], 0.5 * width * width * state.inverse[arm]
        return mean * math.exp(log_ratio(cost / mean, 1.0)) if mean > 0.0 else cost

    def lower_bound(self, arm: int, width: float, state: State) -> float:
        """Return the least u with N d(μ̂, u) ≤ width²/2."""
        mean, cost = state.means[arm], 0.5 * width * width * state.inverse[arm]
        return mean * math.exp(log_ratio(cost / mean, -1.0)) if mean > 0.0 and mean > cost * 1e-3 else 0.0

    def events(self, arm: int, state: State) -> float:
        """Return S."""
        return state.kept.totals[arm]

    def exposure(self, arm: int, state: State) -> float:
        """Return N."""
        return state.counts[arm]

    def posterior_shape(self, arm: int, state: State) -> float:
        """Return S + ½."""
        return state.kept.totals[arm] + 0.5

    def rises(self) -> float:
        """Return 1: the mean is the rate."""
        return 1.0

    def prior_scale(self) -> float:
        """Return one over the scale of the means."""
        return 1.0 / self.scale
