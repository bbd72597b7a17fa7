"""Track-and-Stop (Garivier and Kaufmann, 2016): pull as the optimal allocation at the empirical means says."""

from typing import Any, NamedTuple

from toptwo.memory import memory_of, numbers
from toptwo.rules.round import Round
from toptwo.rules.tracking import DirectTracking, Tracker
from toptwo.state import Row
from toptwo.streams import Random


class SearchAndTrack(NamedTuple):
    """What Track-and-Stop keeps."""

    tracking: Any
    """What the tracker keeps, this round's allocation among it."""
    start: Row = numbers()
    """Where the last round's search for w* ended."""


def tied_with_best(now: Round) -> int:
    """Return how many arms share the highest empirical mean, or are closer to it than numbers can tell."""
    tied, means = 0, now.state.means
    for i in range(len(means)):
        if now.family.divergence(means[i], means[now.best]) == 0.0:
            tied += 1
    return tied


def spread_over_tied(tied: int, shares: Row, now: Round) -> None:
    """Write the uniform allocation on the arms of highest mean, where w* does not exist."""
    means = now.state.means
    for i in range(len(shares)):
        shares[i] = 1.0 / tied if now.family.divergence(means[i], means[now.best]) == 0.0 else 0.0


class TrackAndStop(NamedTuple):
    """Compute w*(μ̂) in every round and track it; asymptotically optimal.

    Newton's iteration from the last round's root makes that a few dozen nanoseconds for Gaussian arms (Barrier et al.,
    2022, proved the convexity it needs), where bisection took the paper 560 times the time of TTUCB.
    """

    tracking: Tracker = DirectTracking()

    def requires(self) -> tuple[str, ...]:
        """Return what it asks of the family."""
        return ("allocate",)

    def memory(self) -> SearchAndTrack:
        """Return what the tracker keeps, and where to start the search."""
        return SearchAndTrack(memory_of(self.tracking))

    def next_pull(self, now: Round, random: Random) -> tuple[int, int]:
        """Return the arm that lags behind w*(μ̂); nobody leads."""
        mine, tied = now.mine, tied_with_best(now)
        if tied > 1:
            spread_over_tied(tied, mine.tracking.shares, now)
        else:
            mine.start[0] = now.family.allocate(now.best, now.state.means, mine.start[0], mine.tracking.shares)
        return -1, self.tracking.track(now.by(mine.tracking), random)
