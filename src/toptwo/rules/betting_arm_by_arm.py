"""Betting where arms have to be followed one by one: unknown variances (docs/families/unknown-variance.md, section 5).

Scale-free bets on an arm are fair to those who see that arm alone, so that what is bet on former leaders cannot be put
together with what is bet on the returned arm. Each arm has accounts of its own instead: one from its first pull on, and
one from the moment on at which it first leads clearly. The best of the two counts.
"""

import math
from typing import Any, NamedTuple

from toptwo.memory import numbers, per_arm, statistics
from toptwo.rules.looks import LOOKS, OPENED, SURELY, Least, forecast, hardest, is_due, suffices
from toptwo.rules.parts import Seen
from toptwo.rules.round import Round
from toptwo.state import Row


class Opened(NamedTuple):
    """What the rule keeps: accounts, and when it looks."""

    entry: Row = per_arm()
    """k for the k-th arm that ever led clearly, 0 before."""
    place: Row = per_arm()
    looks: Row = numbers(LOOKS)
    since: Any = statistics()
    """The arms as the pulls since then show them, that one included."""


class BettingArmByArm(NamedTuple):
    """The wealth of an account of î against every other arm reaches e^level, whatever the means."""

    level: float
    opens_from: float = 2.0
    """The account opens with the first pull of î decided at this likelihood ratio or more."""
    start: float = 0.3
    """Share of the capital for accounts from the first pull on; with two arms there are no others."""

    def memory(self) -> Opened:
        """Return room for the accounts."""
        return Opened()

    def requires(self) -> tuple[str, ...]:
        """Return the question that families answer."""
        return ("pair_wealth",)

    def learn(self, seen: Seen) -> None:
        """Take in a reward; whether it opens an account was known before."""
        kept, arm = seen.mine, seen.arm
        if len(seen.state.means) > 2:
            if kept.entry[arm] == 0.0 and arm == seen.best and seen.cost >= self.opens_from:
                kept.looks[OPENED] += 1.0
                kept.entry[arm] = kept.looks[OPENED]
            if kept.entry[arm] > 0.0 and seen.size == 1:  # averages say nothing of the spread
                seen.family.observe(arm, seen.value, kept.since)

    def is_dear(self, now: Round) -> bool:
        """Return whether the wealth is worked out in this round."""
        return is_due(self, now)

    def stops(self, now: Round) -> bool:
        """Return whether the wealth suffices against every arm but î."""
        return suffices(self, now)

    def evidence_now(self, now: Round) -> float:
        """Return the least ln wealth against any arm but î."""
        return hardest(self, now)[0] - 0.5 * SURELY

    def pulls_left(self, now: Round) -> float:
        """Return how many more pulls are to be expected."""
        return forecast(self, now)

    def least_wealth(self, arm: int, wanted: float, now: Round) -> Least:
        """Return bounds of the least of ln wealth against an arm over u, by the better account of î."""
        arms, kept, best = len(now.state.means), now.mine, now.best
        family: Any = now.family  # one that `BetsByPairs`
        capital = 0.0 if arms == 2 else math.log(self.start / (arms - 1.0))
        lower, upper = family.pair_wealth(best, now.state, arm, now.epsilon, wanted - capital, now.state)
        lower, upper = lower + capital, upper + capital
        if kept.entry[best] > 0.0:
            capital = math.log((1.0 - self.start) / (kept.entry[best] * (kept.entry[best] + 1.0)))
            own = family.pair_wealth(best, kept.since, arm, now.epsilon, wanted - capital, now.state)
            lower, upper = max(lower, own[0] + capital), max(upper, own[1] + capital)
        return Least(lower, upper, 0.0)
