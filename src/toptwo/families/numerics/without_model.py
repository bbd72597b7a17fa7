"""What families without a one-parameter model share: questions they refuse, and Thompson sampling's challenger."""

import math
from typing import Any

from toptwo.state import State
from toptwo.streams import Random

REDRAWS = 32
"""Posterior draws before the challenger is taken from the large-deviation law instead."""


def refusals(posterior: str) -> dict[str, str]:
    """Return the questions that have no answer without a model of one parameter, with the reasons."""
    more = "it takes more than the means to tell how much each arm should be pulled"
    closed = f"no closed form is known for {posterior} posteriors"
    bounds = (
        "intervals of the literature for one arm are not proven here (with threshold='mixture' LUCB can do without)"
    )
    return {
        "improvement_over_value": closed,
        "improvement_over_arm": closed,
        "log_probability_above": closed,
        "log_probability_best": closed,
        "divergence": more,
        "allocate": more,
        "lower_bound": bounds,
    }


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
