"""The round: all that a rule may look at when it decides, and the scan over arms that most rules share."""

import math
from typing import Any, NamedTuple, Protocol

from toptwo.families.base import Family, closest_arm
from toptwo.memory import NOTHING
from toptwo.optional import optional
from toptwo.state import State
from toptwo.streams import Random


class Round(NamedTuple):
    """One moment of decision; what the stopping rule has worked out is there for the sampling rule to reuse."""

    number: int
    """n, counted from 1: n − 1 rewards have been seen."""
    best: int
    """î: the arm of highest empirical mean, the recommendation."""
    rival: int
    """The arm closest to overtaking î: least transportation cost."""
    cost: float
    """That least cost: the generalised likelihood ratio of the stopping rule."""
    ties: int
    """How many arms share the least cost."""
    epsilon: float
    """The margin: an arm within ε of the best is a right answer."""
    state: State
    """Counts and means."""
    family: Family
    """The law of the rewards."""
    mine: Any
    """What the rule that looks at the round keeps (its `memory`)."""

    def by(self, mine: Any) -> "Round":
        """Return the same as a rule sees it that keeps this."""
        return Round(
            self.number, self.best, self.rival, self.cost, self.ties, self.epsilon, self.state, self.family, mine
        )


class Scored(Protocol):
    """A rule that values each arm by a number."""

    @property
    def random_ties(self) -> bool:
        """Return whether equal arms are drawn from at random."""
        ...

    def score(self, arm: int, other: int, level: float, now: Round) -> float:
        """Return the value of an arm, against another one where the rule compares two."""
        ...


def highest(rule: Scored, other: int, level: float, now: Round, random: Random) -> int:
    """Return the arm other than `other` with the highest score.

    Equal scores: the m-th of them replaces the one kept with probability 1/m, which is uniform; a rule without random
    ties keeps the first. `other` = −1 excludes nothing.
    """
    return highest_above(rule, other, level, -math.inf, now, random)


def highest_above(rule: Scored, other: int, level: float, floor: float, now: Round, random: Random) -> int:
    """Return the same, knowing that the highest score is at least `floor`."""
    arm, top, ties = -1, -math.inf, 1
    for i in range(len(now.state.means)):
        if i != other and not score_surely_below(rule, i, other, level, max(floor, top), now):
            value = rule.score(i, other, level, now)
            if not value < top:  # one comparison for most arms
                if value > top or arm < 0:
                    arm, top, ties = i, value, 1
                elif value == top and rule.random_ties:
                    ties += 1
                    if random.uniform() * ties < 1.0:
                        arm = i
    return arm


@optional
def score_surely_below(rule: Any, arm: int, other: int, level: float, floor: float, now: Round) -> bool:
    """Return whether the score of an arm is below the floor, if a rule can tell at once; False is always safe."""
    return False


def transportation_cost(a: int, b: int, now: Round) -> float:
    """Return the cost of moving b level with a (paper, eq. 4): 0 when b is there already."""
    if now.state.means[b] >= now.state.means[a] + now.epsilon:
        return 0.0
    return now.family.separation(a, b, now.epsilon, now.state)


def survey(number: int, best: int, epsilon: float, state: State, family: Family) -> Round:
    """Return the round: the recommended arm compared with every other."""
    rival, cost, ties = closest_arm(family, best, epsilon, state)
    return Round(number, best, rival, cost, ties, epsilon, state, family, NOTHING)


def recommend(best: int, state: State, random: Random) -> int:
    """Return the arm of highest mean; the arm recommended so far stays if it is among the highest."""
    if best >= 0 and not _overtaken(best, state):
        return best
    top = state.means[0]
    for i in range(len(state.means)):
        top = max(top, state.means[i])
    ties = 0
    for i in range(len(state.means)):
        if state.means[i] == top:
            ties += 1
            if ties == 1 or random.uniform() * ties < 1.0:
                best = i
    return best


def _overtaken(best: int, state: State) -> bool:
    """Return whether some arm has a higher mean; comparisons that do not wait for each other, unlike a maximum."""
    for i in range(len(state.means)):
        if state.means[i] > state.means[best]:
            return True
    return False


def update_best(best: int, arm: int, before: float, state: State, random: Random) -> int:
    """Return the recommendation after a reward of `arm`, whose mean was `before`: `recommend`, but mostly for free."""
    if best >= 0 and arm != best:
        return arm if state.means[arm] > state.means[best] else best
    if best >= 0 and state.means[arm] >= before:
        return best
    return recommend(best, state, random)
