"""Families: what is known about the rewards, one law per file."""

from typing import Any

from toptwo import checks
from toptwo.errors import InputError
from toptwo.families.base import Family
from toptwo.families.bernoulli import Bernoulli
from toptwo.families.bounded import Bounded
from toptwo.families.exponential import Exponential
from toptwo.families.gamma import Gamma
from toptwo.families.gaussian import Gaussian
from toptwo.families.poisson import Poisson
from toptwo.families.unknown_variance import GaussianUnknownVariance
from toptwo.records import prepared

FAMILIES: dict[str, Any] = {
    "gaussian": Gaussian,
    "unknown-variance": GaussianUnknownVariance,
    "bernoulli": Bernoulli,
    "poisson": Poisson,
    "exponential": Exponential,
    "gamma": Gamma,
    "bounded": Bounded,
}
"""The families by name, each with its default parameters."""


def make_family(family: Any) -> Any:
    """Return a family given by name or as an object; Gaussian with σ = 1 if nothing is given.

    Examples
    --------
    >>> make_family("poisson"), make_family(Gaussian(2))
    (Poisson(scale=1.0), Gaussian(sigma=2.0))
    """
    if family is None or isinstance(family, str):
        family = checks.one_of("family", family or "gaussian", FAMILIES)()
    if isinstance(family, type) or not hasattr(family, "separation"):
        raise InputError(f"family must be a name or an object such as tt.Gaussian(sigma=1.0), not {family!r}.")
    return prepared(family)


def family_name(family: Any) -> str:
    """Return the name of a family in FAMILIES, or nothing for one that is not there.

    Examples
    --------
    >>> family_name(Gaussian(2.0))
    'gaussian'
    """
    return next((name for name, kind in FAMILIES.items() if type(family) is kind), "")


__all__ = [
    "FAMILIES",
    "Bernoulli",
    "Bounded",
    "Exponential",
    "Family",
    "Gamma",
    "Gaussian",
    "GaussianUnknownVariance",
    "Poisson",
    "family_name",
    "make_family",
]
