"""Validation of what users pass: each check returns the clean value or raises one sentence that names the remedy."""

import difflib
import math
import os
from collections.abc import Iterable
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any, TypeVar

from toptwo.errors import InputError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray

Value = TypeVar("Value")

FARTHEST = 1e100
"""Largest number, up or down, that is measured or simulated: squares of differences, summed up, are floats."""

WITHIN = f"between -{FARTHEST:g} and {FARTHEST:g}"
"""The same in words."""

FINEST = 1e-50
"""Least standard deviation: squares of differences in units of it are floats too."""


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


def margin(name: str, value: Any) -> float:
    """Return `value` as a float that is a margin: at least 0, and not beyond what can be measured.

    Examples
    --------
    >>> margin("epsilon", 1e300)
    Traceback (most recent call last):
    toptwo.errors.InputError: epsilon must be at most 1e+100, not 1e+300: squares of others are no floats.
    """
    if (width := at_least(name, value, 0.0)) > FARTHEST:
        raise InputError(f"{name} must be at most {FARTHEST:g}, not {value!r}: squares of others are no floats.")
    return width


def deviation(name: str, value: Any) -> float:
    """Return `value` as a float that is a standard deviation, in units of which squares of differences are floats.

    Examples
    --------
    >>> deviation("sigma", 1e-165)
    Traceback (most recent call last):
    toptwo.errors.InputError: sigma must lie between 1e-50 and 1e+100, not at 1e-165: squares of others are no floats.
    """
    if not FINEST <= (width := at_least(name, value, 0.0, strict=True)) <= FARTHEST:
        raise InputError(
            f"{name} must lie between {FINEST:g} and {FARTHEST:g}, not at {value!r}: squares of others are no floats."
        )
    return width


def whole(name: str, value: Any, lowest: int, highest: int | None = None) -> int:
    """Return `value` as an int that is at least `lowest` and, if there is one, at most `highest`."""
    if not is_whole(value) or value < lowest:
        raise InputError(f"{name} must be a whole number of at least {lowest}, not {value!r}.")
    if highest is not None and value > highest:
        raise InputError(f"{name} must be at most {highest:,}, not {value!r}.")
    return int(value)


def room(name: str, value: int, numbers: int, what: str = "") -> int:
    """Return `value`, which counts what is named, if this machine has the memory for the numbers that it leads to.

    Examples
    --------
    >>> room("runs", 10**12, numbers=14 * 10**12)
    Traceback (most recent call last):
    toptwo.errors.InputError: runs is 1,000,000,000,000: that takes 104,308 GiB of memory, and this machine has ...
    """
    here = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") if hasattr(os, "sysconf") else 1 << 36
    if 8 * numbers > here:
        needed, there = (amount / 2**30 for amount in (8 * numbers, here))
        size = f"has {value:,} {what}" if what else f"is {value:,}"
        raise InputError(f"{name} {size}: that takes {needed:,.0f} GiB of memory, and this machine has {there:,.0f}.")
    return value


def one_of(name: str, value: Any, choices: dict[str, Value]) -> Value:
    """Return the entry of `choices` named `value`, case and punctuation aside, or name the nearest one.

    Examples
    --------
    >>> one_of("threshold", "heuristik", {"proven": 1, "heuristic": 2})
    Traceback (most recent call last):
    toptwo.errors.InputError: threshold 'heuristik' is unknown; did you mean 'heuristic'? Known: heuristic, proven.
    """
    if isinstance(value, str) and value in choices:
        return choices[value]
    known = {fold(key): key for key in choices}
    if isinstance(value, str) and fold(value) in known:
        return choices[known[fold(value)]]
    near = difflib.get_close_matches(fold(str(value)), known, n=1, cutoff=0.5)
    hint = f"; did you mean {known[near[0]]!r}?" if near else "."
    raise InputError(f"{name} {value!r} is unknown{hint} Known: {', '.join(sorted(choices))}.")


def fold(name: str) -> str:
    """Return a name without case, spaces, dashes and underscores, as names are compared."""
    return "".join(letter for letter in name.casefold() if letter not in " -_'")


def means(value: "ArrayLike", *, axes: Iterable[int] = (1, 2)) -> "NDArray[np.float64]":
    """Return means as a float array of shape (K,) or (instances, K), K ≥ 2, all finite."""
    import numpy as np

    try:
        array = _floats(value)
    except (TypeError, ValueError):
        raise InputError("means must be numbers, not text, in an array of shape (K,) or (instances, K).") from None
    if array.ndim not in tuple(axes):
        raise InputError(f"means must have shape (K,) or (instances, K), not {array.shape}.")
    if array.shape[-1] < 2:
        raise InputError(f"means must hold at least 2 arms, not {array.shape[-1]}: there is nothing to choose.")
    if array.shape[0] == 0:
        raise InputError("means must hold at least one instance.")
    if not np.isfinite(array).all():
        raise InputError("means must be finite: replace NaN and infinite entries or drop those arms.")
    return array


def _floats(value: "ArrayLike") -> "NDArray[np.float64]":
    """Return an array of floats; text that looks like a number is none."""
    import numpy as np

    array = np.asarray(value)
    odd = array.dtype.kind == "O" and any(isinstance(entry, str | bool) for entry in array.flat)
    if odd or array.dtype.kind not in "iufO":
        raise TypeError(array.dtype)
    try:
        return array.astype(np.float64)
    except OverflowError:
        return np.full(array.shape, math.inf)  # whole numbers beyond the floats
