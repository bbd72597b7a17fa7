"""The evidence of all pairs: what each arm's blocks with each other have shown at any time so far.

Evidence that was once reached stays: the guarantee is about the highest value that an e-process ever takes, so that an
arm that was ruled out remains so (docs/blocks.md, section 2).
"""

import math
from typing import Any

from toptwo.blocks.budget import log_part
from toptwo.blocks.comparisons import BlockComparison
from toptwo.blocks.pairs import Pair
from toptwo.blocks.wins import WinsPair


class PairwiseEvidence:
    """Pairs of arms, and the highest ln e that each arm has reached against each other, its part of δ included."""

    def __init__(self, arms: int, comparison: BlockComparison) -> None:
        self.comparison = comparison
        self.pairs: dict[tuple[int, int], Pair] = {}
        self.partners: list[list[int]] = [[] for _ in range(arms)]
        """Arms that each arm has been in a block with, in the order in which they met."""
        self.start = arms
        """Arms that were there from the start."""
        self.beats: dict[tuple[int, int], float] = {}
        self.close: dict[tuple[int, int], float] = {}
        self.ruled_out = [0.0] * arms
        """For each arm the highest evidence of any other that is better; −ln of the δ at which it is ruled out."""

    def add_arm(self) -> None:
        """Make room for one more arm."""
        self.partners.append([])
        self.ruled_out.append(0.0)

    def pair(self, first: int, second: int) -> Pair | None:
        """Return what is known of two arms, the lower one first; None if they never met."""
        return self.pairs.get((first, second))

    def count(self, first: int, second: int) -> int:
        """Return how many blocks hold both arms."""
        pair = self.pairs.get((min(first, second), max(first, second)))
        return pair.count if pair else 0

    def lead(self, first: int, second: int) -> float:
        """Return by how much the first arm leads the second in their blocks."""
        pair = self.pairs[min(first, second), max(first, second)]
        return pair.effect() if first < second else -pair.effect()

    def won(self, first: int, second: int) -> tuple[int, int]:
        """Return how many blocks the first has won of how many that one of both has, where wins count."""
        pair = self.pairs.get((min(first, second), max(first, second)))
        if not isinstance(pair, WinsPair):
            return 0, 0
        return pair.wins if first < second else pair.losses, pair.decided

    def beaten(self, winner: int, loser: int) -> float:
        """Return the highest evidence so far that one arm is better than another."""
        return self.beats.get((winner, loser), 0.0)

    def within(self, arm: int, other: int) -> float:
        """Return the highest evidence so far that an arm is at most the margin worse than another."""
        return max(self.close.get((arm, other), 0.0), self.beaten(arm, other))

    def take_in(self, scores: list[tuple[int, float]]) -> None:
        """Take in the scores of one block, in order of arms."""
        for k, (first, score) in enumerate(scores):
            for second, other in scores[k + 1 :]:
                pair = self.pairs.get((first, second))
                if pair is None:
                    pair = self.pairs[first, second] = self.comparison.new_pair()
                    self.partners[first].append(second)
                    self.partners[second].append(first)
                pair.add(score, other)
                self._raise(first, second, pair, True)
                self._raise(second, first, pair, False)

    def _raise(self, arm: int, other: int, pair: Pair, forward: bool) -> None:
        """Look if the evidence for an arm has reached a new height."""
        part = log_part(self.start, arm, other)
        before = self.beaten(arm, other)
        found = pair.beats(forward, before - part) + part
        if found > before:
            self.beats[arm, other] = found
            self.ruled_out[other] = max(self.ruled_out[other], found)
        if self.comparison.margin:
            before = self.within(arm, other)
            found = pair.close(forward, before - part) + part
            if found > before:
                self.close[arm, other] = found

    def interval(self, first: int, second: int, delta: float) -> tuple[float, float]:
        """Return by how much the first arm leads at least and at most, at the level at which arms are ruled out.

        Evidence once reached stays, here too: the interval agrees with what was ruled out.
        """
        pair = self.pairs.get((min(first, second), max(first, second)))
        if pair is None:
            return -math.inf, math.inf
        level = -math.log(delta)
        ahead, behind = level - log_part(self.start, first, second), level - log_part(self.start, second, first)
        if first < second:
            low, high = pair.interval(ahead, behind)
        else:
            high, low = (-end for end in pair.interval(behind, ahead))
        if self.beaten(first, second) >= level:
            low = max(low, 0.0)
        if self.beaten(second, first) >= level:
            high = min(high, 0.0)
        return low, high

    def kept(self) -> dict[str, Any]:
        """Return all that is known, as plain data."""
        return {
            "pairs": [[*key, pair.kept()] for key, pair in self.pairs.items()],
            "beats": [[*key, value] for key, value in self.beats.items()],
            "close": [[*key, value] for key, value in self.close.items()],
        }

    def fill(self, kept: dict[str, Any]) -> None:
        """Go on from what was kept, the number of arms being the same."""
        for first, second, known in kept["pairs"]:
            pair = self.pairs[first, second] = self.comparison.new_pair()
            pair.fill(known)
            self.partners[first].append(second)
            self.partners[second].append(first)
        self.close = {(arm, other): value for arm, other, value in kept["close"]}
        for arm, other, value in kept["beats"]:
            self.beats[arm, other] = value
            self.ruled_out[other] = max(self.ruled_out[other], value)
