"""`sweep`: every algorithm at every point of a grid, resumable, wherever there are workers."""

import itertools
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Executor
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from toptwo import checks
from toptwo.errors import InputError
from toptwo.families import make_family
from toptwo.problems import Means
from toptwo.rules.thresholds import DEFAULT_THRESHOLD
from toptwo.sweeps.executors import hire
from toptwo.sweeps.files import whole
from toptwo.sweeps.instances import Problem, make_instances, name_of, runs_for
from toptwo.sweeps.points import CHUNK, ENGINES, LIMIT, Entrant, Point, labelled, played_by
from toptwo.sweeps.progress import ProgressDisplay
from toptwo.sweeps.results import Counts, SweepTable, rows_of, runs_file
from toptwo.sweeps.running import Cells, Shard
from toptwo.sweeps.tabulate import bound, collected, content_of

FOLDER = Path("out") / "sweep"


@dataclass(frozen=True, eq=False)
class Instances:
    """Means made when they are asked for, from a problem and a number of arms."""

    problem: Problem
    arms: int | None

    def __call__(self, runs: int, seed: int) -> Means:
        """Return the means of so many runs."""
        return make_instances(self.problem, self.arms, runs, seed)


class Axes(NamedTuple):
    """The values of one point of a grid."""

    problem: Problem
    arms: int | None
    family: Any
    delta: float
    epsilon: float
    threshold: Any

    def described(self) -> dict[str, Any]:
        """Return the values as plain data, by name."""
        family = repr(make_family(self.family))
        threshold = self.threshold if isinstance(self.threshold, str) else repr(self.threshold)
        return {
            "problem": name_of(self.problem),
            "family": family,
            "delta": self.delta,
            "epsilon": self.epsilon,
            "threshold": threshold,
        }


def _several(name: str, value: Any) -> tuple[Any, ...]:
    """Return the values of an axis: a list of them, or one by itself."""
    values = tuple(value) if isinstance(value, list | range) or type(value) is tuple else (value,)
    if not values:
        raise InputError(f"{name} must have at least one value.")
    return values


def sweep(
    algorithms: Sequence[Any] | Mapping[str, Any],
    problem: Problem | list[Problem],
    *,
    arms: int | Sequence[int] | None = None,
    delta: float | Sequence[float] = 0.1,
    epsilon: float | Sequence[float] = 0.0,
    family: Any = None,
    threshold: Any = DEFAULT_THRESHOLD,
    runs: int | None = None,
    max_samples: int = LIMIT,
    seed: int = 0,
    out: str | Path = FOLDER,
    workers: int | None = None,
    executor: Executor | None = None,
    dask: Any = None,
    shard: str | None = None,
    chunk: int = CHUNK,
    engine: str = "cpu",
    progress: bool = True,
) -> SweepTable:
    """Simulate algorithms at every point of a grid; killed at any time, the same call goes on where it stopped.

    Parameters
    ----------
    algorithms
        Names or objects, as in `tt.simulate`, or a dictionary of such by the names they are to have.
    problem, arms, delta, epsilon, family, threshold
        One value each, or a list of values to sweep over. Problems are as in `tt.compare`: means given as an array are
        one problem, and several problems a list of names, arrays or functions.
    runs
        Runs of each algorithm at each point: 1000, or one for each instance given.
    max_samples
        Samples after which a run is given up.
    out
        Folder for finished cells, the table (`table.json`) and the runs one by one (`runs.parquet`, or `runs.npz` where
        pyarrow is not installed). Sweeps that share a folder share their cells.
    workers, executor, dask
        Where to compute, one of: so many processes (one per processor by default), any `concurrent.futures.Executor`,
        a Dask cluster (the address of its scheduler, or a client). Results are the same, byte for byte.
    shard
        "i/n": compute the i-th of n parts only; the same call without it puts the parts together.
    chunk
        Runs of a unit of work, which is what a killed sweep may lose; a GPU plays all runs of a point at once.
    engine
        "cpu" (compiled), "cuda" (an NVIDIA GPU, by one worker unless told otherwise: docs/cuda.md) or "python".
    progress
        Show how far it is and what is left.

    Examples
    --------
    >>> import tempfile
    >>> table = sweep(["TTUCB", "uniform"], "one-sparse", arms=[2, 3], delta=[0.1, 0.01], runs=20, workers=1,
    ...               max_samples=3000, out=tempfile.mkdtemp(), progress=False)
    >>> len(table.rows), table.row("TTUCB", arms=3, delta=0.1)["runs"]
    (8, 20)
    """
    labels, chosen = labelled(algorithms)
    player = checks.one_of("engine", engine, ENGINES)
    points = [
        (played_by(player, point), described)
        for point, described in (
            _point(axes, labels, chosen, runs, max_samples, checks.whole("chunk", chunk, 1))
            for axes in _grid(problem, arms, family, delta, epsilon, threshold)
        )
    ]
    folder = Path(out)
    part = None if shard is None else Shard.read(shard)
    cells = Cells([point for point, _ in points], checks.whole("seed", seed, 0), folder / "cells", part)
    try:
        with ProgressDisplay() if progress else nullcontext() as shown:
            where = hire(workers, executor, dask, engine=player)
            for _ in cells.compute(where, shown.show if shown is not None else lambda forecast: None):
                pass
    except KeyboardInterrupt:
        raise KeyboardInterrupt(f"finished cells are in {folder}; the same call goes on from there") from None
    return _table(points, cells, folder)


def _table(points: Sequence[tuple[Point, dict[str, Any]]], cells: Cells, folder: Path) -> SweepTable:
    """Return and write the rows of all points that are complete, and their runs."""
    rows: list[dict[str, Any]] = []
    complete = [number for number in range(len(points)) if cells.complete(number)]
    everything = len(complete) == len(points)
    with runs_file(folder) if everything else nullcontext(lambda described, found: None) as write:
        for number in complete:
            point, described = points[number]
            found = collected(point, cells.of_point[number], cells.store)
            content = content_of(point, cells.seed, found, bound)
            rows += rows_of(described, content)
            write(described | {"arms": int(content["facts"]["arms"])}, found)
    counts = Counts(len(cells.missing), cells.kept, cells.outdated, cells.spoilt, cells.left_to_others)
    table = SweepTable(tuple(rows), folder, counts)
    if everything:
        with whole(folder / "table.json") as stream:
            stream.writelines(piece.encode() for piece in table.json_pieces())
            stream.write(b"\n")
    return table


def _grid(problem: Any, *axes: Any) -> Iterator[Axes]:
    problems = problem if isinstance(problem, list) and not _is_means(problem) else [problem]
    names = ("arms", "family", "delta", "epsilon", "threshold")
    values = [_several(name, value) for name, value in zip(names, axes, strict=True)]
    for chosen in itertools.product(problems, *values):
        yield Axes(*chosen)


def _is_means(problem: list[Any]) -> bool:
    """Return whether a list is one of numbers, or of rows of numbers, and not one of problems."""
    return all(checks.is_number(entry) for entry in problem) or all(
        isinstance(entry, list | tuple) and all(checks.is_number(value) for value in entry) for entry in problem
    )


def _point(
    axes: Axes, labels: list[str], chosen: list[Any], runs: int | None, max_samples: int, chunk: int
) -> tuple[Point, dict[str, Any]]:
    described = axes.described()
    name = ", ".join(
        [
            described["problem"],
            *([f"K = {axes.arms}"] if axes.arms is not None else []),
            f"δ = {axes.delta:g}",
            *([f"ε = {axes.epsilon:g}"] if axes.epsilon else []),
            described["family"],
            described["threshold"],
        ]
    )
    point = Point(
        name,
        Instances(axes.problem, axes.arms),
        tuple(Entrant(label, algorithm, axes.threshold) for label, algorithm in zip(labels, chosen, strict=True)),
        runs=runs_for(axes.problem, runs),
        delta=checks.probability("delta", axes.delta),
        epsilon=checks.margin("epsilon", axes.epsilon),
        family=axes.family,
        chunk=chunk,
        max_samples=checks.whole("max_samples", max_samples, 1),
    )
    return point, described
