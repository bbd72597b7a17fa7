"""Measured values, as users hand them in."""

import math
from collections.abc import Hashable
from numbers import Complex, Number, Real
from typing import Any

from toptwo import checks
from toptwo.errors import InputError

FAILED = (
    "measure again if the failure had nothing to do with what was measured, else tell the value that you have fixed "
    "beforehand for failures (a time limit, a score of zero)"
)


def number_or_raise(value: Any, name: Hashable, kind: str = "arm") -> float:
    """Return a measured value as a float, or say what is wrong with it; it is of an arm, or of a pull, of this name."""
    if type(value) is float and -checks.FARTHEST <= value <= checks.FARTHEST:
        return value
    number = value
    if not isinstance(number, Real) and (not isinstance(number, Number) or isinstance(number, Complex)):
        try:
            number = value.item()  # a NumPy or PyTorch scalar
        except (AttributeError, ValueError, RuntimeError):
            raise InputError(f"value for {kind} {name!r} must be a number, not {value!r}.") from None
    try:
        number = float(number)
    except (TypeError, ValueError, OverflowError):
        raise InputError(f"value for {kind} {name!r} must be a number within the range of floats.") from None
    if not math.isfinite(number):
        raise InputError(f"value for {kind} {name!r} must be finite, not {value!r}: {FAILED}.")
    if abs(number) > checks.FARTHEST:
        raise InputError(
            f"value for {kind} {name!r} must lie {checks.WITHIN}, not at {value!r}: squares "
            f"of others are no floats, so that no law says anything of them."
        )
    return number


def average_of(value: Any, successes: Any, trials: Any) -> tuple[Any, int]:
    """Return the average of a batch and how many measurements it is of.

    Examples
    --------
    >>> average_of(None, 83, 1000), average_of(2.5, None, 4)
    ((0.083, 1000), (2.5, 4))
    """
    if trials is None:
        raise InputError("successes must come with trials, how many there were: tell(pull, successes=83, trials=1000).")
    size = checks.whole("trials", trials, 1)
    if (value is None) == (successes is None):
        raise InputError("trials must come with either successes or a value, which is then their average.")
    if successes is None:
        return value, size
    return checks.whole("successes", successes, 0, size) / size, size


def taken_apart(value: Any) -> tuple[Any, Any, int]:
    """Return the value, the cost and the size of an answer that may be a batch.

    Examples
    --------
    >>> taken_apart(1.5), taken_apart({"successes": 83, "trials": 1000})
    ((1.5, None, 1), (0.083, None, 1000))
    """
    if not isinstance(value, dict):
        return value, None, 1
    if unknown := set(value) - {"value", "cost", "successes", "trials"}:
        raise InputError(f"answers may have value, cost, successes and trials, not {', '.join(map(repr, unknown))}.")
    average, size = value.get("value"), 1
    if not value.keys().isdisjoint(("successes", "trials")):
        average, size = average_of(average, value.get("successes"), value.get("trials"))
    return average, value.get("cost"), size


def as_given(value: Any, cost: float | None, size: int) -> Any:
    """Return an answer as `taken_apart` takes it: a value alone if that is all.

    Examples
    --------
    >>> as_given(1.5, None, 1), as_given(0.083, None, 1000)
    (1.5, {'value': 0.083, 'trials': 1000, 'cost': None})
    """
    return value if cost is None and size == 1 else {"value": value, "trials": size, "cost": cost}


def listed(what: str, values: Any) -> list[Any]:
    """Return a list of what was handed in, or raise InputError if that is no list.

    Examples
    --------
    >>> listed("values must be a list", range(3))
    [0, 1, 2]
    """
    if isinstance(values, str | bytes) or not hasattr(values, "__iter__"):
        raise InputError(f"{what}, not {values!r}.")
    return list(values)


def pairs_of(answers: Any) -> list[tuple[Any, Any]]:
    """Return pulls with their values, or raise InputError if these are no pairs.

    Examples
    --------
    >>> pairs_of({3: 1.5}.items())
    [(3, 1.5)]
    """
    sentence = "answers must be pairs of a pull and its value"
    try:
        return [(pull, value) for pull, value in listed(sentence, answers)]
    except (TypeError, ValueError):
        raise InputError(f"{sentence}, not {answers!r}.") from None
