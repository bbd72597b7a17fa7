"""Betting on the leader without a model: values in an interval, of any law (docs/families/bounded.md, section 4).

The rule is that of rules/betting.py; bets without a model need all values of the marked pulls, not only their sum.
"""

from typing import Any, NamedTuple

from toptwo.families.numerics.value_wealth import ROOM_FOR_VALUES
from toptwo.memory import numbers, per_arm, statistics
from toptwo.rules.betting import Betting, least_wealth, mark
from toptwo.rules.looks import LOOKS, Least
from toptwo.rules.parts import Seen
from toptwo.rules.round import Round
from toptwo.state import Row, State


class MarkedValues(NamedTuple):
    """What `Marked` keeps (rules/betting.py), and the values themselves."""

    marked: Row = per_arm()
    marked_gain: Row = per_arm()
    anchor: Row = per_arm()
    entry: Row = per_arm()
    held: Row = per_arm()
    held_gain: Row = per_arm()
    place: Row = per_arm()
    looks: Row = numbers(LOOKS)
    scratch: Row = numbers(ROOM_FOR_VALUES)
    seen: Any = statistics()
    """The arms as the marked pulls show them."""
    since: Any = statistics()
    """The arms as the pulls since the first marked one show them."""


class BettingOnValues(Betting):
    """Betting on the leader with bets that hold for any law on an interval."""

    __slots__ = ()

    def memory(self) -> Any:
        """Return room for the marked values."""
        return MarkedValues()

    def requires(self) -> tuple[str, ...]:
        """Return the questions that families answer."""
        return ("log_wealth", "prepare_bets")

    def learn(self, seen: Seen) -> None:
        """Take in a reward; whether it is marked was known before."""
        if mark(self, seen):
            take_in(seen, seen.mine.seen)
        if seen.mine.entry[seen.arm] > 0.0:
            take_in(seen, seen.mine.since)

    def least_wealth(self, arm: int, wanted: float, now: Round) -> Least:
        """Return bounds of the least of ln wealth against an arm."""
        kept = now.mine
        family: Any = now.family  # one that `BetsOnValues`
        family.prepare_bets(arm, now.best, kept.seen, kept.since, now.state, kept.scratch)
        return least_wealth(arm, wanted, now)


def take_in(seen: Seen, state: State) -> None:
    """Show a reward, or the average of several, to an own view of the arms."""
    family: Any = seen.family
    if seen.size == 1:
        family.observe(seen.arm, seen.value, state)
    else:
        family.observe_average(seen.arm, seen.value, seen.size, state)
