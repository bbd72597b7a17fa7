"""The Top Two family: a leader, a challenger, and a way to choose between them (paper, algorithm 1)."""

from typing import NamedTuple

from toptwo.errors import InputError
from toptwo.families.base import Family
from toptwo.rules.challengers import Challenger, TransportationCost
from toptwo.rules.choices import Choice, Tracking
from toptwo.rules.hooks import pass_on
from toptwo.rules.leaders import Leader, UpperConfidenceBound
from toptwo.rules.proportions import Fixed, Proportion
from toptwo.rules.round import Round
from toptwo.state import State
from toptwo.streams import Random

INVALID = -2
"""In place of an arm: a rule returned something that is not one, or a challenger that is the leader."""


def _check(part: str, rule: object, method: str) -> None:
    if isinstance(rule, type) or not callable(getattr(rule, method, None)):
        raise InputError(f"{part} must be a rule with a method {method} (docs/write-your-own-rule.md), not {rule!r}.")


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
        leader = self.leader.lead(now, random)
        if leader < 0 or leader >= len(now.state.means):
            return leader, INVALID
        challenger = leader
        if self.proportion.adaptive():
            challenger = self.challenger.challenge(leader, now, random)
            if challenger == leader or challenger < 0 or challenger >= len(now.state.means):
                return leader, INVALID
        share = self.proportion.share(leader, challenger, now)
        if self.choice.takes_leader(leader, share, now, random):
            return leader, leader
        if not self.proportion.adaptive():
            challenger = self.challenger.challenge(leader, now, random)
        return leader, challenger if challenger != leader else INVALID

    def learn(self, leader: int, arm: int, reward: float, size: int, state: State, family: Family) -> None:
        """Hand the reward to a leader that keeps its own statistics."""
        pass_on(self.leader, leader, arm, reward, size, state, family)

    def validate(self) -> None:
        """Refuse parts that cannot take the decision they are there for."""
        for part, method in (("leader", "lead"), ("challenger", "challenge"), ("proportion", "share")):
            _check(part, getattr(self, part), method)
        _check("choice", self.choice, "takes_leader")

    def memory_rows(self, arms: int) -> int:
        """Return how many rows of memory the leader asks for."""
        return self.leader.memory_rows(arms) if hasattr(self.leader, "memory_rows") else 0
