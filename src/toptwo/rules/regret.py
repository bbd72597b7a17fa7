"""Any regret minimiser as a leader (paper, section 3.3), and two minimisers to start from.

The wrapper keeps statistics of its own, fed only with the rewards of rounds in which the minimiser's choice was pulled
as leader (and with the first pull of each arm). Seen from inside, the minimiser plays an ordinary bandit.
"""

import math
from typing import NamedTuple

from toptwo.families.base import Family
from toptwo.rules.leaders import Leader
from toptwo.rules.round import Round, highest
from toptwo.state import State
from toptwo.streams import Random


class RegretMinimiser(NamedTuple):
    """A leader that consults a regret minimiser on its private statistics."""

    minimiser: Leader

    def memory_rows(self, arms: int) -> int:
        """Return 4: means, counts and their inverses; the family's store comes behind them (algorithms/base.py)."""
        return 4

    def lead(self, now: Round, random: Random) -> int:
        """Return the minimiser's choice after as many rounds as it has seen rewards."""
        own = private(now.state)
        pulls, best = 0.0, 0
        for i in range(len(own.means)):
            pulls += own.counts[i]
            if own.means[i] > own.means[best]:
                best = i
        inside = Round(int(pulls) + 1, best, now.rival, now.cost, now.ties, now.epsilon, own, now.family)
        return self.minimiser.lead(inside, random)

    def learn(self, leader: int, arm: int, reward: float, size: int, state: State, family: Family) -> None:
        """Take in a reward of the leader; in the first rounds (leader −1) of every arm."""
        if leader < 0 or leader == arm:
            family.observe(arm, reward, private(state))


def private(state: State) -> State:
    """Return the state as the minimiser sees it: the first four memory rows, and the store in those behind them."""
    return State(
        state.memory[0],
        state.memory[1],
        state.memory[2],
        state.memory[3],
        state.led,
        state.owed,
        state.own,
        state.memory,
        state.memory[4:],
    )


class MinimaxOptimal(NamedTuple):
    """Anytime MOSS: index μ̂ + √(2(1+α) ln₊(n/(K N)) / N) (Audibert and Bubeck, 2009; Degenne and Perchet, 2016).

    Degenne and Perchet give (1+α)/2 for rewards in [0, 1], whose variance proxy is a quarter of the unit used here.
    """

    alpha: float = 1.35
    random_ties: bool = True

    def requires(self) -> tuple[str, ...]:
        """Return what it asks of the family."""
        return ("upper_bound",)

    def lead(self, now: Round, random: Random) -> int:
        """Return the arm of highest index."""
        return highest(self, -1, now.number / len(now.state.means), now, random)

    def score(self, arm: int, other: int, level: float, now: Round) -> float:
        """Return the arm's upper confidence bound at its own width."""
        width = math.sqrt(2.0 * (1.0 + self.alpha) * max(0.0, math.log(level * now.state.inverse[arm])))
        return now.family.upper_bound(arm, width, now.state)


class MinimumEmpiricalDivergence(NamedTuple):
    """IMED: argmin N_i d(μ̂_i, max μ̂) + ln N_i (Honda and Takemura, 2015)."""

    random_ties: bool = True

    def requires(self) -> tuple[str, ...]:
        """Return what it asks of the family."""
        return ("deviation",)

    def lead(self, now: Round, random: Random) -> int:
        """Return the arm of least index."""
        return highest(self, -1, now.state.means[now.best], now, random)

    def score(self, arm: int, other: int, level: float, now: Round) -> float:
        """Return minus the divergence index."""
        return -now.family.deviation(arm, level, now.state) - math.log(now.state.counts[arm])
