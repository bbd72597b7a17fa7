"""What every function of the theory does first: check its arguments and bring them to one shape."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from toptwo import checks
from toptwo.errors import InputError

Floats = NDArray[np.float64]
FloatOrArray = float | Floats


def unwrap(values: Any) -> FloatOrArray:
    """Return a plain float for a single number and the array otherwise.

    Examples
    --------
    >>> unwrap(np.float64(2.5))
    2.5
    """
    array = np.asarray(values, dtype=np.float64)
    return float(array) if array.ndim == 0 else array


def probabilities(name: str, value: ArrayLike) -> Floats:
    """Return one probability or an array of them, each strictly between 0 and 1.

    Examples
    --------
    >>> probabilities("delta", [0.1, 1.0])
    Traceback (most recent call last):
    toptwo.errors.InputError: delta must hold probabilities strictly between 0 and 1, and entry 1.0 is none.
    """
    if np.ndim(value) == 0:
        return np.asarray(checks.probability(name, value.item() if isinstance(value, np.ndarray) else value))
    array = numbers(name, value)
    outside = ~((array > 0.0) & (array < 1.0))
    if outside.any():
        raise InputError(
            f"{name} must hold probabilities strictly between 0 and 1, and entry {array[outside][0]!s} is none."
        )
    return array


def numbers(name: str, value: ArrayLike, lowest: float = -np.inf, *, strict: bool = False) -> Floats:
    """Return one number or an array of them, none of them NaN, each at least (or, if strict, above) `lowest`.

    Examples
    --------
    >>> numbers("samples", [3, 1], 2)
    Traceback (most recent call last):
    toptwo.errors.InputError: samples must be at least 2, not 1.0.
    """
    try:
        array = np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError(f"{name} must be a number or an array of numbers.") from None
    bad = ~((array > lowest) if strict else (array >= lowest)) | np.isnan(array)
    if bad.any():
        offender = array[bad].flat[0]
        if np.isnan(offender) or lowest == -np.inf:
            raise InputError(f"{name} must be a number or an array of numbers without NaN.")
        raise InputError(f"{name} must be {'above' if strict else 'at least'} {lowest:g}, not {offender!s}.")
    return array


class Gaps(NamedTuple):
    """The gaps of one or many instances, normalised by the smallest so that nothing over- or underflows.

    Parameters
    ----------
    best
        Index of the best arm of each instance.
    smallest
        Δ_min, the gap between the best arm and the second.
    shares
        (Δ_min / Δ_i)², between 0 and 1; 0 for the best arm.
    deficits
        1 − shares, without cancellation for arms that are nearly as good as the second; 0 for the best arm.
    """

    best: NDArray[np.intp]
    smallest: Floats
    shares: Floats
    deficits: Floats


def gaps_of(means: Floats, epsilon: float = 0.0) -> Gaps:
    """Return the normalised gaps of instances with one best arm; a margin ε widens every gap by ε.

    Examples
    --------
    >>> gaps_of(np.array([1.0, 3.0, 2.0])).shares
    array([0.25, 0.  , 1.  ])
    """
    best = np.argmax(means, axis=-1)
    column = np.expand_dims(best, -1)
    others = means.copy()
    np.put_along_axis(others, column, -np.inf, axis=-1)
    second = others.max(axis=-1, keepdims=True)
    with np.errstate(over="ignore", under="ignore"):
        gaps = np.take_along_axis(means, column, axis=-1) - others + epsilon
        smallest = gaps.min(axis=-1)
        _refuse_unusable_gaps(means, best, smallest, np.where(np.isinf(others), 0.0, gaps))
        behind = second - others
        np.put_along_axis(behind, column, 0.0, axis=-1)
        ratios = smallest[..., None] / gaps
        # 1 − ρ² = (1 − ρ)(1 + ρ), and 1 − ρ is the distance to the second arm over the gap: both factors are exact
        # to rounding even when ρ is next to 1.
        return Gaps(best, smallest, ratios * ratios, behind / gaps * (1.0 + ratios))


def _refuse_unusable_gaps(means: Floats, best: NDArray[np.intp], smallest: Floats, gaps: Floats) -> None:
    """Explain a tie for the best arm, and gaps beyond floating point."""
    if not np.isfinite(gaps).all():
        raise InputError("means differ by more than a float can hold: rescale the rewards.")
    if (smallest > 0.0).all():
        return
    row = int(np.flatnonzero(np.atleast_1d(smallest) <= 0.0)[0])
    values = means if means.ndim == 1 else means.reshape(-1, means.shape[-1])[row]
    tied = np.flatnonzero(values == values.max())
    where = "" if means.ndim == 1 else f" in instance {row}"
    raise InputError(
        f"means has two best arms{where} (indices {tied[0]} and {tied[1]}, both {values.max():g}), so T* is infinite:"
        " no number of samples separates them; ask for any arm within epsilon of the best (epsilon > 0 in"
        " characteristic_time, optimal_allocation and plan) or drop one of the two."
    )
