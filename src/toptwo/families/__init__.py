"""Families: what is known about the rewards, one law per file."""

from toptwo.families.base import Family
from toptwo.families.gaussian import Gaussian

FAMILIES = {"gaussian": Gaussian}
"""The families by name, each with its default parameters."""

__all__ = ["FAMILIES", "Family", "Gaussian"]
