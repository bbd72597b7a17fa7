"""One-parameter exponential families: all that follows from a divergence, its potential and a conjugate posterior.

A family of this kind is fixed by its variance V(x) as a function of the mean: with φ'' = 1/V, the divergence is
d(x, y) = φ(x) − φ(y) − φ'(y)(x − y) = ∫ from x to y of (t − x)/V(t) dt. It keeps N φ(μ̂) and the sum of the
rewards of each arm, so that equal arms have exactly equal means.
"""

import math
from collections.abc import Callable
from typing import Any, NamedTuple

from toptwo.families.allocation import general_allocation
from toptwo.families.base import Family, Interval
from toptwo.families.levels import ProvenLevel, log_odds
from toptwo.families.tilting import TiltedPosterior
from toptwo.families.wealth import Wager, betting_level, lattice_wealth
from toptwo.memory import per_arm
from toptwo.special import calibration_exponential
from toptwo.state import Row, State, add_reward, grown, recounted

CLEARLY = 1.0 + 2.0**-40
"""Factor that no rounding error of a bound can make up for."""

TWO_THIRDS = 2.0 / 3.0

SURELY = 1.0 + 1e-9
"""Factor that no rounding error of a difference of potentials can make up for."""

TINY = 4e-6
"""Cost per pull below which the difference of potentials has lost too many digits."""


def proven_level(delta: float, arms: int) -> ProvenLevel:
    """Return c(n, δ) = 2T(ln((K−1)/δ)/2) + 6 ln(1 + ln(n/2)) (Kaufmann and Koolen, 2021, Theorem 7; SPEC 7).

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


class OneParameter(TiltedPosterior):
    """Shared answers of one-parameter exponential families; to be mixed into a NamedTuple."""

    # --- what each family says of itself ----------------------------------------------------------------------------
    def mean_range(self) -> Interval:
        """Return where means may lie."""
        raise NotImplementedError

    def divergence(self, x: float, y: float) -> float:
        """Return d(x, y)."""
        raise NotImplementedError

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

    def bet_range(self, margin: float, side: float) -> tuple[float, float]:
        """Return the ends of the possible u for bets, on the scale on which ln wealth is convex."""
        raise NotImplementedError

    def contrast(self, low: float, low_count: float, top: float, top_count: float) -> float:
        """Return about the tilt that leads from one mean to the other."""
        raise NotImplementedError

    def bet(self, place: float, tilt: float, count: float, mean: float, shift: float) -> tuple[float, float]:
        """Return ln of what a bet has earned on rewards of mean u − shift, and its derivative."""
        raise NotImplementedError

    # --- what follows -----------------------------------------------------------------------------------------------
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
        state.kept.totals[arm] += reward
        state.means[arm] = state.kept.totals[arm] / state.counts[arm]
        state.kept.potentials[arm] = self.total_potential(state.kept.totals[arm], state.counts[arm])
        state.kept.places[arm] = self.stabilised(state.means[arm])

    def deviation(self, arm: int, value: float, state: State) -> float:
        """Return N d(μ̂, value)."""
        return state.counts[arm] * self.divergence(state.means[arm], value)

    def separation(self, a: int, b: int, epsilon: float, state: State) -> float:
        """Return inf over u of N_a d(μ̂_a, u) + N_b d(μ̂_b, u + ε).

        Without margin u is the pooled mean, where the linear terms of d cancel: N_a φ(μ̂_a) + N_b φ(μ̂_b) − N φ(u).
        """
        if epsilon > 0.0:
            return self.separation_with_margin(a, b, epsilon, state)
        count = state.counts[a] + state.counts[b]
        cost = (
            state.kept.potentials[a]
            + state.kept.potentials[b]
            - self.total_potential(state.kept.totals[a] + state.kept.totals[b], count)
        )
        if cost > TINY * count:
            return cost
        u = (state.kept.totals[a] + state.kept.totals[b]) / count
        return self.deviation(a, u, state) + self.deviation(b, u, state)

    def separation_with_margin(self, a: int, b: int, epsilon: float, state: State) -> float:
        """Return the same with a margin ε > 0; infinite if no two means are ε apart."""
        if self.lowest_mean() + epsilon > self.highest_mean():
            return math.inf
        u = self.meeting(a, b, epsilon, state)
        return self.deviation(a, u, state) + self.deviation(b, u + epsilon, state)

    def meeting(self, a: int, b: int, epsilon: float, state: State) -> float:
        """Return the u at which N_a d(μ̂_a, u) + N_b d(μ̂_b, u + ε) is least.

        Its derivative has the sign of N_a(u − μ̂_a) V(u + ε) + N_b(u + ε − μ̂_b) V(u), which changes once between μ̂_a and
        μ̂_b − ε because V(u)/V(u + ε) increases in u (docs/families.md, lemma 2). No logarithms: bisection, sped up by
        the secant.
        """
        low = max(self.lowest_mean(), min(state.means[a], state.means[b] - epsilon))
        high = min(self.highest_mean() - epsilon, max(state.means[a], state.means[b] - epsilon))
        if low >= high:
            return high
        inset = 1e-12 * (high - low)  # the products vanish at the ends of the means, where V does
        at_low = self.pull_apart(a, b, low + inset, epsilon, state)
        at_high = self.pull_apart(a, b, high - inset, epsilon, state)
        if at_low >= 0.0 or at_high <= 0.0:
            return low if at_low >= 0.0 else high
        for turn in range(200):
            u = high - at_high * (high - low) / (at_high - at_low)
            if turn % 3 == 2 or not low < u < high:
                u = 0.5 * (low + high)
            value = self.pull_apart(a, b, u, epsilon, state)
            if value > 0.0:
                high, at_high, at_low = u, value, 0.5 * at_low
            elif value < 0.0:
                low, at_low, at_high = u, value, 0.5 * at_high
            else:
                return u
            if high - low <= 4e-16 * max(abs(high), epsilon):
                break
        return 0.5 * (low + high)

    def pull_apart(self, a: int, b: int, u: float, epsilon: float, state: State) -> float:
        """Return N_a(u − μ̂_a) V(u + ε) + N_b(u + ε − μ̂_b) V(u)."""
        left = state.counts[a] * (u - state.means[a]) * self.variance(u + epsilon)
        return left + state.counts[b] * (u + epsilon - state.means[b]) * self.variance(u)

    def separation_surely_above(self, a: int, b: int, epsilon: float, level: float, state: State) -> bool:
        """Return whether bounds without logarithms show that the separation is above the level.

        1/V is convex, so by Jensen's inequality d(x, y) ≥ (y − x)²/(2V(x + ⅔(y − x))). With a margin, V is replaced by
        its largest value in between.
        """
        if epsilon == 0.0:
            u = (state.kept.totals[a] + state.kept.totals[b]) / (state.counts[a] + state.counts[b])
            to_a, to_b = u - state.means[a], u - state.means[b]
            spread_a = self.variance(state.means[a] + TWO_THIRDS * to_a)
            spread_b = self.variance(state.means[b] + TWO_THIRDS * to_b)
            cost = state.counts[a] * to_a * to_a * spread_b + state.counts[b] * to_b * to_b * spread_a
            return 0.5 * cost > level * spread_a * spread_b * CLEARLY
        gap = state.means[a] - state.means[b] + epsilon
        low = min(state.means[a], state.means[b]) - epsilon
        high = max(state.means[a], state.means[b]) + epsilon
        spread = self.largest_variance(low, high) * (state.inverse[a] + state.inverse[b])
        return 0.5 * gap * gap > level * spread * CLEARLY

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
        slope, intercept = self.slope(top), self.intercept(top)
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
                    slope, intercept = self.slope(top), self.intercept(top)
        return leader

    def bound_surely_below(self, arm: int, width: float, value: float, state: State) -> bool:
        """Return whether the upper bound is surely below a value: N d(μ̂, value) > width²/2, by Jensen's inequality."""
        gap = value - state.means[arm]
        spread = self.variance(state.means[arm] + TWO_THIRDS * gap)
        return gap > 0.0 and state.counts[arm] * gap * gap > width * width * spread * CLEARLY

    def evidence(self, a: int, b: int, epsilon: float, state: State) -> float:
        """Return the separation plus the price of not knowing the means, or 0 if negative (docs/families.md)."""
        if state.means[a] + epsilon <= state.means[b] or min(state.counts[a], state.counts[b]) < 1.0:
            return 0.0
        return max(0.0, self.separation(a, b, epsilon, state) + self.pair_price(a, b, state))

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
        if own + other <= 0.0:
            return state.counts[challenger] / count
        return own / (own + other)

    def allocate(self: Family, best: int, means: Row, start: float, shares: Row) -> float:
        """Write w*(means) into `shares`; return where the search for it ended."""
        return general_allocation(self, best, means, start, shares)
