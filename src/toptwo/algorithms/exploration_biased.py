"""EBS: exploration-biased sampling (Barrier, Garivier and Kocák, 2022).

Track-and-Stop follows w*(μ̂) even where μ̂ is poor. EBS follows w*(ν) for the means ν in a confidence box that make the
smallest share largest: cautious at first, and the same as Track-and-Stop in the end, without forced exploration.
"""

import math
from typing import Any, NamedTuple

from toptwo import checks
from toptwo.algorithms.base import Question
from toptwo.algorithms.sub_gaussian import standard_deviation
from toptwo.memory import memory_of, per_arm
from toptwo.rules.round import Round
from toptwo.rules.schedules import Schedule
from toptwo.rules.stopping import Stopping
from toptwo.rules.tracking import FurthestBehind
from toptwo.state import Row
from toptwo.streams import Random


class Box(NamedTuple):
    """What exploration-biased sampling keeps."""

    tracking: Any
    """What the tracker keeps, the allocation of this round among it."""
    point: Row = per_arm()
    """ν."""
    lower: Row = per_arm()
    upper: Row = per_arm()


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

    def memory(self) -> Box:
        """Return the box, and what the tracker keeps."""
        return Box(memory_of(self.tracking))

    def next_pull(self, now: Round, random: Random) -> tuple[int, int]:
        """Return the arm furthest behind the sum of the cautious allocations; nobody leads."""
        state, mine = now.state, now.mine
        for i in range(len(state.means)):
            width = self.width.at(int(state.counts[i]))
            mine.lower[i] = now.family.lower_bound(i, width, state)
            mine.upper[i] = now.family.upper_bound(i, width, state)
        best = cautious_best(now)
        place(best, now)
        now.family.allocate(best, mine.point, 0.0, mine.tracking.shares)
        return -1, self.tracking.track(now.by(mine.tracking), random)


def place(best: int, now: Round) -> bool:
    """Write the point of the box with this best arm whose smallest share is largest; return whether gaps are equal.

    Only ratios of gaps matter, and the smallest share belongs to the largest gap. So the best arm goes to the top of
    its interval; no other can be brought closer than the lowest top among them; and the rest come down to that level
    or as far as they may, which leaves more for the arm of the smallest share (tests check this against a search).
    """
    mine = now.mine
    floor, highest_low = math.inf, -math.inf
    for i in range(len(now.state.means)):
        if i != best:
            floor = min(floor, mine.upper[i])
            highest_low = max(highest_low, mine.lower[i])
    equal = highest_low <= floor
    if equal:
        # Any common level below the best arm will do; the lowest top among the others may be above its own.
        floor = highest_low
    for i in range(len(now.state.means)):
        mine.point[i] = mine.upper[i] if i == best else max(floor, mine.lower[i])
    return equal


def cautious_best(now: Round) -> int:
    """Return the best arm of the most cautious point: of several as good, the one of highest empirical mean."""
    mine, means = now.mine, now.state.means
    best, top, equal = now.best, -1.0, False
    for i in range(len(means)):
        if may_be_best(i, now):
            even = place(i, now)
            if even and (not equal or means[i] > means[best]):
                best, equal = i, True
            if not even and not equal:
                now.family.allocate(i, mine.point, 0.0, mine.tracking.shares)
                least = 1.0
                for k in range(len(means)):
                    least = min(least, mine.tracking.shares[k])
                if least > top:
                    best, top = i, least
    return best


def may_be_best(arm: int, now: Round) -> bool:
    """Return whether some point of the box has this arm strictly above the others."""
    mine = now.mine
    for i in range(len(now.state.means)):
        if i != arm and mine.lower[i] >= mine.upper[arm]:
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
