"""The law that a question of the theory is about: a family as simulations and studies take it."""

from typing import Any

import numpy as np

from toptwo import checks
from toptwo.errors import InputError
from toptwo.families import Bounded, Gaussian, GaussianUnknownVariance, family_name, make_family
from toptwo.families.base import check_means
from toptwo.theory.arguments import Floats
from toptwo.theory.divergences import DIVERGENCES

REASONS: dict[type, str] = {
    Bounded: (
        "T* of bounded rewards depends on the whole law of each arm, not on its mean. Take family='bernoulli' with the "
        "means scaled to 0 to 1: no bounded law of these means takes more. tt.plan answers for rewards as simulated"
    ),
    GaussianUnknownVariance: (
        "the cost of a pair, min over u of w_a ln(1 + (μ_a − u)²/σ_a²)/2 + w_b ln(1 + (u − μ_b)²/σ_b²)/2, may have two "
        "minima, and no formula gives T* then. Take tt.Gaussian(sigma=...) with the σ you expect: its T* is never "
        "larger, and hardly smaller where gaps are small beside σ; or tt.plan, which works both T* and samples out"
    ),
}
"""Why there are no characteristic times of a family, and what to ask instead."""


def why_unknown(law: Any) -> str:
    """Return why nothing is known of the times of a family, or nothing if they can be computed.

    Examples
    --------
    >>> why_unknown(Gaussian(2.0)), why_unknown(Bounded())[:41]
    ('', 'T* of bounded rewards depends on the whol')
    """
    if type(law) in DIVERGENCES or isinstance(law, Gaussian):
        return ""
    return REASONS.get(type(law), "its divergence is not among those of theory/divergences.py")


def law_of(family: Any, sigma: Any = None) -> Any:
    """Return the family meant by a name or an object, or by `sigma` alone, whose times can be computed.

    Examples
    --------
    >>> law_of(None, 2.0), law_of("bernoulli"), law_of(Gaussian(0.5))
    (Gaussian(sigma=2.0), Bernoulli(), Gaussian(sigma=0.5))
    """
    law = make_family(family)
    if sigma is not None:
        law = _with_sigma(law, family, checks.at_least("sigma", sigma, 0.0, strict=True))
    if reason := why_unknown(law):
        raise InputError(f"characteristic times of {family_name(law) or repr(law)} are not known: {reason}.")
    return law


def _with_sigma(law: Any, family: Any, sigma: float) -> Any:
    """Return the Gaussian law of this σ if nothing but its name was given."""
    if isinstance(law, Gaussian) and (family is None or isinstance(family, str)):
        return Gaussian(sigma)
    if isinstance(law, Gaussian) and law.sigma != sigma:
        raise InputError(f"sigma is given twice: leave it out beside family={law!r}.")
    if sigma != 1.0:
        raise InputError(f"sigma belongs to the gaussian family: leave it out for {law!r}.")
    return law


def check_question(law: Any, means: Floats, epsilon: float) -> None:
    """Refuse means that the law cannot have, and a margin where no time with a margin is known.

    Examples
    --------
    >>> check_question(law_of("bernoulli"), np.array([0.5, 1.5]), 0.0)
    Traceback (most recent call last):
    toptwo.errors.InputError: means must lie between 0 and 1 under Bernoulli(), not at 1.5.
    """
    check_means(law, means)
    if epsilon > 0.0 and not isinstance(law, Gaussian):
        raise InputError(
            f"epsilon is settled for gaussian rewards only, whose gaps it widens; drop it, or plan {family_name(law)} "
            "rewards with tt.Gaussian(sigma=...) of the largest standard deviation they have."
        )


def deviations_of(law: Any, arms: int) -> Floats:
    """Return the standard deviation of each arm of a Gaussian law.

    Examples
    --------
    >>> deviations_of(Gaussian(2.0), 3), deviations_of(Gaussian([1.0, 2.0]), 2)
    (array([2., 2., 2.]), array([1., 2.]))
    """
    sigma = np.asarray(law.sigma, dtype=np.float64)
    if sigma.ndim and sigma.shape != (arms,):
        raise InputError(f"sigma must be one number or one for each of the {arms} arms, not {sigma.size}.")
    return np.broadcast_to(sigma, (arms,))
