"""What it costs to move two means until they meet a margin apart, under a one-parameter exponential family.

Without a margin the means meet at the pooled mean, and nothing has to be searched (families/one_parameter.py).
"""

import math

from toptwo.families.law import Law
from toptwo.special import cross_difference
from toptwo.state import State

ROUNDING = 2.0**-50
"""More than the rounding errors of a few sums and products of numbers, in units of their sizes."""

SCANT = 1e-3
"""Room that a margin leaves for the two means, below which a cost feels every digit of where they are."""

HUGE = 1e200
"""Sums of rewards beyond this are not multiplied by counts."""


class WithMargin(Law):
    """The separation of two arms with a margin; to be mixed into a NamedTuple."""

    def separation_with_margin(self, a: int, b: int, epsilon: float, state: State) -> float:
        """Return inf over u of N_a d(μ̂_a, u) + N_b d(μ̂_b, u + ε), ε > 0; infinite if no two means are ε apart.

        The two means move towards each other by p and q, p + q being the gap. Rounding it up would count too much.
        """
        if self.lowest_mean() + epsilon > self.highest_mean():
            return math.inf
        if self.lowest_mean() + epsilon == self.highest_mean():  # only the two ends are
            return self.deviation(a, self.lowest_mean(), state) + self.deviation(b, self.highest_mean(), state)
        gap = self.least_gap(a, b, epsilon, state)
        if gap <= 0.0:
            return self.cost_from_behind(a, b, -gap, state)
        low, high = self.meeting(a, b, gap, state)
        if self.highest_mean() - self.lowest_mean() - epsilon > SCANT:  # otherwise both costs, which grow, count less
            low = high = 0.5 * (low + high)
        cost = state.counts[a] * self.divergence_from(a, -low, state)
        return cost + state.counts[b] * self.divergence_from(b, gap - high, state)

    def cost_from_behind(self, a: int, b: int, gap: float, state: State) -> float:
        """Return the least N_a d(μ̂_a, μ̂_a + wg) + N_b d(μ̂_b, μ̂_b − (1 − w)g) over w, the gap g ≥ 0 being the other way.

        The share w solves w = N_b V_a/(N_a V_b + N_b V_a), V_a and V_b the variances where the means meet. The right
        side rises with w: repeated, it climbs to the first solution from 0, and descends to the last one from 1; from ½
        where both ends are solutions. Every third step goes where the last two point to (Steffensen): near a double
        root steps shrink hardly at all, and away from an end they grow as slowly.
        """
        least = 0.0 if gap <= 0.0 else math.inf
        many, few = state.counts[a], state.counts[b]
        for start in (1e-12, 0.5, 1.0):
            share, rest, last = start, max(1.0 - start, 1e-12), 0.0
            for turn in range(200):
                pull_a = few * self.variance_from(a, share * gap, state)
                pull_b = many * self.variance_from(b, -rest * gap, state)
                if not pull_a + pull_b > 0.0:
                    break
                before, left = share, rest
                share, rest = pull_a / (pull_a + pull_b), pull_b / (pull_a + pull_b)
                step = share - before if share < 0.5 else left - rest
                if abs(step) <= 1e-12 * min(share, rest):
                    break
                if turn % 3 == 2 and step / last > 0.0:
                    jump = step * step / (last - step) if abs(step) < abs(last) else 8.0 * step
                    if 0.0 < share + jump < 1.0 and 0.0 < rest - jump < 1.0:
                        share, rest = share + jump, rest - jump
                last = step
            cost = many * self.divergence_from(a, share * gap, state)
            least = min(least, cost + few * self.divergence_from(b, -rest * gap, state))
        return least

    def least_gap(self, a: int, b: int, epsilon: float, state: State) -> float:
        """Return μ̂_a − μ̂_b + ε, or less in size by as much as rounding may have added."""
        total_a, total_b, count_a, count_b = (
            state.kept.totals[a],
            state.kept.totals[b],
            state.counts[a],
            state.counts[b],
        )
        if max(total_a, total_b) < HUGE:
            difference = cross_difference(total_a, count_a, total_b, count_b) / count_a / count_b
        else:
            difference = state.means[a] - state.means[b]
        gap, doubt = difference + epsilon, ROUNDING * (abs(difference) + epsilon)
        return math.copysign(max(0.0, abs(gap) - doubt), gap)

    def meeting(self, a: int, b: int, gap: float, state: State) -> tuple[float, float]:
        """Return between which p N_a d(μ̂_a, μ̂_a − p) + N_b d(μ̂_b, μ̂_b + gap − p) is least, for a positive gap.

        Its derivative has the sign of N_a p V(μ̂_b + gap − p) − N_b (gap − p) V(μ̂_a − p), which changes once between 0
        and the gap because V(u)/V(u + ε) increases in u (docs/families.md, lemma 2). No logarithms: bisection, sped up
        by the secant.
        """
        low = max(0.0, gap - (self.highest_mean() - state.means[b]))
        high = min(gap, state.means[a] - self.lowest_mean())
        if low >= high:
            return high, high
        inset = 1e-12 * (high - low)  # the products vanish where an arm stays at an end of the means
        at_low = self.pull_apart(a, b, low + inset, gap, state)
        at_high = self.pull_apart(a, b, high - inset, gap, state)
        if low > 0.0:  # an arm that is moved to an end of the means resists without limit
            at_low = -abs(at_low)
        if high < gap:
            at_high = abs(at_high)
        if at_low >= 0.0 or at_high <= 0.0:
            return (low, low) if at_low >= 0.0 else (high, high)
        for turn in range(200):
            p = high - at_high * (high - low) / (at_high - at_low)
            if turn % 3 == 2 or not low < p < high:
                p = 0.5 * (low + high)
            value = self.pull_apart(a, b, p, gap, state)
            if value > 0.0:
                high, at_high, at_low = p, value, 0.5 * at_low
            elif value < 0.0:
                low, at_low, at_high = p, value, 0.5 * at_high
            else:
                return p, p
            if high - low <= 1e-13 * high:  # the cost feels the square of it
                break
        return low, high

    def pull_apart(self, a: int, b: int, p: float, gap: float, state: State) -> float:
        """Return N_a p V(μ̂_b + gap − p) − N_b (gap − p) V(μ̂_a − p)."""
        left = state.counts[a] * p * self.variance_from(b, gap - p, state)
        return left - state.counts[b] * (gap - p) * self.variance_from(a, -p, state)
