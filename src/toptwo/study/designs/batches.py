"""Batches told as one number: which cannot be one."""

import math
from collections.abc import Hashable
from typing import Any

import numpy as np

from toptwo.errors import InputError
from toptwo.families.base import has_whole_sums, mean_range, take_average
from toptwo.state import state_of

ROUNDED = 1e-9
"""How far, as a part, a sum may be from a whole number: an average has been rounded."""


def check_average(family: Any, arms: int, average: float, size: int, name: Hashable) -> None:
    """Refuse an average where the family needs every value, and one that no values have."""
    if not take_average(family, 0, average, size, state_of(family, arms)):
        raise InputError(
            f"value for arm {name!r} must be a single one: {family!r} needs each, no average. Tell values one by one, "
            "or create the study with a family to which a batch says all: tt.Bernoulli() for successes, tt.Poisson() "
            "for counts, tt.Gaussian(sigma) for averages of values of known standard deviation."
        )
    if mean_range(family).outside(np.array([average])).any():
        raise InputError(f"value for arm {name!r} must {mean_range(family).words()} on average, not {average:g}.")
    if has_whole_sums(family) and not is_nearly_whole(average * size):
        raise InputError(
            f"value for arm {name!r} times trials must be a whole number under {family!r}, not {average:g} times "
            f"{size} = {average * size:g}: give the average unrounded, or successes and trials."
        )


def is_nearly_whole(total: float) -> bool:
    """Return whether a sum is a whole number, but for the rounding of the average that it is made from.

    Examples
    --------
    >>> is_nearly_whole(0.083 * 1000), is_nearly_whole(1 / 3 * 3), is_nearly_whole(0.4321 * 10)
    (True, True, False)
    """
    return math.isclose(total, round(total), rel_tol=ROUNDED, abs_tol=ROUNDED)
