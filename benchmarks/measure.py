"""Measuring on a noisy machine: contestants take turns, and only ratios within a turn count."""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

Times = dict[str, NDArray[np.float64]]


@dataclass
class Table:
    """Rows of text under a title."""

    title: str
    columns: tuple[str, ...]
    rows: list[tuple[str, ...]] = field(default_factory=list)
    note: str = ""


def verdict(value: float, bar: float, at_least: bool = False) -> str:
    """Return "ok", or by how much a figure misses its bar."""
    excess = bar / value - 1.0 if at_least else value / bar - 1.0
    return "ok" if excess <= 0.0 else f"misses by {excess:.0%}"


def take_turns(
    contestants: Mapping[str, Callable[[], object]],
    turns: int,
    clock: Callable[[], float] = time.thread_time,
) -> Times:
    """Return the seconds of every contestant in every turn, after one turn to warm up.

    The default clock counts processor time of this thread, so that other programs cost little; the order within a turn
    alternates, so that a drift of the machine's speed favours nobody.
    """
    times: dict[str, list[float]] = {name: [] for name in contestants}
    for turn in range(turns + 1):
        names = list(contestants) if turn % 2 else list(contestants)[::-1]
        for name in names:
            started = clock()
            contestants[name]()
            times[name].append(clock() - started)
    return {name: np.array(values[1:]) for name, values in times.items()}


def ratio(times: Times, name: str, other: str) -> float:
    """Return the median over turns of one contestant's time in units of another's."""
    return float(np.median(times[name] / times[other]))
