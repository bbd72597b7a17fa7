"""Families: what is known about the rewards, one law per file."""

from typing import Any

from toptwo.families.base import Family
from toptwo.families.bernoulli import Bernoulli
from toptwo.families.bounded import Bounded
from toptwo.families.exponential import Exponential
from toptwo.families.gamma import Gamma
from toptwo.families.gaussian import Gaussian
from toptwo.families.poisson import Poisson
from toptwo.families.unknown_variance import GaussianUnknownVariance

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
]
