"""Anytime-valid intervals for the means of arms and for their gaps to the leader, and who may still be best.

Gaps come from the evidence of the stopping rule itself, with another margin in the place of ε: the rule stops exactly
when every gap lies at or above −ε. docs/intervals.md proves what each interval promises. Nothing is worked out before
somebody asks, from a copy of what was known.
"""

import math
from collections.abc import Callable
from typing import Any, NamedTuple

from toptwo.families.base import evidence_against_mean, mean_range
from toptwo.optional import answers
from toptwo.records import is_record, rebuild
from toptwo.rules.looks import SURELY, wealth_at_margin
from toptwo.rules.round import Round, transportation_cost
from toptwo.rules.stopping import LikelihoodRatio, MixtureEvidence, evidence_against, least_wealth
from toptwo.words import number_text

CLOSE = 1e-7
"""How close an end is worked out, as a share of its distance from the estimate."""

NEARLY_NONE = 1e-6
"""Share of a margin below which bets with accounts are not looked at: without any margin there are no accounts."""

STEPS = 200
"""Bound on the steps of a search; some 10 are usual."""


class Interval(NamedTuple):
    """Two ends, infinite where nothing is known.

    Examples
    --------
    >>> print(Interval(0.25, float("inf")))
    [0.25, ∞]
    >>> Interval(0.0, 1.0).covers(0.5)
    True
    """

    low: float
    high: float

    def covers(self, value: float) -> bool:
        """Return whether a value lies between the ends."""
        return self.low <= value <= self.high

    def __str__(self) -> str:
        return self.written(3)

    def written(self, digits: int) -> str:
        """Return the interval with so many significant digits."""
        low, high = (number_text(end, digits) for end in self)
        return f"[{low}, {high}]"


def edge(excess: Callable[[float], float], inside: float, step: float, end: float) -> float:
    """Return a point where `excess` is at least 0, as close to the points before as it pays to know; or `end`.

    `excess` is negative at `inside` and grows from there in the direction of `step`. If it stays negative as far as
    `end`, that is returned. The point returned is always one that was looked at, or the end.
    """
    low, below = inside, excess(inside)
    high, above = _first_above(excess, inside, step, end)
    if not above >= 0.0:
        return end
    for turn in range(STEPS):
        if abs(high - low) <= CLOSE * abs(high - inside) or high in (low, inside):
            break
        place = 0.5 * (low + high)
        if turn % 3 < 2 and math.isfinite(above) and math.isfinite(below):
            secant = high - above * (high - low) / (above - below)
            place = secant if min(low, high) < secant < max(low, high) else place
        if place in (low, high):
            break
        value = excess(place)
        if value >= 0.0:
            high, above, below = place, value, 0.5 * below
        else:
            low, below, above = place, value, 0.5 * above
    return high


def _first_above(excess: Callable[[float], float], inside: float, step: float, end: float) -> tuple[float, float]:
    """Return a point where `excess` is at least 0 and its value there, by steps that double."""
    for _ in range(STEPS):
        place = inside + step
        if (place >= end) if step > 0.0 else (place <= end):
            return end, excess(end) if math.isfinite(end) else -1.0
        value = excess(place)
        if value >= 0.0:
            return place, value
        step *= 2.0
    return end, -1.0


class PullBounds:
    """What answers read so far say of means and gaps: intervals, worked out when asked for and then remembered."""

    def __init__(self, rule: Any, now: Round, delta: float, sign: float, fired: bool, origin: float = 0.0) -> None:
        self._rule, self._delta, self._sign, self._fired, self._origin = rule, delta, sign, fired, origin
        self._now: Round | None = now._replace(state=rebuild(now.state, _copied), mine=rebuild(now.mine, _copied))
        self._arms, self._leader = len(now.state.means), int(now.best)
        self._means: dict[int, Interval | None] = {}
        self._gaps: dict[int, Interval | None] = {}
        self._contenders: tuple[int, ...] | None = None

    def __getstate__(self) -> dict[str, Any]:
        """Work everything out: what is kept are numbers, which any process can read."""
        self._numbers()
        return {**self.__dict__, "_now": None, "_rule": None}

    def __eq__(self, other: object) -> bool:
        return self._numbers() == other._numbers() if isinstance(other, PullBounds) else NotImplemented

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"<PullBounds of {self._arms} arms, arm {self._leader} in the lead>"

    def _numbers(self) -> tuple[Any, ...]:
        """Return all that can be asked for."""
        arms = range(self._arms)
        return tuple(map(self.mean, arms)), tuple(map(self.gap, arms)), self.contenders

    # --- means ------------------------------------------------------------------------------------------------------
    def mean(self, arm: int) -> Interval | None:
        """Return an interval for an arm's mean at the level 1 − δ for this arm; nothing if the family knows none."""
        if arm not in self._means:
            self._means[arm] = self._mean(arm, self._known)
        return self._means[arm]

    @property
    def _known(self) -> Round:
        assert self._now is not None  # everything else was worked out when that was given up
        return self._now

    def _mean(self, arm: int, now: Round) -> Interval | None:
        centre, wanted, span = now.state.means[arm], -math.log(self._delta), mean_range(now.family)
        if math.isnan(evidence_against_mean(now.family, arm, centre, now.state)):
            return None

        def excess(value: float) -> float:
            return evidence_against_mean(now.family, arm, value, now.state) - wanted

        step = 1e-3 * (abs(centre) + 1e-3)
        low, high = edge(excess, centre, -step, span.low), edge(excess, centre, step, span.high)
        low, high = low + self._origin, high + self._origin
        return Interval(low, high) if self._sign > 0.0 else Interval(-high, -low)

    # --- gaps -------------------------------------------------------------------------------------------------------
    def gap(self, arm: int) -> Interval | None:
        """Return an interval for how much better the leader is than an arm; nothing for the leader itself."""
        if arm not in self._gaps:
            known = arm != self._leader and self._evidence is not None
            self._gaps[arm] = self._gap(arm, self._known) if known else None
        return self._gaps[arm]

    @property
    def contenders(self) -> tuple[int, ...]:
        """Return the leader and the arms that the stopping rule does not yet hold to be no better, by index."""
        if self._contenders is None:
            self._contenders = self._worked_out(self._known)
        return self._contenders

    def _worked_out(self, now: Round) -> tuple[int, ...]:
        if self._fired:
            return (self._leader,)
        if self._evidence is None:
            return tuple(range(self._arms))
        left = [i for i in range(self._arms) if i != now.best and self._evidence(i, now.epsilon, now) < 0.0]
        return tuple(sorted([now.best, *(left or [self._next_doubted(now)])]))

    def _next_doubted(self, now: Round) -> int:
        """Return the rival to look at next, where the evidence suffices and the rule has not looked yet."""
        return min((i for i in range(self._arms) if i != now.best), key=lambda i: self._evidence(i, now.epsilon, now))  # type: ignore[misc]

    @property
    def _evidence(self) -> Callable[[int, float, Round], float] | None:
        """Return what tells by how much the rule's evidence against a rival exceeds its level at some margin."""
        if answers(self._rule, least_wealth):
            return self._wealth
        if type(self._rule) is MixtureEvidence:
            return self._mixture
        return self._ratio if type(self._rule) is LikelihoodRatio else None

    def _mixture(self, rival: int, margin: float, now: Round) -> float:
        moved = now._replace(epsilon=margin)
        return float(
            min(transportation_cost(now.best, rival, moved), evidence_against(rival, moved)) - self._rule.level
        )

    def _ratio(self, rival: int, margin: float, now: Round) -> float:
        moved = now._replace(epsilon=margin)
        return float(transportation_cost(now.best, rival, moved) - self._rule.level.at(now.number - 1))

    def _wealth(self, rival: int, margin: float, now: Round) -> float:
        """Return the same for bets."""
        return wealth_at_margin(self._rule, rival, margin, now) - float(self._rule.level) - SURELY

    def _gap(self, arm: int, now: Round) -> Interval:
        estimate = now.state.means[now.best] - now.state.means[arm]
        span = mean_range(now.family)
        widest = span.high - span.low
        low, high = 0.0 - self._least_margin(arm, estimate, widest, now), self._largest_gap(arm, estimate, widest, now)
        if self._fired:
            low = max(0.0 - now.epsilon, low)
        elif arm in self.contenders and low >= -now.epsilon:  # the rule has not looked yet
            low = math.nextafter(-now.epsilon, -math.inf)
        return Interval(low, high)

    def _least_margin(self, arm: int, estimate: float, widest: float, now: Round) -> float:
        """Return a margin at which the rule would be satisfied, at most ε exactly if it is at ε."""
        evidence = self._evidence
        assert evidence is not None  # `gap` has asked

        def excess(margin: float) -> float:
            return evidence(arm, margin, now)

        step = 1e-3 * (abs(estimate) + now.epsilon + 1e-3)
        if excess(now.epsilon) < 0.0:
            return edge(excess, now.epsilon, step, widest)
        if not answers(self._rule, least_wealth):
            return edge(excess, -estimate, 0.5 * (now.epsilon + estimate), now.epsilon)
        least = NEARLY_NONE * now.epsilon
        if least > 0.0 and excess(least) < 0.0:
            return edge(excess, least, 0.5 * now.epsilon, now.epsilon)
        return edge(lambda margin: self._pair(now.best, arm, margin, now), -estimate, 0.5 * estimate, least)

    def _largest_gap(self, arm: int, estimate: float, widest: float, now: Round) -> float:
        """Return a gap that is too large for the evidence of the pair."""
        step = 1e-3 * (abs(estimate) + 1e-3)
        return edge(lambda margin: self._pair(arm, now.best, margin, now), max(0.0, estimate), step, widest)

    def _pair(self, a: int, b: int, margin: float, now: Round) -> float:
        """Return by how much the evidence that a plus a margin is above b exceeds what the interval of a pair wants."""
        if answers(self._rule, least_wealth):
            wanted = now.family.levels()["mixture"](self._delta, 2)
            return now.family.evidence(a, b, margin, now.state) - float(wanted)
        turned = now._replace(best=a, rival=b)
        return self._evidence(b, margin, turned)  # type: ignore[misc]


def _copied(part: Any) -> Any:
    """Return a copy of a row or a table; records and numbers are as they are."""
    if is_record(part) or not hasattr(part, "__len__"):
        return part
    return part.copy() if hasattr(part, "tolist") else [_copied(entry) for entry in part]
