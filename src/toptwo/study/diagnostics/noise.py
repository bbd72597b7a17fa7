"""What a family says of the shape of noise, as far as diagnostics can check it."""

from typing import Any, NamedTuple

from toptwo.families import Bernoulli, Bounded, Gaussian, GaussianUnknownVariance, Poisson
from toptwo.families.gaussian_per_arm import GaussianPerArm
from toptwo.study.diagnostics.overdispersion import EventCounts, RateLaw, Shares


class NoiseShape(NamedTuple):
    """The shape of the noise under a family."""

    given: tuple[float, ...] = ()
    """The standard deviation of each arm, if the user gave it."""
    at_most: tuple[float, ...] = ()
    """A σ for each arm such that the noise is σ-sub-Gaussian under the family, given by the user or not."""
    gaussian: bool = False
    """Whether values are continuous and the law is meant to be Gaussian or nearly so."""
    estimated: bool = False
    """Whether the family estimates variances."""
    rates: RateLaw | None = None
    """What batches of fixed rates scatter like, if the family says so."""


def noise_of(family: Any, arms: int) -> NoiseShape:
    """Return what a family says.

    Examples
    --------
    >>> noise_of(Gaussian(2.0), 2)
    NoiseShape(given=(2.0, 2.0), at_most=(2.0, 2.0), gaussian=True, estimated=False, rates=None)
    >>> noise_of(Bernoulli(), 2).at_most
    (0.5, 0.5)
    """
    if isinstance(family, Gaussian):
        return NoiseShape((family.sigma,) * arms, (family.sigma,) * arms, True)
    if isinstance(family, GaussianPerArm):
        return NoiseShape(family.deviations, family.deviations, True)
    if isinstance(family, GaussianUnknownVariance):
        return NoiseShape(gaussian=True, estimated=True)
    if isinstance(family, Bernoulli):
        return NoiseShape(at_most=(0.5,) * arms, rates=Shares())
    if isinstance(family, Poisson):
        return NoiseShape(rates=EventCounts())
    if isinstance(family, Bounded):
        return NoiseShape(at_most=(0.5 * (family.high - family.low),) * arms)
    return NoiseShape()
