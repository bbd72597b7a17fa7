"""The wealth of bets on values in [0, 1], whatever their law (docs/families/bounded.md, section 4).

A bet of tilt θ on a claim that the mean is u turns a unit into (1 − y + y e^θ)/(1 − u + u e^θ) at a value y: 1 on
average if the mean is u. Its logarithm is a number that depends on the values alone less one that depends on u alone,
so that the first is worked out once for each tilt and the search for the least wealth costs what it does for coins.
"""

import math

from toptwo.families.numerics.wealth import (
    LARGEST_TILT,
    LOG_ALL,
    WINDOW,
    Wager,
    first_number,
    mixed,
)
from toptwo.state import Row, State

OTHERS, OWN, ACCOUNT, CANDIDATE, FIRST = 6 * WINDOW, 7 * WINDOW, 8 * WINDOW, 9 * WINDOW, 10 * WINDOW
"""Where the scratch holds what the values of each side give, tilt by tilt, and the number of the first tilt."""

ROOM_FOR_VALUES = FIRST + 1
"""Numbers of scratch wanted."""


def tilted_gain(arm: int, rise: float, state: State) -> float:
    """Return Σ ln(1 + (e^θ − 1) y) over the values y of an arm, e^θ − 1 being the rise."""
    atoms, total = state.kept, 0.0
    for atom in range(int(atoms.number[arm])):
        mass = atoms.masses[atom][arm]
        if mass > 0.0:
            total += mass * math.log1p(rise * atoms.values[atom][arm])
    return total


def prepare_window(farthest: float, room: Row) -> None:
    """Choose the tilts to look at, from about twice this one downwards, and forget the gains of others."""
    room[FIRST] = first_number(farthest)
    for k in range(OTHERS, FIRST):
        room[k] = 0.0


def add_gains(start: int, side: float, arm: int, state: State, room: Row) -> None:
    """Add to one side's numbers what an arm's values give at each tilt of the window."""
    tilt = side * LARGEST_TILT * math.pow(0.5, room[FIRST])
    for k in range(WINDOW):
        room[start + k] += tilted_gain(arm, math.expm1(tilt), state)
        tilt *= 0.5


def value_wealth(u: float, margin: float, wager: Wager, room: Row) -> tuple[float, float]:
    """Return ln wealth at u and its derivative, from gains prepared in `room`; u and the margin are in units of [0, 1].

    ln(1 − u + u e^θ) is concave in u: ln wealth is convex.
    """
    first = int(room[FIRST])
    tilt = LARGEST_TILT * math.pow(0.5, first)
    top, top_candidate = -math.inf, -math.inf
    for k in range(WINDOW):
        rise, fall = math.expm1(tilt), math.expm1(-tilt)
        price, own_price, candidate_price = 1.0 + rise * u, 1.0 + rise * (u - margin), 1.0 + fall * u
        own_log, own_slope = math.log(own_price), rise / own_price
        room[k] = wager.log_product + room[OTHERS + k] + room[OWN + k] - wager.own * own_log
        room[k] -= wager.others * math.log(price)
        room[WINDOW + k] = -wager.others * rise / price - wager.own * own_slope
        room[2 * WINDOW + k] = wager.log_account + room[ACCOUNT + k] - wager.account * own_log
        room[3 * WINDOW + k] = -wager.account * own_slope
        room[4 * WINDOW + k] = room[CANDIDATE + k] - wager.pulls * math.log(candidate_price)
        room[5 * WINDOW + k] = -wager.pulls * fall / candidate_price
        top = max(top, room[k], room[2 * WINDOW + k])
        top_candidate = max(top_candidate, room[4 * WINDOW + k])
        tilt *= 0.5
    total, slope = mixed(first, top, top_candidate, room)
    return top + top_candidate + math.log(total) - LOG_ALL, slope / total
