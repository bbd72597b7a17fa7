"""Gaussian rewards of known standard deviation: the law of the paper."""

import math
from collections.abc import Callable, Iterable, MutableSequence, Sequence
from typing import Any, NamedTuple

from toptwo import checks
from toptwo.errors import InputError
from toptwo.families.numerics.normal_posterior import (
    log_improvement,
    log_improvement_below,
    log_probability_best,
    normal_above,
)
from toptwo.families.numerics.optimal_allocation import gaussian_allocation
from toptwo.families.numerics.proven_levels import ProvenLevel, log_odds
from toptwo.families.numerics.tilting import highest_of_overtakers
from toptwo.families.numerics.wealth import Wager, betting_level, gaussian_wealth
from toptwo.families.origin import unless_near
from toptwo.special import calibration_gaussian, log_normal_tail
from toptwo.state import Row, State, add_batch, add_reward
from toptwo.streams import Random, next_word, normal

PRECISIONS = (1.0, 25.0, 500.0)
"""Prior precisions ρ_g of the mixture, in units of 1/σ², increasing (docs/mixture.md says how they were chosen)."""

LOG_WEIGHTS = (math.log(0.2), math.log(0.6), math.log(0.2))
"""Logarithms of the mixture's weights w_g, which sum to 1."""

CLEARLY = 1.0 + 2.0**-48
"""Factor that no rounding error of a product or quotient can make up for."""

DOUBT = 2.0**-51
"""More than the rounding errors of a sum of three numbers, in units of their sizes."""

BARELY = 1.0 - 2.0**-51
"""Share of a margin that is left when a difference it nearly cancels was rounded to its disadvantage."""


def proven_level(delta: float, arms: int) -> ProvenLevel:
    """Return c(n, δ) = 2 C_G(ln((K−1)/δ)/2) + 4 ln(4 + ln(n/2)) (paper, lemma 1).

    Examples
    --------
    >>> round(proven_level(0.1, 10).at(1000), 2)
    17.0
    """
    return ProvenLevel(2.0 * calibration_gaussian(0.5 * log_odds(delta, arms)), 4.0, 4.0)


def gap_between(a: int, b: int, epsilon: float, state: State) -> float:
    """Return μ̂_a − μ̂_b + ε, to 13 digits even where ε nearly cancels the difference.

    Examples
    --------
    >>> from toptwo.state import state_of
    >>> state = state_of(Gaussian(), 2)
    >>> state.means[:] = [0.0, 1e16 + 2.0]
    >>> state.means[0] = 1.0
    >>> gap_between(0, 1, 1e16, state)
    -1.0
    """
    return raised_gap(state.means[a], state.means[b], epsilon)


def raised_gap(mean: float, other: float, epsilon: float) -> float:
    """Return mean − other + ε, to 13 digits even where ε nearly cancels the difference."""
    first, second = mean, -other
    difference = first + second
    gap = difference + epsilon
    if abs(gap) >= 1e-3 * epsilon:  # then it is right to 13 digits
        return gap
    # What each of the two sums has lost (Knuth).
    part, rest = difference - first, gap - difference
    lost = (first - (difference - part)) + (second - part)
    return gap + (lost + ((difference - (gap - rest)) + (epsilon - rest)))


class Gaussian(NamedTuple):
    """Rewards N(μ_i, σ²) with σ known, one number or one for each arm; also proven for σ-sub-Gaussian rewards.

    Examples
    --------
    >>> Gaussian(sigma=2.0).divergence(1.0, 0.0)
    0.125
    """

    sigma: float = 1.0

    def validate(self) -> None:
        """Refuse a standard deviation that is not positive."""
        for sigma in [self.sigma] if not isinstance(self.sigma, Iterable) else self.sigma:
            checks.at_least("sigma", sigma, 0.0, strict=True)

    def for_arms(self, arms: int) -> Any:
        """Return itself, or with one σ per arm a family that knows them."""
        if not isinstance(self.sigma, Iterable):
            return self
        from toptwo.families.gaussian_per_arm import GaussianPerArm

        deviations = tuple(float(sigma) for sigma in self.sigma)
        if len(deviations) != arms:
            raise InputError(f"sigma must be one number or one for each of the {arms} arms, not {len(deviations)}.")
        return GaussianPerArm(deviations, self._replace(sigma=max(deviations)))

    def assumption(self) -> str:
        """Return what the guarantee rests on, in words."""
        return f"independent measurements with Gaussian (or sub-Gaussian) noise of standard deviation {self.sigma:g}"

    def levels(self) -> dict[str, Callable[[float, int], Any]]:
        """Return the paper's threshold (lemma 1) and the levels of docs/mixture.md and docs/betting.md."""
        return {"proven": proven_level, "mixture": log_odds, "betting": betting_level}

    def measured_from(self, rewards: Sequence[float]) -> float:
        """Return the highest reward, or 0 if that is near."""
        return unless_near(max(rewards), self.sigma)

    def mirrored(self) -> "Gaussian":
        """Return itself: the negated noise has the same law."""
        return self

    def reward(self, arm: int, mean: float, bits: int) -> float:
        """Return mean + σ times the normal variable of the bits."""
        return mean + self.sigma * normal(bits)

    def observe(self, arm: int, reward: float, state: State) -> None:
        """Update count and mean: sufficient when the variance is known."""
        add_reward(arm, reward, state)

    def take_average(self, arm: int, average: float, size: int, state: State) -> bool:
        """Take in an average: it says all when the variance is known."""
        add_batch(arm, average, size, state)
        return True

    def draw_batch(self, arm: int, mean: float, size: int, state: State, rewards: MutableSequence[int]) -> float:
        """Draw the average of `size` rewards in one step: it says all."""
        average = self.batch(arm, mean, size, next_word(rewards, arm))
        add_batch(arm, average, size, state)
        return average

    def batch(self, arm: int, mean: float, size: int, bits: int) -> float:
        """Return the average of `size` rewards: exactly N(mean, σ²/size)."""
        return mean + self.sigma / math.sqrt(size) * normal(bits)

    def divergence(self, x: float, y: float) -> float:
        """Return (x − y)² / (2σ²)."""
        return 0.5 / (self.sigma * self.sigma) * (x - y) * (x - y)

    def deviation(self, arm: int, value: float, state: State) -> float:
        """Return N (μ̂ − value)² / (2σ²)."""
        return state.counts[arm] * self.divergence(state.means[arm], value)

    def separation(self, a: int, b: int, epsilon: float, state: State) -> float:
        """Return (μ̂_a − μ̂_b + ε)² / (2σ²(1/N_a + 1/N_b)) (paper, eq. 4, squared)."""
        gap = gap_between(a, b, epsilon, state)
        return 0.5 / (self.sigma * self.sigma) * gap * gap / (state.inverse[a] + state.inverse[b])

    def separation_surely_above(self, a: int, b: int, epsilon: float, level: float, state: State) -> bool:
        """Return whether the separation is above the level, without a division; False where last digits decide.

        Nothing in it but the other arm's numbers changes from arm to arm: this is the innermost loop of most runs.
        """
        mean = state.means[a]
        raised = mean + epsilon - DOUBT * (abs(mean) + epsilon) - state.means[b]
        gap = raised if raised > 0.0 else 0.0
        return gap * gap > level * (2.0 * CLEARLY * self.sigma * self.sigma) * (state.inverse[a] + state.inverse[b])

    def closest_arm(self, best: int, epsilon: float, state: State) -> tuple[int, float, int]:
        """Return the arm of least separation, that separation, and how many arms share it: in one loop, few calls."""
        mean, inverse = state.means[best], state.inverse[best]
        top, unit = mean + epsilon - DOUBT * (abs(mean) + epsilon), 2.0 * CLEARLY * self.sigma * self.sigma
        rival, cost, ties = -1, math.inf, 0
        for i in range(len(state.means)):
            gap = top - state.means[i]
            above = gap > 0.0 and gap * gap > cost * unit * (inverse + state.inverse[i])  # `separation_surely_above`
            if not above and i != best:
                separation = self.separation(best, i, epsilon, state)
                if separation < cost:
                    rival, cost, ties = i, separation, 1
                elif separation == cost:
                    ties += 1
        return rival, cost, ties

    def clear_leader(self, width: float, state: State) -> int:
        """Return the arm of highest upper confidence bound, −1 if several share it."""
        reach, leader, top, shared = self.sigma * width, -1, -math.inf, False
        for i in range(len(state.means)):
            bound = state.means[i] + reach * state.root[i]
            if not bound < top:  # one comparison for most arms
                shared = bound == top
                if bound > top:
                    leader, top = i, bound
        return -1 if shared else leader

    def evidence(self, a: int, b: int, epsilon: float, state: State) -> float:
        """Return ln Σ_g w_g exp(evidence under prior precision ρ_g), or 0 if negative (docs/mixture.md, theorem 1)."""
        gap = gap_between(a, b, epsilon, state) / self.sigma
        if gap <= 0.0 or min(state.counts[a], state.counts[b]) < 1.0:
            return 0.0
        total, shift = 0.0, 0.0
        for g in range(len(PRECISIONS)):
            precision = PRECISIONS[g]
            stretch_a = 1.0 + precision * state.inverse[a]
            stretch_b = 1.0 + precision * state.inverse[b]
            variance = state.inverse[a] * stretch_a + state.inverse[b] * stretch_b
            exponent = LOG_WEIGHTS[g] + 0.5 * gap * gap / variance
            # The exponent falls as the precision grows, so the first one is the scale that cannot overflow.
            if g == 0:
                shift = exponent
                if math.isinf(shift):
                    return math.inf
            growth = (1.0 + state.counts[a] / precision) * (1.0 + state.counts[b] / precision)
            total += math.exp(exponent - shift) / math.sqrt(growth)
        return min(max(0.0, shift + math.log(total)), self.separation(a, b, epsilon, state))

    def evidence_against_mean(self, arm: int, value: float, state: State) -> float:
        """Return ln Σ_g w_g M(value; ρ_g) (docs/mixture.md, lemma 1, for one arm)."""
        count, square = state.counts[arm], 2.0 * self.deviation(arm, value, state)
        total, top = 0.0, 0.5 * square * count / (count + PRECISIONS[0])  # the largest exponent
        if math.isinf(top):
            return math.inf
        for g in range(len(PRECISIONS)):
            shrunk = 0.5 * square * count / (count + PRECISIONS[g])
            total += math.exp(LOG_WEIGHTS[g] + shrunk - top) / math.sqrt(1.0 + count / PRECISIONS[g])
        return top + math.log(total)

    def bet_range(self, margin: float, side: float) -> tuple[float, float]:
        """Return all numbers."""
        return -math.inf, math.inf

    def bet_start(self, low: float, top: float, side: float) -> tuple[float, float]:
        """Return the middle and half of the distance."""
        return 0.5 * (low + top), 0.5 * (top - low)

    def log_wealth(self, place: float, side: float, wager: Wager, room: Row) -> tuple[float, float]:
        """Return ln wealth and its derivative (docs/betting.md)."""
        return gaussian_wealth(place, self.sigma, wager)

    def upper_bound(self, arm: int, width: float, state: State) -> float:
        """Return μ̂ + σ · width / √N (paper, eq. 6, with width = √g(n))."""
        return state.means[arm] + self.sigma * width * state.root[arm]

    def lower_bound(self, arm: int, width: float, state: State) -> float:
        """Return μ̂ − σ · width / √N."""
        return state.means[arm] - self.sigma * width * state.root[arm]

    def allocate(self, best: int, means: Row, start: float, shares: Row) -> float:
        """Write w*(means) into `shares`; return where the search for it ended."""
        return gaussian_allocation(best, means, start, shares)

    def leader_share(self, leader: int, challenger: int, state: State) -> float:
        """Return N_C / (N_B + N_C)."""
        return state.counts[challenger] / (state.counts[leader] + state.counts[challenger])

    def posterior_draw(self, arm: int, state: State, random: Random) -> float:
        """Return a draw of N(μ̂, σ²/N), the posterior under a flat prior."""
        return state.means[arm] + self.sigma * state.root[arm] * random.normal()

    def log_probability_above(self, arm: int, other: int, state: State) -> float:
        """Return ln P(θ_arm > θ_other)."""
        spread = self.sigma * math.sqrt(state.inverse[arm] + state.inverse[other])
        return log_normal_tail((state.means[other] - state.means[arm]) / spread)

    def improvement_over_value(self, arm: int, value: float, state: State) -> float:
        """Return ln E(θ_arm − value)₊ (Qin, Klabjan and Russo, 2017, section 3)."""
        return log_improvement(state.means[arm] - value, self.sigma * state.root[arm])

    def improvement_over_arm(self, arm: int, other: int, state: State) -> float:
        """Return ln E(θ_arm − θ_other)₊ (Qin, Klabjan and Russo, 2017, section 3)."""
        spread = self.sigma * math.sqrt(state.inverse[arm] + state.inverse[other])
        return log_improvement(state.means[arm] - state.means[other], spread)

    def improvement_over_value_surely_below(self, arm: int, value: float, floor: float, state: State) -> bool:
        """Return whether a bound shows that the improvement over a value is below the floor."""
        return log_improvement_below(state.means[arm] - value, self.sigma * state.root[arm], floor)

    def improvement_over_arm_surely_below(self, arm: int, other: int, floor: float, state: State) -> bool:
        """Return whether a bound shows that the improvement over another arm is below the floor."""
        spread = self.sigma * math.sqrt(state.inverse[arm] + state.inverse[other])
        return log_improvement_below(state.means[arm] - state.means[other], spread, floor)

    def resample(self, leader: int, state: State, random: Random) -> int:
        """Return the argmax of a posterior draw given that it is not the leader, without waiting for that event.

        Karp and Luby's scheme for a union of events: pick an arm j that overtakes the leader with probability
        proportional to P(θ_j > θ_B), draw θ given that it does, and accept with probability one over the number
        of arms that overtake. The argmax of an accepted draw has exactly the law of redrawing θ until its argmax
        is not the leader (Russo, 2016), whatever the probability of that event.
        """
        while True:
            arm = self._overtaker(leader, state, random)
            variance, other = state.inverse[leader], state.inverse[arm]
            spread = self.sigma * math.sqrt(variance + other)
            low = (state.means[leader] - state.means[arm]) / spread
            excess = normal_above(low, random)
            # Given D = θ_j − θ_B, θ_B is normal: regress it on D.
            centre = state.means[leader] - variance / (variance + other) * spread * excess
            level = centre + self.sigma * math.sqrt(variance * other / (variance + other)) * random.normal()
            top = highest_of_overtakers(self, leader, arm, level, level + spread * (excess - low), state, random)
            if top >= 0:
                return top

    def _overtaker(self, leader: int, state: State, random: Random) -> int:
        """Return arm j ≠ leader with probability proportional to P(θ_j > θ_leader)."""
        largest = -math.inf
        for i in range(len(state.means)):
            if i != leader:
                largest = max(largest, self.log_probability_above(i, leader, state))
        total, chosen = 0.0, leader
        for i in range(len(state.means)):
            if i != leader:
                weight = math.exp(self.log_probability_above(i, leader, state) - largest)
                total += weight
                # One pass: the i-th candidate replaces the earlier ones with probability weight / total.
                if chosen == leader or random.uniform() * total < weight:
                    chosen = i
        return chosen

    def log_probability_best(self, arm: int, state: State) -> float:
        """Return ln P(θ_arm > θ_i for all i), by quadrature."""
        return log_probability_best(arm, -math.inf, self.sigma, state)

    def log_probability_best_unless_below(self, arm: int, level: float, state: State) -> float:
        """Return the same, or −∞ if a bound shows without quadrature that it is below the level."""
        return log_probability_best(arm, level, self.sigma, state)
