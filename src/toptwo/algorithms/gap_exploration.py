"""UGapE: unified gap-based exploration (Gabillon, Ghavamzadeh and Lazaric, 2012), with fixed confidence.

B_k = max over i ≠ k of U_i, minus L_k, bounds how much better than k another arm may be. J is the arm of least B.
"""

import math
from typing import NamedTuple

from toptwo.algorithms.base import Question
from toptwo.algorithms.confidence_bounds import MostDoubtful, stands_apart, width_of
from toptwo.rules.levels import GapLevel
from toptwo.rules.round import Round, highest
from toptwo.rules.schedules import Schedule
from toptwo.streams import Random


class HighestLower(NamedTuple):
    """The arm of highest lower bound, another one aside."""

    level: Schedule
    random_ties: bool = True

    def score(self, arm: int, other: int, level: float, now: Round) -> float:
        """Return the lower confidence bound of an arm."""
        return now.family.lower_bound(arm, level, now.state)


class GapSampling(NamedTuple):
    """Pull whichever of J = argmin B and the most hopeful other arm was pulled less."""

    hopeful: MostDoubtful
    safe: HighestLower

    def next_pull(self, now: Round, random: Random) -> tuple[int, int]:
        """Return J and the arm to pull.

        All arms but one have the same rival, the arm h of highest upper bound: J is h, or has the highest lower bound.
        """
        width = width_of(self.safe.level, now)
        first = self.hopeful.challenge(-1, now, random)
        second = self.hopeful.challenge(first, now, random)
        safe = highest(self.safe, first, width, now, random)
        gap_first = now.family.upper_bound(second, width, now.state) - now.family.lower_bound(first, width, now.state)
        gap_safe = now.family.upper_bound(first, width, now.state) - now.family.lower_bound(safe, width, now.state)
        least, other = (first, second) if gap_first < gap_safe else (safe, first)
        return least, other if now.state.counts[other] < now.state.counts[least] else least


class GapClosed(NamedTuple):
    """Stop when B_J ≤ ε, and return J."""

    level: Schedule

    def requires(self) -> tuple[str, ...]:
        """Return what it asks of the family."""
        return ("lower_bound", "upper_bound")

    def stops(self, now: Round) -> bool:
        """Return whether no other arm can be more than ε better than J."""
        width = width_of(self.level, now)
        for i in range(len(now.state.means)):
            if stands_apart(i, width, now):
                return True
        return False

    def answer(self, now: Round) -> int:
        """Return J."""
        width = width_of(self.level, now)
        arm, least = 0, math.inf
        for k in range(len(now.state.means)):
            gap = -math.inf
            for i in range(len(now.state.means)):
                if i != k:
                    gap = max(gap, now.family.upper_bound(i, width, now.state))
            gap -= now.family.lower_bound(k, width, now.state)
            if gap < least:
                arm, least = k, gap
        return arm

    def certified(self) -> bool:
        """Return True (their theorem 2)."""
        return True


class UnifiedGapExploration(NamedTuple):
    """UGapE with its bounds √(ln(4Kt³/δ)/(2N)) for [0, 1], that is σ√(2 ln(4Kt³/δ)/N)."""

    def bind(self, question: Question) -> tuple[GapSampling, GapClosed]:
        """Return the sampling and stopping rule for a question."""
        level = GapLevel(question.delta, question.arms)
        return GapSampling(MostDoubtful(level), HighestLower(level)), GapClosed(level)
