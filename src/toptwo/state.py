"""What is known of the arms: their statistics, one flat row per quantity, one entry per arm.

A NamedTuple of rows, so that the same rule reads them as lists in plain Python (ask/tell, debugging), as arrays in
compiled code, and as strided views on other hardware.
"""

import math
from collections.abc import Callable, MutableSequence
from typing import Any, NamedTuple, TypeAlias

from toptwo.memory import laid_out, memory_of, per_arm, zeros
from toptwo.records import is_record, rebuild

Row: TypeAlias = MutableSequence[float]
Table: TypeAlias = MutableSequence[Row]


class State(NamedTuple):
    """Statistics before a round; `n` counts rounds from 1, so n − 1 rewards have been seen."""

    means: Row
    """Empirical means μ̂_i."""
    counts: Row
    """Numbers of pulls N_i."""
    inverse: Row
    """1 / N_i, kept because costs divide by counts in every round."""
    root: Row
    """1 / √N_i."""
    kept: Any
    """What the family keeps besides (its `memory`), zero at the start of a run."""


def add_reward(arm: int, reward: float, state: State) -> None:
    """Count one more pull of `arm` and move its empirical mean."""
    count = state.counts[arm] + 1.0
    inverse = 1.0 / count
    state.counts[arm] = count
    state.inverse[arm] = inverse
    state.root[arm] = math.sqrt(inverse)
    state.means[arm] += (reward - state.means[arm]) * inverse


def add_batch(arm: int, average: float, size: int, state: State) -> None:
    """Count `size` more pulls of `arm`, whose rewards have this average."""
    count = state.counts[arm] + size
    state.counts[arm] = count
    state.inverse[arm] = 1.0 / count
    state.root[arm] = math.sqrt(1.0 / count)
    state.means[arm] += (average - state.means[arm]) * (size / count)


def recounted(counts: list[float], kept: Any, state: State) -> State:
    """Return the state that believes in other counts: same means, and this in place of what the family keeps."""
    inverse = [1.0 / count for count in counts]
    return State(state.means, counts, inverse, [math.sqrt(part) for part in inverse], kept)


def grown(counts: list[float], state: State) -> Any:
    """Return what the family keeps if it is sums over the rewards of each arm, which grow along with the counts.

    Examples
    --------
    >>> class Sums(NamedTuple):
    ...     squares: Row
    >>> grown([4.0], State([3.0], [1.0], [1.0], [1.0], Sums([9.0])))
    Sums(squares=[36.0])
    """
    growth = [new / old if old else 0.0 for new, old in zip(counts, state.counts, strict=True)]

    def grow(row: Any) -> Any:
        if is_record(row):
            return row
        return [factor * total for factor, total in zip(growth, row, strict=True)]

    return rebuild(state.kept, grow)


def statistics_of(family: Any) -> State:
    """Declare the statistics of the arms as a family keeps them."""
    return State(per_arm(), per_arm(), per_arm(), per_arm(), memory_of(family))


def state_of(family: Any, arms: int, new: Callable[..., Any] = zeros) -> State:
    """Return the state before the first pull, as lists unless told how to make a field of some sizes.

    Examples
    --------
    >>> from toptwo.families import Gaussian
    >>> state = state_of(Gaussian(), 2)
    >>> add_reward(0, 3.0, state)
    >>> state.means, state.counts
    ([3.0, 0.0], [1.0, 0.0])
    """
    state: State = laid_out(statistics_of(family), arms, new)
    return state
