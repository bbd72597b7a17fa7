"""Cells: the units of work, each a pure function of what is written in it."""

import hashlib
import json
import time
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from toptwo import __version__
from toptwo.engine.code import Code
from toptwo.engine.question import make_setup, stream_label
from toptwo.engine.results import Simulation
from toptwo.engine.rounds import Setup
from toptwo.engine.runs import Share, play_runs
from toptwo.engine.simulation import simulate
from toptwo.experiments.experiment import Entrant, Point
from toptwo.experiments.files import Arrays
from toptwo.problems import Means
from toptwo.streams import Random

_digests: dict[str, str] = {}
"""Digests of code by what it runs."""

_compiled: set[str] = set()
"""Digests of code that this process has run."""


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

    @cached_property
    def means(self) -> Means:
        """Return the instances of these runs, one row each."""
        means = self.point.instances(self.point.runs, self.seed)
        rows = means if means.ndim == 2 else np.broadcast_to(means, (self.point.runs, len(means)))
        return np.ascontiguousarray(rows[self.first : self.last])

    @cached_property
    def setup(self) -> Setup:
        """Return what is run."""
        arms = self.means.shape[1]
        question: dict[str, Any] = {"family": None, "epsilon": 0.0, "max_samples": self.point.max_samples}
        return make_setup(self.algorithm, arms, delta=self.point.delta, threshold=self.entrant.threshold, **question)

    @cached_property
    def question(self) -> str:
        """Return a digest of everything asked: another question, another cell."""
        asked = {
            "kind": "timed" if self.point.timed else "simulated",
            "setup": repr(self.setup),
            "stream": stream_label(self.algorithm),
            "means": hashlib.sha256(self.means.tobytes()).hexdigest(),
            "runs": [self.first, self.last],
            "seed": self.seed,
            "checkpoints": self.point.checkpoints,
        }
        return hashlib.sha256(json.dumps(asked).encode()).hexdigest()[:16]

    @cached_property
    def code(self) -> str:
        """Return a digest of the code that answers: rules, loop and version."""
        rules = repr(self.setup)
        if rules not in _digests:
            _digests[rules] = Code(self.setup, Random([0]), play_runs).digest
        return hashlib.sha256(f"{__version__} {_digests[rules]}".encode()).hexdigest()[:12]

    @property
    def reward_seed(self) -> int:
        """Return the seed of the rewards: the same for every algorithm, another for every chunk of runs."""
        return int.from_bytes(hashlib.sha256(f"{self.seed} {self.first}".encode()).digest()[:7], "big")

    def compute(self) -> Arrays:
        """Play the runs, on one thread."""
        if self.point.timed:
            from toptwo.experiments.timing import timed_runs

            share = Share(self.reward_seed, stream_label(self.algorithm), 0, len(self.means))
            return timed_runs(self.setup, self.means, share)
        result = self._simulate(self.means, self.point.checkpoints)
        if result.interrupted:
            raise KeyboardInterrupt
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

    def _simulate(self, means: Means, checkpoints: tuple[int, ...] = ()) -> Simulation:
        return simulate(
            self.algorithm,
            means,
            delta=self.point.delta,
            threshold=self.entrant.threshold,
            seed=self.reward_seed,
            trace=checkpoints,
            max_samples=self.point.max_samples,
            threads=1,
            progress=False,
        )

    def compile(self) -> None:
        """Play one run of almost nothing, so that the code is compiled or loaded from the cache."""
        self._simulate(10.0 * np.eye(1, self.means.shape[1]))


def cells_of(point: Point, seed: int) -> list[Cell]:
    """Return the cells of a point, algorithm by algorithm.

    Examples
    --------
    >>> from functools import partial
    >>> from toptwo.experiments.experiment import entrants
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


def answer(cell: Cell) -> tuple[Arrays, dict[str, float]]:
    """Return what a cell computes, and the seconds it took: on the clock, of the processor, and compiling before."""
    started = time.process_time()
    if cell.code not in _compiled:
        cell.compile()
        _compiled.add(cell.code)
    wall, processor = time.perf_counter(), time.process_time()
    arrays = cell.compute()
    seconds = {"wall": time.perf_counter() - wall, "processor": time.process_time() - processor}
    return arrays, seconds | {"compiling": processor - started}
