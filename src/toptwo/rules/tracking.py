"""Tracking: which arm to pull so that the counts follow allocations (Garivier and Kaufmann, 2016)."""

import math
from typing import Any, NamedTuple, Protocol

from toptwo.memory import memory_of, per_arm
from toptwo.rules.round import Round, highest
from toptwo.state import Row
from toptwo.streams import Random


class Present(NamedTuple):
    """The allocation of this round."""

    shares: Row = per_arm()


class Summed(NamedTuple):
    """The allocation of this round, and the sum of those so far."""

    shares: Row = per_arm()
    sums: Row = per_arm()


class Tracker(Protocol):
    """Turns an allocation into a pull; the sampling rule writes it into `shares` of what the tracker keeps."""

    def track(self, now: Round, random: Random) -> int:
        """Return the arm to pull."""
        ...


class FurthestBehind(NamedTuple):
    """Pull the arm whose count is furthest behind the sum of the allocations so far."""

    random_ties: bool = True

    def memory(self) -> Summed:
        """Return the allocation and the sums."""
        return Summed()

    def track(self, now: Round, random: Random) -> int:
        """Add this round's allocation to the sums and return argmax Σ w_i − N_i."""
        sums, shares = now.mine.sums, now.mine.shares
        for i in range(len(shares)):
            sums[i] += shares[i]
        return highest(self, -1, 0.0, now, random)

    def score(self, arm: int, other: int, level: float, now: Round) -> float:
        """Return how far an arm is behind."""
        return now.mine.sums[arm] - now.state.counts[arm]


class CumulativeTracking(NamedTuple):
    """C-tracking: follow the sum of the allocations, each moved to {w ≥ ε_t} first, ε_t = ½(K² + t)^{−½}."""

    behind: FurthestBehind = FurthestBehind()

    def memory(self) -> Any:
        """Return what the rule behind it keeps."""
        return memory_of(self.behind)

    def track(self, now: Round, random: Random) -> int:
        """Return the arm furthest behind."""
        arms = len(now.state.means)
        project(0.5 / math.sqrt(arms * arms + now.number - 1.0), now.mine.shares)
        return self.behind.track(now, random)


def project(floor: float, shares: Row) -> None:
    """Move an allocation to {w ≥ floor} at the least change of any entry: w_i becomes max(floor, w_i − c).

    c is what makes the sum 1 again. It grows as entries reach the floor, so a few passes settle which ones do.
    """
    lowered, cut = -1, 0.0
    while True:
        above, total = 0, 0.0
        for i in range(len(shares)):
            if shares[i] - cut > floor:
                above += 1
                total += shares[i]
        if above == lowered:
            break
        lowered = above
        cut = (total + (len(shares) - above) * floor - 1.0) / above
    for i in range(len(shares)):
        shares[i] = max(floor, shares[i] - cut)


class LeastPulled(NamedTuple):
    """The arm with the fewest pulls."""

    random_ties: bool = True

    def score(self, arm: int, other: int, level: float, now: Round) -> float:
        """Return minus the count."""
        return -now.state.counts[arm]


class DirectTracking(NamedTuple):
    """D-tracking: follow the present allocation; an arm with fewer than √t − K/2 pulls comes first."""

    least: LeastPulled = LeastPulled()
    random_ties: bool = True

    def memory(self) -> Present:
        """Return the allocation."""
        return Present()

    def track(self, now: Round, random: Random) -> int:
        """Return the least pulled arm if it is far behind, else argmax w_i − N_i/t."""
        counts, pulls = now.state.counts, now.number - 1.0
        fewest = math.inf
        for i in range(len(counts)):
            fewest = min(fewest, counts[i])
        if fewest < math.sqrt(pulls) - 0.5 * len(counts):
            return highest(self.least, -1, 0.0, now, random)
        return highest(self, -1, 1.0 / pulls, now, random)

    def score(self, arm: int, other: int, level: float, now: Round) -> float:
        """Return how far an arm's share is behind."""
        return now.mine.shares[arm] - now.state.counts[arm] * level
