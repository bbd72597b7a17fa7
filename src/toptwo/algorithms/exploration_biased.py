"""EBS: exploration-biased sampling (Barrier, Garivier and Kocák, 2022).

Track-and-Stop follows w*(μ̂) even where μ̂ is poor. EBS follows w*(ν) for the means ν in a confidence box that make the
smallest share largest: cautious at first, and the same as Track-and-Stop in the end, without forced exploration.
"""

import math
from typing import NamedTuple

from toptwo import checks
from toptwo.algorithms.base import Question
from toptwo.algorithms.sub_gaussian import standard_deviation
from toptwo.rules.round import Round
from toptwo.rules.schedules import Schedule
from toptwo.rules.stopping import Stopping
from toptwo.rules.tracking import SHARES, FurthestBehind
from toptwo.streams import Random

POINT, LOWER, UPPER = 2, 3, 4
"""Memory rows of ν and of the ends of the confidence box."""


class BoxWidth(NamedTuple):
    """√(2 ln(4KN²/γ)): intervals that all hold at all times with probability 1 − γ.

    For one arm and one N an interval of width √(2x/N) fails with probability at most 2e^{−x}; with x = ln(4KN²/γ) the
    sum over N and arms is γπ²/12. Their analysis asks no more of the box; their own constants differ a little.
    """

    risk: float
    arms: int

    def at(self, n: int) -> float:
        """Return the width after n pulls of the arm."""
        return math.sqrt(2.0 * (math.log(4.0 * self.arms / self.risk) + 2.0 * math.log(n)))


class CautiousTracking(NamedTuple):
    """Follow the optimal allocation of the most cautious point of the box."""

    width: Schedule
    tracking: FurthestBehind = FurthestBehind()

    def memory_rows(self, arms: int) -> int:
        """Return 5: sums, shares, the point, and the box."""
        return 5

    def next_pull(self, now: Round, random: Random) -> tuple[int, int]:
        """Return the arm furthest behind the sum of the cautious allocations; nobody leads."""
        state, memory = now.state, now.state.memory
        for i in range(len(state.means)):
            width = self.width.at(int(state.counts[i]))
            memory[LOWER][i] = now.family.lower_bound(i, width, state)
            memory[UPPER][i] = now.family.upper_bound(i, width, state)
        best = cautious_best(now)
        place(best, now)
        now.family.allocate(best, memory[POINT], 0.0, memory[SHARES])
        return -1, self.tracking.track(now, random)


def place(best: int, now: Round) -> bool:
    """Write the point of the box with this best arm whose smallest share is largest; return whether gaps are equal.

    Only ratios of gaps matter, and the smallest share belongs to the largest gap. So the best arm goes to the top of
    its interval; no other can be brought closer than the lowest top among them; and the rest come down to that level
    or as far as they may, which leaves more for the arm of the smallest share (tests check this against a search).
    """
    memory = now.state.memory
    floor, highest_low = math.inf, -math.inf
    for i in range(len(now.state.means)):
        if i != best:
            floor = min(floor, memory[UPPER][i])
            highest_low = max(highest_low, memory[LOWER][i])
    equal = highest_low <= floor
    if equal:
        # Any common level below the best arm will do; the lowest top among the others may be above its own.
        floor = highest_low
    for i in range(len(now.state.means)):
        memory[POINT][i] = memory[UPPER][i] if i == best else max(floor, memory[LOWER][i])
    return equal


def cautious_best(now: Round) -> int:
    """Return the best arm of the most cautious point: of several as good, the one of highest empirical mean."""
    memory, means = now.state.memory, now.state.means
    best, top, equal = now.best, -1.0, False
    for i in range(len(means)):
        if may_be_best(i, now):
            even = place(i, now)
            if even and (not equal or means[i] > means[best]):
                best, equal = i, True
            if not even and not equal:
                now.family.allocate(i, memory[POINT], 0.0, memory[SHARES])
                least = 1.0
                for k in range(len(means)):
                    least = min(least, memory[SHARES][k])
                if least > top:
                    best, top = i, least
    return best


def may_be_best(arm: int, now: Round) -> bool:
    """Return whether some point of the box has this arm strictly above the others."""
    memory = now.state.memory
    for i in range(len(now.state.means)):
        if i != arm and memory[LOWER][i] >= memory[UPPER][arm]:
            return False
    return True


class ExplorationBiased(NamedTuple):
    """EBS with a confidence box of risk γ."""

    risk: float = 0.1

    def validate(self) -> None:
        """Refuse a risk outside (0, 1)."""
        checks.probability("risk", self.risk)

    def bind(self, question: Question) -> tuple[CautiousTracking, Stopping]:
        """Return the sampling rule for so many arms, and the threshold's stopping rule."""
        standard_deviation("EBS", question.family)  # the most cautious point is known for Gaussian arms only
        return CautiousTracking(BoxWidth(self.risk, question.arms)), question.stopping
