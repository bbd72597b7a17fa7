"""One-sided bets on two Gaussian arms of unknown variance, and their least over a common mean.

Distances are in units of the gap between the two arms, as in student.py: the common mean lies x below the mean of the
returned arm and y = 1 − x above that of the candidate; either may be negative. A bet on an arm rises with its distance,
so that over a piece of the line the wealth is at least that of each arm's smaller distance. Pieces that cover the line
prove a bound of the least (docs/families/unknown-variance.md, section 5).
"""

import math
from typing import NamedTuple

from toptwo.families.numerics.student import nearest_mean
from toptwo.special import log_normal_tail, with_exponential

LEADER_EFFECTS = (1.0 / 0.3, 1.0 / 30.0, 1.0 / 300.0)
CANDIDATE_EFFECTS = (1.0 / 0.3, 1.0 / 10.0, 1.0 / 200.0)
"""Mean squares τ² of the half-normal effects of the two arms, pair by pair."""

LOG_WEIGHTS = tuple(math.log(weight) for weight in (0.2, 0.55, 0.25))
"""Logarithms of the weights of the pairs, which sum to 1."""

LN_2 = math.log(2.0)

NARROW = 1e-24
"""Least variance in units of the squared gap: a smaller one counts as this much, so that places can be told apart."""

SLACK = 0.02
"""What is given away to need few pieces: about 0.3 % of the pulls."""

CLOSE = 0.1 * SLACK
"""How close to the least the search has to come."""

FAR = 1e150
"""As good as infinitely far."""

ENTROPY = -sum(math.exp(weight) * weight for weight in LOG_WEIGHTS)
"""H = −Σ w ln w: what the grid costs where arms are followed one by one."""

TURNS = 200
"""Bound on the steps of the search; 5 to 15 are usual."""

PIECES = 600
"""Bound on the pieces of a side; some 50 are usual."""


class Arm(NamedTuple):
    """What is known of an arm: the number of rewards, and V in units of the squared gap."""

    pulls: float
    spread: float


def one_sided(arm: Arm, effect: float, distance: float) -> float:
    """Return less than ln of the t-mixture over half-normal effects of mean square τ² = `effect`, at a signed distance.

    With c = kτ² and Λ = ln(1 + c d²/((1 + c)V + d²)): ½(kΛ − ln(1 + c)) + ln 2Φ(√((k − ½)Λ)), or ln 2Φ(−√(kΛ)) behind
    the arm, by bounds of the Student distribution function.
    """
    strength = arm.pulls * effect
    square = distance * distance
    ratio = math.log1p(strength * square / ((1.0 + strength) * arm.spread + square))
    tail = -math.sqrt((arm.pulls - 0.5) * ratio) if distance >= 0.0 else math.sqrt(arm.pulls * ratio)
    return 0.5 * (arm.pulls * ratio - math.log1p(strength)) + LN_2 + log_normal_tail(tail)


def log_wealth_of_pair(leader: Arm, x: float, candidate: Arm, y: float) -> float:
    """Return ln of the weighted sum of the products of bets on two arms at these distances."""
    largest, total = -math.inf, 0.0
    for g in range(len(LOG_WEIGHTS)):
        value = LOG_WEIGHTS[g] + one_sided(leader, LEADER_EFFECTS[g], x)
        value += one_sided(candidate, CANDIDATE_EFFECTS[g], y)
        largest, total = with_exponential(value, largest, total)
    return largest + math.log(total)


def first_place(leader: Arm, candidate: Arm) -> float:
    """Return where the wealth is lowest of three places: at either mean, and where likelihood ratios are least."""
    x, y = nearest_mean(leader.pulls, leader.spread, candidate.pulls, candidate.spread)
    value = log_wealth_of_pair(leader, x, candidate, y)
    for end in range(2):
        other = log_wealth_of_pair(leader, float(end), candidate, 1.0 - end)
        if other < value:
            x, value = float(end), other
    return x


def lowest_place(x: float, leader: Arm, candidate: Arm) -> float:
    """Return an x at which the wealth is least, as far as steps to either side show."""
    value = log_wealth_of_pair(leader, x, candidate, 1.0 - x)
    step = 0.3 * min(math.sqrt(leader.spread / leader.pulls), math.sqrt(candidate.spread / candidate.pulls), 0.3)
    for _ in range(TURNS):
        left = log_wealth_of_pair(leader, x - step, candidate, 1.0 - x + step)
        right = log_wealth_of_pair(leader, x + step, candidate, 1.0 - x - step)
        if min(left, right) < value:
            x, value = (x - step, left) if left < right else (x + step, right)
            step *= 1.7
        elif max(left, right) <= value + CLOSE:
            break
        else:
            step *= 0.4
    return x


def surely_above(wanted: float, x: float, leader: Arm, candidate: Arm) -> bool:
    """Return whether pieces prove that the wealth is at least this much everywhere, starting from a place."""
    return side_above(wanted, x, 1.0, leader, candidate) and side_above(wanted, x, -1.0, leader, candidate)


def side_above(wanted: float, x: float, direction: float, leader: Arm, candidate: Arm) -> bool:
    """Return whether pieces prove it on one side of x: towards the candidate and beyond (`direction` = +1), or −1."""
    step = 0.01
    for _ in range(PIECES):
        end = x + direction * step
        if log_wealth_of_pair(leader, min(x, end), candidate, 1.0 - max(x, end)) >= wanted:
            x, step = end, 2.0 * step
            if x > 1.0 and log_wealth_of_pair(leader, x, candidate, -FAR) >= wanted:
                return True
            if x < 0.0 and log_wealth_of_pair(leader, -FAR, candidate, 1.0 - x) >= wanted:
                return True
        else:
            step *= 0.5
            if x + direction * step == x:
                return False
    return False


def least_one_sided(leader: Arm, candidate: Arm, wanted: float) -> tuple[float, float]:
    """Return a certain lower bound of the least of ln wealth, and an upper one.

    The lower bound is −∞ if it cannot be as much as is wanted, or if pieces do not prove it.
    """
    x = first_place(leader, candidate)
    upper = log_wealth_of_pair(leader, x, candidate, 1.0 - x)
    if upper - SLACK < wanted < math.inf:
        return -math.inf, upper
    x = lowest_place(x, leader, candidate)
    upper = log_wealth_of_pair(leader, x, candidate, 1.0 - x)
    if upper - SLACK < wanted < math.inf or not surely_above(upper - SLACK, x, leader, candidate):
        return -math.inf, upper
    return upper - SLACK, upper
