"""Thresholds: how much evidence is enough for δ.

A threshold is a function of (δ, K) that returns a stopping rule. A user's own is a NamedTuple with fields `delta` and
`arms` and a method `at(n)`; pass the class itself as `threshold=`.
"""

import math
from collections.abc import Callable
from typing import Any, NamedTuple, TypeAlias

from toptwo import checks
from toptwo.errors import InputError
from toptwo.families import Gaussian
from toptwo.families.base import levels
from toptwo.families.numerics.proven_levels import ProvenLevel
from toptwo.families.numerics.wealth import bets_rest_on
from toptwo.rules.betting import Betting
from toptwo.rules.betting_arm_by_arm import BettingArmByArm
from toptwo.rules.betting_on_values import BettingOnValues
from toptwo.rules.stopping import LikelihoodRatio, MixtureEvidence, Stopping

Threshold: TypeAlias = Callable[..., Any]

__all__ = ["DEFAULT_THRESHOLD", "THRESHOLDS", "HeuristicLevel", "ProvenLevel", "Threshold", "stopping_rule"]

GAUSSIAN = Gaussian()
"""The paper's family: what a threshold is for unless told otherwise."""


class HeuristicLevel(NamedTuple):
    """c(n, δ) = ln((1 + ln n)/δ): no proof, used in the paper's experiments."""

    delta: float

    def at(self, n: int) -> float:
        """Return c(n, δ)."""
        return math.log((1.0 + math.log(n)) / self.delta)


def heuristic(delta: float, arms: int, family: Any = GAUSSIAN) -> Stopping:
    """Return the GLR rule of the paper's experiments; **no proof of δ-correctness**.

    Examples
    --------
    >>> round(heuristic(0.1, 10).level.at(1000), 2)
    4.37
    """
    return LikelihoodRatio(HeuristicLevel(delta))


def proven(delta: float, arms: int, family: Any = GAUSSIAN) -> Stopping:
    """Return the GLR rule with the level that the family has a proof for.

    Examples
    --------
    >>> round(proven(0.1, 10).level.at(1000), 2)
    17.0
    """
    return LikelihoodRatio(_level("proven", delta, arms, family))


def mixture(delta: float, arms: int, family: Any = GAUSSIAN) -> Stopping:
    """Return the mixture-evidence rule: δ-correct for any sampling, and much tighter than `proven`.

    Examples
    --------
    >>> round(mixture(0.1, 10).level, 2)
    4.5
    """
    return MixtureEvidence(_level("mixture", delta, arms, family))


BETTING: dict[str, Callable[[float], Stopping]] = {
    "sums": Betting,
    "values": BettingOnValues,
    "spreads": BettingArmByArm,
}
"""The rule by what bets on a family's rewards need to know of them."""


def betting(delta: float, arms: int, family: Any = GAUSSIAN) -> Stopping:
    """Return the rule that bets on the leader: δ-correct for any sampling, at about the price of `heuristic`.

    Examples
    --------
    >>> round(betting(0.1, 10).level, 2)
    2.3
    """
    level = _level("betting", delta, arms, family)
    return BETTING[bets_rest_on(family)](level)


THRESHOLDS: dict[str, Threshold] = {"proven": proven, "heuristic": heuristic, "mixture": mixture, "betting": betting}
"""The thresholds by name; all but `heuristic` come with a proof."""

DEFAULT_THRESHOLD = "betting"
"""What simulations, studies and plans stop by unless told otherwise."""


def _level(name: str, delta: float, arms: int, family: Any) -> Any:
    """Return what the family proves under this name, or say what it has instead."""
    proven_levels = levels(family)
    if name not in proven_levels:
        known = " or ".join(f"threshold={other!r}" for other in [*proven_levels, "heuristic"])
        raise InputError(f"threshold {name!r} has no proof under {family!r}: use {known} (heuristic has none).")
    return proven_levels[name](delta, arms)


def stopping_rule(threshold: str | Threshold, delta: float, arms: int, family: Any = GAUSSIAN) -> Stopping:
    """Return the stopping rule for a threshold given by name, as a schedule class or as a function of (δ, K).

    The family answers for the levels of all but `heuristic`.

    Examples
    --------
    >>> stopping_rule("heuristic", 0.1, 10)
    LikelihoodRatio(level=HeuristicLevel(delta=0.1))
    """
    if isinstance(threshold, str):
        rule: Stopping = checks.one_of("threshold", threshold, THRESHOLDS)(delta, arms, family)
        return rule
    if not callable(threshold):
        raise InputError(f"threshold must be a name or a function of (delta, arms), not {threshold!r}.")
    try:
        own = threshold(delta=delta, arms=arms)
    except TypeError as problem:
        raise InputError(f"threshold must take delta and arms, as fields or arguments ({problem}).") from None
    if hasattr(own, "stops"):
        return own
    if hasattr(own, "at"):
        return LikelihoodRatio(own)
    raise InputError(f"threshold must return a rule with a method at(n) or stops(now), not {own!r}.")
