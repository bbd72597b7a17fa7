"""Choices: leader or challenger, given the leader's share (paper, section 2 and lemma 2)."""

from typing import NamedTuple, Protocol

from toptwo.rules.round import Round
from toptwo.streams import Random


class Choice(Protocol):
    """Decides whether the leader is pulled."""

    def takes_leader(self, leader: int, share: float, now: Round, random: Random) -> bool:
        """Return whether the leader is pulled, and keep the books of the rounds it led."""
        ...


class Tracking(NamedTuple):
    """One deterministic tracker per leader: pull B iff N^B_B ≤ Σ β over the rounds led by B, this one included.

    With a fixed β, 0 ≤ N^i_i − β L_i ≤ 1 for every arm at any time (docs/upper-bounds.md, lemma 1; the paper has −½).
    """

    def takes_leader(self, leader: int, share: float, now: Round, random: Random) -> bool:
        """Return whether the leader is behind its share."""
        state = now.state
        state.led[leader] += 1.0
        state.owed[leader] += share
        if state.own[leader] <= state.owed[leader]:
            state.own[leader] += 1.0
            return True
        return False


class Sampling(NamedTuple):
    """The leader with probability β, by a draw (Russo, 2016, and all Top Two rules before the paper)."""

    def takes_leader(self, leader: int, share: float, now: Round, random: Random) -> bool:
        """Return True with probability `share`."""
        return random.uniform() < share


class SharedTracking(NamedTuple):
    """One tracker for all leaders: pull B iff N_B ≤ βn. An ablation that the paper argues against (appendix D.1)."""

    def takes_leader(self, leader: int, share: float, now: Round, random: Random) -> bool:
        """Return whether the leader's pulls, whoever led then, are behind its share of all rounds."""
        return now.state.counts[leader] <= share * now.number
