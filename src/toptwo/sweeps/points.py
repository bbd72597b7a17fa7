"""Points: one set of instances and the algorithms that are run on it."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from toptwo.engine.question import algorithm_name
from toptwo.errors import InputError
from toptwo.problems import Means

LIMIT = 10_000_000
"""Samples after which a run is given up: LUCB with the paper's bonus may starve the best arm and go on for ever."""

CHUNK = 500
"""Runs of a unit of work, unless told otherwise."""


class Entrant(NamedTuple):
    """An algorithm under the name it has in tables and figures."""

    label: str
    algorithm: Any = None
    """A name, or an object such as `tt.TTUCB(beta=0.3)`; the label by default."""
    threshold: Any = "heuristic"


def entrants(*names: str) -> tuple[Entrant, ...]:
    """Return registered algorithms as entrants.

    Examples
    --------
    >>> entrants("TTUCB", "T3C")[1].label
    'T3C'
    """
    return tuple(Entrant(name) for name in names)


@dataclass(frozen=True)
class Point:
    """One set of instances and the algorithms that are run on it, all on the same rewards.

    Attributes
    ----------
    label, value
        The point's name and its place on the axis of a sweep.
    instances
        From (runs, seed) to means, (K,) for one instance or (runs, K).
    epsilon, family
        Margin, and law of the rewards; Gaussian of variance 1 by default.
    chunk
        Runs of a unit of work, which is what a killed run may lose.
    checkpoints
        Sample sizes at which wrong recommendations are counted.
    timed
        Measure the processor time of each run: a measurement, not a result that comes out the same again.
    engine
        "cpu", "python" or "cuda": what plays the runs (players.py). A GPU may differ in last bits (docs/cuda.md): its
        cells are others.
    """

    label: str
    instances: Callable[[int, int], Means]
    entrants: tuple[Entrant, ...]
    runs: int
    value: float = 0.0
    delta: float = 0.1
    chunk: int = CHUNK
    checkpoints: tuple[int, ...] = ()
    timed: bool = False
    max_samples: int = LIMIT
    epsilon: float = 0.0
    family: Any = None
    engine: str = "cpu"


class _Same:
    """Something told from others by being it, whatever it holds: arrays have no hash."""

    def __init__(self, thing: Any) -> None:
        self.thing = thing

    def __hash__(self) -> int:
        return id(self.thing)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Same) and self.thing is other.thing


def instances_of(point: Point, seed: int) -> Means:
    """Return the means of all runs of a point, one row each, kept as long as cells of that point are asked for.

    Examples
    --------
    >>> from toptwo.problems import alpha
    >>> instances_of(Point("one", lambda runs, seed: alpha(3, 0.5), entrants("TTUCB"), runs=2), 0).shape
    (2, 3)
    """
    return _rows(_Same(point.instances), point.runs, seed)


@lru_cache(maxsize=2)
def _rows(instances: _Same, runs: int, seed: int) -> Means:
    means = instances.thing(runs, seed)
    rows = np.broadcast_to(means, (runs, means.shape[-1]))
    rows.setflags(write=False)
    return rows


def labelled(algorithms: Sequence[Any] | Mapping[str, Any]) -> tuple[list[str], list[Any]]:
    """Return names, each once, and the algorithms they stand for.

    Examples
    --------
    >>> labelled(["TTUCB", "TTUCB"])[0], labelled({"ours": "TTUCB"})
    (['TTUCB', 'TTUCB (2)'], (['ours'], ['TTUCB']))
    """
    chosen: list[Any] = []
    names: list[str] = []
    if isinstance(algorithms, Mapping):
        names, chosen = [str(name) for name in algorithms], list(algorithms.values())
    elif isinstance(algorithms, list) or type(algorithms) is tuple:  # an algorithm is a tuple of another kind
        names, chosen = [algorithm_name(algorithm) for algorithm in algorithms], list(algorithms)
    if not chosen:
        raise InputError(
            "algorithms must be a list of one or more, such as ['TTUCB', 'T3C'], or a dictionary of such by name, not "
            f"{algorithms!r}."
        )
    return distinct(names), chosen


def distinct(names: Sequence[str]) -> list[str]:
    """Return names each of which is there once: the second of a kind is numbered, and those that follow.

    Examples
    --------
    >>> distinct(["given means", "random", "given means"])
    ['given means', 'random', 'given means (2)']
    """
    found: dict[str, None] = {}
    met: Counter[str] = Counter()
    for name in names:
        met[name] += 1
        own = name if met[name] == 1 else f"{name} ({met[name]})"
        while own in found:
            met[name] += 1
            own = f"{name} ({met[name]})"
        found[own] = None
    return list(found)
