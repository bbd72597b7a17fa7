"""`sweep`: every algorithm at every point of a grid, resumable, wherever there are workers."""

from collections.abc import Mapping, Sequence
from concurrent.futures import Executor
from contextlib import nullcontext
from pathlib import Path
from typing import Any

from toptwo import checks
from toptwo.rules.thresholds import DEFAULT_THRESHOLD
from toptwo.sweeps.executors import hire
from toptwo.sweeps.files import whole
from toptwo.sweeps.grid import grid, point_of
from toptwo.sweeps.instances import Problem
from toptwo.sweeps.players import played_by, player_of
from toptwo.sweeps.points import CHUNK, LIMIT, Point, labelled
from toptwo.sweeps.progress import ProgressDisplay
from toptwo.sweeps.results import Counts, SweepTable, rows_of, runs_file
from toptwo.sweeps.running import Cells, OnProgress, Shard
from toptwo.sweeps.tabulate import bound, collected, content_of
from toptwo.sweeps.workplaces import Hired

FOLDER = Path("out") / "sweep"


class SweepUnderWay:
    """A sweep that is planned: its cells, and the table that follows when they are there."""

    def __init__(self, points: Sequence[tuple[Point, dict[str, Any]]], seed: int, out: Path, shard: Shard | None):
        self._points, self.out = points, out
        self.cells = Cells([point for point, _ in points], seed, out / "cells", shard)

    def compute(self, where: Hired, on_progress: OnProgress) -> None:
        """Compute what is missing."""
        for _ in self.cells.compute(where, on_progress):
            pass

    def table(self) -> SweepTable:
        """Return and write the rows of all points that are complete, and their runs."""
        cells, rows = self.cells, list[dict[str, Any]]()
        complete = [number for number in range(len(self._points)) if cells.complete(number)]
        everything = len(complete) == len(self._points)
        with runs_file(self.out) if everything else nullcontext(lambda described, found: None) as write:
            for number in complete:
                point, described = self._points[number]
                found = collected(point, cells.of_point[number], cells.store)
                content = content_of(point, cells.seed, found, bound)
                rows += rows_of(described, content)
                write(described | {"arms": int(content["facts"]["arms"])}, found)
        counts = Counts(len(cells.missing), cells.kept, cells.outdated, cells.spoilt, cells.left_to_others)
        table = SweepTable(tuple(rows), self.out, counts)
        if everything:
            with whole(self.out / "table.json") as stream:
                stream.writelines(piece.encode() for piece in table.json_pieces())
                stream.write(b"\n")
        return table


def planned(
    algorithms: Sequence[Any] | Mapping[str, Any],
    axes: Mapping[str, Any],
    *,
    runs: int | None,
    max_samples: int,
    seed: int,
    out: str | Path,
    shard: str | None,
    chunk: int,
    engine: str,
) -> SweepUnderWay:
    """Return a sweep over axes by name, checked, its cells looked up in the folder; see `sweep`."""
    labels, chosen = labelled(algorithms)
    part = None if shard is None else Shard.read(shard)
    seed, chunk = checks.whole("seed", seed, 0), checks.whole("chunk", chunk, 1)
    points = [
        (played_by(engine, point_of(at, labels, chosen, runs=runs, max_samples=max_samples, chunk=chunk), seed), at)
        for at in grid(**axes)
    ]
    return SweepUnderWay([(point, at.described()) for point, at in points], seed, Path(out), part)


def sweep(
    algorithms: Sequence[Any] | Mapping[str, Any],
    problem: Problem | list[Problem] | Mapping[str, Problem],
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
        One value each, or a list or row of values to sweep over. Problems are as in `tt.compare`: means given as an
        array are one problem, and several problems a list of names, arrays or functions. Problems, families and
        thresholds may be a dictionary by the names they are to have; of those without a name of their own, the second
        is "given means (2)".
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
        Runs of a cell, which is what a killed sweep may lose; a GPU plays all runs of a point at once. Results do not
        depend on it.
    engine
        "cpu" (compiled), "cuda" (an NVIDIA GPU, by one worker unless told otherwise: docs/cuda.md), "auto" (a GPU of
        this machine where `tt.simulate` would take it) or "python".
    progress
        Show how far it is and what is left: on a terminal as a bar, elsewhere as a line now and then.

    Examples
    --------
    >>> import tempfile
    >>> table = sweep(["TTUCB", "uniform"], "one-sparse", arms=[2, 3], delta=[0.1, 0.01], runs=20, workers=1,
    ...               max_samples=3000, out=tempfile.mkdtemp(), progress=False)
    >>> len(table.rows), table.row("TTUCB", arms=3, delta=0.1)["runs"]
    (8, 20)
    """
    player = player_of(engine, elsewhere=executor is not None or dask is not None)
    axes = {"problem": problem, "arms": arms, "family": family, "delta": delta, "epsilon": epsilon}
    run = planned(
        algorithms,
        axes | {"threshold": threshold},
        runs=runs,
        max_samples=max_samples,
        seed=seed,
        out=out,
        shard=shard,
        chunk=chunk,
        engine=player,
    )
    try:
        with ProgressDisplay() if progress else nullcontext() as shown:
            where = hire(workers, executor, dask, engine=player)
            run.compute(where, shown.show if shown is not None else lambda forecast: None)
    except KeyboardInterrupt:
        raise KeyboardInterrupt(f"finished cells are in {run.out}; the same call goes on from there") from None
    return run.table()
