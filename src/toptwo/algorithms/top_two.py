"""The Top Two family: a leader, a challenger, and a way to choose between them (paper, algorithm 1)."""

from typing import NamedTuple

from toptwo.families.base import Family
from toptwo.rules.challengers import Challenger, TransportationCost
from toptwo.rules.choices import Choice, Tracking
from toptwo.rules.leaders import Leader, UpperConfidenceBound
from toptwo.rules.learning import pass_on
from toptwo.rules.proportions import Fixed, Proportion
from toptwo.rules.round import Round
from toptwo.state import State
from toptwo.streams import Random


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
        challenger = leader
        if self.proportion.adaptive():
            challenger = self.challenger.challenge(leader, now, random)
        share = self.proportion.share(leader, challenger, now)
        if self.choice.takes_leader(leader, share, now, random):
            return leader, leader
        if not self.proportion.adaptive():
            challenger = self.challenger.challenge(leader, now, random)
        return leader, challenger

    def learn(self, leader: int, arm: int, reward: float, state: State, family: Family) -> None:
        """Hand the reward to a leader that keeps its own statistics."""
        pass_on(self.leader, leader, arm, reward, state, family)

    def memory_rows(self) -> int:
        """Return how many rows of memory the leader asks for."""
        return self.leader.memory_rows() if hasattr(self.leader, "memory_rows") else 0
