"""Measured values, as users hand them in."""

import math
from collections.abc import Hashable
from numbers import Real
from typing import Any

from toptwo.errors import InputError

FAILED = (
    "measure again if the failure had nothing to do with what was measured, else tell the value that you have fixed "
    "beforehand for failures (a time limit, a score of zero)"
)


def number_or_raise(value: Any, arm: Hashable) -> float:
    """Return a measured value as a float, or say what is wrong with it."""
    number = value
    if not isinstance(number, Real):
        try:
            number = value.item()  # a NumPy or PyTorch scalar
        except (AttributeError, ValueError, RuntimeError):
            raise InputError(f"value for arm {arm!r} must be a number, not {value!r}.") from None
    try:
        number = float(number)
    except (TypeError, ValueError, OverflowError):
        raise InputError(f"value for arm {arm!r} must be a number within the range of floats.") from None
    if not math.isfinite(number):
        raise InputError(f"value for arm {arm!r} must be finite, not {value!r}: {FAILED}.")
    return number
