"""Challengers: the second of the two arms, the one most in doubt against the leader (paper, section 2 and appendix)."""

import math
from typing import NamedTuple, Protocol

from toptwo import checks
from toptwo.families.base import separation_surely_above
from toptwo.families.numerics.logarithms import LogCount
from toptwo.rules.probability import most_probable
from toptwo.rules.round import Round, highest, highest_above, transportation_cost
from toptwo.rules.schedules import Schedule
from toptwo.streams import Random


class Challenger(Protocol):
    """Chooses the challenger of a leader."""

    def challenge(self, leader: int, now: Round, random: Random) -> int:
        """Return the challenger C_n ≠ leader."""
        ...


class TransportationCost(NamedTuple):
    """TC: the arm cheapest to move level with the leader (Shang et al., 2020; paper, eq. 7).

    When the leader is not the empirical best, every arm above it costs nothing. The paper draws one of them at random
    (`random_ties`); otherwise the one nearest to the leader is taken, which makes the rule deterministic at no price.
    """

    random_ties: bool = True

    def challenge(self, leader: int, now: Round, random: Random) -> int:
        """Return argmin of the transportation cost; the stopping rule has found it already if the leader is î."""
        if leader == now.best and now.ties == 1:
            return now.rival
        above = drawn_above(leader, now, random) if self.random_ties else self.nearest_above(leader, now)
        return above if above >= 0 else highest(self, leader, 0.0, now, random)

    def nearest_above(self, leader: int, now: Round) -> int:
        """Return the arm nearest to the leader of those that cost nothing against it; −1 if there are none."""
        means, nearest, top = now.state.means, -1, 0.0
        level = means[leader] + now.epsilon
        for i in range(len(means)):
            if means[i] >= level and i != leader:
                value = self.score(i, leader, 0.0, now)
                if value > top:
                    nearest, top = i, value
        return nearest

    def score_surely_below(self, arm: int, other: int, level: float, floor: float, now: Round) -> bool:
        """Return whether an arm below the leader is seen at once to cost more."""
        below = now.state.means[arm] < now.state.means[other] + now.epsilon
        return below and separation_surely_above(now.family, other, arm, now.epsilon, -floor, now.state)

    def score(self, arm: int, other: int, level: float, now: Round) -> float:
        """Return minus the cost; without random ties an arm above the leader scores 1/(1 + separation) > 0."""
        if now.state.means[arm] < now.state.means[other] + now.epsilon:
            return -now.family.separation(other, arm, now.epsilon, now.state)
        if self.random_ties:
            return 0.0
        return 1.0 / (1.0 + now.family.separation(other, arm, now.epsilon, now.state))


def drawn_above(leader: int, now: Round, random: Random) -> int:
    """Return one of the arms that cost nothing against the leader, drawn uniformly; −1 if there are none."""
    means = now.state.means
    level, above = means[leader] + now.epsilon, 0
    for i in range(len(means)):
        if means[i] >= level and i != leader:
            above += 1
    if above == 0:
        return -1
    left = int(random.uniform() * above) if above > 1 else 0
    for i in range(len(means)):
        if means[i] >= level and i != leader:
            if left == 0:
                return i
            left -= 1
    return -1


class TransportationCostWithSlack(NamedTuple):
    """TC_ε₀: the arm cheapest to lift to ε₀ above the leader (Jourdan, Degenne and Kaufmann, 2023, EB-TC_ε₀).

    The slack ε₀ > 0, in the units of rewards, does the exploring: an arm level with the leader still has a cost, that
    of lifting it by ε₀, which grows with its pulls. With a margin ε > ε₀ the slack is ε.
    """

    slack: float = 0.1
    random_ties: bool = True

    def validate(self) -> None:
        """Refuse a slack that is not positive: without one, arms level with the leader could be left aside for ever."""
        checks.at_least("slack", self.slack, 0.0, strict=True)

    def challenge(self, leader: int, now: Round, random: Random) -> int:
        """Return argmin of the cost with slack."""
        return highest(self, leader, max(self.slack, now.epsilon), now, random)

    def score(self, arm: int, other: int, level: float, now: Round) -> float:
        """Return minus the cost of lifting the arm to `level` above the leader; 0 if it is there."""
        if now.state.means[arm] >= now.state.means[other] + level:
            return 0.0
        return -now.family.separation(other, arm, level, now.state)


class TransportationCostImproved(NamedTuple):
    """TCI: the transportation cost plus ln N_i, which spreads exploration (Jourdan et al., 2022)."""

    penalty: Schedule = LogCount()
    random_ties: bool = True

    def challenge(self, leader: int, now: Round, random: Random) -> int:
        """Return argmin of cost + ln N."""
        return highest(self, leader, 0.0, now, random)

    def score(self, arm: int, other: int, level: float, now: Round) -> float:
        """Return minus the penalised cost."""
        return -transportation_cost(other, arm, now) - self.penalty.at(int(now.state.counts[arm]))


class Resampling(NamedTuple):
    """RS: redraw from the posterior until the best arm of the draw is not the leader (Russo, 2016, TTTS).

    The wait grows without bound as the posterior concentrates. After a few redraws that failed, the family draws from
    the conditional law directly: same law, bounded cost.
    """

    redraws: int = 2

    def requires(self) -> tuple[str, ...]:
        """Return what it asks of the family."""
        return ("posterior_draw", "resample")

    def challenge(self, leader: int, now: Round, random: Random) -> int:
        """Return argmax θ for θ drawn from the posterior given argmax θ ≠ leader."""
        for _ in range(self.redraws):
            arm, top = leader, -math.inf
            for i in range(len(now.state.means)):
                draw = now.family.posterior_draw(i, now.state, random)
                if draw > top:
                    arm, top = i, draw
            if arm != leader:
                return arm
        return now.family.resample(leader, now.state, random)


class ImprovementOverLeader(NamedTuple):
    """TTEI's challenger: the arm expected to improve most on the leader (Qin, Klabjan and Russo, 2017)."""

    random_ties: bool = True

    def requires(self) -> tuple[str, ...]:
        """Return what it asks of the family."""
        return ("improvement_over_arm",)

    def challenge(self, leader: int, now: Round, random: Random) -> int:
        """Return argmax over i ≠ B of E(θ_i − θ_B)₊; what î or its rival achieves rules most others out."""
        likely = now.rival if leader == now.best else now.best
        return highest_above(self, leader, 0.0, self.score(likely, leader, 0.0, now), now, random)

    def score(self, arm: int, other: int, level: float, now: Round) -> float:
        """Return ln E(θ_arm − θ_leader)₊."""
        return now.family.improvement_over_arm(arm, other, now.state)

    def score_surely_below(self, arm: int, other: int, level: float, floor: float, now: Round) -> bool:
        """Return whether a bound shows that the improvement is below the floor."""
        return now.family.improvement_over_arm_surely_below(arm, other, floor, now.state)


class ProbabilitySecond(NamedTuple):
    """TTPS's challenger: the arm other than the leader most probably best (Russo, 2016)."""

    random_ties: bool = True

    def requires(self) -> tuple[str, ...]:
        """Return what it asks of the family."""
        return ("log_probability_above", "log_probability_best")

    def challenge(self, leader: int, now: Round, random: Random) -> int:
        """Return argmax over i ≠ B of P(θ_i = max θ)."""
        likely, top = -1, -math.inf
        for i in range(len(now.state.means)):
            if i != leader:
                chance = now.family.log_probability_above(i, leader, now.state)
                if chance > top:
                    likely, top = i, chance
        return most_probable(likely, leader, self.random_ties, now, random)
