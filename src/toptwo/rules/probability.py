"""The arm most probably best under the posterior (Russo, 2016, TTPS), with as few integrals as possible.

P(θ_i = max θ) is an integral, but P(θ_i > θ_j) is a closed form that bounds it from above. Most arms are out of the
question by that bound alone.
"""

import math

from toptwo.rules.round import Round
from toptwo.streams import Random


def certainly_most_probable(arm: int, now: Round) -> bool:
    """Return whether union bounds show that no other arm is more probably best than this one.

    With p_j = P(θ_j > θ_arm): the arm is best with probability at least 1 − Σ p_j, and j with at most p_j.
    """
    total, largest = 0.0, 0.0
    for i in range(len(now.state.means)):
        if i != arm:
            chance = math.exp(now.family.log_probability_above(i, arm, now.state))
            total += chance
            largest = max(largest, chance)
    return 1.0 - total > largest


def most_probable(start: int, other: int, random_ties: bool, now: Round, random: Random) -> int:
    """Return the arm other than `other` that is most probably best, trying the promising arm `start` first."""
    arm, ties = start, 1
    top = now.family.log_probability_best(start, now.state)
    for i in range(len(now.state.means)):
        if i != other and i != start and not _beaten(i, top, now):
            value = now.family.log_probability_best_unless_below(i, top, now.state)
            if value > top:
                arm, top, ties = i, value, 1
            elif value == top and random_ties:
                ties += 1
                if random.uniform() * ties < 1.0:
                    arm = i
    return arm


def _beaten(arm: int, level: float, now: Round) -> bool:
    """Return whether the chance of beating some one arm is already below e^level."""
    for i in range(len(now.state.means)):
        ahead = now.state.means[i] > now.state.means[arm]
        if ahead and now.family.log_probability_above(arm, i, now.state) < level:
            return True
    return False
