"""K_inf of rewards in [0, 1], without a model: how fast a bettor against a mean grows rich (Honda and Takemura, 2010).

An arm whose law is F is bet against the claim that its mean is at least u (`side` = +1) or at most u (−1). With a share
0 ≤ b ≤ 1 at stake, a unit of capital becomes 1 − b + b·far/room: `far` is the distance of the reward from the end of
[0, 1] on the claim's side and `room` that of u, so that it becomes 1 on average if the mean is u. In other words 1 + λz
with λ = b/room and z = u − X, or X − u. K_inf(F, u) is the maximum over b of the mean logarithm: the least divergence
from F to a law on [0, 1] of which the claim holds. The laws are lists of atoms (families/numerics/weighted_values.py).
"""

import math
from typing import NamedTuple

from toptwo.families.numerics.weighted_values import mean_of, variance_of_atoms
from toptwo.special import log_excess_of
from toptwo.state import State

STEPS = 100
"""Bound on the steps of an iteration; 3 to 6 are usual."""

PATIENCE = 12
"""Steps after which every second one halves the bracket: Newton's may jump to and fro over a kink for ever."""

SETTLED = 1e-22
"""A stake is settled when a better one gains less than this per reward."""

DONE = 1e-13
"""The same for the meeting point of a pair of arms, over all their rewards."""

DEEPEST = 350.0
"""e^{−350} is about the smallest share of which a double can hold the square."""

CLOSE = 1e-5
"""K_inf below this is worked out with more care."""

NEAR = 1e-2
"""Share of the way between two means that is near one of them."""

OUTWARDS = 1.0 - 2.0**-50
"""Factor that makes up for the rounding errors of a weighted mean."""

NARROW = 1e-15
"""Between means this close there is hardly a double, and every point is near both."""


def room_for(u: float, side: float) -> float:
    """Return the distance of u from the end on the claim's side."""
    return 1.0 - u if side > 0.0 else u


def slopes(arm: int, u: float, side: float, stake: float, state: State) -> tuple[float, float]:
    """Return the first derivative of E ln(1 + λz) in λ, and minus the second, at this stake."""
    atoms = state.kept
    room = room_for(u, side)
    rate, slope, bend = stake / room, 0.0, 0.0
    for atom in range(int(atoms.number[arm])):
        mass = atoms.masses[atom][arm]
        if mass > 0.0:
            far = room_for(atoms.values[atom][arm], side)
            gain = (far - room) / (1.0 - stake + rate * far)
            slope += mass * gain
            bend += mass * gain * gain
    return slope / atoms.total[arm], bend / atoms.total[arm]


def growth(arm: int, u: float, side: float, stake: float, state: State) -> float:
    """Return E ln(1 + λz), without losing digits of small gains or of almost lost capital."""
    atoms = state.kept
    room = room_for(u, side)
    total = 0.0
    for atom in range(int(atoms.number[arm])):
        mass = atoms.masses[atom][arm]
        if mass > 0.0:
            far = room_for(atoms.values[atom][arm], side)
            change = stake * (far - room) / room
            total += mass * (math.log1p(change) if change > -0.5 else math.log(1.0 - stake + stake * far / room))
    return total / atoms.total[arm]


def best_stake(arm: int, u: float, side: float, start: float, state: State) -> tuple[float, float]:
    """Return the stake b that maximises E ln(1 + λz), looked for from a start, and the size of dλ/du.

    The derivative falls in b. It may have a pole at 1, if rewards lie at that end, and has others below zero. Times
    (1 − b)(1 + b(1 − room)/room) it is linear for rewards at the two ends and smooth for all: that product is what
    Newton's iteration is for, within bounds that keep it safe.
    """
    room = room_for(u, side)
    low, high, untried = 0.0, 1.0, far_mass(arm, side, state) == 0.0
    stake, bend = start if start < 1.0 else 0.5, 0.0
    for _ in range(STEPS):
        slope, bend = slopes(arm, u, side, stake, state)
        if slope > 0.0:
            low = stake
        else:
            high = stake
        if slope * slope <= SETTLED * bend or high <= low:
            break
        poles = (1.0 - stake) * (room + stake * (1.0 - room))
        bottom = bend * poles - slope * room * (1.0 - 2.0 * room - 2.0 * stake * (1.0 - room))
        move = stake + slope * room * poles / bottom if bottom > 0.0 else 1.0
        if untried and slope > 0.0 and move > 0.9:
            untried = False
            move = 1.0  # all of the capital may be worth staking, where no reward can take it
        elif not low < move < high:
            move = 0.5 * (low + high)
            if move <= low or move >= high:
                break
        stake = move
    steady = stake * stake / (room * room)
    if stake == 1.0:
        return stake, steady
    return stake, steady + 1.0 / bend if bend > 0.0 else math.inf


def cost_of_mean(arm: int, u: float, state: State) -> float:
    """Return K_inf(F, u) of the arm, whichever side of its mean u lies on; infinite where no law has that mean."""
    mean = mean_of(arm, state)
    if u == mean:
        return 0.0
    side = 1.0 if u > mean else -1.0
    if room_for(u, side) <= 0.0:
        return math.inf
    stake, _ = best_stake(arm, u, side, 0.0, state)
    return max(0.0, growth(arm, u, side, stake, state))


class Meeting(NamedTuple):
    """Where the search for a meeting point of two arms ended: u, the best stakes there, and whether it converged."""

    u: float
    down: float
    up: float
    settled: bool


def pair_costs(upper: int, lower: int, shift: float, state: State) -> tuple[float, float]:
    """Return N K_inf(F, u) of the upper arm and N K_inf(F, u + shift) of the lower one, u such that the sum is least.

    For mean_upper + shift > mean_lower. Laws without spread cost much as soon as they move, by less than a double can
    tell near the ends of [0, 1]: their means are looked at too.
    """
    mean_upper, mean_lower = mean_of(upper, state), mean_of(lower, state)
    low, high = max(0.0, mean_lower - shift), min(mean_upper, 1.0 - shift)
    many, few = state.counts[upper], state.counts[lower]
    if shift > 1.0:  # no two means are that far apart
        return math.inf, 0.0
    if mean_upper <= 0.0:
        return 0.0, few * cost_of_mean(lower, min(max(shift, 0.0), 1.0), state)
    if mean_lower >= 1.0:
        return many * cost_of_mean(upper, min(max(1.0 - shift, 0.0), 1.0), state), 0.0
    if not low < high:  # level but for rounding
        return 0.0, 0.0
    u, down, up, settled = meeting_point(upper, lower, shift, low, high, state)
    cost_upper, cost_lower = growth(upper, u, -1.0, down, state), growth(lower, u + shift, 1.0, up, state)
    costs = many * max(0.0, cost_upper), few * max(0.0, cost_lower)
    doubtful = not settled or high - low <= NARROW
    if doubtful or u - low <= NEAR * (high - low):
        costs = cheaper(costs, costs_at(upper, lower, low, low + shift, mean_lower >= shift, False, state))
    if doubtful or high - u <= NEAR * (high - low):
        costs = cheaper(costs, costs_at(upper, lower, high, high + shift, False, mean_upper <= 1.0 - shift, state))
    return costs


def meeting_point(upper: int, lower: int, shift: float, low: float, high: float, state: State) -> Meeting:
    """Return the u in [low, high] at which the costs of the two arms add up to least.

    The sum is convex in u, its derivative is N λ of the lower arm minus N λ of the upper one, and the derivatives of
    the rates λ are known: Newton's iteration, within bounds.
    """
    many, few = state.counts[upper], state.counts[lower]
    u = (many * mean_of(upper, state) + few * (mean_of(lower, state) - shift)) / (many + few)
    u = u if low < u < high else 0.5 * (low + high)
    down = up = 0.0
    for turn in range(STEPS):
        down, fall = best_stake(upper, u, -1.0, down, state)
        up, rise = best_stake(lower, u + shift, 1.0, up, state)
        slope, bend = few * up / (1.0 - u - shift) - many * down / u, few * rise + many * fall
        if slope > 0.0:
            high = u
        else:
            low = u
        if abs(slope) * (high - low) <= DONE or (slope * slope <= DONE * bend and bend < math.inf):
            return Meeting(u, down, up, True)
        move = u - slope / bend
        if not low < move < high:  # the least may be at an end, where the slope jumps
            move = high - 0.01 * (high - low) if slope < 0.0 else low + 0.01 * (high - low)
        if not low < move < high or (turn >= PATIENCE and turn % 2 == 0):
            move = 0.5 * (low + high)
        if not low < move < high:
            break
        # Where the stakes will be: their rates move with u at known speeds.
        down = max(0.0, (down / u - fall * (move - u)) * move)
        up = max(0.0, (up / (1.0 - u - shift) + rise * (move - u)) * (1.0 - move - shift))
        u = move
    return Meeting(u, down, up, False)


def cheaper(one: tuple[float, float], other: tuple[float, float]) -> tuple[float, float]:
    """Return the pair of costs with the smaller sum."""
    return one if one[0] + one[1] <= other[0] + other[1] else other


def costs_at(
    upper: int, lower: int, u: float, v: float, lower_stays: bool, upper_stays: bool, state: State
) -> tuple[float, float]:
    """Return what two arms cost at u and v, nothing for one that stays at its mean, rounded or not."""
    cost_upper = 0.0 if upper_stays else state.counts[upper] * cost_of_mean(upper, u, state)
    return cost_upper, 0.0 if lower_stays else state.counts[lower] * cost_of_mean(lower, v, state)


def bound_of_mean(arm: int, side: float, cost: float, state: State) -> float:
    """Return the u farthest from the arm's mean, above it (`side` = +1) or below (−1), with K_inf(F, u) ≤ cost.

    Along the best stakes, room and K_inf are explicit in q = room(1 − b)/(room(1 − b) + b). √K_inf is nearly linear in
    −ln q for small costs and nearly its square root for large ones: Newton's iteration for that, within bounds. Beyond
    q = 0, where all of the capital is at stake, K_inf = E ln(far/room).
    """
    mean, target = mean_of(arm, state), math.sqrt(2.0 * cost)
    if room_for(mean, side) <= 0.0 or cost <= 0.0:
        return mean
    spread = variance_of_atoms(arm, state)
    low, high, untried = 0.0, DEEPEST, far_mass(arm, side, state) == 0.0
    depth = min(target / math.sqrt(spread), 1.0)
    room = 0.0
    for _ in range(STEPS):
        if untried and depth >= 1.0:
            untried = False
            value, _, middle = along_best(arm, side, 0.0, state)
            if value <= cost:
                room = middle * math.exp(value - cost)
                break
        value, speed, room = along_best(arm, side, math.exp(-depth), state)
        height = math.sqrt(2.0 * max(0.0, value))
        if height > target:
            high = depth
        else:
            low = depth
        move = depth - (height - target) * height / speed if height > 0.0 and speed > 0.0 else 2.0 * depth
        if abs(move - depth) <= 1e-12 * depth or high - low <= 1e-15 * high:
            break
        depth = move if low < move < high else 0.5 * (low + high)
    room *= OUTWARDS
    return 1.0 - room if side > 0.0 else room


def along_best(arm: int, side: float, kept: float, state: State) -> tuple[float, float, float]:
    """Return K_inf, its derivative in −ln q, and the room of which q = `kept` is the best stake.

    With y = q + (1 − q) far: K_inf = ln E[1/y] + E ln y, and the room is (1/E[1/y] − q)/(1 − q).
    """
    atoms = state.kept
    inverse, square, logs = 0.0, 0.0, 0.0
    for atom in range(int(atoms.number[arm])):
        mass = atoms.masses[atom][arm]
        if mass > 0.0:
            y = kept + (1.0 - kept) * room_for(atoms.values[atom][arm], side)
            inverse += mass / y
            square += mass / (y * y)
            logs += mass * math.log(y)
    total = atoms.total[arm]
    inverse, square = inverse / total, square / total
    if math.log(inverse) + logs / total < CLOSE:
        return along_best_closely(arm, side, kept, state)
    speed = kept / (1.0 - kept) * (square / inverse - inverse)
    return math.log(inverse) + logs / total, speed, (1.0 / inverse - kept) / (1.0 - kept)


def along_best_closely(arm: int, side: float, kept: float, state: State) -> tuple[float, float, float]:
    """Return the same, with all digits where K_inf is small.

    With h = 1/y − 1 and H = E h: K_inf = E f((h − H)/(1 + H)), f(x) = x − ln(1 + x), and the room is E[far/y]/E[1/y].
    """
    atoms, total = state.kept, state.kept.total[arm]
    number = int(atoms.number[arm])
    staked, mean, room, spread, value = 1.0 - kept, 0.0, 0.0, 0.0, 0.0
    for atom in range(number):
        mass, far = atoms.masses[atom][arm], room_for(atoms.values[atom][arm], side)
        if mass > 0.0:
            mean += mass * (staked * (1.0 - far) / (kept + staked * far)) / total
            room += mass * (far / (kept + staked * far)) / total
    for atom in range(number):
        mass, far = atoms.masses[atom][arm], room_for(atoms.values[atom][arm], side)
        if mass > 0.0:
            y = kept + staked * far
            change = staked * (1.0 - far) / y - mean
            spread += mass * change * change / total
            value += mass * log_excess_of(change / (1.0 + mean), 1.0 / (y * (1.0 + mean))) / total
    return value, kept / staked * spread / (1.0 + mean), room / (1.0 + mean)


def far_mass(arm: int, side: float, state: State) -> float:
    """Return the mass at the end of [0, 1] on the claim's side."""
    return state.kept.masses[int(state.kept.number[arm]) - 1 if side > 0.0 else 0][arm]
