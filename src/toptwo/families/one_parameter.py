"""One-parameter exponential families: all that follows from a divergence, its potential and a conjugate posterior.

What a law says of itself is in families/law.py, what a margin costs in families/margins.py. Kept are N φ(μ̂) and the sum
of the rewards of each arm, so that equal arms have exactly equal means.
"""

import math
from collections.abc import Callable
from typing import Any, NamedTuple

from toptwo.families.base import Family, part_of_cost
from toptwo.families.margins import HUGE, ROUNDING, WithMargin
from toptwo.families.numerics.optimal_allocation import general_allocation
from toptwo.families.numerics.proven_levels import ProvenLevel, log_odds
from toptwo.families.numerics.wealth import Wager, betting_level, lattice_wealth
from toptwo.memory import per_arm
from toptwo.special import calibration_exponential
from toptwo.state import Row, State, add_batch, add_reward, grown, recounted

CLEARLY = 1.0 + 2.0**-40
"""Factor that no rounding error of a bound can make up for."""

TWO_THIRDS = 2.0 / 3.0

SURELY = 1.0 + 1e-9
"""Factor that no rounding error of a difference of potentials can make up for."""

TINY = 4e-6
"""Cost per pull below which the difference of potentials has lost too many digits."""

ROUGH = 2.0**20
"""Size of potentials up to which their difference is right to 1e-9: rounding errors are below 2^{−50} of the size."""

LARGEST_LOGARITHM = 64.0
"""More than the logarithm of a count."""

LESS = 1.0 - 2.0**-46
"""Factor that makes up for all rounding errors of a separation or a price."""


def proven_level(delta: float, arms: int) -> ProvenLevel:
    """Return c(n, δ) = 2T(ln((K−1)/δ)/2) + 6 ln(1 + ln(n/2)) (Kaufmann and Koolen, 2021, Theorem 7).

    Examples
    --------
    >>> round(proven_level(0.1, 10).at(1000), 1)
    34.4
    """
    return ProvenLevel(2.0 * calibration_exponential(0.5 * log_odds(delta, arms)), 6.0, 1.0)


class Sums(NamedTuple):
    """What a one-parameter family keeps of each arm."""

    potentials: Row = per_arm()
    """N φ(μ̂)."""
    totals: Row = per_arm()
    """S, the sum of the rewards."""
    places: Row = per_arm()
    """g(μ̂), the mean on the scale of equal variances."""


class OneParameter(WithMargin):
    """Shared answers of one-parameter exponential families; to be mixed into a NamedTuple."""

    def levels(self) -> dict[str, Callable[[float, int], Any]]:
        """Return Kaufmann and Koolen's threshold and the levels of docs/families.md and docs/betting.md."""
        return {"proven": proven_level, "mixture": log_odds, "betting": betting_level}

    def memory(self) -> Sums:
        """Return the sums."""
        return Sums()

    def with_counts(self, counts: list[float], state: State) -> State:
        """Return the state with other counts: the first two rows are sums, the third is not."""
        return recounted(counts, grown(counts, state)._replace(places=state.kept.places), state)

    def observe(self, arm: int, reward: float, state: State) -> None:
        """Update count, sum, mean and potential."""
        add_reward(arm, reward, state)
        self._add_total(arm, reward, state)

    def take_average(self, arm: int, average: float, size: int, state: State) -> bool:
        """Take in an average: the sum says all."""
        add_batch(arm, average, size, state)
        self._add_total(arm, average * size, state)
        return True

    def _add_total(self, arm: int, total: float, state: State) -> None:
        """Add to the sum of an arm whose count is right already."""
        state.kept.totals[arm] += total
        state.means[arm] = state.kept.totals[arm] / state.counts[arm]
        state.kept.potentials[arm] = self.total_potential(state.kept.totals[arm], state.counts[arm])
        state.kept.places[arm] = self.stabilised(state.means[arm])

    def separation(self, a: int, b: int, epsilon: float, state: State) -> float:
        """Return inf over u of N_a d(μ̂_a, u) + N_b d(μ̂_b, u + ε).

        Without margin u is the pooled mean, where the linear terms of d cancel: N_a φ(μ̂_a) + N_b φ(μ̂_b) − N φ(u), as
        long as the potentials are not so large that their difference loses digits.
        """
        if epsilon > 0.0:
            return self.separation_with_margin(a, b, epsilon, state)
        if epsilon < 0.0:  # the same from the other side: u is the mean of a, and b lies below it
            return self.separation_with_margin(b, a, -epsilon, state)
        count, total = state.counts[a] + state.counts[b], state.kept.totals[a] + state.kept.totals[b]
        pooled = self.total_potential(total, count)
        cost = state.kept.potentials[a] + state.kept.potentials[b] - pooled
        size = (
            abs(state.kept.potentials[a]) + abs(state.kept.potentials[b]) + abs(pooled) + self.roughness(total, count)
        )
        if cost > TINY * count and size < ROUGH:
            return cost
        if total < HUGE:
            return self.pooled_cost(a, b, state)
        u = total / count
        return self.deviation(a, u, state) + self.deviation(b, u, state)

    def separation_surely_above(self, a: int, b: int, epsilon: float, level: float, state: State) -> bool:
        """Return whether bounds without logarithms show that the separation is above the level.

        1/V is convex, so by Jensen's inequality d(x, y) ≥ (y − x)²/(2V(x + ⅔(y − x))). With a margin, V is replaced by
        its largest value in between. Costs grow with the square of the gap, which is certain but for roundings.
        """
        mean_a, mean_b = state.means[a], state.means[b]
        gap = mean_a - mean_b + epsilon
        certain = abs(gap) - ROUNDING * (mean_a + mean_b + epsilon)
        if epsilon == 0.0:
            share = gap / (state.counts[a] + state.counts[b])
            to_a, to_b = -share * state.counts[b], share * state.counts[a]
            spread_a = self.generous_variance(mean_a + TWO_THIRDS * to_a)
            spread_b = self.generous_variance(mean_b + TWO_THIRDS * to_b)
            cost = state.counts[a] * to_a * to_a * spread_b + state.counts[b] * to_b * to_b * spread_a
            return 0.5 * cost * certain > level * spread_a * spread_b * CLEARLY * abs(gap)
        low, high = min(mean_a, mean_b) - epsilon, max(mean_a, mean_b) + epsilon
        spread = self.largest_variance(low, high) * (state.inverse[a] + state.inverse[b])
        return certain > 0.0 and 0.5 * certain * certain > level * spread * CLEARLY

    def clear_leader(self, width: float, state: State) -> int:
        """Return the arm of highest upper bound, −1 where arms are level or at the end of the means.

        On the scale g' = 1/√V, where all laws have variance about 1, the upper bound is about g(μ̂) + width/√N: that
        points to the arm to start from. Whether another arm's bound is above its bound v takes no logarithm beyond
        those of v: N d(μ̂, v) is N φ(μ̂) minus a linear function of N and S.
        """
        leader, top = 0, -math.inf
        for i in range(len(state.means)):
            value = state.kept.places[i] + width * state.root[i]
            if value > top:
                leader, top = i, value
        start, top = leader, self.upper_bound(leader, width, state)
        if top >= self.highest_mean():
            return -1
        slope, intercept = self.upper_line(top)
        for i in range(len(state.means)):
            line = state.counts[i] * intercept + state.kept.totals[i] * slope
            if i != start and (
                state.means[i] >= top or state.kept.potentials[i] - line <= 0.5 * width * width * SURELY
            ):
                value = self.upper_bound(i, width, state)
                if value == top:
                    return -1
                if value > top:
                    leader, top = i, value
                    if top >= self.highest_mean():
                        return -1
                    slope, intercept = self.upper_line(top)
        return leader

    def upper_line(self, x: float) -> tuple[float, float]:
        """Return slope and intercept of the tangent to φ at x, raised by more than what rounding takes from N φ."""
        slope, intercept = self.slope(x), self.intercept(x)
        return slope, intercept + ROUNDING * (abs(intercept) + x * abs(slope) + LARGEST_LOGARITHM)

    def bound_surely_below(self, arm: int, width: float, value: float, state: State) -> bool:
        """Return whether the upper bound is surely below a value: N d(μ̂, value) > width²/2, by Jensen's inequality."""
        gap = value - state.means[arm]
        spread = self.variance(state.means[arm] + TWO_THIRDS * gap)
        return gap > 0.0 and state.counts[arm] * gap * gap > width * width * spread * CLEARLY

    def evidence(self, a: int, b: int, epsilon: float, state: State) -> float:
        """Return the separation plus the price of not knowing the means, or 0 if negative (docs/families.md)."""
        if state.means[a] + epsilon <= state.means[b] or min(state.counts[a], state.counts[b]) < 1.0:
            return 0.0
        separation = self.separation(a, b, epsilon, state)
        if math.isinf(separation):
            return separation
        return min(max(0.0, separation * LESS + self.pair_price(a, b, state) / LESS), separation)

    def bet_start(self, low: float, top: float, side: float) -> tuple[float, float]:
        """Return the middle and half of the distance."""
        return 0.5 * (low + top), 0.5 * abs(top - low)

    def log_wealth(self, place: float, side: float, wager: Wager, room: Row) -> tuple[float, float]:
        """Return ln wealth and its derivative (docs/betting.md)."""
        return lattice_wealth(self, place, side, wager, room)

    def leader_share(self, leader: int, challenger: int, state: State) -> float:
        """Return N_B d(μ̂_B, u) / (N_B d(μ̂_B, u) + N_C d(μ̂_C, u)), u the pooled mean; its limit for equal means."""
        count = state.counts[leader] + state.counts[challenger]
        u = (state.kept.totals[leader] + state.kept.totals[challenger]) / count
        own, other = self.deviation(leader, u, state), self.deviation(challenger, u, state)
        return part_of_cost(own, other, leader, challenger, state)

    def allocate(self: Family, best: int, means: Row, start: float, shares: Row) -> float:
        """Write w*(means) into `shares`; return where the search for it ended."""
        return general_allocation(self, best, means, start, shares)
