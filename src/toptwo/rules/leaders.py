"""Leaders: the first of the two arms, the one believed best (paper, sections 1.1 and 2)."""

import math
from typing import NamedTuple, Protocol

from toptwo.families.base import bound_surely_below, clear_leader
from toptwo.rules.bonuses import MixtureBonus
from toptwo.rules.probability import certainly_most_probable, most_probable
from toptwo.rules.round import Round, highest, highest_above
from toptwo.rules.schedules import Schedule
from toptwo.streams import Random


class Leader(Protocol):
    """Chooses the leader of a round."""

    def lead(self, now: Round, random: Random) -> int:
        """Return the leader B_n."""
        ...


class EmpiricalBest(NamedTuple):
    """EB: the arm of highest empirical mean (Jourdan et al., 2022); the paper's UCB leader with g = 0."""

    def lead(self, now: Round, random: Random) -> int:
        """Return argmax μ̂: the recommended arm."""
        return now.best


class UpperConfidenceBound(NamedTuple):
    """UCB: the arm of highest upper confidence bound (paper, eq. 6)."""

    bonus: Schedule = MixtureBonus()
    random_ties: bool = True

    def requires(self) -> tuple[str, ...]:
        """Return what it asks of the family."""
        return ("upper_bound",)

    def lead(self, now: Round, random: Random) -> int:
        """Return argmax μ̂_i + √(g(n)/N_i), or its like in the family at hand."""
        width = self.bonus.at(now.number)
        leader = clear_leader(now.family, width, now.state)
        return leader if leader >= 0 else highest(self, -1, width, now, random)

    def score(self, arm: int, other: int, level: float, now: Round) -> float:
        """Return the upper confidence bound of an arm."""
        return now.family.upper_bound(arm, level, now.state)

    def score_surely_below(self, arm: int, other: int, level: float, floor: float, now: Round) -> bool:
        """Return whether the bound of an arm is below another's, if the family sees it at once."""
        return bound_surely_below(now.family, arm, level, floor, now.state)


class ThompsonSampling(NamedTuple):
    """TS: the best arm of one posterior draw (Thompson, 1933; Russo, 2016)."""

    def requires(self) -> tuple[str, ...]:
        """Return what it asks of the family."""
        return ("posterior_draw",)

    def lead(self, now: Round, random: Random) -> int:
        """Return argmax θ_i, θ drawn from the posterior."""
        leader, top = 0, -math.inf
        for i in range(len(now.state.means)):
            draw = now.family.posterior_draw(i, now.state, random)
            if draw > top:
                leader, top = i, draw
        return leader


class ExpectedImprovement(NamedTuple):
    """EI: the arm expected to improve most on the best empirical mean (Qin, Klabjan and Russo, 2017, TTEI)."""

    random_ties: bool = True

    def requires(self) -> tuple[str, ...]:
        """Return what it asks of the family."""
        return ("improvement_over_value",)

    def lead(self, now: Round, random: Random) -> int:
        """Return argmax E(θ_i − max μ̂)₊; most arms are out of the question by a bound, given what î achieves."""
        level = now.state.means[now.best]
        return highest_above(self, -1, level, self.score(now.best, -1, level, now), now, random)

    def score(self, arm: int, other: int, level: float, now: Round) -> float:
        """Return ln E(θ_arm − level)₊."""
        return now.family.improvement_over_value(arm, level, now.state)

    def score_surely_below(self, arm: int, other: int, level: float, floor: float, now: Round) -> bool:
        """Return whether a bound shows that the improvement is below the floor."""
        return now.family.improvement_over_value_surely_below(arm, level, floor, now.state)


class ProbabilityBest(NamedTuple):
    """PS: the arm most probably the best one under the posterior (Russo, 2016, TTPS)."""

    random_ties: bool = True

    def requires(self) -> tuple[str, ...]:
        """Return what it asks of the family."""
        return ("log_probability_above", "log_probability_best")

    def lead(self, now: Round, random: Random) -> int:
        """Return argmax P(θ_i = max θ)."""
        if certainly_most_probable(now.best, now):
            return now.best
        return most_probable(now.best, -1, self.random_ties, now, random)
