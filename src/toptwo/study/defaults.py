"""What a study takes for granted unless told otherwise: the one place where its defaults live."""

from typing import Any

from toptwo.algorithms import TTUCB
from toptwo.engine.question import stops_by
from toptwo.families import GaussianUnknownVariance, make_family
from toptwo.families.base import levels, refusal
from toptwo.rules.thresholds import DEFAULT_THRESHOLD


def default_family() -> Any:
    """Return the law of measurements of which nothing was said: to assume a σ that nobody gave is no guarantee."""
    return GaussianUnknownVariance()


def default_algorithm(family: Any, arms: int) -> Any:
    """Return the algorithm that chooses what to measure: by benchmarks/samplers.md, A-TTUCB.

    Without random ties, so that it draws nothing. A family that cannot balance a leader and a challenger gets TTUCB.
    """
    return TTUCB(0.5 if refusal(make_family(family), "leader_share") else "ids", ties="closest")


def default_threshold(family: Any, algorithm: Any, arms: int) -> str:
    """Return the name of the threshold by which a study stops, one that the family has a proof for.

    Beside an algorithm that stops by a rule of its own it only says how sure one is on the way, and `mixture` can do
    so without having kept anything.
    """
    if DEFAULT_THRESHOLD in levels(make_family(family)) and stops_by(algorithm, DEFAULT_THRESHOLD, arms, family):
        return DEFAULT_THRESHOLD
    return "mixture"
