"""Gaussian rewards of unknown variance, which may differ between arms: nothing but the shape of the law is assumed."""

import math
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

from toptwo import checks
from toptwo.errors import InputError
from toptwo.families.base import part_of_cost
from toptwo.families.gaussian import LOG_WEIGHTS, PRECISIONS, gap_between, raised_gap
from toptwo.families.numerics import one_sided_student
from toptwo.families.numerics.draws import gamma_draw
from toptwo.families.numerics.proven_levels import log_odds
from toptwo.families.numerics.student import Evidence, least_mixture, likelihood_ratio, nearest_mean, t_mixture
from toptwo.families.numerics.without_model import redrawn_challenger, refusals
from toptwo.families.origin import unless_near
from toptwo.memory import per_arm
from toptwo.special import lambert_bar, with_exponential
from toptwo.state import Row, State, add_reward
from toptwo.streams import Random, normal

EFFECTS = tuple(1.0 / precision for precision in PRECISIONS)
"""Prior variances τ_g² of the effect (how many deviations σ a mean is off): the grid of the Gaussian mixture."""

ENTROPY = -sum(math.exp(weight) * weight for weight in LOG_WEIGHTS)
"""H = −Σ w ln w: what the grid costs where arms are followed one by one (docs/mixture.md, theorem 3)."""

TINY = 1e-60
"""Least variance in units of the squared gap: a smaller one counts as this much, and a gap beyond 1/TINY as none."""

SMALLEST = 1e-290
"""Variances below this have lost digits to underflow and say nothing."""

CLEARLY = 1.0 + 1e-12
"""Factor that the rounding errors of a separation cannot make up for."""

COINCIDENCE = 1e6
"""Rewards that agree to one part in so many are no noise of that size (docs/rounding.md)."""

FARTHEST = 700.0
"""e^700 is about as far as a double reaches."""


def mixture_level(delta: float, arms: int) -> float:
    """Return the x with (1 + x + H) e^{−x} = δ/(K−1) (docs/families/unknown-variance.md, theorem 1).

    Examples
    --------
    >>> x = mixture_level(0.1, 10)
    >>> round(9.0 * (1.0 + x + ENTROPY) * math.exp(-x), 12)
    0.1
    """
    return lambert_bar(1.0 + ENTROPY + log_odds(delta, arms)) - 1.0 - ENTROPY


def betting_level(delta: float, arms: int) -> float:
    """Return the x with (1 + x + H) e^{−x} = δ, H of the one-sided bets (docs/families/unknown-variance.md, theorem 2).

    Examples
    --------
    >>> x = betting_level(0.1, 10)
    >>> round((1.0 + x + one_sided_student.ENTROPY) * math.exp(-x), 12)
    0.1
    """
    constant = 1.0 + one_sided_student.ENTROPY
    return lambert_bar(constant - math.log(delta)) - constant


def variance_of(arm: int, state: State) -> float:
    """Return V, the mean square deviation of an arm's rewards from their mean; 0 if it says nothing."""
    return state.kept.squares[arm] * state.inverse[arm] if state.counts[arm] >= 2.0 else 0.0


def compared(a: int, b: int, epsilon: float, state: State) -> tuple[float, float, float]:
    """Return the gap μ̂_a − μ̂_b + ε and the variances in units of its square; zeros if they say nothing."""
    gap = gap_between(a, b, epsilon, state)
    variance_a, variance_b = variance_of(a, state), variance_of(b, state)
    if gap == 0.0 or min(variance_a, variance_b) <= SMALLEST:
        return gap, 0.0, 0.0
    ratio_a, ratio_b = variance_a / gap / gap, variance_b / gap / gap
    if max(ratio_a, ratio_b) * TINY >= 1.0:
        return gap, 0.0, 0.0
    return gap, max(ratio_a, TINY), max(ratio_b, TINY)


class Scatter(NamedTuple):
    """What the family keeps of each arm."""

    squares: Row = per_arm()
    """Sums of squared deviations from the mean."""


class GaussianUnknownVariance(NamedTuple):
    """Rewards N(μ_i, σ_i²), neither known. The deviations `sigma`, one or one per arm, are for simulation only.

    An arm is known by its mean and the sum of squared deviations from it. As long as that is zero (one reward, or all
    of them equal) nothing can be said: the arm costs nothing to move, and there is no evidence against it.

    Examples
    --------
    >>> import toptwo as tt
    >>> result = tt.simulate("TTUCB", [0.0, 1.0], family=tt.GaussianUnknownVariance(sigma=(1.0, 0.3)), runs=100, seed=1)
    >>> bool(result.correct.mean() > 0.9)
    True
    """

    sigma: float | Sequence[float] = 1.0

    def __repr__(self) -> str:
        usual = self.sigma == 1.0 or (isinstance(self.sigma, tuple) and set(self.sigma) == {1.0})
        return f"{type(self).__name__}({'' if usual else f'sigma={self.sigma}'})"

    def validate(self) -> None:
        """Refuse standard deviations that are not positive."""
        for sigma in self.sigma if isinstance(self.sigma, Sequence) else (self.sigma,):
            checks.at_least("sigma", sigma, 0.0, strict=True)

    def for_arms(self, arms: int) -> "GaussianUnknownVariance":
        """Return the family with one standard deviation per arm."""
        sigma = self.sigma if isinstance(self.sigma, Sequence) else (self.sigma,) * arms
        if len(sigma) != arms:
            raise InputError(f"sigma must be one number or one per arm: there are {arms} arms, not {len(sigma)}.")
        return self._replace(sigma=tuple(float(value) for value in sigma))

    def assumption(self) -> str:
        """Return what the guarantee rests on, in words."""
        return "independent measurements with Gaussian noise, of any variance, which may differ between arms"

    def levels(self) -> dict[str, Callable[[float, int], Any]]:
        """Return the levels of the t-mixture and of one-sided bets (docs/families/unknown-variance.md)."""
        return {"mixture": mixture_level, "betting": betting_level}

    def refuses(self) -> dict[str, str]:
        """Return what has no answer here."""
        known = "; with family=tt.Gaussian(sigma) the variance is known"
        return {question: reason + known for question, reason in refusals("Student").items()}

    def measured_from(self, rewards: Sequence[float]) -> float:
        """Return the highest reward if the next comes so close to it that neither can be mere noise.

        Otherwise return the reward nearest to 0 if all are on the same side: it is nearer than 0 to every arm.
        """
        ordered = sorted(rewards)
        lowest, highest = ordered[0], ordered[-1]
        distances = [above - below for below, above in pairwise(ordered)]
        if abs(highest) > COINCIDENCE * distances[-1]:
            return highest
        if lowest <= 0.0 <= highest:
            return 0.0
        return unless_near(min(lowest, highest, key=abs), min(distances))

    def mirrored(self) -> "GaussianUnknownVariance":
        """Return itself: the negated noise has the same law."""
        return self

    def memory(self) -> Scatter:
        """Return the sums of squared deviations."""
        return Scatter()

    def is_constant(self, arm: int, state: State) -> bool:
        """Return whether an arm's values, two or more, are all equal: nothing can be said of its variance."""
        return state.counts[arm] >= 2.0 and variance_of(arm, state) == 0.0

    def reward(self, arm: int, mean: float, bits: int) -> float:
        """Return mean + σ_arm times the normal variable of the bits."""
        return mean + self.sigma[arm] * normal(bits)  # type: ignore[index]

    def observe(self, arm: int, reward: float, state: State) -> None:
        """Update count, mean and the sum of squared deviations (Welford, 1962)."""
        before = state.means[arm]
        add_reward(arm, reward, state)
        state.kept.squares[arm] += (reward - before) * (reward - state.means[arm])

    def deviation(self, arm: int, value: float, state: State) -> float:
        """Return (N/2) ln(1 + (μ̂ − value)²/V)."""
        variance = variance_of(arm, state)
        if variance <= 0.0:
            return 0.0
        return likelihood_ratio(state.counts[arm], variance, state.means[arm] - value)

    def separation(self, a: int, b: int, epsilon: float, state: State) -> float:
        """Return min over u of the two deviations from u and u + ε (Jourdan, Degenne and Kaufmann, 2023)."""
        cost_a, cost_b = self._costs(a, b, epsilon, state)
        return cost_a + cost_b

    def separation_surely_above(self, a: int, b: int, epsilon: float, level: float, state: State) -> bool:
        """Return whether the separation is above the level, by a lower bound."""
        return self.least_separation(a, b, epsilon, state) > level * CLEARLY

    def closest_arm(self, best: int, epsilon: float, state: State) -> tuple[int, float, int]:
        """Return the arm of least separation, that separation, and how many arms share it.

        The arm whose bound (`separation_surely_above`) is least is asked first: it bars most of the others.
        """
        first, least = -1, math.inf
        for i in range(len(state.means)):
            if i != best:
                low = self.least_separation(best, i, epsilon, state)
                if first < 0 or low < least:
                    first, least = i, low
        rival, cost, ties = first, self.separation(best, first, epsilon, state), 1
        for i in range(len(state.means)):
            if i != best and i != first and not self.separation_surely_above(best, i, epsilon, cost, state):
                separation = self.separation(best, i, epsilon, state)
                if separation < cost:
                    rival, cost, ties = i, separation, 1
                elif separation == cost:
                    rival, ties = min(rival, i), ties + 1
        return rival, cost, ties

    def least_separation(self, a: int, b: int, epsilon: float, state: State) -> float:
        """Return a lower bound of the separation, but for rounding: ln(1 + y) ≥ 2y/(2 + y) and y ≤ D²/V, D the gap."""
        gap = state.means[a] - state.means[b] + epsilon
        variance_a, variance_b, square = variance_of(a, state), variance_of(b, state), gap * gap
        if variance_a <= 0.0 or variance_b <= 0.0:
            return 0.0
        total = (2.0 * variance_a + square) * state.inverse[a] + (2.0 * variance_b + square) * state.inverse[b]
        return square / total if total > 0.0 else 0.0

    def clear_leader(self, width: float, state: State) -> int:
        """Return the arm of highest upper confidence bound, −1 if several share it."""
        leader, top, shared = -1, -math.inf, False
        for i in range(len(state.means)):
            bound = self.upper_bound(i, width, state)
            if not bound < top:  # one comparison for most arms
                shared = bound == top
                if bound > top:
                    leader, top = i, bound
        return -1 if shared else leader

    def _costs(self, a: int, b: int, epsilon: float, state: State) -> tuple[float, float]:
        """Return what each of the two arms contributes to their separation."""
        _, variance_a, variance_b = compared(a, b, epsilon, state)
        if variance_a <= 0.0:
            return 0.0, 0.0
        x, y = nearest_mean(state.counts[a], variance_a, state.counts[b], variance_b)
        return (
            likelihood_ratio(state.counts[a], variance_a, x),
            likelihood_ratio(state.counts[b], variance_b, y),
        )

    def evidence(self, a: int, b: int, epsilon: float, state: State) -> float:
        """Return ln Σ_g w_g exp(min over u of ln M_a(u) + ln M_b(u + ε) under τ_g²), or 0 if negative."""
        gap, variance_a, variance_b = compared(a, b, epsilon, state)
        if gap <= 0.0 or variance_a <= 0.0:
            return 0.0
        largest, total = -math.inf, 0.0
        for g in range(len(EFFECTS)):
            arm_a = Evidence(state.counts[a], variance_a, state.counts[a] * EFFECTS[g])
            arm_b = Evidence(state.counts[b], variance_b, state.counts[b] * EFFECTS[g])
            largest, total = with_exponential(LOG_WEIGHTS[g] + least_mixture(arm_a, arm_b), largest, total)
        # Never above the separation, which it stays below but for rounding.
        return min(max(0.0, largest + math.log(total)), self.separation(a, b, epsilon, state))

    def evidence_against_mean(self, arm: int, value: float, state: State) -> float:
        """Return ln Σ_g w_g M(value; τ_g²): the t-mixture of one arm, a martingale by itself (lemma 1)."""
        count, variance = state.counts[arm], variance_of(arm, state)
        distance = abs(state.means[arm] - value)
        if distance == 0.0 or variance <= SMALLEST:
            return 0.0
        spread, largest, total = max(variance / distance / distance, TINY), -math.inf, 0.0
        for g in range(len(EFFECTS)):
            value = LOG_WEIGHTS[g] + t_mixture(Evidence(count, spread, count * EFFECTS[g]), 1.0)
            largest, total = with_exponential(value, largest, total)
        return largest + math.log(total)

    def bets_rest_on(self) -> str:
        """Return "spreads": bets need means and variances, arm by arm."""
        return "spreads"

    def pair_wealth(
        self, a: int, view: State, b: int, epsilon: float, wanted: float, state: State
    ) -> tuple[float, float]:
        """Return bounds of the least ln wealth over u of bets that μ_a > u − ε, as a view shows it, and μ_b < u."""
        gap = raised_gap(view.means[a], state.means[b], epsilon)
        variance_a, variance_b = variance_of(a, view), variance_of(b, state)
        if gap <= 0.0 or min(variance_a, variance_b) <= SMALLEST:
            return -math.inf, 0.0
        ratio_a, ratio_b = variance_a / gap / gap, variance_b / gap / gap
        if max(ratio_a, ratio_b) * TINY >= 1.0:
            return -math.inf, 0.0
        narrow = one_sided_student.NARROW
        leader = one_sided_student.Arm(view.counts[a], max(ratio_a, narrow))
        candidate = one_sided_student.Arm(state.counts[b], max(ratio_b, narrow))
        return one_sided_student.least_one_sided(leader, candidate, wanted)

    def upper_bound(self, arm: int, width: float, state: State) -> float:
        """Return μ̂ + √(V (e^{width²/N} − 1)): where (N/2) ln(1 + (u − μ̂)²/V) = width²/2."""
        return state.means[arm] + self._reach(arm, width, state)

    def lower_bound(self, arm: int, width: float, state: State) -> float:
        """Return μ̂ − √(V (e^{width²/N} − 1))."""
        return state.means[arm] - self._reach(arm, width, state)

    def _reach(self, arm: int, width: float, state: State) -> float:
        """Return how far from μ̂ the mean may be at this width; infinite as long as the variance says nothing."""
        variance, exponent = variance_of(arm, state), width * width * state.inverse[arm]
        if variance <= 0.0 or exponent > FARTHEST:
            return math.inf
        return math.sqrt(variance * math.expm1(exponent))

    def leader_share(self, leader: int, challenger: int, state: State) -> float:
        """Return the leader's part of the cost of bringing the two level."""
        own, other = self._costs(leader, challenger, 0.0, state)
        return part_of_cost(own, other, leader, challenger, state)

    def posterior_draw(self, arm: int, state: State, random: Random) -> float:
        """Return μ̂ + √(V/(N − 1)) times a Student variable of N − 1 degrees: the posterior under dμ dσ/σ."""
        freedom, variance = state.counts[arm] - 1.0, variance_of(arm, state)
        if variance <= 0.0:
            return math.inf
        chance = gamma_draw(0.5 * freedom, random)
        return state.means[arm] + math.sqrt(0.5 * variance / max(chance, TINY)) * random.normal()

    def resample(self, leader: int, state: State, random: Random) -> int:
        """Return a challenger by bounded redraws (families/numerics/without_model.py)."""
        return redrawn_challenger(self, leader, state, random)
