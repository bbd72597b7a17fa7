"""Gaussian rewards with a known standard deviation for each arm: what `Gaussian(sigma=[…])` becomes.

N pulls of an arm of deviation σ_i say as much as N s²/σ_i² pulls of one of deviation s. With such weighted counts every
answer is the Gaussian's; s is the largest σ_i, so that no pull counts for less than one.
"""

import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from toptwo.families.gaussian import Gaussian
from toptwo.families.numerics.wealth import Wager
from toptwo.families.origin import SURELY, unless_near
from toptwo.state import Row, State, add_reward, recounted, statistics_of
from toptwo.streams import Random, normal


class GaussianPerArm(NamedTuple):
    """Rewards N(μ_i, σ_i²), σ_i known.

    Examples
    --------
    >>> family = Gaussian(sigma=[1.0, 2.0]).for_arms(2)
    >>> family.widest
    Gaussian(sigma=2.0)
    """

    deviations: tuple[float, ...]
    widest: Gaussian

    def assumption(self) -> str:
        """Return what the guarantee rests on, in words."""
        listed = ", ".join(f"{sigma:g}" for sigma in self.deviations)
        return f"independent measurements with Gaussian (or sub-Gaussian) noise of standard deviations {listed}"

    def levels(self) -> dict[str, Callable[[float, int], Any]]:
        """Return the Gaussian's: their proofs standardise each arm by itself (docs/families/gaussian.md)."""
        return self.widest.levels()

    def refuses(self) -> dict[str, str]:
        """Return the questions that need one divergence for all arms."""
        reason = "with one standard deviation per arm the divergence of two means depends on the arm"
        return {"divergence": reason, "allocate": reason}

    def measured_from(self, rewards: Sequence[float]) -> float:
        """Return a point that is near, in units of its own σ_i, to every arm that can be best, or 0 if that is near.

        Near the highest reward it need not be: that may be the noise of an arm whose σ_i dwarfs the others'.
        """
        least = min(self.deviations)
        surely = [reward - SURELY * (sigma - least) for reward, sigma in zip(rewards, self.deviations, strict=True)]
        return unless_near(max(surely), least)

    def mirrored(self) -> "GaussianPerArm":
        """Return itself: the negated noise has the same law."""
        return self

    def memory(self) -> State:
        """Return the statistics with weighted counts: those of arms that all have the widest deviation."""
        return statistics_of(self.widest)

    def with_counts(self, counts: list[float], state: State) -> State:
        """Return the state with other counts, weighted anew."""
        weights = [count * self.weight(arm) for arm, count in enumerate(counts)]
        return recounted(counts, recounted(weights, state.kept.kept, state.kept), state)

    def weight(self, arm: int) -> float:
        """Return s²/σ_i², what a pull of the arm counts for."""
        return (self.widest.sigma / self.deviations[arm]) * (self.widest.sigma / self.deviations[arm])

    def reward(self, arm: int, mean: float, bits: int) -> float:
        """Return mean + σ_i times the normal variable of the bits."""
        return mean + self.deviations[arm] * normal(bits)

    def observe(self, arm: int, reward: float, state: State) -> None:
        """Update count and mean, and the same with weighted counts."""
        add_reward(arm, reward, state)
        weighted, weight = state.kept, state.counts[arm] * self.weight(arm)
        weighted.means[arm] = state.means[arm]
        weighted.counts[arm] = weight
        weighted.inverse[arm] = 1.0 / weight
        weighted.root[arm] = math.sqrt(1.0 / weight)

    def deviation(self, arm: int, value: float, state: State) -> float:
        """Return N (μ̂ − value)² / (2σ_i²)."""
        return self.widest.deviation(arm, value, state.kept)

    def separation(self, a: int, b: int, epsilon: float, state: State) -> float:
        """Return (μ̂_a − μ̂_b + ε)² / (2(σ_a²/N_a + σ_b²/N_b))."""
        return self.widest.separation(a, b, epsilon, state.kept)

    def separation_surely_above(self, a: int, b: int, epsilon: float, level: float, state: State) -> bool:
        """Return whether the separation is above the level, without a division."""
        return self.widest.separation_surely_above(a, b, epsilon, level, state.kept)

    def evidence(self, a: int, b: int, epsilon: float, state: State) -> float:
        """Return the mixture evidence, with prior precisions in units of 1/s²."""
        return self.widest.evidence(a, b, epsilon, state.kept)

    def evidence_against_mean(self, arm: int, value: float, state: State) -> float:
        """Return the same of the weighted pulls."""
        return self.widest.evidence_against_mean(arm, value, state.kept)

    def bet_weight(self, arm: int) -> float:
        """Return s²/σ_i²."""
        return self.weight(arm)

    def bet_range(self, margin: float, side: float) -> tuple[float, float]:
        """Return all numbers."""
        return self.widest.bet_range(margin, side)

    def bet_start(self, low: float, top: float, side: float) -> tuple[float, float]:
        """Return the middle and half of the distance."""
        return self.widest.bet_start(low, top, side)

    def log_wealth(self, place: float, side: float, wager: Wager, room: Row) -> tuple[float, float]:
        """Return ln wealth and its derivative, with weighted pulls."""
        return self.widest.log_wealth(place, side, wager, room)

    def upper_bound(self, arm: int, width: float, state: State) -> float:
        """Return μ̂ + σ_i · width / √N."""
        return self.widest.upper_bound(arm, width, state.kept)

    def lower_bound(self, arm: int, width: float, state: State) -> float:
        """Return μ̂ − σ_i · width / √N."""
        return self.widest.lower_bound(arm, width, state.kept)

    def leader_share(self, leader: int, challenger: int, state: State) -> float:
        """Return N_C σ_B² / (N_B σ_C² + N_C σ_B²)."""
        return self.widest.leader_share(leader, challenger, state.kept)

    def posterior_draw(self, arm: int, state: State, random: Random) -> float:
        """Return a draw of N(μ̂, σ_i²/N)."""
        return self.widest.posterior_draw(arm, state.kept, random)

    def resample(self, leader: int, state: State, random: Random) -> int:
        """Return the argmax of a posterior draw given that it is not the leader."""
        return self.widest.resample(leader, state.kept, random)

    def improvement_over_value(self, arm: int, value: float, state: State) -> float:
        """Return ln E(θ_arm − value)₊."""
        return self.widest.improvement_over_value(arm, value, state.kept)

    def improvement_over_arm(self, arm: int, other: int, state: State) -> float:
        """Return ln E(θ_arm − θ_other)₊."""
        return self.widest.improvement_over_arm(arm, other, state.kept)

    def improvement_over_value_surely_below(self, arm: int, value: float, floor: float, state: State) -> bool:
        """Return whether a bound shows that the improvement over a value is below the floor."""
        return self.widest.improvement_over_value_surely_below(arm, value, floor, state.kept)

    def improvement_over_arm_surely_below(self, arm: int, other: int, floor: float, state: State) -> bool:
        """Return whether a bound shows that the improvement over an arm is below the floor."""
        return self.widest.improvement_over_arm_surely_below(arm, other, floor, state.kept)

    def log_probability_above(self, arm: int, other: int, state: State) -> float:
        """Return ln P(θ_arm > θ_other)."""
        return self.widest.log_probability_above(arm, other, state.kept)

    def log_probability_best(self, arm: int, state: State) -> float:
        """Return ln P(θ_arm > θ_i for all i)."""
        return self.widest.log_probability_best(arm, state.kept)

    def log_probability_best_unless_below(self, arm: int, level: float, state: State) -> float:
        """Return the same, or −∞ if it is easily seen to be below the level."""
        return self.widest.log_probability_best_unless_below(arm, level, state.kept)
