"""When a rule of several evidences looks, whom it asks first, and what it expects: shared by the rules that bet.

Evidence against an arm is dear to work out, and theorems about all times allow to look at any of them. Rules here
have a `level`, a method `least_wealth(arm, wanted, now)` and a memory with the rows `place` and `looks`.
"""

import math
from typing import Any, NamedTuple

from toptwo.optional import optional
from toptwo.rules.round import Round, transportation_cost

NEAR = 0.7
"""As long as the likelihood ratio is this much below the level, former leaders hardly ever make up for it."""

SPACING = 0.001
"""Pulls until the next look, as a share of those made, after a look that missed a tenth of the level or so."""

LONGEST = 15.0
"""How much longer it may be after a look that missed more: chance moves the evidence slower than that."""

SURELY = 1e-9
"""More than the rounding errors of ln wealth."""

EARLY = 0.05
"""How much sooner than expected to look: evidence follows the likelihood ratio, at a distance that changes slowly."""

LATEST = 0.01
"""Share of the pulls after which to look in any case."""

OPENED, NEXT, DOUBTED, STOPPED, HOPED, AFTER, PULLS = 0, 1, 2, 3, 4, 5, 6
"""Places in the row `looks`: accounts opened, pulls at the next look, 1 + the arm that failed last, the last round, the
likelihood ratio to look at, pulls from which to look whatever that is, and pulls taken in by a rule that marks them."""

HORIZON = 0.2
"""Share of the pulls over whose noise a forecast is averaged."""

FEWEST = 2.0
"""How many pulls of an arm there are among these, at least."""

LOOKS = 7
"""Length of that row."""


class Least(NamedTuple):
    """Bounds of the least of ln wealth over u."""

    lower: float
    """Certain."""
    upper: float
    place: float
    """Where the upper bound was found."""


def is_due(rule: Any, now: Round) -> bool:
    """Return whether it is time to look."""
    looks, pulls = now.mine.looks, now.number - 1
    if pulls < looks[NEXT] or now.cost < rule.level - NEAR:
        return False
    return not now.cost < looks[HOPED] or not pulls < looks[AFTER]


def suffices(rule: Any, now: Round) -> bool:
    """Return whether the wealth suffices against every arm but î; the one that failed last is asked first."""
    kept, pulls = now.mine, now.number - 1
    if kept.looks[STOPPED] == now.number:
        return True
    if not is_due(rule, now):
        return False
    first = int(kept.looks[DOUBTED]) - 1
    if first < 0 or first == now.best:
        first = now.rival
    for turn in range(-1, len(now.state.means)):
        arm = first if turn < 0 else turn
        if arm != now.best and arm >= 0 and (turn < 0 or arm != first):
            least = rule.least_wealth(arm, rule.level, now)
            kept.place[arm] = least.place
            if not least.lower >= rule.level + SURELY:
                missing = (rule.level - least.upper) / max(rule.level, 3.0)
                wait = SPACING * min(LONGEST, 0.1 + 10.0 * max(0.0, missing))
                kept.looks[DOUBTED] = arm + 1.0
                kept.looks[NEXT] = pulls + max(1.0, math.floor(wait * pulls))
                kept.looks[HOPED] = now.cost + rule.level - least.upper - EARLY
                kept.looks[AFTER] = (1.0 + LATEST) * pulls
                return False
    kept.looks[STOPPED] = now.number
    return True


def hardest(rule: Any, now: Round) -> tuple[float, int]:
    """Return the least ln wealth against any arm but î, and that arm."""
    least, hard = math.inf, -1
    for arm in range(len(now.state.means)):
        if arm != now.best:
            lower = rule.least_wealth(arm, math.inf, now).lower
            if hard < 0 or lower < least:
                least, hard = lower, arm
    return least, hard


@optional
def wealth_at_margin(rule: Any, arm: int, margin: float, now: Round) -> float:
    """Return the least ln wealth against an arm at another margin, the capital divided as under the margin of `now`."""
    return float(rule.least_wealth(arm, math.inf, now._replace(epsilon=margin)).lower)


def forecast(rule: Any, now: Round) -> float:
    """Return how many pulls are to be expected until the arm that takes longest is ruled out; 0 once the rule stopped.

    Evidence E grows like the likelihood ratio Λ, a share s more for a share s of the pulls: √(2Λ) is the signal and
    normal noise of variance 1, and Λ + ½ the mean of half the squared signal given Λ. What E lacks of the level is
    averaged over the noise of the next pulls, and so is Λ: a share `HORIZON` of those made, or what two pulls of the
    arm are. Without that, the last pulls of a run would be forecast to a precision that nobody has.
    """
    longest = 0.0
    for arm in range(len(now.state.means)):
        if arm != now.best:
            share = max(HORIZON, FEWEST / now.state.counts[arm])
            ratio = transportation_cost(now.best, arm, now) + 0.5 + share
            evidence = max(0.0, min(ratio, rule.least_wealth(arm, math.inf, now).lower))
            missing = expected_excess(rule.level - evidence, math.sqrt(2.0 * share * ratio))
            longest = max(longest, missing / ratio)
    return 0.0 if now.mine.looks[STOPPED] == now.number else max(1.0, math.ceil((now.number - 1) * longest))


def expected_excess(mean: float, deviation: float) -> float:
    """Return E max(0, X) of a normal variable X.

    Examples
    --------
    >>> round(expected_excess(0.0, 1.0), 6), round(expected_excess(5.0, 1.0), 6)
    (0.398942, 5.0)
    """
    z = mean / deviation
    density = math.exp(-0.5 * z * z) / math.sqrt(2.0 * math.pi)
    return deviation * density + 0.5 * mean * math.erfc(-z * math.sqrt(0.5))
