"""lil'UCB (Jamieson, Malloy, Nowak and Bubeck, 2014): one arm ends up with nearly all pulls."""

import math
from typing import NamedTuple

from toptwo.algorithms.base import Question
from toptwo.algorithms.sub_gaussian import standard_deviation
from toptwo.errors import InputError
from toptwo.rules.levels import IteratedLogarithm
from toptwo.rules.round import Round, highest
from toptwo.rules.schedules import Schedule
from toptwo.streams import Random


class HighestIndex(NamedTuple):
    """Pull the arm of highest upper confidence bound, whose width depends on the arm's own pulls."""

    width: Schedule
    random_ties: bool = True

    def next_pull(self, now: Round, random: Random) -> tuple[int, int]:
        """Return argmax of the index; nobody leads."""
        return -1, highest(self, -1, 0.0, now, random)

    def score(self, arm: int, other: int, level: float, now: Round) -> float:
        """Return the index of an arm."""
        return now.family.upper_bound(arm, self.width.at(int(now.state.counts[arm])), now.state)


class OneTookAll(NamedTuple):
    """Stop when N_i ≥ 1 + λ Σ_{j≠i} N_j for some arm, and return it."""

    factor: float
    """λ."""

    def stops(self, now: Round) -> bool:
        """Return whether one arm has been pulled so much more than all others together."""
        return self.answer(now) >= 0

    def answer(self, now: Round) -> int:
        """Return that arm, −1 if there is none."""
        pulls = now.number - 1
        for i in range(len(now.state.means)):
            if now.state.counts[i] >= 1.0 + self.factor * (pulls - now.state.counts[i]):
                return i
        return -1

    def certified(self) -> bool:
        """Return False: see LilUCB."""
        return False


class LilUCB(NamedTuple):
    """lil'UCB with the constants of its theory, or those its authors use in experiments (no proof).

    Theory: ε = 0.01, β = 1, λ = ((2+β)/β)² = 9. Their theorem 2 errs with probability at most 4√(c d) + 4cd, with
    c = (2+ε)/ε · ln(1+ε)^{−(1+ε)} and d the confidence in the bounds; that is δ for d = (√(1+δ) − 1)²/(4c). It asks for
    a λ that is larger than 9 and tends to it as d → 0, so with 9, its authors' choice, it is no proof for a given δ.
    Heuristic: ε = 0, β = ½, λ = 1 + 10/K, d = δ/5.
    """

    heuristic: bool = False

    def bind(self, question: Question) -> tuple[HighestIndex, OneTookAll]:
        """Return the sampling and stopping rule for a question."""
        standard_deviation("lil'UCB", question.family)
        if question.epsilon > 0.0:
            raise InputError("epsilon: lil'UCB looks for the one best arm and takes no margin; TTUCB and LUCB do.")
        if self.heuristic:
            width = IteratedLogarithm(0.0, 0.5, question.delta / 5.0)
            return HighestIndex(width), OneTookAll(1.0 + 10.0 / question.arms)
        constant = 2.01 / 0.01 * math.log(1.01) ** -1.01
        confidence = (math.sqrt(1.0 + question.delta) - 1.0) ** 2 / (4.0 * constant)
        return HighestIndex(IteratedLogarithm(0.01, 1.0, confidence)), OneTookAll(9.0)
