"""What a family of reward laws must answer: the questions that rules, stopping and the engine ask.

A rule never assumes a Gaussian. It asks the family how far apart two arms are, where an upper confidence bound lies, or
for a posterior draw, and the family answers from the state.

`Family` lists the questions of rules. The optional ones stand below it as functions: each says what holds for a family
without a method of that name. What a family keeps besides counts and means it declares in `memory` (toptwo/memory.py)
and finds in `state.kept`.
"""

import math
from collections.abc import Callable, Hashable, MutableSequence, Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from toptwo.errors import InputError
from toptwo.families.numerics.wealth import Bets
from toptwo.optional import optional
from toptwo.state import Row, State, grown, recounted
from toptwo.streams import Random, next_word

UNFIT = (
    "do not measure again until one fits, which would change the mean; take a family that allows it, or turn all "
    "values into allowed ones by a rule fixed beforehand"
)
"""What to do about a value that cannot occur."""


class Family(Bets, Protocol):
    """A law of rewards with one unknown mean per arm."""

    def assumption(self) -> str:
        """Return what the guarantee rests on, in words that complete "Assumes …"."""
        ...

    def levels(self) -> dict[str, Callable[[float, int], Any]]:
        """Return what is proven of stopping, as functions of (δ, K).

        "proven" returns a schedule c(n, δ) for the separation (with a method `at(n)`), "mixture" a number for the
        evidence. A family that can prove only one of them leaves the other out.
        """
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

    def deviation(self, arm: int, value: float, state: State) -> float:
        """Return N d(μ̂, value): what it costs to believe that the arm's mean is this value."""
        ...

    def separation(self, a: int, b: int, epsilon: float, state: State) -> float:
        """Return inf over u of N_a d(μ̂_a, u) + N_b d(μ̂_b, u + ε), whichever of the two is ahead."""
        ...

    def evidence(self, a: int, b: int, epsilon: float, state: State) -> float:
        """Return the mixture evidence that μ_a + ε > μ_b (docs/mixture.md); never above the separation."""
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

    def improvement_over_value_surely_below(self, arm: int, value: float, floor: float, state: State) -> bool:
        """Return whether `improvement_over_value` is easily seen to be below the floor; False is always safe."""
        ...

    def improvement_over_arm_surely_below(self, arm: int, other: int, floor: float, state: State) -> bool:
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


class ConjugateFamily(Family, Protocol):
    """A family whose posteriors are known on its natural scale η, an increasing function of the mean."""

    def lowest_mean(self) -> float:
        """Return the lower end of the means."""
        ...

    def highest_mean(self) -> float:
        """Return the upper end of the means."""
        ...

    def natural(self, x: float) -> float:
        """Return η(x)."""
        ...

    def from_natural(self, y: float) -> float:
        """Return the mean x with η(x) = y."""
        ...

    def log_slope(self, y: float) -> float:
        """Return the logarithm of the derivative of the mean with respect to η."""
        ...

    def natural_centre(self, arm: int, state: State) -> float:
        """Return the middle of the posterior, finite at the ends of the means too."""
        ...

    def log_density(self, arm: int, y: float, state: State) -> float:
        """Return the logarithm of the posterior's density with respect to η."""
        ...

    def log_below(self, arm: int, y: float, state: State) -> float:
        """Return the logarithm of the posterior probability that η is below y."""
        ...

    def log_above(self, arm: int, y: float, state: State) -> float:
        """Return the logarithm of the posterior probability that η is above y."""
        ...

    def tilt(self, arm: int, leader: int, state: State) -> float:
        """Return the t ≥ 0 at which the arm tilted by t and the leader tilted by −t have equal means."""
        ...

    def tilted_draw(self, arm: int, tilt: float, state: State, random: Random) -> float:
        """Return a draw of the mean from the posterior with its density multiplied by e^{tη}."""
        ...

    def log_tilt(self, arm: int, tilt: float, state: State) -> float:
        """Return ln E e^{tη} under the posterior."""
        ...


@optional
def separation_surely_above(family: Any, a: int, b: int, epsilon: float, level: float, state: State) -> bool:
    """Return whether the separation is above the level, if that can be seen at once; False is always safe."""
    return False


@optional
def bound_surely_below(family: Any, arm: int, width: float, value: float, state: State) -> bool:
    """Return whether an upper confidence bound is below a value, if that can be seen at once; False is always safe."""
    return False


@optional
def clear_leader(family: Any, width: float, state: State) -> int:
    """Return the arm of highest upper confidence bound if it is known without working all of them out, else −1."""
    return -1


@optional
def closest_arm(family: Any, best: int, epsilon: float, state: State) -> tuple[int, float, int]:
    """Return the arm of least separation from the recommended one, that separation, and how many arms share it."""
    rival, cost, ties = -1, math.inf, 0
    for i in range(len(state.means)):
        if (
            not separation_surely_above(family, best, i, epsilon, cost, state) and i != best
        ):  # in this order: rarely true
            separation = family.separation(best, i, epsilon, state)
            if separation < cost:
                rival, cost, ties = i, separation, 1
            elif separation == cost:
                ties += 1
    return rival, cost, ties


class MeanRange(NamedTuple):
    """Where the means of a family may lie.

    Examples
    --------
    >>> MeanRange(0.0, 1.0).words(), MeanRange(0.0, math.inf, open_low=True).words()
    ('lie between 0 and 1', 'be above 0')
    """

    low: float = -math.inf
    high: float = math.inf
    open_low: bool = False

    def outside(self, means: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Return which of the means are not in the interval."""
        outside: NDArray[np.bool_] = (means < self.low) | (means > self.high) | (self.open_low & (means == self.low))
        return outside

    def words(self) -> str:
        """Return the interval in words that complete "means must …"."""
        if math.isfinite(self.low) and math.isfinite(self.high):
            return f"lie between {self.low:g} and {self.high:g}"
        if math.isfinite(self.low):
            return f"be {'above' if self.open_low else 'at least'} {self.low:g}"
        return f"be at most {self.high:g}" if math.isfinite(self.high) else "be finite"


@optional
def with_counts(family: Any, counts: list[float], state: State) -> State:
    """Return the state as it would look with these counts: for pulls under way, and for forecasts.

    Unless the family says otherwise it keeps sums over an arm's rewards (squares, histograms), which grow along.
    """
    return recounted(counts, grown(counts, state), state)


@optional
def accepts(family: Any, value: float) -> bool:
    """Return whether a value can occur under the family."""
    return True


@optional
def take_average(family: Any, arm: int, average: float, size: int, state: State) -> bool:
    """Take in the average of several rewards at once; return False, with nothing done, if a family needs each."""
    return False


@optional
def has_whole_sums(family: Any) -> bool:
    """Return whether rewards are whole numbers, and so is the sum of any of them."""
    return False


@optional
def support(family: Any) -> str:
    """Return in words which values can occur."""
    return "a number"


def check_value(family: Any, value: float, arm: Hashable) -> None:
    """Refuse a value that cannot occur under the family, naming the arm."""
    if not accepts(family, value):
        raise InputError(f"value for arm {arm!r} must be {support(family)} under {family!r}, not {value:g}: {UNFIT}.")


@optional
def evidence_against_mean(family: Any, arm: int, value: float, state: State) -> float:
    """Return the logarithm of a martingale that starts at 1 if the arm's mean is this value (docs/intervals.md).

    It grows with the distance from the empirical mean; NaN if the family knows none.
    """
    return math.nan


@optional
def is_constant(family: Any, arm: int, state: State) -> bool:
    """Return whether an arm's values are all equal, under a family that can say nothing of such an arm."""
    return False


@optional
def mean_range(family: Any) -> MeanRange:
    """Return where the means of a family may lie."""
    return MeanRange()


def check_means(family: Any, means: NDArray[np.float64]) -> None:
    """Refuse means that no law of the family has."""
    span = mean_range(family)
    outside = span.outside(means)
    if outside.any():
        raise InputError(f"means must {span.words()} under {family!r}, not at {means[outside][0]:g}.")


def part_of_cost(own: float, other: float, leader: int, challenger: int, state: State) -> float:
    """Return the leader's part of what it costs to bring two arms level; where that is nothing, the limit."""
    if own + other <= 0.0:
        return state.counts[challenger] / (state.counts[leader] + state.counts[challenger])
    return own / (own + other)


@optional
def measured_from(family: Any, rewards: Sequence[float]) -> float:
    """Return from where a law of shifts is best measured, given one reward or the mean of each arm.

    0 if the law is none, so that rewards have to be read as they are (families/origin.py).
    """
    return 0.0


@optional
def mirrored(family: Any) -> Any:
    """Return the law of the negated rewards, for those who look for the lowest mean."""
    from toptwo.families.mirrored import Mirrored

    return Mirrored(family)


@optional
def levels(family: Any) -> dict[str, Callable[[float, int], Any]]:
    """Return what a family proves of stopping: without a proof, nothing."""
    return {}


@optional
def refuses(family: Any) -> dict[str, str]:
    """Return the questions that make no sense under a family, with the reasons."""
    return {}


def refusal(family: Any, question: str) -> str:
    """Return why a family does not answer a question of a rule, or nothing if it does."""
    reasons = refuses(family)
    if question in reasons:
        return reasons[question]
    return "" if callable(getattr(family, question, None)) else f"{family!r} has no method {question}"


@optional
def for_arms(family: Any, arms: int) -> Any:
    """Return the family fitted to a number of arms."""
    return family


@optional
def draw_batch(family: Any, arm: int, mean: float, size: int, state: State, rewards: MutableSequence[int]) -> float:
    """Draw and observe several rewards of an arm; return their average.

    A family whose statistics need no more than the average may draw it in one step.
    """
    total = 0.0
    for _ in range(size):
        reward = family.reward(arm, mean, next_word(rewards, arm))
        family.observe(arm, reward, state)
        total += reward
    return total / size
