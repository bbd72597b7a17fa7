"""What is known of two arms from the blocks that hold both: what each way of comparing has to answer.

Scores are values turned so that more is better. `first` and `second` are the two arms; a claim is about one of them
(`forward` for the first): that it *beats* the other, or that it is *close*, at most the margin worse.
"""

import math
from collections.abc import Callable
from typing import Any, Protocol

DOUBLINGS = 60
BISECTIONS = 60


class Pair(Protocol):
    """What is known of two arms, and how it speaks for either."""

    @property
    def count(self) -> int:
        """Return the number of blocks that hold both arms."""
        ...

    def add(self, first: float, second: float) -> None:
        """Take in the scores of one block."""
        ...

    def effect(self) -> float:
        """Return by how much the first arm leads on average."""
        ...

    def variance(self) -> float:
        """Return the variance of a difference; NaN while nothing can be said."""
        ...

    def beats(self, forward: bool, above: float) -> float:
        """Return ln e for the claim that one arm is better; if it is not above `above`, anything up to that."""
        ...

    def close(self, forward: bool, above: float) -> float:
        """Return ln e for the claim that one arm is at most the margin worse; see `beats`."""
        ...

    def forecast(self, forward: bool, close: bool, factor: float) -> float:
        """Return what ln e would be after so many times the blocks, all averages unchanged."""
        ...

    def interval(self, ahead: float, behind: float) -> tuple[float, float]:
        """Return the effects not ruled out.

        Of lower ones ln e for the first arm reaches the level `ahead`, of higher ones ln e for the second `behind`.
        """
        ...

    def kept(self) -> list[Any]:
        """Return all that is known, as plain data."""
        ...

    def fill(self, kept: list[Any]) -> None:
        """Take over what another pair knew."""
        ...


def end(log_evidence: Callable[[float], float], centre: float, step: float, level: float) -> float:
    """Return where evidence against a null falls below a level, on the way from far away to the centre.

    The step says in which direction far away lies, and how far at first; infinite if the level is not reached there.
    """
    outside = step
    for _ in range(DOUBLINGS):
        if log_evidence(centre + outside) >= level:
            break
        outside *= 2.0
    else:
        return math.copysign(math.inf, step)
    inside = 0.0
    for _ in range(BISECTIONS):
        middle = 0.5 * (inside + outside)
        if log_evidence(centre + middle) >= level:
            outside = middle
        else:
            inside = middle
    return centre + outside
