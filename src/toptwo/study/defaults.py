"""What a study takes for granted unless told otherwise: the one place where its defaults live."""

from typing import Any

from toptwo.algorithms import TTUCB
from toptwo.families import GaussianUnknownVariance
from toptwo.rules.thresholds import DEFAULT_THRESHOLD


def default_family() -> Any:
    """Return the law of measurements of which nothing was said: to assume a σ that nobody gave is no guarantee."""
    return GaussianUnknownVariance()


def default_algorithm(family: Any, arms: int) -> Any:
    """Return the algorithm that chooses what to measure; without random ties, so that it draws nothing."""
    return TTUCB(ties="closest")


def default_threshold(family: Any) -> str:
    """Return the name of the threshold by which a study under a family stops."""
    return DEFAULT_THRESHOLD
