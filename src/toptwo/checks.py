"""Validation of what users pass: each check returns the clean value or raises one sentence that names the remedy."""

import difflib
import math
from collections.abc import Iterable
from numbers import Integral, Real
from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from toptwo.errors import InputError

Value = TypeVar("Value")


def is_number(value: Any) -> bool:
    """Return whether a value is a real number; True and False are not."""
    return not isinstance(value, bool) and isinstance(value, Real)


def is_whole(value: Any) -> bool:
    """Return whether a value is a whole number; True and False are not."""
    return not isinstance(value, bool) and isinstance(value, Integral)


def probability(name: str, value: Any) -> float:
    """Return `value` as a float strictly between 0 and 1.

    Examples
    --------
    >>> probability("delta", 1.5)
    Traceback (most recent call last):
    toptwo.errors.InputError: delta must be a probability strictly between 0 and 1 (5 % is 0.05), not 1.5.
    """
    if not is_number(value) or not 0.0 < float(value) < 1.0:
        raise InputError(f"{name} must be a probability strictly between 0 and 1 (5 % is 0.05), not {value!r}.")
    return float(value)


def at_least(name: str, value: Any, lowest: float, *, strict: bool = False) -> float:
    """Return `value` as a finite float that is at least (or, if strict, above) `lowest`."""
    relation = "above" if strict else "at least"
    good = is_number(value) and math.isfinite(value)
    if not good or value < lowest or (strict and value == lowest):
        raise InputError(f"{name} must be a finite number {relation} {lowest:g}, not {value!r}.")
    return float(value)


def whole(name: str, value: Any, lowest: int) -> int:
    """Return `value` as an int that is at least `lowest`."""
    if not is_whole(value) or value < lowest:
        raise InputError(f"{name} must be a whole number of at least {lowest}, not {value!r}.")
    return int(value)


def one_of(name: str, value: Any, choices: dict[str, Value]) -> Value:
    """Return the entry of `choices` named `value`, case and punctuation aside, or name the nearest one.

    Examples
    --------
    >>> one_of("threshold", "heuristik", {"proven": 1, "heuristic": 2})
    Traceback (most recent call last):
    toptwo.errors.InputError: threshold 'heuristik' is unknown; did you mean 'heuristic'? Known: heuristic, proven.
    """
    known = {fold(key): key for key in choices}
    if isinstance(value, str) and fold(value) in known:
        return choices[known[fold(value)]]
    near = difflib.get_close_matches(fold(str(value)), known, n=1, cutoff=0.5)
    hint = f"; did you mean {known[near[0]]!r}?" if near else "."
    raise InputError(f"{name} {value!r} is unknown{hint} Known: {', '.join(sorted(choices))}.")


def fold(name: str) -> str:
    """Return a name without case, spaces, dashes and underscores, as names are compared."""
    return "".join(letter for letter in name.casefold() if letter not in " -_'")


def means(value: ArrayLike, *, axes: Iterable[int] = (1, 2)) -> NDArray[np.float64]:
    """Return means as a float array of shape (K,) or (instances, K), K ≥ 2, all finite."""
    try:
        array = np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError("means must be numbers in an array of shape (K,) or (instances, K).") from None
    if array.ndim not in tuple(axes):
        raise InputError(f"means must have shape (K,) or (instances, K), not {array.shape}.")
    if array.shape[-1] < 2:
        raise InputError(f"means must hold at least 2 arms, not {array.shape[-1]}: there is nothing to choose.")
    if array.shape[0] == 0:
        raise InputError("means must hold at least one instance.")
    if not np.isfinite(array).all():
        raise InputError("means must be finite: replace NaN and infinite entries or drop those arms.")
    return array
