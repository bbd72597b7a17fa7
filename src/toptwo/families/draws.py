"""Gamma variables, and the challenger of Thompson sampling for posteriors without a conditional law in closed form."""

import math
from typing import Any

from toptwo.state import State
from toptwo.streams import MASK, Random, mix, normal, unit

STRIDE = 0xD1B54A32D192ED03
"""Sets the hashes drawn here apart from those that `normal` draws of the same word."""

REDRAWS = 32
"""Posterior draws before the challenger is taken from the large-deviation law instead."""


def gamma(shape: float, bits: int) -> float:
    """Return a Gamma(shape, 1) variable made of 64 random bits and of their hashes (Marsaglia and Tsang, 2000).

    Examples
    --------
    >>> round(float(gamma(2.5, mix(1))), 6)
    2.435268
    """
    factor = 1.0
    if shape < 1.0:  # a variable of shape + 1, times a power of a uniform one
        factor = math.exp(math.log(unit(bits)) / shape)
        shape += 1.0
        bits = mix((bits + STRIDE) & MASK)
    middle = shape - 1.0 / 3.0
    spread = 1.0 / math.sqrt(9.0 * middle)
    while True:
        x = normal(bits)
        cube = 1.0 + spread * x
        bits = mix((bits + STRIDE) & MASK)
        if cube > 0.0:
            cube = cube * cube * cube
            if math.log(unit(bits)) < 0.5 * x * x + middle * (1.0 - cube + math.log(cube)):
                return factor * middle * cube
        bits = mix((bits + STRIDE) & MASK)


def redrawn_challenger(family: Any, leader: int, state: State, random: Random) -> int:
    """Return the argmax of a posterior draw given that it is not the leader, or after many draws a stand-in.

    When none of the draws moved the leader off the top, some arm j has to overtake it against the odds, and does so
    with a probability of exp(−cost) to first order, the cost being that of bringing the two level: j is drawn with
    these weights.
    """
    for _ in range(REDRAWS):
        arm, top = leader, -math.inf
        for i in range(len(state.means)):
            draw = family.posterior_draw(i, state, random)
            if draw > top:
                arm, top = i, draw
        if arm != leader:
            return arm
    least = math.inf
    for i in range(len(state.means)):
        if i != leader:
            least = min(least, _overtaking_cost(family, leader, i, state))
    total, chosen = 0.0, leader
    for i in range(len(state.means)):
        if i != leader:
            weight = math.exp(least - _overtaking_cost(family, leader, i, state))
            total += weight
            if chosen == leader or random.uniform() * total < weight:
                chosen = i
    return chosen


def _overtaking_cost(family: Any, leader: int, arm: int, state: State) -> float:
    """Return the cost of moving an arm level with the leader: nothing if it is there."""
    if state.means[arm] >= state.means[leader]:
        return 0.0
    return float(family.separation(leader, arm, 0.0, state))
