"""Any regret minimiser as a leader (paper, section 3.3), and two minimisers to start from.

The wrapper keeps statistics of its own, fed only with the rewards of rounds in which the minimiser's choice was pulled
as leader (and with the first pull of each arm). Seen from inside, the minimiser plays an ordinary bandit.
"""

import math
from typing import Any, NamedTuple

from toptwo.memory import memory_of, statistics
from toptwo.rules.leaders import Leader
from toptwo.rules.parts import Seen, learn
from toptwo.rules.round import Round, highest
from toptwo.state import State
from toptwo.streams import Random


class Private(NamedTuple):
    """What a regret minimiser knows: statistics of the rewards it was given, and what it keeps itself."""

    state: State
    minimiser: Any


class RegretMinimiser(NamedTuple):
    """A leader that consults a regret minimiser on its private statistics."""

    minimiser: Leader

    def memory(self) -> Private:
        """Return room for the private statistics."""
        return Private(statistics(), memory_of(self.minimiser))

    def lead(self, now: Round, random: Random) -> int:
        """Return the minimiser's choice after as many rounds as it has seen rewards."""
        own = now.mine.state
        pulls, best = 0.0, 0
        for i in range(len(own.means)):
            pulls += own.counts[i]
            if own.means[i] > own.means[best]:
                best = i
        inside = Round(
            int(pulls) + 1, best, now.rival, now.cost, now.ties, now.epsilon, own, now.family, now.mine.minimiser
        )
        return self.minimiser.lead(inside, random)

    def learn(self, seen: Seen) -> None:
        """Take in a reward of the leader; in the first rounds (leader −1) of every arm."""
        if seen.leader < 0 or seen.leader == seen.arm:
            seen.family.observe(seen.arm, seen.value, seen.mine.state)
            learn(self.minimiser, seen.by(seen.mine.minimiser))


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
