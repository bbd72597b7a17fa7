"""What a one-parameter exponential family says of itself; families/one_parameter.py works out what follows.

Such a law is fixed by its variance V(x) as a function of the mean: with φ'' = 1/V, the divergence is
d(x, y) = φ(x) − φ(y) − φ'(y)(x − y) = ∫ from x to y of (t − x)/V(t) dt.
"""

from toptwo.families.base import MeanRange
from toptwo.families.numerics.tilting import TiltedPosterior
from toptwo.state import State


class Law(TiltedPosterior):
    """The questions that each family answers for itself, some with a usual answer."""

    def mean_range(self) -> MeanRange:
        """Return where means may lie."""
        raise NotImplementedError

    def divergence(self, x: float, y: float) -> float:
        """Return d(x, y)."""
        raise NotImplementedError

    def deviation(self, arm: int, value: float, state: State) -> float:
        """Return N d(μ̂, value)."""
        return state.counts[arm] * self.divergence(state.means[arm], value)

    def potential(self, x: float) -> float:
        """Return φ(x), up to a linear function."""
        raise NotImplementedError

    def variance(self, x: float) -> float:
        """Return V(x)."""
        raise NotImplementedError

    def total_potential(self, total: float, count: float) -> float:
        """Return count · φ(total/count)."""
        return count * self.potential(total / count)

    def slope(self, x: float) -> float:
        """Return φ'(x)."""
        raise NotImplementedError

    def intercept(self, x: float) -> float:
        """Return φ(x) − xφ'(x)."""
        raise NotImplementedError

    def stabilised(self, x: float) -> float:
        """Return g(x) with g' = 1/√V."""
        raise NotImplementedError

    def largest_variance(self, low: float, high: float) -> float:
        """Return the largest V between two means."""
        raise NotImplementedError

    def upper_bound(self, arm: int, width: float, state: State) -> float:
        """Return the largest u with N d(μ̂, u) ≤ width²/2."""
        raise NotImplementedError

    def lowest_mean(self) -> float:
        """Return the lower end of the means."""
        raise NotImplementedError

    def highest_mean(self) -> float:
        """Return the upper end of the means."""
        raise NotImplementedError

    def pair_price(self, a: int, b: int, state: State) -> float:
        """Return the log of the mixture likelihood of two arms minus its maximum, at most 0."""
        raise NotImplementedError

    def roughness(self, total: float, count: float) -> float:
        """Return r such that rounding errors of `total_potential` are below 2^{−50} (|potential| + r)."""
        raise NotImplementedError

    def divergence_from(self, arm: int, offset: float, state: State) -> float:
        """Return d(μ̂, μ̂ + offset), exact to rounding however small the offset."""
        raise NotImplementedError

    def pooled_cost(self, a: int, b: int, state: State) -> float:
        """Return N_a d(μ̂_a, u) + N_b d(μ̂_b, u), u the pooled mean, exact to rounding however close the means."""
        raise NotImplementedError

    def generous_variance(self, x: float) -> float:
        """Return V(x), and more where rounding may have made it smaller."""
        return self.variance(x)

    def variance_from(self, arm: int, offset: float, state: State) -> float:
        """Return V(μ̂ + offset)."""
        return self.variance(state.means[arm] + offset)

    def bet_range(self, margin: float, side: float) -> tuple[float, float]:
        """Return the ends of the possible u for bets, on the scale on which ln wealth is convex."""
        raise NotImplementedError

    def contrast(self, low: float, low_count: float, top: float, top_count: float) -> float:
        """Return about the tilt that leads from one mean to the other."""
        raise NotImplementedError

    def bet(self, place: float, tilt: float, count: float, mean: float, shift: float) -> tuple[float, float]:
        """Return ln of what a bet has earned on rewards of mean u − shift, and its derivative."""
        raise NotImplementedError
