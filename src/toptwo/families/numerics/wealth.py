"""The wealth of a gambler who bets that a candidate is not the best arm (docs/betting.md, section 3).

The gambler bets that rewards of leaders are higher than a common mean u, and those of the candidate lower. Bets are
mixed over sizes fixed in advance: half-normal laws for Gaussian rewards, a lattice of tilts for one-parameter families.
"""

import math
from typing import Any, NamedTuple, Protocol

from toptwo.optional import optional
from toptwo.state import Row, State


class Wager(NamedTuple):
    """What the wealth against one candidate rests on: numbers of pulls and their averages."""

    others: float
    """Marked pulls of leaders other than the returned arm (and the candidate)."""
    others_mean: float
    own: float
    """Marked pulls of the returned arm, whose mean is u less the margin."""
    own_mean: float
    account: float
    """Pulls in the account of the returned arm."""
    account_mean: float
    log_product: float
    """ln κ: the share of the capital that is bet on all leaders together."""
    log_account: float
    """ln of the capital of the account; −∞ if there is none."""
    pulls: float
    """All pulls of the candidate."""
    pulls_mean: float
    margin: float

    def negated(self) -> "Wager":
        """Return the same with all means negated."""
        return Wager(
            self.others,
            -self.others_mean,
            self.own,
            -self.own_mean,
            self.account,
            -self.account_mean,
            self.log_product,
            self.log_account,
            self.pulls,
            -self.pulls_mean,
            self.margin,
        )


class Bets(Protocol):
    """What a family answers to be bet on; `levels` then has a "betting".

    `side` is +1, or −1 for those who look for the lowest mean (and see means, the wager's too, as they are measured).
    """

    def bet_range(self, margin: float, side: float) -> tuple[float, float]:
        """Return the ends of the possible u, on the scale on which ln wealth is convex.

        The margin is never negative: evidence of bets is asked for at ε or more, and at smaller margins down to 0 for
        an interval. So u − side · margin is a possible mean wherever u is between the ends.
        """
        ...

    def bet_start(self, low: float, top: float, side: float) -> tuple[float, float]:
        """Return where to look for the least wealth, on that scale, and how far around.

        `low` is the mean of the candidate and `top` that of the leaders.
        """
        ...

    def log_wealth(self, place: float, side: float, wager: Wager, room: Row) -> tuple[float, float]:
        """Return ln wealth at a point of that scale and its derivative; `room` is scratch for ROOM numbers."""
        ...


class BetsOnValues(Bets, Protocol):
    """What a family answers besides if its bets need all values of an arm; it `bets_rest_on` "values"."""

    def observe_average(self, arm: int, average: float, size: int, state: State) -> None:
        """Take in several rewards of which only the average is known, so that no bet gains by it."""
        ...

    def prepare_bets(self, arm: int, best: int, marked: State, held: State, state: State, room: Row) -> None:
        """Work out for a candidate what does not depend on u; `log_wealth` finds it in `room`.

        `marked` and `held` are the arms as marked pulls and those in an account show them.
        """
        ...


class BetsByPairs(Protocol):
    """What a family answers if arms must be followed one by one; it `bets_rest_on` "spreads"."""

    def pair_wealth(
        self, a: int, view: State, b: int, epsilon: float, wanted: float, state: State
    ) -> tuple[float, float]:
        """Return a certain lower bound of the least ln wealth over u against arm b, and an upper one.

        Arm a is as a view shows it, and bet to lie above u − ε (a margin of any sign). The lower bound may be −∞ if
        what is wanted is out of reach.
        """
        ...


@optional
def bet_weight(family: Any, arm: int) -> float:
    """Return what a pull of an arm counts for when pulls of several arms are pooled."""
    return 1.0


@optional
def bets_rest_on(family: Any) -> str:
    """Return what bets on rewards need to know of them: their "sums", all their "values", or their "spreads" too."""
    return "sums"


def betting_level(delta: float, arms: int) -> float:
    """Return ln(1/δ): only the true best arm is protected, so that nothing is shared among the wrong ones.

    Examples
    --------
    >>> round(betting_level(0.1, 10), 3)
    2.303
    """
    return -math.log(delta)


# --- Gaussian rewards -------------------------------------------------------------------------------------------------
LEADER_PRECISIONS = (256.0, 4.0, 16.0, 1000.0, 10_000.0)
CANDIDATE_PRECISIONS = (64.0, 1.0, 1.0, 16.0, 10_000.0)
"""Precisions of half-normal bets, one for each side and independent, pair by pair, in units of 1/σ²."""

LOG_WEIGHTS = tuple(math.log(weight) for weight in (0.47, 0.07, 0.05, 0.04, 0.01))
"""Logarithms of the weights of these pairs."""

LEADER_SHARES = (0.45, 0.3, 0.6, 0.45)
GAP_PRECISIONS = (64.0, 64.0, 8.0, 8.0)
"""Half-normal bets on a gap, of which leaders get a share r and the candidate 1 − r; their precisions, likewise."""

LOG_GAP_WEIGHTS = tuple(math.log(weight) for weight in (0.12, 0.06, 0.1, 0.08))
"""Logarithms of the weights of these; all weights sum to 1."""

ROOT_HALF = math.sqrt(0.5)
ROOT_TWO_OVER_PI = math.sqrt(2.0 / math.pi)
ROOT_HALF_PI = math.sqrt(0.5 * math.pi)


def half_normal(total: float, count: float, precision: float) -> tuple[float, float]:
    """Return ln ∫ exp(θ·total − θ²·count/2) over a half-normal θ > 0 of this precision, and its derivative in `total`.

    Examples
    --------
    >>> half_normal(0.0, 0.0, 8.0)[0]
    0.0
    >>> round(half_normal(30.0, 100.0, 8.0)[0], 6)
    3.556521
    """
    sharpness = count + precision
    root = 1.0 / math.sqrt(sharpness)
    z = total * root
    shrunk = math.sqrt(precision) * root
    if z > -25.0:
        tail = math.erfc(-z * ROOT_HALF)  # 2Φ(z)
        mills = ROOT_TWO_OVER_PI * math.exp(-0.5 * z * z) / tail
        return 0.5 * z * z + math.log(shrunk * tail), (z + mills) * root
    square = z * z  # e^{z²/2} 2Φ(z) is a series in which the large square does not occur
    change = -(1.0 - (3.0 - (15.0 - 105.0 / square) / square) / square) / square
    return math.log(shrunk * (1.0 + change) / (-z * ROOT_HALF_PI)), z * change / (1.0 + change) * root


def gaussian_wealth(u: float, sigma: float, wager: Wager) -> tuple[float, float]:
    """Return ln wealth at u and its derivative, for Gaussian rewards of standard deviation σ."""
    loss = wager.pulls * (u - wager.pulls_mean) / sigma
    gain = wager.others * (wager.others_mean - u) + wager.own * (wager.own_mean + wager.margin - u)
    mixed = Mixed(-math.inf, 0.0, 0.0)
    if wager.log_product > -math.inf:
        mixed = with_bets(wager.log_product, wager.others + wager.own, gain / sigma, wager.pulls, loss, mixed)
    if wager.log_account > -math.inf:
        gain = wager.account * (wager.account_mean + wager.margin - u)
        mixed = with_bets(wager.log_account, wager.account, gain / sigma, wager.pulls, loss, mixed)
    return mixed.largest + math.log(mixed.total), mixed.slope / (mixed.total * sigma)


class Mixed(NamedTuple):
    """A sum of exponentials and its derivative, both in units of the largest of them."""

    largest: float
    total: float
    slope: float

    def plus(self, value: float, slope: float) -> "Mixed":
        """Return the sum with one more, of this logarithm and this derivative of it."""
        if value > self.largest:
            shrink = math.exp(self.largest - value)
            return Mixed(value, self.total * shrink + 1.0, self.slope * shrink + slope)
        share = math.exp(value - self.largest)
        return Mixed(self.largest, self.total + share, self.slope + share * slope)


def with_bets(log_capital: float, count: float, gain: float, pulls: float, loss: float, mixed: Mixed) -> Mixed:
    """Return a sum with what a capital has become, bet on leaders that gained and a candidate that lost."""
    for g in range(len(LOG_WEIGHTS)):
        won, pull = half_normal(gain, count, LEADER_PRECISIONS[g])
        bet, push = half_normal(loss, pulls, CANDIDATE_PRECISIONS[g])
        mixed = mixed.plus(log_capital + LOG_WEIGHTS[g] + won + bet, push * pulls - pull * count)
    for g in range(len(LOG_GAP_WEIGHTS)):
        share = LEADER_SHARES[g]
        rest = 1.0 - share
        sharpness = share * share * count + rest * rest * pulls
        value, pull = half_normal(share * gain + rest * loss, sharpness, GAP_PRECISIONS[g])
        mixed = mixed.plus(log_capital + LOG_GAP_WEIGHTS[g] + value, pull * (rest * pulls - share * count))
    return mixed


# --- one-parameter families -------------------------------------------------------------------------------------------
WINDOW = 12
"""Tilts of a side that are looked at; leaving others out only lowers the wealth."""

ROOM = 6 * WINDOW
"""Numbers of scratch that `lattice_wealth` wants."""

LARGEST_TILT = 4.0
"""Tilts are 4, 2, 1, ½, … without end: a smallest one would never stop on small gaps."""

MIDDLE = 3.5
WIDE = 0.6
"""Weight of the second largest tilt, which answers questions of a dozen pulls."""

COUPLING = (0.5, 1.0, 1.0, 0.8, 0.5, 0.3, 0.2, 0.1)
"""Weights of leader's tilt k and candidate's tilt l by k − l = −1, 0, …, 6."""

FLOOR = 0.0005
"""The same for all other pairs, times a weight of k: small, but no pair of tilts is left out."""


def fading(k: int) -> float:
    """Return the weight of a tilt: 1/(1 + ½(k − 3.5)²), but for the second."""
    return WIDE if k == 1 else 1.0 / (1.0 + 0.5 * (k - MIDDLE) * (k - MIDDLE))


ALL_SIDES = math.pi * ROOT_HALF * math.tanh(math.pi * math.sqrt(2.0)) + sum(fading(k) for k in range(4))
"""The sum of these weights: half of that of 1/(1 + ½(k − 3.5)²) over all whole numbers, in closed form, and four."""

LOG_ALL = math.log(ALL_SIDES * (sum(COUPLING) + FLOOR * ALL_SIDES))
"""ln of a bound of the sum of all weights of the endless lattice, by which they are divided."""


class Tilting(Protocol):
    """A family that answers for single tilts."""

    def contrast(self, low: float, low_count: float, top: float, top_count: float) -> float:
        """Return about the tilt that leads from one mean to the other; any answer is valid."""
        ...

    def bet(self, place: float, tilt: float, count: float, mean: float, shift: float) -> tuple[float, float]:
        """Return ln of what a bet of this tilt has earned on so many rewards if their mean is u − shift.

        And its derivative, on the scale of `bet_range`.
        """
        ...


def first_tilt(family: Tilting, side: float, wager: Wager) -> int:
    """Return the number of the largest tilt worth looking at: twice the one from the candidate to the leaders."""
    count, mean = wager.others + wager.own, wager.account_mean
    if count > 0.0:
        mean = (wager.others * wager.others_mean + wager.own * wager.own_mean) / count
    else:
        count = wager.account
    return first_number(family.contrast(wager.pulls_mean, wager.pulls, mean + side * wager.margin, count))


def first_number(farthest: float) -> int:
    """Return the number of the largest tilt up to twice this one."""
    first, tilt = 0, LARGEST_TILT
    while tilt > 2.0 * farthest and first < 60:
        first += 1
        tilt *= 0.5
    return first


def lattice_wealth(family: Tilting, place: float, side: float, wager: Wager, room: Row) -> tuple[float, float]:
    """Return ln wealth at a point of the family's scale and its derivative: a sum over pairs of tilts."""
    first = first_tilt(family, side, wager)
    shift = side * wager.margin
    tilt = side * LARGEST_TILT * math.pow(0.5, first)
    top, top_candidate = -math.inf, -math.inf
    for k in range(WINDOW):
        value, slope = family.bet(place, tilt, wager.others, wager.others_mean, 0.0)
        own, own_slope = family.bet(place, tilt, wager.own, wager.own_mean, shift)
        room[k], room[WINDOW + k] = wager.log_product + value + own, slope + own_slope
        value, slope = -math.inf, 0.0
        if wager.log_account > -math.inf:
            value, slope = family.bet(place, tilt, wager.account, wager.account_mean, shift)
        room[2 * WINDOW + k], room[3 * WINDOW + k] = wager.log_account + value, slope
        room[4 * WINDOW + k], room[5 * WINDOW + k] = family.bet(place, -tilt, wager.pulls, wager.pulls_mean, 0.0)
        top = max(top, room[k], room[2 * WINDOW + k])
        top_candidate = max(top_candidate, room[4 * WINDOW + k])
        tilt *= 0.5
    total, slope = mixed(first, top, top_candidate, room)
    return top + top_candidate + math.log(total) - LOG_ALL, slope / total


def mixed(first: int, top: float, top_candidate: float, room: Row) -> tuple[float, float]:
    """Return the weighted sum over pairs of tilts and its derivative, in units of e^(top + top_candidate), times all.

    `room` holds, window by window, the logarithms of what the leaders' tilts have earned and their derivatives, the
    same of the account, and of the candidate.
    """
    for k in range(WINDOW):
        product, account = math.exp(room[k] - top), math.exp(room[2 * WINDOW + k] - top)
        room[k], room[WINDOW + k] = product + account, product * room[WINDOW + k] + account * room[3 * WINDOW + k]
        room[4 * WINDOW + k] = math.exp(room[4 * WINDOW + k] - top_candidate)
    total, slope = 0.0, 0.0
    for j in range(WINDOW):
        earned, change = 0.0, 0.0  # of leaders with the candidate's tilt j
        for k in range(WINDOW):
            weight = FLOOR * fading(first + k)
            if -1 <= k - j <= 6:
                weight = COUPLING[k - j + 1]
            earned += weight * room[k]
            change += weight * room[WINDOW + k]
        share = fading(first + j) * room[4 * WINDOW + j]
        total += share * earned
        slope += share * (change + earned * room[5 * WINDOW + j])
    return total, slope
