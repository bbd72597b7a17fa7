"""Lower and upper confidence bounds: LUCB and its kin, which sample and stop by the same intervals."""

import math
from collections.abc import Callable
from typing import NamedTuple

from toptwo import checks
from toptwo.algorithms.base import Question
from toptwo.families.base import levels
from toptwo.memory import numbers
from toptwo.rules.levels import GrowingLevel
from toptwo.rules.round import Round, highest
from toptwo.rules.schedules import Schedule
from toptwo.rules.stopping import LikelihoodRatio, Stopping
from toptwo.state import Row
from toptwo.streams import Random

Bounds = Callable[..., Schedule] | None
"""A class of rules/levels.py with fields δ and K, or None for the level of the user's threshold."""


def _level_and_stopping(bounds: Bounds, paired: bool, question: Question) -> tuple[Schedule, Stopping]:
    """Return the level of the sampling rule's bounds and the stopping rule.

    A threshold that is no level of a likelihood ratio (`mixture`) stops for itself: its guarantee holds for any
    sampling, so the bounds need only choose the arms.
    """
    if bounds is not None:
        level = bounds(delta=question.delta, arms=question.arms)
        return level, BoundsApart(level, paired, True, True)
    if isinstance(question.stopping, LikelihoodRatio):
        level = question.stopping.level
        return level, BoundsApart(level, paired, is_proven(level, question), False)
    return GrowingLevel(question.delta), question.stopping


def is_proven(level: Schedule, question: Question) -> bool:
    """Return whether a level of the likelihood ratio is the one that the family has a proof for."""
    known = levels(question.family)
    if "proven" not in known:
        return False
    proven = known["proven"](question.delta, question.arms)
    return type(level) is type(proven) and level == proven  # the type too: all NamedTuples compare as plain tuples


def width_of(level: Schedule, now: Round) -> float:
    """Return √(2c), the width of the bounds for one pull."""
    return math.sqrt(2.0 * level.at(now.number - 1))


def stands_apart(arm: int, width: float, now: Round) -> bool:
    """Return whether the lower bound of an arm, plus the margin, reaches the upper bounds of all others."""
    low = now.family.lower_bound(arm, width, now.state) + now.epsilon
    for i in range(len(now.state.means)):
        if i != arm and now.family.upper_bound(i, width, now.state) > low:
            return False
    return True


class BoundsApart(NamedTuple):
    """Stop when the lower bound of î is above the upper bounds of all others, but for the margin ε.

    Then the likelihood ratio against each of them has reached the level: whatever u, one of the two arms is beyond its
    bound at u or at u + ε, which alone costs c. So the bounds are as proven as the level is for the likelihood ratio.
    """

    level: Schedule
    paired: bool
    """Whether pulls come in pairs: then there is no stopping between the two."""
    proven: bool
    own: bool
    """Whether the level was made for bounds, which must then hold for each arm, or for the likelihood ratio."""

    def requires(self) -> tuple[str, ...]:
        """Return what it asks of the family: nothing that must be proven of one arm, if the level is proven for two."""
        return ("lower_bound", "upper_bound") if self.own or not self.proven else ("upper_bound",)

    def stops(self, now: Round) -> bool:
        """Return whether L_î + ε ≥ U_i for every other arm."""
        if self.paired and (now.number - 1 - len(now.state.means)) % 2 == 1:
            return False
        if now.cost < self.level.at(now.number - 1):
            return False  # bounds cannot be apart; the guarantee does not rest on their rounding either
        return stands_apart(now.best, width_of(self.level, now), now)

    def certified(self) -> bool:
        """Return whether δ-correctness is proven."""
        return self.proven


class MostDoubtful(NamedTuple):
    """The arm of highest upper bound, the leader aside: the one that most probably refutes it."""

    level: Schedule
    random_ties: bool = True

    def requires(self) -> tuple[str, ...]:
        """Return what it asks of the family."""
        return ("upper_bound",)

    def challenge(self, leader: int, now: Round, random: Random) -> int:
        """Return argmax over i ≠ leader of U_i; leader −1 excludes nothing."""
        return highest(self, leader, width_of(self.level, now), now, random)

    def score(self, arm: int, other: int, level: float, now: Round) -> float:
        """Return the upper confidence bound of an arm."""
        return now.family.upper_bound(arm, level, now.state)


class Due(NamedTuple):
    """What LUCB keeps."""

    second: Row = numbers()
    """The second arm of a pair that is due, plus one."""


class PullBoth(NamedTuple):
    """LUCB's sampling: î and then the most doubtful of the others, without a look in between."""

    challenger: MostDoubtful

    def memory(self) -> Due:
        """Return the second arm of a pair."""
        return Due()

    def next_pull(self, now: Round, random: Random) -> tuple[int, int]:
        """Return the first or the second arm of a pair."""
        due = now.mine.second
        second = int(due[0]) - 1
        if second >= 0:
            due[0] = 0.0
            return -1, second
        due[0] = self.challenger.challenge(now.best, now, random) + 1.0
        return now.best, now.best


class PullEither(NamedTuple):
    """β-LUCB's sampling: î with probability β, else the most doubtful of the others (paper, last appendix)."""

    beta: float
    challenger: MostDoubtful

    def next_pull(self, now: Round, random: Random) -> tuple[int, int]:
        """Return î or its challenger, by a draw."""
        if random.uniform() < self.beta:
            return now.best, now.best
        return now.best, self.challenger.challenge(now.best, now, random)


class LowerUpperConfidenceBound(NamedTuple):
    """LUCB (Kalyanakrishnan et al., 2012) with the bounds of the threshold, of LUCB1 or of KL-LUCB.

    With the bounds of the threshold, U_i and L_i solve N d(μ̂, u) = c(n−1, δ), as in the paper's experiments.
    """

    bounds: Bounds = None

    def bind(self, question: Question) -> tuple[PullBoth, Stopping]:
        """Return the sampling and stopping rule for a question."""
        level, stopping = _level_and_stopping(self.bounds, True, question)
        return PullBoth(MostDoubtful(level)), stopping


class BetaLowerUpper(NamedTuple):
    """β-LUCB: as LUCB, but one of the two by a draw (paper, section 4 and last appendix)."""

    beta: float = 0.5

    def validate(self) -> None:
        """Refuse a share outside (0, 1)."""
        checks.probability("beta", self.beta)

    def bind(self, question: Question) -> tuple[PullEither, Stopping]:
        """Return the sampling and stopping rule for a question."""
        level, stopping = _level_and_stopping(None, False, question)
        return PullEither(self.beta, MostDoubtful(level)), stopping
