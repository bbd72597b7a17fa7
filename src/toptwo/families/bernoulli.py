"""Bernoulli rewards: successes and failures, clicks and passes."""

import math
from typing import NamedTuple

from toptwo.families.base import MeanRange
from toptwo.families.margins import ROUNDING
from toptwo.families.numerics.draws import beta_draw
from toptwo.families.numerics.logarithms import LogCount
from toptwo.families.numerics.mixture_prices import beta_price
from toptwo.families.numerics.posterior_integrals import posterior_above
from toptwo.families.one_parameter import LESS, OneParameter
from toptwo.special import cross_difference, log_excess, log_excess_of, log_gamma
from toptwo.state import State
from toptwo.streams import Random, unit
from toptwo.tails import beta_tails

SMALL = 1e-5
"""Divergences up to this are worked out from relative changes, since a difference of logarithms loses digits."""


EDGE = 2.0**-53
"""What rounding may take from a number just below 1."""


class Logarithms(NamedTuple):
    """The one field of the family: where it looks logarithms of counts up."""

    log_count: LogCount = LogCount()


def log_odds_of(mean: float, count: float) -> float:
    """Return ln(p/(1−p)) for half a success and half a failure more than were seen.

    Examples
    --------
    >>> log_odds_of(0.5, 10.0)
    0.0
    """
    successes = count * min(max(mean, 0.0), 1.0)
    return math.log((successes + 0.5) / (count - successes + 0.5))


class Bernoulli(OneParameter, Logarithms):
    """Rewards 0 or 1, with an unknown probability of success per arm (docs/families/bernoulli.md).

    Examples
    --------
    >>> round(Bernoulli().divergence(0.5, 0.25), 6)
    0.143841
    """

    __slots__ = ()

    def __repr__(self) -> str:
        return "Bernoulli()"

    def assumption(self) -> str:
        """Return what the guarantee rests on, in words."""
        return "independent measurements that are 0 or 1, with a fixed probability of success for each arm"

    def mean_range(self) -> MeanRange:
        """Return [0, 1]."""
        return MeanRange(0.0, 1.0)

    def lowest_mean(self) -> float:
        """Return 0."""
        return 0.0

    def highest_mean(self) -> float:
        """Return 1."""
        return 1.0

    def accepts(self, value: float) -> bool:
        """Return whether the value is 0 or 1."""
        return value == 0.0 or value == 1.0

    def has_whole_sums(self) -> bool:
        """Return True: rewards are counts."""
        return True

    def support(self) -> str:
        """Return the values in words."""
        return "0 or 1"

    def reward(self, arm: int, mean: float, bits: int) -> float:
        """Return 1 with probability `mean`."""
        return 1.0 if unit(bits) < mean else 0.0

    def divergence(self, x: float, y: float) -> float:
        """Return x ln(x/y) + (1−x) ln((1−x)/(1−y)), exact to rounding however close the two are."""
        if x <= 0.0:
            return -math.log1p(-y) if y < 1.0 else math.inf
        if x >= 1.0:
            return -math.log(y) if y > 0.0 else math.inf
        if y <= 0.0 or y >= 1.0:
            return math.inf
        rest, left = 1.0 - x, 1.0 - y
        return x * log_excess_of((y - x) / x, y / x) + rest * log_excess_of((x - y) / rest, left / rest)

    def divergence_from(self, arm: int, offset: float, state: State) -> float:
        """Return d(μ̂, μ̂ + offset)."""
        successes, count = state.kept.totals[arm], state.counts[arm]
        x, rest = successes / count, (count - successes) / count
        if x <= 0.0:
            return -math.log1p(-offset) if offset < 1.0 else math.inf
        if rest <= 0.0:
            return -math.log1p(offset) if offset > -1.0 else math.inf
        cost = x * log_excess_of(offset / x, (x + offset) / x)
        return cost + rest * log_excess_of(-offset / rest, (rest - offset) / rest)

    def pooled_cost(self, a: int, b: int, state: State) -> float:
        """Return Σ over S_a, S_b and the failures of f(change), f(x) = x − ln(1 + x), when the rates are pooled."""
        count_a, count_b = state.counts[a], state.counts[b]
        wins_a, wins_b = state.kept.totals[a], state.kept.totals[b]
        fails_a, fails_b = count_a - wins_a, count_b - wins_b
        lead = cross_difference(wins_a, count_a, wins_b, count_b) / (count_a + count_b)
        u, rest = (wins_a + wins_b) / (count_a + count_b), (fails_a + fails_b) / (count_a + count_b)
        return (
            changed(wins_a, -lead, u * count_a)
            + changed(fails_a, lead, rest * count_a)
            + changed(wins_b, lead, u * count_b)
            + changed(fails_b, -lead, rest * count_b)
        )

    def variance_from(self, arm: int, offset: float, state: State) -> float:
        """Return V(μ̂ + offset), exact to rounding near 1 as well."""
        successes, count = state.kept.totals[arm], state.counts[arm]
        return (successes / count + offset) * ((count - successes) / count - offset)

    def generous_variance(self, x: float) -> float:
        """Return x(1−x) and as much as rounding may have taken from 1 − x."""
        return x * (1.0 - x) + ROUNDING

    def roughness(self, total: float, count: float) -> float:
        """Return 2N(1 + ln N): the potential is worked out from products of this size."""
        return 20.5 * count if count < 1e4 else 2.0 * count * (1.0 + self.log_count.at(int(count)))

    def potential(self, x: float) -> float:
        """Return x ln x + (1−x) ln(1−x)."""
        if x <= 0.0 or x >= 1.0:
            return 0.0
        return x * math.log(x) + (1.0 - x) * math.log(1.0 - x)

    def total_potential(self, total: float, count: float) -> float:
        """Return S ln S + F ln F − N ln N: for whole numbers, by looking up three logarithms."""
        failures = count - total
        if total <= 0.0 or failures <= 0.0:
            return 0.0
        if total != int(total) or count != int(count):
            return count * self.potential(total / count)
        table = self.log_count
        return total * table.at(int(total)) + failures * table.at(int(failures)) - count * table.at(int(count))

    def variance(self, x: float) -> float:
        """Return x(1−x)."""
        return x * (1.0 - x)

    def slope(self, x: float) -> float:
        """Return ln(x/(1−x))."""
        return math.log(x / (1.0 - x))

    def intercept(self, x: float) -> float:
        """Return ln(1−x)."""
        return math.log(1.0 - x)

    def stabilised(self, x: float) -> float:
        """Return arcsin(2x − 1), which is 2 arcsin √x but for a constant, to two digits."""
        t = 2.0 * x - 1.0
        return t * (1.0 + t * t * (1.0 / 6.0 + 0.4 * t * t))

    def largest_variance(self, low: float, high: float) -> float:
        """Return the largest x(1−x) on an interval."""
        nearest = min(max(0.5, low), high)
        return nearest * (1.0 - nearest) + ROUNDING

    def upper_bound(self, arm: int, width: float, state: State) -> float:
        """Return the largest u with N d(μ̂, u) ≤ width²/2 (Garivier and Cappé, 2011)."""
        mean, cost = state.means[arm], 0.5 * width * width * state.inverse[arm]
        if cost > SMALL and mean < 1.0 - SMALL:
            return divergence_bound(mean, cost, state.kept.potentials[arm] * state.inverse[arm])
        rise, left = moved(mean, (state.counts[arm] - state.kept.totals[arm]) * state.inverse[arm], cost)
        return mean + rise if mean < 0.5 else min(1.0 - left + EDGE, 1.0)

    def lower_bound(self, arm: int, width: float, state: State) -> float:
        """Return the least u with N d(μ̂, u) ≤ width²/2: failures and successes exchanged."""
        failures = (state.counts[arm] - state.kept.totals[arm]) * state.inverse[arm]
        fall, left = moved(failures, state.means[arm], 0.5 * width * width * state.inverse[arm])
        return left if state.means[arm] < 0.5 else state.means[arm] - fall

    def bet_range(self, margin: float, side: float) -> tuple[float, float]:
        """Return the u in [0, 1] at which the returned arm's mean, u − side · margin, is in it too."""
        return (margin, 1.0) if side > 0.0 else (0.0, 1.0 - margin)

    def contrast(self, low: float, low_count: float, top: float, top_count: float) -> float:
        """Return the distance on the scale of log odds, with half a success and a failure added."""
        return abs(log_odds_of(top, top_count) - log_odds_of(low, low_count))

    def bet(self, place: float, tilt: float, count: float, mean: float, shift: float) -> tuple[float, float]:
        """Return θS − N ln(1 + u(e^θ − 1)) and its derivative."""
        stretch = math.expm1(tilt)
        growth = (place - shift) * stretch
        return count * (tilt * mean - math.log1p(growth)), -count * stretch / (1.0 + growth)

    def pair_price(self, a: int, b: int, state: State) -> float:
        """Return the price of the Beta(½, ½) mixture for both arms."""
        return self.price(a, state) + self.price(b, state)

    def evidence_against_mean(self, arm: int, value: float, state: State) -> float:
        """Return N d(μ̂, value) plus the price of the Beta(½, ½) mixture (docs/intervals.md)."""
        return self.deviation(arm, value, state) * LESS + self.price(arm, state) / LESS

    def price(self, arm: int, state: State) -> float:
        """Return the price of an arm."""
        return beta_price(state.kept.totals[arm], state.counts[arm] - state.kept.totals[arm])

    def posterior_draw(self, arm: int, state: State, random: Random) -> float:
        """Return a draw of Beta(S + 1, F + 1), the posterior under the uniform prior."""
        return self.tilted_draw(arm, 0.0, state, random)

    def tilt(self, arm: int, leader: int, state: State) -> float:
        """Return t that brings (S + 1 + t)/(N + 2) of the arm and (S + 1 − t)/(N + 2) of the leader together."""
        n, m = state.counts[arm] + 2.0, state.counts[leader] + 2.0
        return max(0.0, ((state.kept.totals[leader] + 1.0) * n - (state.kept.totals[arm] + 1.0) * m) / (n + m))

    def tilted_draw(self, arm: int, tilt: float, state: State, random: Random) -> float:
        """Return a draw of Beta(S + 1 + t, F + 1 − t)."""
        successes = state.kept.totals[arm]
        return beta_draw(successes + 1.0 + tilt, state.counts[arm] - successes + 1.0 - tilt, random)

    def log_tilt(self, arm: int, tilt: float, state: State) -> float:
        """Return ln B(S + 1 + t, F + 1 − t)/B(S + 1, F + 1)."""
        a = state.kept.totals[arm] + 1.0
        b = state.counts[arm] - state.kept.totals[arm] + 1.0
        return log_gamma(a + tilt) - log_gamma(a) + log_gamma(b - tilt) - log_gamma(b)

    def natural(self, x: float) -> float:
        """Return ln(x/(1−x))."""
        return math.log(x / (1.0 - x))

    def from_natural(self, y: float) -> float:
        """Return 1/(1 + e^{−y})."""
        return 1.0 / (1.0 + math.exp(-y)) if y > 0.0 else math.exp(y) / (1.0 + math.exp(y))

    def log_slope(self, y: float) -> float:
        """Return ln x(1−x)."""
        return -abs(y) - 2.0 * math.log1p(math.exp(-abs(y)))

    def natural_centre(self, arm: int, state: State) -> float:
        """Return ln (S + 1)/(F + 1)."""
        return math.log((state.kept.totals[arm] + 1.0) / (state.counts[arm] - state.kept.totals[arm] + 1.0))

    def log_density(self, arm: int, y: float, state: State) -> float:
        """Return the logarithm of the density of Beta(S + 1, F + 1) on the natural scale."""
        a = state.kept.totals[arm] + 1.0
        b = state.counts[arm] - state.kept.totals[arm] + 1.0
        rest = math.log1p(math.exp(-abs(y)))
        log_x, log_rest = (-rest, -y - rest) if y > 0.0 else (y - rest, -rest)
        return a * log_x + b * log_rest + log_gamma(a + b) - log_gamma(a) - log_gamma(b)

    def log_below(self, arm: int, y: float, state: State) -> float:
        """Return the logarithm of the probability to be below."""
        a = state.kept.totals[arm] + 1.0
        return beta_tails(a, state.counts[arm] - state.kept.totals[arm] + 1.0, self.from_natural(y))[0]

    def log_above(self, arm: int, y: float, state: State) -> float:
        """Return the logarithm of the probability to be above."""
        a = state.kept.totals[arm] + 1.0
        return beta_tails(a, state.counts[arm] - state.kept.totals[arm] + 1.0, self.from_natural(y))[1]

    def log_probability_above(self, arm: int, other: int, state: State) -> float:
        """Return ln P(θ_arm > θ_other), by quadrature."""
        return posterior_above(self, arm, other, state)


def changed(number: float, change: float, expected: float) -> float:
    """Return n f(change/n), f(x) = x − ln(1 + x), for a number n that becomes n + change = `expected`."""
    return number * log_excess_of(change / number, expected / number) if number > 0.0 else change


def divergence_bound(mean: float, cost: float, potential: float) -> float:
    """Return the largest u in [mean, 1] with d(mean, u) ≤ cost, given the potential at the mean.

    Halley's iteration inside a bracket.

    Examples
    --------
    >>> round(divergence_bound(0.25, Bernoulli().divergence(0.25, 0.6), Bernoulli().potential(0.25)), 12)
    0.6
    """
    if mean >= 1.0 or cost <= 0.0:
        return mean
    if mean <= 0.0:
        return -math.expm1(-cost)
    rest = 1.0 - mean
    offset = potential - cost
    low, high = mean, 1.0
    s = math.sqrt(2.0 * cost)
    # The root of (u − mean)² = s² V(mean + ⅔(u − mean)), a little above the bound by Jensen's inequality.
    tilt, stretch = s * (1.0 - 2.0 * mean) / 3.0, 1.0 + 4.0 / 9.0 * s * s
    u = mean + s * (tilt + math.sqrt(tilt * tilt + mean * rest * stretch)) / stretch
    for _ in range(100):
        if not low < u < high:
            u = 0.5 * (low + high)
        left = 1.0 - u
        excess = offset - mean * math.log(u) - rest * math.log(left)
        if excess > 0.0:
            high = u
        else:
            low = u
        slope = (u - mean) / (u * left)
        bend = 0.5 * (mean / (u * u) + rest / (left * left))
        step = excess * slope / (slope * slope - excess * bend)
        u -= step
        if abs(step) <= 2e-5 * min(u - mean, 1.0 - u) or high - low <= 2e-16:  # the next error is its cube
            break
    return min(max(u, low), high)


def moved(mean: float, rest: float, cost: float) -> tuple[float, float]:
    """Return by how much a mean can rise at a cost, and what is then left of 1 − mean (`rest`), both with all digits.

    Newton's iteration for s = ln(rest/left), in which the cost is convex, with the derivative (rise)/(mean + rise).

    Examples
    --------
    >>> rise, left = moved(0.25, 0.75, Bernoulli().divergence(0.25, 0.5))
    >>> round(rise, 12), round(left, 12)
    (0.25, 0.5)
    """
    if rest <= 0.0 or cost <= 0.0:
        return 0.0, rest
    if mean <= 0.0:
        return -math.expm1(-cost), math.exp(-cost)
    s = math.sqrt(2.0 * cost * mean / rest) + cost / rest
    for _ in range(100):
        share = -math.expm1(-s)
        rise = rest * share
        spent = mean * log_excess(rise / mean) + rest * (s - share if s > 0.5 else log_excess(-share))
        step = (spent - cost) * (mean + rise) / rise
        s -= step
        if abs(step) <= 1e-9 * min(s, 1.0):  # the next error is about its square
            break
    return -rest * math.expm1(-s), rest * math.exp(-s)
