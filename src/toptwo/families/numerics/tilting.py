"""Posteriors that can be tilted: draws given that the leader is overtaken, and integrals, at bounded cost.

A posterior is tilted by t when its density is multiplied by e^{tη(θ)}, η the natural scale of the family, an increasing
function of the mean. The conjugate posteriors of one-parameter families stay in their family when tilted.
"""

import math
from typing import Any

from toptwo.families.base import ConjugateFamily
from toptwo.families.numerics.posterior_integrals import (
    posterior_best,
    posterior_excess_over_arm,
    posterior_excess_over_value,
)
from toptwo.state import State
from toptwo.streams import Random


def log_bound_above(family: ConjugateFamily, arm: int, leader: int, state: State) -> float:
    """Return Chernoff's bound of ln P(θ_arm > θ_leader): ln E e^{t(η(θ_arm) − η(θ_leader))} at the best t."""
    t = family.tilt(arm, leader, state)
    return family.log_tilt(arm, t, state) + family.log_tilt(leader, -t, state) if t > 0.0 else 0.0


def resample(family: ConjugateFamily, leader: int, state: State, random: Random) -> int:
    """Return the argmax of a posterior draw given that it is not the leader, without waiting for that event.

    As for the Gaussian (Karp and Luby), with Chernoff's bounds q_j in place of the probabilities p_j to overtake:
    pick j with probability proportional to q_j, draw both means from their tilted posteriors, keep them with
    probability e^{−t(η(θ_j) − η(θ_B))} if θ_j is above θ_B, and accept with probability one over the number of arms
    above. What is accepted has exactly the law of redrawing. The number of tries grows like the square root of
    −ln p, where redraws need 1/p.
    """
    while True:
        arm = overtaker(family, leader, state, random)
        t = family.tilt(arm, leader, state)
        value = family.tilted_draw(arm, t, state, random)
        level = family.tilted_draw(leader, -t, state, random)
        if value > level and kept(family, t, value, level, random):
            top = highest_of_overtakers(family, leader, arm, level, value, state, random)
            if top >= 0:
                return top


def highest_of_overtakers(
    family: Any, leader: int, arm: int, level: float, value: float, state: State, random: Random
) -> int:
    """Return the arm of highest draw, `arm` having drawn a value above the leader's level; or −1 to try again.

    With m arms above the level the draw counts with probability 1/m: each of them might have been the one that was
    chosen to overtake (Karp and Luby).
    """
    top, overtaking = arm, 1
    for i in range(len(state.means)):
        if i != leader and i != arm:
            draw = family.posterior_draw(i, state, random)
            if draw > level:
                overtaking += 1
                if draw > value:
                    top, value = i, draw
    return top if overtaking == 1 or random.uniform() * overtaking < 1.0 else -1


def kept(family: ConjugateFamily, t: float, value: float, level: float, random: Random) -> bool:
    """Return True with probability e^{−t(η(value) − η(level))}."""
    if t <= 0.0:
        return True
    if level <= family.lowest_mean() or value >= family.highest_mean():
        return False
    return random.uniform() < math.exp(-t * (family.natural(value) - family.natural(level)))


def overtaker(family: ConjugateFamily, leader: int, state: State, random: Random) -> int:
    """Return arm j ≠ leader with probability proportional to the bound of P(θ_j > θ_leader)."""
    largest = -math.inf
    for i in range(len(state.means)):
        if i != leader:
            largest = max(largest, log_bound_above(family, i, leader, state))
    total, chosen = 0.0, leader
    for i in range(len(state.means)):
        if i != leader:
            weight = math.exp(log_bound_above(family, i, leader, state) - largest)
            total += weight
            if chosen == leader or random.uniform() * total < weight:
                chosen = i
    return chosen


class TiltedPosterior:
    """What follows from tilting; to be mixed into a `ConjugateFamily`."""

    def resample(self: ConjugateFamily, leader: int, state: State, random: Random) -> int:
        """Return the argmax of a posterior draw given that it is not the leader."""
        return resample(self, leader, state, random)

    def log_probability_best(self: ConjugateFamily, arm: int, state: State) -> float:
        """Return ln P(θ_arm > θ_i for all i), by quadrature."""
        return posterior_best(self, arm, state)

    def log_probability_best_unless_below(self: ConjugateFamily, arm: int, level: float, state: State) -> float:
        """Return the same, or −∞ if Chernoff's bound for some other arm is below the level."""
        for i in range(len(state.means)):
            if i != arm and log_bound_above(self, arm, i, state) < level:
                return -math.inf
        return self.log_probability_best(arm, state)

    def improvement_over_value(self: ConjugateFamily, arm: int, value: float, state: State) -> float:
        """Return ln E(θ_arm − value)₊, by quadrature; −∞ if no mean is above the value."""
        return posterior_excess_over_value(self, arm, value, state)

    def improvement_over_arm(self: ConjugateFamily, arm: int, other: int, state: State) -> float:
        """Return ln E(θ_arm − θ_other)₊, by quadrature."""
        return posterior_excess_over_arm(self, arm, other, state)

    def improvement_over_value_surely_below(self, arm: int, value: float, floor: float, state: State) -> bool:
        """Return False: there is no bound that costs less."""
        return False

    def improvement_over_arm_surely_below(self, arm: int, other: int, floor: float, state: State) -> bool:
        """Return False: there is no bound that costs less."""
        return False
