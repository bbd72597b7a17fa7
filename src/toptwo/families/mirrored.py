"""Families seen in a mirror: the lowest mean is the highest of the negated ones."""

from collections.abc import Callable
from typing import Any, NamedTuple

from toptwo.families import base
from toptwo.families.base import ConjugateFamily, MeanRange, separation_surely_above
from toptwo.families.numerics.optimal_allocation import general_allocation
from toptwo.families.numerics.tilting import TiltedPosterior
from toptwo.families.numerics.wealth import Wager
from toptwo.state import Row, State, recounted, statistics_of
from toptwo.streams import Random

POSTERIOR = (
    "posterior_draw",
    "resample",
    "improvement_over_value",
    "improvement_over_arm",
    "log_probability_above",
    "log_probability_best",
)
"""Questions about the posterior."""


class Original(NamedTuple):
    """The family in front of the mirror."""

    family: ConjugateFamily


class Mirrored(TiltedPosterior, Original):
    """The law of −X for X of a family. Every question is put to the family with bounds and arms exchanged.

    What it keeps are the statistics of X.

    Examples
    --------
    >>> from toptwo.families import Gaussian
    >>> Mirrored(Gaussian()).reward(0, 1.0, 5) + Gaussian().reward(0, -1.0, 5)
    np.float64(0.0)
    """

    __slots__ = ()

    def assumption(self) -> str:
        """Return what the guarantee rests on."""
        return self.family.assumption()

    def levels(self) -> dict[str, Callable[[float, int], Any]]:
        """Return the family's levels: what is proven does not depend on the side from which one looks."""
        return self.family.levels()

    def refuses(self) -> dict[str, str]:
        """Return what the family refuses."""
        reasons = base.refuses(self.family)
        for question in POSTERIOR if not hasattr(self.family, "tilt") else ():
            reasons.setdefault(question, f"{self.family!r} has no posterior that can be mirrored")
        return reasons

    def mirrored(self) -> ConjugateFamily:
        """Return the family itself."""
        return self.family

    def for_arms(self, arms: int) -> "Mirrored":
        """Return the mirror of the family fitted to a number of arms."""
        return Mirrored(base.for_arms(self.family, arms))

    def memory(self) -> State:
        """Return the statistics of the rewards as they were, before they were negated."""
        return statistics_of(self.family)

    def with_counts(self, counts: list[float], state: State) -> State:
        """Return the state with other counts: means stay, the family does with its own as it likes."""
        return recounted(counts, base.with_counts(self.family, counts, state.kept), state)

    def accepts(self, value: float) -> bool:
        """Return whether the negated value can occur."""
        return base.accepts(self.family, -value)

    def support(self) -> str:
        """Return which values can occur, as people measure them: before they are negated."""
        return base.support(self.family)

    def mean_range(self) -> MeanRange:
        """Return where the negated means may lie."""
        span = base.mean_range(self.family)
        return MeanRange(-span.high, -span.low)

    def reward(self, arm: int, mean: float, bits: int) -> float:
        """Return minus a reward of the negated mean."""
        return -self.family.reward(arm, -mean, bits)

    def observe(self, arm: int, reward: float, state: State) -> None:
        """Let the family see the reward as it was, and mirror the mean."""
        self.family.observe(arm, -reward, state.kept)
        self._mirror(arm, state)

    def take_average(self, arm: int, average: float, size: int, state: State) -> bool:
        """Let the family see an average as it was, if that is enough for it."""
        taken = base.take_average(self.family, arm, -average, size, state.kept)
        if taken:
            self._mirror(arm, state)
        return taken

    def _mirror(self, arm: int, state: State) -> None:
        """Mirror what the family has made of an arm."""
        seen = state.kept
        state.means[arm], state.counts[arm] = -seen.means[arm], seen.counts[arm]
        state.inverse[arm], state.root[arm] = seen.inverse[arm], seen.root[arm]

    def divergence(self, x: float, y: float) -> float:
        """Return the divergence of the negated means."""
        return self.family.divergence(-x, -y)

    def allocate(self, best: int, means: Row, start: float, shares: Row) -> float:
        """Write w*(means) into `shares`: only divergences count."""
        return general_allocation(self, best, means, start, shares)

    def deviation(self, arm: int, value: float, state: State) -> float:
        """Return the family's deviation to the negated value."""
        return self.family.deviation(arm, -value, state.kept)

    def separation(self, a: int, b: int, epsilon: float, state: State) -> float:
        """Return inf over u of N_b d(μ̂_b, u) + N_a d(μ̂_a, u + ε): the arms change places."""
        return self.family.separation(b, a, epsilon, state.kept)

    def separation_surely_above(self, a: int, b: int, epsilon: float, level: float, state: State) -> bool:
        """Return whether the family sees at once that the separation is above the level."""
        return separation_surely_above(self.family, b, a, epsilon, level, state.kept)

    def evidence(self, a: int, b: int, epsilon: float, state: State) -> float:
        """Return the evidence that −μ_a + ε > −μ_b, which is μ_b + ε > μ_a."""
        return self.family.evidence(b, a, epsilon, state.kept)

    def evidence_against_mean(self, arm: int, value: float, state: State) -> float:
        """Return the family's evidence against the negated value."""
        return base.evidence_against_mean(self.family, arm, -value, state.kept)

    def bet_range(self, margin: float, side: float) -> tuple[float, float]:
        """Return the family's range for the other side: its scale is kept as it is."""
        return self.family.bet_range(margin, -side)

    def bet_start(self, low: float, top: float, side: float) -> tuple[float, float]:
        """Return the family's start between the means as they are measured."""
        return self.family.bet_start(-low, -top, -side)

    def log_wealth(self, place: float, side: float, wager: Wager, room: Row) -> tuple[float, float]:
        """Return the family's wealth for bets that leaders give less and the candidate more."""
        return self.family.log_wealth(place, -side, wager.negated(), room)

    def upper_bound(self, arm: int, width: float, state: State) -> float:
        """Return minus the family's lower bound."""
        return -self.family.lower_bound(arm, width, state.kept)

    def lower_bound(self, arm: int, width: float, state: State) -> float:
        """Return minus the family's upper bound."""
        return -self.family.upper_bound(arm, width, state.kept)

    def leader_share(self, leader: int, challenger: int, state: State) -> float:
        """Return the family's share: divergences do not look at the order."""
        return self.family.leader_share(leader, challenger, state.kept)

    def posterior_draw(self, arm: int, state: State, random: Random) -> float:
        """Return minus a posterior draw."""
        return -self.family.posterior_draw(arm, state.kept, random)

    def log_probability_above(self, arm: int, other: int, state: State) -> float:
        """Return the logarithm of the probability that the other mean is above this one."""
        return self.family.log_probability_above(other, arm, state.kept)

    # --- the posterior on the natural scale, which is negated too ---------------------------------------------------
    def lowest_mean(self) -> float:
        """Return minus the upper end."""
        return -self.family.highest_mean()

    def highest_mean(self) -> float:
        """Return minus the lower end."""
        return -self.family.lowest_mean()

    def tilt(self, arm: int, leader: int, state: State) -> float:
        """Return the family's tilt with the arms exchanged: what overtakes in the mirror is overtaken."""
        return self.family.tilt(leader, arm, state.kept)

    def tilted_draw(self, arm: int, tilt: float, state: State, random: Random) -> float:
        """Return minus a draw tilted the other way."""
        return -self.family.tilted_draw(arm, -tilt, state.kept, random)

    def log_tilt(self, arm: int, tilt: float, state: State) -> float:
        """Return ln E e^{−tη(θ)}."""
        return self.family.log_tilt(arm, -tilt, state.kept)

    def natural(self, x: float) -> float:
        """Return −η(−x)."""
        return -self.family.natural(-x)

    def from_natural(self, y: float) -> float:
        """Return the mirrored mean."""
        return -self.family.from_natural(-y)

    def log_slope(self, y: float) -> float:
        """Return the family's slope."""
        return self.family.log_slope(-y)

    def natural_centre(self, arm: int, state: State) -> float:
        """Return minus the family's centre."""
        return -self.family.natural_centre(arm, state.kept)

    def log_density(self, arm: int, y: float, state: State) -> float:
        """Return the family's density at the mirrored point."""
        return self.family.log_density(arm, -y, state.kept)

    def log_below(self, arm: int, y: float, state: State) -> float:
        """Return the probability to be above the mirrored point, in logarithms."""
        return self.family.log_above(arm, -y, state.kept)

    def log_above(self, arm: int, y: float, state: State) -> float:
        """Return the probability to be below the mirrored point, in logarithms."""
        return self.family.log_below(arm, -y, state.kept)
