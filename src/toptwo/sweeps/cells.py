"""Cells: the units of work, each a pure function of what is written in it."""

import hashlib
import json
import time
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from toptwo import __version__
from toptwo.engine.code import Code
from toptwo.engine.question import make_setup, stream_label
from toptwo.engine.results import Simulation
from toptwo.engine.rounds import Setup
from toptwo.engine.runs import Share, play_runs
from toptwo.engine.simulation import simulate
from toptwo.problems import Means
from toptwo.records import components
from toptwo.streams import Random
from toptwo.sweeps.files import Arrays, alone
from toptwo.sweeps.points import Entrant, Point, instances_of

_digests: dict[tuple[type, ...], str] = {}
"""Digests of code by the classes of the rules that it runs."""

_compiled: set[tuple[str, str]] = set()
"""Digests of code that this process has run, and the engines that it was run by."""


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
    code: str
    engine: str

    @property
    def question(self) -> dict[str, Any]:
        """Return the question as rules are bound to it."""
        names = ("delta", "threshold", "family", "epsilon", "max_samples")
        return {name: getattr(self, name) for name in names}

    def simulate(self, means: Means, checkpoints: tuple[int, ...] = ()) -> Simulation:
        """Play runs on these instances, on one thread."""
        options: dict[str, Any] = {"seed": self.seed, "trace": checkpoints, "threads": 1, "progress": False}
        return simulate(self.algorithm, means, engine=self.engine, **self.question, **options)

    def compile(self) -> None:
        """Play one run of almost nothing, so that the code is compiled or loaded from the cache."""
        self._replace(max_samples=2 * self.means.shape[1]).simulate(self.means[:1])

    def compute(self) -> Arrays:
        """Play the runs."""
        if self.timed:
            from toptwo.sweeps.timing import timed_runs

            setup = make_setup(self.algorithm, self.means.shape[1], **self.question)
            return timed_runs(setup, self.means, Share(self.seed, stream_label(self.algorithm), 0, len(self.means)))
        result = self.simulate(self.means, self.checkpoints)
        if result.interrupted:
            raise KeyboardInterrupt
        return arrays_of(result)


def arrays_of(result: Simulation) -> Arrays:
    """Return what is kept of runs, one by one; counts over all of them at the times of a trace."""
    best = result.means.argmax(axis=1)
    return {
        "samples": result.stopping_times,
        "recommended": result.recommended,
        "wrong": result.wrong,
        "undecided": ~result.decided,
        "pulls_of_best": np.take_along_axis(result.counts, best[:, None], axis=1)[:, 0],
        "running_at": (result.trace.recommended >= 0).sum(axis=0),
        "wrong_at": result.wrong_at.sum(axis=0),
    }


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
    def _names(self) -> tuple[str, str]:
        setup = self.setup
        asked = {
            "kind": "timed" if self.point.timed else "simulated",
            "setup": repr(setup),
            "stream": stream_label(self.algorithm),
            "means": hashlib.sha256(self.means.tobytes()).hexdigest(),
            "runs": [self.first, self.last],
            "seed": self.seed,
            "checkpoints": self.point.checkpoints,
            **({} if self.point.engine == "cpu" else {"engine": self.point.engine}),
        }
        rules = tuple(type(rule) for rule in components(setup))
        if rules not in _digests:
            _digests[rules] = Code(setup, Random([0]), play_runs).digest
        question = hashlib.sha256(json.dumps(asked).encode()).hexdigest()[:16]
        return question, hashlib.sha256(f"{__version__} {_digests[rules]}".encode()).hexdigest()[:12]

    @property
    def reward_seed(self) -> int:
        """Return the seed of the rewards: the same for every algorithm, another for every chunk of runs."""
        return int.from_bytes(hashlib.sha256(f"{self.seed} {self.first}".encode()).digest()[:7], "big")

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
            self.reward_seed,
            self.means,
            self.code,
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


def answer(work: Work) -> tuple[Arrays, dict[str, float]]:
    """Return what a cell computes, and the seconds it took: on the clock, of the processor, and compiling before."""
    started = time.process_time()
    if (work.code, work.engine) not in _compiled:
        with alone(work.code):  # a neighbour who compiles the same leaves it in the cache that both read
            work.compile()
        _compiled.add((work.code, work.engine))
    wall, processor = time.perf_counter(), time.process_time()
    arrays = work.compute()
    seconds = {"wall": time.perf_counter() - wall, "processor": time.process_time() - processor}
    return arrays, seconds | {"compiling": processor - started}
