"""Methods whose radii are those of Hoeffding's inequality: they need one standard deviation for all arms."""

from typing import Any

from toptwo.errors import InputError


def standard_deviation(name: str, family: Any) -> float:
    """Return the σ of a Gaussian family, or say why a method cannot serve another one."""
    sigma = getattr(family, "sigma", None)
    if not isinstance(sigma, float):
        raise InputError(
            f"algorithm {name} is stated for Gaussian (or sub-Gaussian) rewards of one known standard deviation, not "
            f"for {family!r}: give family=tt.Gaussian(sigma), or use TTUCB, LUCB or uniform, which ask the family for "
            "its own bounds."
        )
    return sigma
