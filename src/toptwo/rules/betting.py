"""Stopping by betting on the leader: proven, at about the price of the heuristic (docs/betting.md).

For each arm b that is not recommended a gambler bets that b is not the best: that leaders give more, and b less, than
some common mean u. If b is the best arm, his wealth at the true means ever reaches 1/δ with probability at most δ. The
rule stops when the wealth against every b is at least 1/δ whatever u. Only the true best arm has to be protected, so
that nothing is shared among the wrong ones.
"""

import math
from typing import NamedTuple

from toptwo.families.numerics.wealth import ROOM, Wager, bet_weight
from toptwo.memory import numbers, per_arm
from toptwo.rules.looks import LOOKS, OPENED, PULLS, SURELY, Least, forecast, hardest, is_due, suffices
from toptwo.rules.parts import Seen
from toptwo.rules.round import Round
from toptwo.state import Row

STEPS = 60
"""Bound on the steps of a search; 3 to 8 are usual. Doubt never stops."""


class Marked(NamedTuple):
    """What the rule keeps: pulls marked before their reward was seen, and accounts for margins."""

    marked: Row = per_arm()
    """How many pulls of an arm are marked."""
    marked_gain: Row = per_arm()
    """The sum by which they exceed the first of them: sums that stay small keep their digits."""
    anchor: Row = per_arm()
    """The first of them."""
    entry: Row = per_arm()
    """k for the k-th arm that was ever marked, 0 before."""
    held: Row = per_arm()
    """Pulls of an arm since it was first marked, that one included."""
    held_gain: Row = per_arm()
    """The sum by which they exceed the first of them."""
    place: Row = per_arm()
    """Where the wealth against an arm was least at the last look."""
    looks: Row = numbers(LOOKS)
    scratch: Row = numbers(ROOM)


class Betting(NamedTuple):
    """The wealth of a bet against every arm but î reaches 1/δ, whatever the means (docs/betting.md, theorem 1)."""

    level: float
    early: float = 0.05
    late: float = 2.0
    """A pull of î is marked if the likelihood ratio is at least min(early · K, late · √(K/n)) after n pulls."""

    def memory(self) -> Marked:
        """Return room for the marked pulls."""
        return Marked()

    def requires(self) -> tuple[str, ...]:
        """Return the question that families answer."""
        return ("log_wealth",)

    def learn(self, seen: Seen) -> None:
        """Take in a reward; whether it is marked was known before."""
        mark(self, seen)

    def is_dear(self, now: Round) -> bool:
        """Return whether the wealth is worked out in this round."""
        return is_due(self, now)

    def stops(self, now: Round) -> bool:
        """Return whether the wealth suffices against every arm but î."""
        return suffices(self, now)

    def wealth_at_margin(self, arm: int, margin: float, now: Round) -> float:
        """Return the least ln wealth at another margin; without accounts if `now` has no margin (docs/intervals.md)."""
        moved, missing = now._replace(epsilon=margin), 0.0
        if now.epsilon == 0.0 and margin > 0.0 and len(now.state.means) > 2:
            entry = list(now.mine.entry)
            entry[now.best] = 0.0  # no account: the product has half of the capital, where it should have all
            moved, missing = moved._replace(mine=now.mine._replace(entry=entry)), math.log(2.0)
        return self.least_wealth(arm, math.inf, moved).lower + missing

    def evidence_now(self, now: Round) -> float:
        """Return the least ln wealth against any arm but î."""
        return hardest(self, now)[0] - 0.5 * SURELY

    def pulls_left(self, now: Round) -> float:
        """Return how many more pulls are to be expected."""
        return forecast(self, now)

    def least_wealth(self, arm: int, wanted: float, now: Round) -> Least:
        """Return bounds of the least of ln wealth against an arm, as close as it takes to compare with `wanted`."""
        return least_wealth(arm, wanted, now)


def mark(rule: Betting, seen: Seen) -> bool:
    """Take in a reward, and return whether it is marked: by what was known before it was."""
    kept, arm, arms = seen.mine, seen.arm, len(seen.state.means)
    before, two = kept.looks[PULLS], arms == 2
    marked = two or (arm == seen.best and seen.cost >= clear_lead(rule, arms, before))
    kept.looks[PULLS] = before + seen.size
    if marked:
        if kept.marked[arm] == 0.0:
            kept.anchor[arm] = seen.value
        kept.marked[arm] += seen.size
        kept.marked_gain[arm] += seen.size * (seen.value - kept.anchor[arm])
        if kept.entry[arm] == 0.0 and not two:
            kept.looks[OPENED] += 1.0
            kept.entry[arm] = kept.looks[OPENED]
    if kept.entry[arm] > 0.0:
        kept.held[arm] += seen.size
        kept.held_gain[arm] += seen.size * (seen.value - kept.anchor[arm])
    return marked


def clear_lead(rule: Betting, arms: int, pulls: float) -> float:
    """Return the likelihood ratio from which on a leader is bet on: less as the pulls go on, since chance wears off.

    Examples
    --------
    >>> clear_lead(Betting(1.0), 10, 100.0), clear_lead(Betting(1.0), 10, 4000.0)
    (0.5, 0.1)
    """
    return min(rule.early * arms, rule.late * math.sqrt(arms / max(pulls, 1.0)))


def mean_of_marked(arm: int, kept: Marked) -> float:
    """Return the average of the marked pulls of an arm, 0 if there are none."""
    return kept.anchor[arm] + kept.marked_gain[arm] / max(kept.marked[arm], 1.0)


def wager_against(arm: int, now: Round) -> Wager:
    """Return what the wealth against an arm rests on if î is returned."""
    kept, family, best = now.mine, now.family, now.best
    others, others_mean = 0.0, 0.0
    for i in range(len(now.state.means)):
        if i != arm and i != best and kept.marked[i] > 0.0:
            count = bet_weight(family, i) * kept.marked[i]
            others += count
            others_mean += (mean_of_marked(i, kept) - others_mean) * (count / others)
    weight, log_product, log_account = bet_weight(family, best), 0.0, -math.inf
    if now.epsilon > 0.0 and len(now.state.means) > 2:
        log_product = math.log(0.5)
        if kept.entry[best] > 0.0:
            log_account = math.log(0.5 / (kept.entry[best] * (kept.entry[best] + 1.0)))
    return Wager(
        others,
        others_mean,
        weight * kept.marked[best],
        mean_of_marked(best, kept),
        weight * kept.held[best],
        kept.anchor[best] + kept.held_gain[best] / max(kept.held[best], 1.0),
        log_product,
        log_account,
        bet_weight(family, arm) * now.state.counts[arm],
        now.state.means[arm],
        now.epsilon,
    )


def mean_of_leaders(wager: Wager) -> float:
    """Return the mean of the leaders, the returned arm's raised by the margin; −∞ if nothing is marked."""
    count, top = wager.others + wager.own, -math.inf
    if count > 0.0:
        raised = wager.own * (wager.own_mean + wager.margin)
        top = (wager.others * wager.others_mean + raised) / count
    if wager.log_account > -math.inf:
        top = max(top, wager.account_mean + wager.margin)
    return top


def least_wealth(arm: int, wanted: float, now: Round) -> Least:
    """Return bounds of the least of ln wealth against an arm over u, as close as it takes to compare with `wanted`.

    ln wealth is convex on the family's scale. Two points whose slopes differ in sign hold the minimum between them, and
    it is at least the value where their tangents meet.
    """
    wager = wager_against(arm, now)
    top = mean_of_leaders(wager)
    low, high = now.family.bet_range(wager.margin, 1.0)
    if low > high:  # no two means are a margin apart: every arm is a right answer
        return Least(math.inf, math.inf, 0.0)
    if top <= wager.pulls_mean or wager.pulls < 0.5 or (wager.margin > 0.0 and wager.own <= 0.0):
        return Least(-math.inf, 0.0, 0.0)
    middle, reach = now.family.bet_start(wager.pulls_mean, top, 1.0)
    place = now.mine.place[arm]
    if place == 0.0 or abs(place - middle) > reach:
        place = middle
    place = min(max(place, low), high)
    left, at_left, slope_left, right, at_right, slope_right = math.nan, 0.0, -1.0, math.nan, 0.0, 1.0
    step, lower, upper, found = 0.2 * reach, -math.inf, math.inf, place
    for _ in range(STEPS):
        value, slope = now.family.log_wealth(place, 1.0, wager, now.mine.scratch)
        if value < upper:
            upper, found = value, place
        if upper < wanted < math.inf:
            break
        if slope < 0.0:
            left, at_left, slope_left = place, value, slope
        else:
            right, at_right, slope_right = place, value, slope
        if slope == 0.0 or (slope < 0.0 and place >= high) or (slope > 0.0 and place <= low):
            lower = value  # the minimum itself, or the end of the possible means
            break
        if left < right:  # false as long as one of them is unknown
            meeting = (at_right - at_left + slope_left * left - slope_right * right) / (slope_left - slope_right)
            lower = max(lower, at_left + slope_left * (meeting - left))
            width = right - left
            if lower >= wanted + SURELY or upper - lower <= 0.25 * SURELY or width <= 1e-15 * (abs(left) + abs(right)):
                break
            place = left + width * slope_left / (slope_left - slope_right)
            place = min(max(place, left + 0.05 * width), right - 0.05 * width)
        else:
            place = min(left + step, high) if slope < 0.0 else max(right - step, low)
            step *= 3.0
    return Least(lower, upper, found)
