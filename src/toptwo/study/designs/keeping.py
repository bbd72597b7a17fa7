"""What rules have learnt, as plain lists and back."""

from typing import Any

from toptwo.records import is_record


def plain(learnt: Any) -> Any:
    """Return a tree of records of rows as lists of numbers.

    Examples
    --------
    >>> from toptwo.families import Gaussian
    >>> from toptwo.state import state_of
    >>> plain(state_of(Gaussian(), 2))
    [[0.0, 0.0], [0.0, 0.0], [0.0, 0.0], [0.0, 0.0], []]
    """
    if hasattr(learnt, "tolist"):
        return learnt.tolist()
    if is_record(learnt) or isinstance(learnt, list):
        return [plain(part) for part in learnt]
    return learnt


def fill(learnt: Any, kept: Any) -> None:
    """Write lists of numbers into a tree of records of rows of the same shape.

    Examples
    --------
    >>> from toptwo.families import Gaussian
    >>> from toptwo.state import state_of
    >>> state = state_of(Gaussian(), 2)
    >>> fill(state, [[1.0, 2.0], [3.0, 1.0], [0.5, 1.0], [0.7, 1.0], []])
    >>> state.means
    [1.0, 2.0]
    """
    if is_record(learnt):
        for part, values in zip(learnt, kept, strict=True):
            fill(part, values)
        return
    for place, value in enumerate(kept):
        if isinstance(value, list):
            fill(learnt[place], value)
        else:
            learnt[place] = value
