"""A challenger that aims at the betting rule: the arm against which its evidence is least (docs/betting.md)."""

import math
from typing import Any, NamedTuple

from toptwo.rules.betting import Betting
from toptwo.rules.challengers import TransportationCost
from toptwo.rules.looks import Least
from toptwo.rules.parts import Seen
from toptwo.rules.round import Round, transportation_cost
from toptwo.streams import Random


class LeastEvidence(NamedTuple):
    """LE: the arm against which the wealth of the betting rule is least, if the leader is î; else TC's.

    Wealth is asked of the arms whose likelihood ratio is within `reach` of the least one, as a rule one or two: what
    the evidence lacks to the likelihood ratio differs little between arms.
    """

    bets: Any = Betting(0.0)
    """The betting rule of the family."""
    reach: float = 0.5

    def memory(self) -> Any:
        """Return what the betting rule keeps."""
        return self.bets.memory()

    def requires(self) -> tuple[str, ...]:
        """Return what it asks of the family."""
        return self.bets.requires()

    def learn(self, seen: Seen) -> None:
        """Mark pulls as the betting rule does."""
        self.bets.learn(seen)

    def challenge(self, leader: int, now: Round, random: Random) -> int:
        """Return argmin of the least ln wealth; of equal arms the rival, found without any search if it is alone."""
        if leader != now.best:
            return TransportationCost(False).challenge(leader, now, random)
        challenger, least, reach = now.rival, math.inf, now.cost + self.reach
        for arm in range(len(now.state.means)):
            if arm != leader and arm != now.rival and transportation_cost(leader, arm, now) <= reach:
                if least == math.inf:
                    least = self.wealth_against(now.rival, now)
                found = self.wealth_against(arm, now)
                if found < least:
                    challenger, least = arm, found
        return challenger

    def wealth_against(self, arm: int, now: Round) -> float:
        """Return the least ln wealth against an arm."""
        least: Least = self.bets.least_wealth(arm, math.inf, now)
        now.mine.place[arm] = least.place
        return least.upper
