"""The Top Two family: a leader, a challenger, and a way to choose between them (paper, algorithm 1)."""

from typing import Any, NamedTuple

from toptwo.errors import InputError
from toptwo.memory import memory_of
from toptwo.rules.challengers import Challenger, TransportationCost
from toptwo.rules.choices import Choice, Tracking
from toptwo.rules.leaders import Leader, UpperConfidenceBound
from toptwo.rules.parts import Seen, learn
from toptwo.rules.proportions import Fixed, Proportion
from toptwo.rules.round import Round
from toptwo.streams import Random

INVALID = -2
"""In place of an arm: a rule returned something that is not one, or a challenger that is the leader."""

NO_SHARE = -3
"""In place of an arm: a rule returned something that is not a share."""


def _check(part: str, rule: object, method: str) -> None:
    if isinstance(rule, type) or not callable(getattr(rule, method, None)):
        raise InputError(f"{part} must be a rule with a method {method} (docs/write-your-own-rule.md), not {rule!r}.")


class TopTwoMemory(NamedTuple):
    """What the four rules keep, each its own."""

    leader: Any
    challenger: Any
    proportion: Any
    choice: Any


class TopTwo(NamedTuple):
    """A Top Two sampling rule, assembled from four decisions. The default is the paper's TTUCB.

    Examples
    --------
    >>> TopTwo().leader
    UpperConfidenceBound(bonus=MixtureBonus(alpha=1.2, s=1.2), random_ties=True)
    """

    leader: Leader = UpperConfidenceBound()
    challenger: Challenger = TransportationCost()
    proportion: Proportion = Fixed(0.5)
    choice: Choice = Tracking()

    def next_pull(self, now: Round, random: Random) -> tuple[int, int]:
        """Return the leader and the arm to pull.

        With a share that does not depend on the challenger, the challenger is only worked out when it is pulled.
        """
        mine, arms = now.mine, len(now.state.means)
        leader = self.leader.lead(now.by(mine.leader), random)
        if leader < 0 or leader >= arms:
            return leader, INVALID
        challenger = leader
        if self.proportion.adaptive():
            challenger = self.challenger.challenge(leader, now.by(mine.challenger), random)
            if challenger == leader or challenger < 0 or challenger >= arms:
                return leader, INVALID
        share = self.proportion.share(leader, challenger, now.by(mine.proportion))
        if not 0.0 <= share <= 1.0:
            return leader, NO_SHARE
        if self.choice.takes_leader(leader, share, now.by(mine.choice), random):
            return leader, leader
        if not self.proportion.adaptive():
            challenger = self.challenger.challenge(leader, now.by(mine.challenger), random)
        return leader, challenger if challenger != leader else INVALID

    def memory(self) -> TopTwoMemory:
        """Return what each rule keeps."""
        return TopTwoMemory(*(memory_of(rule) for rule in self))

    def learn(self, seen: Seen) -> None:
        """Hand the reward to the rules, each of which learns if it can."""
        mine = seen.mine
        learn(self.leader, seen.by(mine.leader))
        learn(self.challenger, seen.by(mine.challenger))
        learn(self.proportion, seen.by(mine.proportion))
        learn(self.choice, seen.by(mine.choice))

    def validate(self) -> None:
        """Refuse parts that cannot take the decision they are there for."""
        for part, method in (("leader", "lead"), ("challenger", "challenge"), ("proportion", "share")):
            _check(part, getattr(self, part), method)
        _check("choice", self.choice, "takes_leader")
