"""Thresholds: how much evidence is enough for δ (SPEC 4.3).

A threshold is a function of (δ, K) that returns a stopping rule. A user's own is a NamedTuple with fields `delta` and
`arms` and a method `at(n)`; pass the class itself as `threshold=`.
"""

import math
from collections.abc import Callable
from typing import Any, NamedTuple, TypeAlias

from toptwo import checks
from toptwo.errors import InputError
from toptwo.rules.stopping import LikelihoodRatio, MixtureEvidence, Stopping
from toptwo.special import calibration_gaussian

Threshold: TypeAlias = Callable[..., Any]


class ProvenLevel(NamedTuple):
    """c(n, δ) = constant + 4 ln(4 + ln(n/2)) (paper, lemma 1)."""

    constant: float

    def at(self, n: int) -> float:
        """Return c(n, δ)."""
        return self.constant + 4.0 * math.log(4.0 + math.log(0.5 * n))


class HeuristicLevel(NamedTuple):
    """c(n, δ) = ln((1 + ln n)/δ): no proof, used in the paper's experiments."""

    delta: float

    def at(self, n: int) -> float:
        """Return c(n, δ)."""
        return math.log((1.0 + math.log(n)) / self.delta)


def proven(delta: float, arms: int) -> Stopping:
    """Return the GLR rule with the paper's threshold, c = 2 C_G(ln((K−1)/δ)/2) + 4 ln(4 + ln(n/2)): δ-correct.

    Examples
    --------
    >>> round(proven(0.1, 10).level.at(1000), 2)
    17.0
    """
    return LikelihoodRatio(ProvenLevel(2.0 * calibration_gaussian(0.5 * math.log((arms - 1) / delta))))


def heuristic(delta: float, arms: int) -> Stopping:
    """Return the GLR rule of the paper's experiments; **no proof of δ-correctness**.

    Examples
    --------
    >>> round(heuristic(0.1, 10).level.at(1000), 2)
    4.37
    """
    return LikelihoodRatio(HeuristicLevel(delta))


def mixture(delta: float, arms: int) -> Stopping:
    """Return the mixture-evidence rule: δ-correct for any sampling, and much tighter than `proven`.

    Examples
    --------
    >>> round(mixture(0.1, 10).level, 2)
    4.5
    """
    return MixtureEvidence(math.log((arms - 1) / delta))


THRESHOLDS: dict[str, Threshold] = {"proven": proven, "heuristic": heuristic, "mixture": mixture}
"""The thresholds by name; `proven` and `mixture` come with a proof."""


def stopping_rule(threshold: str | Threshold, delta: float, arms: int) -> Stopping:
    """Return the stopping rule for a threshold given by name, as a schedule class or as a function of (δ, K).

    Examples
    --------
    >>> stopping_rule("heuristic", 0.1, 10)
    LikelihoodRatio(level=HeuristicLevel(delta=0.1))
    """
    found = checks.one_of("threshold", threshold, THRESHOLDS) if isinstance(threshold, str) else threshold
    if not callable(found):
        raise InputError(f"threshold must be a name or a function of (delta, arms), not {threshold!r}.")
    try:
        rule = found(delta=delta, arms=arms)
    except TypeError as problem:
        raise InputError(f"threshold must take delta and arms, as fields or arguments ({problem}).") from None
    if hasattr(rule, "stops"):
        return rule  # type: ignore[no-any-return]
    if hasattr(rule, "at"):
        return LikelihoodRatio(rule)
    raise InputError(f"threshold must return a rule with a method at(n) or stops(now), not {rule!r}.")
