"""The small max–min game of Frank–Wolfe sampling, solved exactly without a linear programme.

Maximise over z in the simplex the least over j of s a_j + z_j b_j − f_j, where s = z_best: each gradient ∇f_j has only
the two entries a_j (best arm) and b_j (arm j). For a given s the others share 1 − s so that all arms with z_j > 0 reach
the same value v, which is therefore concave and piecewise linear in s.
"""

from toptwo.state import Row

ITERATIONS = 200
"""Bound on the number of pieces looked at; there are at most as many as arms at play, and 3 are usual."""


def solve(cost: Row, slope_best: Row, slope_own: Row) -> tuple[float, float]:
    """Return s and v of the maximiser; arms with negative cost are not at play.

    Brackets the maximum between a rising and a falling piece and looks where the two would meet, until that point lies
    on both: the maximum, or on a piece of its own, which replaces one of them. Of several maximisers the least s.
    """
    low, high = 0.0, 1.0
    value_low, slope_low = value_at(low, cost, slope_best, slope_own)
    if slope_low <= 0.0:
        return low, value_low
    value_high, slope_high = value_at(high, cost, slope_best, slope_own)
    if slope_high > 0.0:
        return high, value_high
    share, value = low, value_low
    for _ in range(ITERATIONS):
        share = (value_high - value_low + slope_low * low - slope_high * high) / (slope_low - slope_high)
        expected = value_low + slope_low * (share - low)
        value, slope = value_at(share, cost, slope_best, slope_own)
        if value >= expected - 4e-16 * (abs(expected) + slope_low) or not low < share < high:
            break
        if slope > 0.0:
            low, value_low, slope_low = share, value, slope
        else:
            high, value_high, slope_high = share, value, slope
    return share, value


def value_at(share: float, cost: Row, slope_best: Row, slope_own: Row) -> tuple[float, float]:
    """Return v for s = `share`, and its slope in s (to the left of s where there are two).

    v solves Σ_j (v + f_j − s a_j)₊/b_j = 1 − s. Leaving the negative terms out lowers v, so a few passes settle which
    arms take part.
    """
    taking, value, slope = len(cost) + 1, 0.0, 0.0
    while True:
        members, inverse, known, turn = 0, 0.0, 0.0, 0.0
        for j in range(len(cost)):
            if cost[j] >= 0.0 and (taking > len(cost) or value + cost[j] - share * slope_best[j] > 0.0):
                members += 1
                weight = 1.0 / slope_own[j]
                inverse += weight
                known += (cost[j] - share * slope_best[j]) * weight
                turn += slope_best[j] * weight
        if members == 0 or members >= taking:
            return value, slope
        taking = members
        value = (1.0 - share - known) / inverse
        slope = (turn - 1.0) / inverse if abs(turn - 1.0) > 1e-12 else 0.0
