"""What can be said at any time: how sure a study is by now, and how many pulls it may still need."""

import math
from copy import deepcopy
from typing import Any, NamedTuple

from toptwo import checks
from toptwo.families.base import is_constant, with_counts
from toptwo.memory import NOTHING, memory_of
from toptwo.rules.parts import answer
from toptwo.rules.round import Round, survey, transportation_cost
from toptwo.rules.stopping import Stopping, certified, evidence_now, pulls_left
from toptwo.rules.thresholds import stopping_rule

FARTHEST = 2.0**40
"""Beyond this multiple of the present pulls, the forecast is infinite."""


PROVEN = ("betting", "mixture", "proven")


class Certificate(NamedTuple):
    """What can be said of the arm that is named."""

    confidence: float
    remaining: float
    """Pulls still to go."""
    proven: bool


def certificate(stopping: Any, threshold: Any, delta: float, share: float, now: Round | None, won: bool) -> Certificate:
    """Return what can be said of the arm that is the best of a round, if a part of δ is for stopping now.

    An algorithm that stops by a proven rule of its own spends δ on it, and only what is left of 1 − δ' says something
    while it runs (docs/mixture.md, corollary 2).
    """
    proven = isinstance(threshold, str) and checks.fold(threshold) in PROVEN
    own = certified(stopping)
    if own is not None and won:
        return Certificate(1.0 - delta, 0.0, bool(own))
    if now is None:
        return Certificate(0.0, math.inf, proven)
    sure = confidence(threshold, now, share)
    if own is not None:
        return Certificate(max(0.0, sure - delta) if own else sure, math.nan, proven)
    return Certificate(sure, remaining(stopping, now), proven)


def about(arm: int, now: Round) -> Round:
    """Return the round with an arm in the place of î, for what can be said of it; at no cost if another is ahead."""
    if arm == now.best:
        return now
    others = [i for i in range(len(now.state.means)) if i != arm]
    named = now._replace(best=arm)
    rival = min(others, key=lambda i: transportation_cost(arm, i, named))
    return named._replace(rival=rival, cost=transportation_cost(arm, rival, named), ties=1)


def confidence(threshold: Any, now: Round, share: float = 1.0) -> float:
    """Return the largest 1 − δ at which the threshold would return î right now, if a part of δ is for that.

    With a proven threshold this is certified at any time (docs/mixture.md): the probability that it ever exceeds 1 − δ
    while î is wrong is at most δ. It is 0 as long as an algorithm with a rule of its own keeps nothing for a threshold
    that rests on what was kept.
    """
    arms = len(now.state.means)
    found: list[float] = []  # the evidence does not depend on δ: worked out once

    def stops(delta: float) -> bool:
        rule = stopping_rule(threshold, share * delta, arms, now.family)
        if not _kept_for(rule, now):
            return False
        found[:] = found or [evidence_now(rule, _unchanged(now))]
        if not math.isnan(found[0]):
            return bool(found[0] >= rule.level)  # type: ignore[attr-defined]
        return _stops(rule, now) and answer(rule, _unchanged(now)) == now.best

    low, high = -700.0, 0.0  # bounds of ln δ; the rules are monotone in δ
    for _ in range(62):
        middle = 0.5 * (low + high)
        if stops(math.exp(middle)):
            high = middle
        else:
            low = middle
    return 0.0 - math.expm1(high)


def _kept_for(rule: Stopping, now: Round) -> bool:
    """Return whether the round shows what a rule keeps, if it keeps anything."""
    kept = memory_of(rule)
    return kept is NOTHING or type(kept) is type(now.mine)


def _unchanged(now: Round) -> Round:
    """Return the round with a copy of what a rule keeps: asking must leave no trace."""
    return now.by(deepcopy(now.mine))


def _stops(rule: Stopping, now: Round) -> bool:
    return rule.stops(_unchanged(now))


def remaining(rule: Stopping, now: Round) -> float:
    """Return how many more pulls it would take at the present means and proportions; infinite if they never suffice.

    They do not while nothing can be said of an arm, because its values are all equal.

    The rule may know. Else: evidence grows linearly with the pulls and the thresholds slower, so the multiple of the
    present pulls at which the rule fires is found by doubling and bisection.
    """
    if any(is_constant(now.family, arm, now.state) for arm in range(len(now.state.means))):
        return math.inf
    left = pulls_left(rule, _unchanged(now))
    if not math.isnan(left):
        return left
    if _stops(rule, now):
        return 0.0
    pulls = sum(now.state.counts)
    low, high = 1.0, 2.0
    while not _stops(rule, _scaled(now, high)):
        low, high = high, 2.0 * high
        if high > FARTHEST:
            return math.inf
    while high - low > 1e-3 * low and (high - low) * pulls > 0.5:
        middle = 0.5 * (low + high)
        if _stops(rule, _scaled(now, middle)):
            high = middle
        else:
            low = middle
    return math.ceil((high - 1.0) * pulls)


def _scaled(now: Round, factor: float) -> Round:
    """Return the round as it would be with all counts multiplied and the means unchanged."""
    state = with_counts(now.family, [factor * count for count in now.state.counts], now.state)
    number = 1 + math.floor(factor * (now.number - 1))
    return survey(number, now.best, now.epsilon, state, now.family).by(now.mine)
