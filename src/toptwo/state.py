"""What is known of the arms: their statistics, one flat row per quantity, one entry per arm.

A NamedTuple of rows, so that the same rule reads them as lists in plain Python (ask/tell,
debugging), as arrays in compiled code, and as strided views on other hardware.
"""

import math
from collections.abc import MutableSequence
from typing import Any, NamedTuple, TypeAlias

Row: TypeAlias = MutableSequence[float]


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
    led: Row
    """L_i: rounds in which i was the leader."""
    owed: Row
    """b_i: sum of the leader's proportions β_n over the rounds led by i."""
    own: Row
    """N^i_i: pulls of i in rounds that i led."""
    memory: MutableSequence[Row]
    """Rows that the algorithm declares for itself (`memory_rows`), zero at the start of a run."""
    store: MutableSequence[Row]
    """Rows that the family declares for itself (`store_rows`), zero at the start of a run."""


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


def with_counts(counts: list[float], state: State) -> State:
    """Return the state that believes in other counts: same means, and a store of sums that grow with the counts.

    Examples
    --------
    >>> state = empty_state(1)
    >>> add_reward(0, 3.0, state)
    >>> with_counts([4.0], state).root
    [0.5]
    """
    growth = [new / old if old else 0.0 for new, old in zip(counts, state.counts, strict=True)]
    return state._replace(
        counts=counts,
        inverse=[1.0 / count for count in counts],
        root=[math.sqrt(1.0 / count) for count in counts],
        store=[[factor * total for factor, total in zip(growth, row, strict=True)] for row in state.store],
    )


def empty_state(arms: int, rows: int = 0, store: int = 0) -> State:
    """Return the state before the first pull, as lists, with so many rows of memory and of store.

    Examples
    --------
    >>> state = empty_state(2)
    >>> add_reward(0, 3.0, state)
    >>> state.means, state.counts
    ([3.0, 0.0], [1.0, 0.0])
    """
    lines: list[Any] = [*([0.0] * arms for _ in range(7)), *([[0.0] * arms for _ in range(n)] for n in (rows, store))]
    return State(*lines)
