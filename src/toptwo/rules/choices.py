"""Choices: leader or challenger, given the leader's share (paper, section 2 and lemma 2)."""

from typing import NamedTuple, Protocol

from toptwo.memory import per_arm
from toptwo.rules.round import Round
from toptwo.state import Row
from toptwo.streams import Random


class Choice(Protocol):
    """Decides whether the leader is pulled."""

    def takes_leader(self, leader: int, share: float, now: Round, random: Random) -> bool:
        """Return whether the leader is pulled."""
        ...


class Books(NamedTuple):
    """What a tracker knows of each leader."""

    led: Row = per_arm()
    """L_i: rounds in which i was the leader."""
    owed: Row = per_arm()
    """b_i: sum of the leader's proportions β_n over the rounds led by i."""
    own: Row = per_arm()
    """N^i_i: pulls of i in rounds that i led."""


class Tracking(NamedTuple):
    """One deterministic tracker per leader: pull B iff N^B_B ≤ Σ β over the rounds led by B, this one included.

    With a fixed β, 0 ≤ N^i_i − β L_i ≤ 1 for every arm at any time (docs/upper-bounds.md, lemma 1; the paper has −½).
    """

    def memory(self) -> Books:
        """Return the books of the rounds led by each arm."""
        return Books()

    def takes_leader(self, leader: int, share: float, now: Round, random: Random) -> bool:
        """Return whether the leader is behind its share."""
        books = now.mine
        books.led[leader] += 1.0
        books.owed[leader] += share
        if books.own[leader] <= books.owed[leader]:
            books.own[leader] += 1.0
            return True
        return False


class Sampling(NamedTuple):
    """The leader with probability β, by a draw (Russo, 2016, and all Top Two rules before the paper)."""

    def takes_leader(self, leader: int, share: float, now: Round, random: Random) -> bool:
        """Return True with probability `share`."""
        return random.uniform() < share


class Anchored(NamedTuple):
    """AT2's choice: the leader iff Σ_{i≠B} d(μ̂_B, u_i)/d(μ̂_i, u_i) > 1 (Bandyopadhyay, Juneja and Agrawal, 2024).

    u_i is the pooled mean of the leader and arm i; at the optimal allocation the sum is 1. For Gaussian arms of one σ
    it is Σ N_i²/N_B². The leader's share is not asked for.
    """

    def requires(self) -> tuple[str, ...]:
        """Return what it asks of the family."""
        return ("leader_share",)

    def takes_leader(self, leader: int, share: float, now: Round, random: Random) -> bool:
        """Return whether the sum is above its value at the optimum; a ratio is that of the two shares of the cost."""
        counts, total = now.state.counts, 0.0
        for i in range(len(counts)):
            if i != leader:
                own = now.family.leader_share(leader, i, now.state)
                if own >= 1.0:
                    return True
                total += own * counts[i] / ((1.0 - own) * counts[leader])
        return total > AT_THE_OPTIMUM


AT_THE_OPTIMUM = 1.0 + 1e-9
"""1, and more than rounding errors: sums that are 1 exactly belong to the challenger."""


class SharedTracking(NamedTuple):
    """One tracker for all leaders: pull B iff N_B ≤ βn. An ablation that the paper argues against (appendix D.1)."""

    def takes_leader(self, leader: int, share: float, now: Round, random: Random) -> bool:
        """Return whether the leader's pulls, whoever led then, are behind its share of all rounds."""
        return now.state.counts[leader] <= share * now.number
