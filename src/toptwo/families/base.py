"""What a family of reward laws must answer: the questions that rules, stopping and the engine ask.

A rule never assumes a Gaussian. It asks the family how far apart two arms are, where an upper confidence bound lies, or
for a posterior draw, and the family answers from the state.
"""

from collections.abc import MutableSequence
from typing import Any, Protocol

from toptwo.state import Row, State
from toptwo.streams import Random, next_word


class Family(Protocol):
    """A law of rewards with one unknown mean per arm."""

    def assumption(self) -> str:
        """Return what the guarantee rests on, in words that complete "Assumes …"."""
        ...

    def reward(self, arm: int, mean: float, bits: int) -> float:
        """Return the reward of an arm of this mean that 64 random bits stand for."""
        ...

    def observe(self, arm: int, reward: float, state: State) -> None:
        """Add one reward to the statistics of an arm."""
        ...

    def divergence(self, x: float, y: float) -> float:
        """Return d(x, y), the Kullback–Leibler divergence from the law of mean x to the law of mean y."""
        ...

    def separation(self, a: int, b: int, epsilon: float, state: State) -> float:
        """Return inf over u of N_a d(μ̂_a, u) + N_b d(μ̂_b, u + ε), whichever of the two is ahead."""
        ...

    def evidence(self, a: int, b: int, epsilon: float, state: State) -> float:
        """Return the mixture evidence that μ_a + ε > μ_b (SPEC 4.3); never above the separation."""
        ...

    def upper_bound(self, arm: int, width: float, state: State) -> float:
        """Return the largest u with N d(μ̂, u) ≤ width²/2."""
        ...

    def lower_bound(self, arm: int, width: float, state: State) -> float:
        """Return the least u with N d(μ̂, u) ≤ width²/2."""
        ...

    def allocate(self, best: int, means: Row, start: float, shares: Row) -> float:
        """Write the optimal allocation w*(means) into `shares`; return a start for the next search (0: none yet)."""
        ...

    def leader_share(self, leader: int, challenger: int, state: State) -> float:
        """Return the leader's proportion by information-directed selection (You et al., 2023)."""
        ...

    def posterior_draw(self, arm: int, state: State, random: Random) -> float:
        """Return a draw of the arm's mean from its posterior."""
        ...

    def resample(self, leader: int, state: State, random: Random) -> int:
        """Return the argmax of a posterior draw conditioned on the leader not being it, at bounded cost."""
        ...

    def improvement_over_value(self, arm: int, value: float, state: State) -> float:
        """Return the logarithm of E(θ_arm − value)₊ under the posterior."""
        ...

    def improvement_over_arm(self, arm: int, other: int, state: State) -> float:
        """Return the logarithm of E(θ_arm − θ_other)₊ under the posterior."""
        ...

    def improvement_over_value_below(self, arm: int, value: float, floor: float, state: State) -> bool:
        """Return whether `improvement_over_value` is easily seen to be below the floor; False is always safe."""
        ...

    def improvement_over_arm_below(self, arm: int, other: int, floor: float, state: State) -> bool:
        """Return whether `improvement_over_arm` is easily seen to be below the floor; False is always safe."""
        ...

    def log_probability_best(self, arm: int, state: State) -> float:
        """Return the logarithm of the posterior probability that the arm has the highest mean."""
        ...

    def log_probability_best_unless_below(self, arm: int, level: float, state: State) -> float:
        """Return the same, or −∞ if it is easily seen to be below the level."""
        ...

    def log_probability_above(self, arm: int, other: int, state: State) -> float:
        """Return the logarithm of the posterior probability that `arm` is above `other`."""
        ...


def clearly_separated(family: Family, a: int, b: int, epsilon: float, level: float, state: State) -> bool:
    """Return whether the separation is above the level, if the family can tell without working it out.

    It can if it has a method `separated(a, b, epsilon, level, state)`; False is always a safe answer. The compiled
    engine decides by the family's type, at no cost.
    """
    return hasattr(family, "separated") and bool(family.separated(a, b, epsilon, level, state))


def pull_batch(family: Any, arm: int, mean: float, size: int, state: State, rewards: MutableSequence[int]) -> float:
    """Draw and observe several rewards of an arm; return their average.

    A family whose statistics need no more than the average draws it in one step: it has the methods `batch(arm, mean,
    size, bits)`, the average of `size` rewards that 64 random bits stand for, and `observe_batch(arm, average, size,
    state)`. The compiled engine decides by the family's type.
    """
    if getattr(family, "batch", None):
        return pull_batch_at_once(family, arm, mean, size, state, rewards)
    return pull_one_by_one(family, arm, mean, size, state, rewards)


def pull_batch_at_once(
    family: Any, arm: int, mean: float, size: int, state: State, rewards: MutableSequence[int]
) -> float:
    """Return the average of a batch that was drawn as one."""
    average: float = family.batch(arm, mean, size, next_word(rewards, arm))
    family.observe_batch(arm, average, size, state)
    return average


def pull_one_by_one(
    family: Any, arm: int, mean: float, size: int, state: State, rewards: MutableSequence[int]
) -> float:
    """Return the average of a batch that was drawn reward by reward."""
    total = 0.0
    for _ in range(size):
        reward = family.reward(arm, mean, next_word(rewards, arm))
        family.observe(arm, reward, state)
        total += reward
    return total / size
