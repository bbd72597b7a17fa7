"""Forced exploration in front of a Top Two rule, as AT2 has it."""

from typing import Any, NamedTuple

from toptwo import checks
from toptwo.algorithms.top_two import TopTwo
from toptwo.memory import memory_of
from toptwo.rules.parts import Seen, learn
from toptwo.rules.round import Round, highest
from toptwo.rules.tracking import LeastPulled
from toptwo.streams import Random


class ExploringFirst(NamedTuple):
    """Pull the least pulled arm as long as it has fewer than n^α pulls; then do as the Top Two rule says."""

    rule: TopTwo
    alpha: float = 0.5
    least: LeastPulled = LeastPulled()

    def validate(self) -> None:
        """Refuse an exponent outside (0, 1)."""
        checks.probability("alpha", self.alpha)

    def memory(self) -> Any:
        """Return what the Top Two rule keeps."""
        return memory_of(self.rule)

    def learn(self, seen: Seen) -> None:
        """Hand the reward on."""
        learn(self.rule, seen)

    def next_pull(self, now: Round, random: Random) -> tuple[int, int]:
        """Return the leader and the arm to pull; nobody leads while exploring."""
        floor = (now.number - 1.0) ** self.alpha
        for i in range(len(now.state.counts)):
            if now.state.counts[i] < floor:
                return -1, highest(self.least, -1, 0.0, now, random)
        return self.rule.next_pull(now, random)
