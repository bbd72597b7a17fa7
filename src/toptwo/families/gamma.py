"""Rewards with a Gamma law of known shape: positive amounts with a constant relative spread."""

from typing import NamedTuple

from toptwo import checks
from toptwo.families.exponential import GammaLaw
from toptwo.families.numerics.draws import gamma

LEAST_SHAPE = 0.05
"""Below it a draw may be smaller than the least positive float."""


class ShapeAndScale(NamedTuple):
    """The fields of the family."""

    shape: float = 2.0
    """k, known: one over the square of the ratio of standard deviation and mean, which all arms share."""
    scale: float = 1.0
    """Rough size of the means, known before the data: a wrong one costs pulls of `mixture`, never its guarantee."""


class Gamma(GammaLaw, ShapeAndScale):
    """Positive rewards with a Gamma law of known shape and unknown mean per arm (docs/families/gamma.md).

    **Give your own shape**: the guarantee rests on it. A shape of 1 is the exponential law.

    Examples
    --------
    >>> round(Gamma(shape=3.0).divergence(2.0, 1.0), 6)
    0.920558
    """

    __slots__ = ()

    def validate(self) -> None:
        """Refuse shapes and scales that are out of range."""
        checks.at_least("shape", self.shape, LEAST_SHAPE)
        checks.at_least("scale", self.scale, 0.0, strict=True)

    def assumption(self) -> str:
        """Return what the guarantee rests on, in words."""
        return f"independent measurements with a Gamma law of shape {self.shape:g}, of a fixed mean for each arm"

    def reward(self, arm: int, mean: float, bits: int) -> float:
        """Return mean/k times the Gamma variable of the bits."""
        return mean / self.shape * gamma(self.shape, bits)

    def known_shape(self) -> float:
        """Return the field."""
        return self.shape

    def scale_of_means(self) -> float:
        """Return the field."""
        return self.scale
