"""Cells: the units of work, each a pure function of what is written in it."""

import hashlib
import json
import os
import socket
import sys
import time
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from toptwo.engine.question import make_setup, stream_label
from toptwo.engine.rounds import Setup
from toptwo.engine.simulation import Task, make_task, play_task
from toptwo.errors import WorkError
from toptwo.problems import Means
from toptwo.sweeps.arrays import arrays_of
from toptwo.sweeps.code import code_of, installed_code
from toptwo.sweeps.exact import exact
from toptwo.sweeps.files import Arrays
from toptwo.sweeps.locks import alone
from toptwo.sweeps.points import Entrant, Point, instances_of

_compiled: set[tuple[str, str]] = set()
"""Digests of code that this process has run, and the engines that it was run by."""

REWARDS = "run by run"
"""How rewards follow from a seed, a part of the question: answers of earlier ways are answers to others."""


class Work(NamedTuple):
    """What a worker needs to compute a cell: plain data that travels, whatever made the instances."""

    label: str
    algorithm: Any
    threshold: Any
    family: Any
    delta: float
    epsilon: float
    max_samples: int
    checkpoints: tuple[int, ...]
    timed: bool
    seed: int
    means: Means
    """Those of the runs to be played, one row each."""
    first: int
    """The number of the first of these runs."""
    code: str
    """Digest of the code that is to answer (code.py), installed where the cell was planned."""
    engine: str

    def task(self) -> Task:
        """Return what the engine is to do, on one thread."""
        names = ("delta", "threshold", "family", "epsilon", "max_samples", "seed", "engine", "first")
        options: dict[str, Any] = {name: getattr(self, name) for name in names}
        return make_task(self.algorithm, self.means, len(self.means), threads=1, **options)

    def compile(self) -> None:
        """Play one run of almost nothing, so that the code is compiled or loaded from the cache."""
        least = self._replace(max_samples=2 * self.means.shape[1], means=self.means[:1])
        play_task(least.task(), least.means, _nothing)

    def compute(self, task: Task) -> Arrays:
        """Play the runs."""
        if self.timed:
            from toptwo.sweeps.timing import timed_runs

            return timed_runs(task.setup, self.means, task.share)
        result = play_task(task, self.means, _nothing, self.checkpoints)
        if result.interrupted:
            raise KeyboardInterrupt
        return arrays_of(result)

    def parts(self, number: int) -> list["Work"]:
        """Return the same runs in so many parts, or fewer, whose answers are joined by `joined`."""
        size = -(-len(self.means) // number)
        starts = range(0, len(self.means), size)
        return [self._replace(means=self.means[at : at + size], first=self.first + at) for at in starts]


def _nothing(finished: int) -> None:
    pass


@dataclass(frozen=True)
class Cell:
    """Runs `first` to `last` of one algorithm at one point."""

    point: Point
    entrant: Entrant
    seed: int
    first: int
    last: int

    @property
    def algorithm(self) -> Any:
        """Return the algorithm as `simulate` takes it."""
        return self.entrant.label if self.entrant.algorithm is None else self.entrant.algorithm

    @property
    def means(self) -> Means:
        """Return the instances of these runs, one row each."""
        return np.ascontiguousarray(instances_of(self.point, self.seed)[self.first : self.last])

    @property
    def setup(self) -> Setup:
        """Return what is run."""
        point = self.point
        return make_setup(
            self.algorithm,
            instances_of(point, self.seed).shape[1],
            delta=point.delta,
            threshold=self.entrant.threshold,
            family=point.family,
            epsilon=point.epsilon,
            max_samples=point.max_samples,
        )

    @property
    def question(self) -> str:
        """Return a digest of everything asked: another question, another cell."""
        return self._names[0]

    @property
    def code(self) -> str:
        """Return a digest of the code that answers: rules, loop and version."""
        return self._names[1]

    @cached_property
    def _names(self) -> tuple[str, str, str]:
        setup = self.setup
        asked = {
            "kind": "timed" if self.point.timed else "simulated",
            "setup": exact(setup),
            "stream": stream_label(self.algorithm),
            "means": hashlib.sha256(self.means.tobytes()).hexdigest(),
            "runs": [self.first, self.last],
            "seed": self.seed,
            "rewards": REWARDS,
            "checkpoints": self.point.checkpoints,
            **({} if self.point.engine == "cpu" else {"engine": self.point.engine}),
        }
        question = hashlib.sha256(json.dumps(asked).encode()).hexdigest()[:16]
        engine = self.point.engine
        return question, code_of(setup, engine), installed_code(setup, engine)

    @property
    def work(self) -> Work:
        """Return what a worker is sent."""
        point, entrant = self.point, self.entrant
        return Work(
            entrant.label,
            self.algorithm,
            entrant.threshold,
            point.family,
            point.delta,
            point.epsilon,
            point.max_samples,
            point.checkpoints,
            point.timed,
            self.seed,
            self.means,
            self.first,
            self._names[2],
            point.engine,
        )


def cells_of(point: Point, seed: int) -> list[Cell]:
    """Return the cells of a point, algorithm by algorithm.

    Examples
    --------
    >>> from functools import partial
    >>> from toptwo.sweeps.points import entrants
    >>> from toptwo.problems import random_gaussian
    >>> point = Point("three", partial(random_gaussian, arms=3), entrants("TTUCB"), runs=1200)
    >>> [(cell.first, cell.last) for cell in cells_of(point, seed=1)]
    [(0, 500), (500, 1000), (1000, 1200)]
    """
    starts = range(0, point.runs, point.chunk)
    return [
        Cell(point, entrant, seed, first, min(first + point.chunk, point.runs))
        for entrant in point.entrants
        for first in starts
    ]


class CellAnswer(NamedTuple):
    """What a worker has found."""

    arrays: Arrays
    seconds: dict[str, float]
    """On the clock, of the processor, and compiling before."""
    code: str
    """Digest of the code that found it."""
    setup: str
    """What was run, in words."""


def answer(work: Work) -> CellAnswer:
    """Return what a cell computes, or raise WorkError if this is not the code that it was planned with."""
    watch = Stopwatch()
    task = work.task()
    code = installed_code(task.setup, work.engine)
    if code != work.code:
        raise WorkError(
            f"the worker {whereabouts()} runs other code than the process that planned the cells: install the same "
            "versions of toptwo, of Python and of your own rules there."
        )
    ready = watch.lap()
    rules = code_of(task.setup, work.engine)
    if (rules, work.engine) not in _compiled:
        with alone(rules):  # a neighbour who compiles the same leaves it in the cache that both read
            work.compile()
        _compiled.add((rules, work.engine))
    compiling = watch.lap()
    arrays = work.compute(task)
    played = watch.lap()
    seconds = {"wall": ready.wall + played.wall, "processor": ready.processor + played.processor}
    return CellAnswer(arrays, seconds | {"compiling": compiling.processor}, code, repr(task.setup))


class Lap(NamedTuple):
    """Seconds on the clock and of the processor."""

    wall: float
    processor: float


class Stopwatch:
    """Tells how long each of several things took that are done one after the other."""

    def __init__(self) -> None:
        self._last = Lap(time.perf_counter(), time.process_time())

    def lap(self) -> Lap:
        """Return the seconds since the last lap."""
        before, self._last = self._last, Lap(time.perf_counter(), time.process_time())
        return Lap(self._last.wall - before.wall, self._last.processor - before.processor)


def whereabouts() -> str:
    """Return where this process computes: its address on a cluster, or machine and process."""
    if "distributed" in sys.modules:
        with suppress(ValueError):  # not a worker of that cluster
            return f"at {sys.modules['distributed'].get_worker().address}"
    return f"on {socket.gethostname()} (process {os.getpid()})"
