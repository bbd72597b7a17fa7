"""What a cell of a sweep costs beyond its simulation, what planning many takes, and Dask: benchmarks/sweeps.md.

Many small cells are swept with nothing compiled any more; the overhead is processor time of this process less that of
the simulations, for each cell, files and digests included. `--cells` says how many, `--save` writes the file.
"""

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console

import toptwo as tt
from benchmarks.__main__ import markdown, show
from benchmarks.measure import Table, verdict
from toptwo.sweeps.points import Point, entrants
from toptwo.sweeps.running import Cells

RESULTS = Path(__file__).with_name("sweeps.md")
BAR = 0.020
"""Seconds beyond the simulation, for each cell."""

SHARE = 0.10
"""Of the simulation, for cells of a tenth of a second."""

ROOM = 2048
"""Bytes that a planned cell may take."""

DASK = 1.2
"""Times the local executor."""

QUESTION: dict[str, Any] = {"threshold": "heuristic", "max_samples": 2000, "progress": False}


def swept(cells: int, runs: int, **where: Any) -> tuple[float, float, float]:
    """Return wall and processor seconds of a sweep of so many cells, and processor seconds of its simulations."""
    levels = np.geomspace(0.2, 1e-6, cells).tolist()
    with tempfile.TemporaryDirectory() as folder:
        tt.sweep(["TTUCB"], "random", delta=0.3, runs=runs, out=folder, **where, **QUESTION)  # compiles
        wall, processor = time.perf_counter(), time.process_time()
        tt.sweep(["TTUCB"], "random", delta=levels, runs=runs, out=folder, **where, **QUESTION)
        wall, processor = time.perf_counter() - wall, time.process_time() - processor
        notes = [json.loads(path.read_text()) for path in (Path(folder) / "cells").glob("*.json")]
    return wall, processor, sum(note["seconds"]["processor"] for note in notes)


def overhead(cells: int) -> Table:
    """Return the overhead for cells of several sizes and numbers."""
    found = Table(
        "A cell beyond its simulation",
        (
            "workers",
            "cells",
            "runs a cell",
            "simulation, ms",
            "overhead, ms",
            "bar",
            "",
            "of the simulation",
            "bar",
            "",
        ),
        note="Processor time, for each cell, of the process that plans, writes and tabulates; with two workers the "
        "simulations run in others.",
    )
    for workers, number, runs in ((1, cells // 10, 20), (1, cells, 20), (1, cells // 4, 1000), (2, cells // 4, 20)):
        _, processor, simulated = swept(number, runs, workers=workers)
        extra = (processor - (simulated if workers == 1 else 0.0)) / number
        part = extra * number / simulated
        judged = (f"< {SHARE:.0%}", verdict(part, SHARE)) if runs == 1000 else ("", "")
        plain = (f"{workers}", f"{number:,}", f"{runs:,}", f"{1e3 * simulated / number:.1f}", f"{1e3 * extra:.1f}")
        found.rows.append((*plain, f"< {1e3 * BAR:.0f}", verdict(extra, BAR), f"{part:.0%}", *judged))
    return found


def planning(points: int, chunks: int) -> Table:
    """Return what it takes to plan many cells: everything that is kept for each until it is computed."""
    found = Table(
        "Planning many cells",
        ("points", "cells", "ms a cell", "bytes a cell", "bar", ""),
        note="All that is kept in memory of a cell before it is computed; of results, three a worker are under way.",
    )
    instances = tt.problems.random_gaussian(10 * chunks, seed=1)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with tempfile.TemporaryDirectory() as folder:
        started = time.process_time()
        grid = [
            Point(f"{k}", lambda runs, seed: instances, entrants("TTUCB"), 10 * chunks, delta=level, chunk=10)
            for k, level in enumerate(np.geomspace(0.2, 1e-6, points).tolist())
        ]
        cells = len(Cells(grid, 1, Path(folder)).missing)
        seconds = time.process_time() - started
    room = 1024 * (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / cells
    plain = (f"{points:,}", f"{cells:,}", f"{1e3 * seconds / cells:.2f}", f"{room:,.0f}")
    found.rows.append((*plain, f"< {ROOM:,}", verdict(room, ROOM)))
    return found


@contextmanager
def cluster(workers: int) -> Iterator[str]:
    """Start a Dask scheduler and workers of one thread on loopback, and yield the scheduler's address."""
    from distributed import Client

    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / "scheduler.json"

        def start(kind: str, *options: str) -> subprocess.Popen[bytes]:
            command = [sys.executable, "-m", f"distributed.cli.dask_{kind}", "--scheduler-file", str(place)]
            quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "cwd": folder}
            return subprocess.Popen([*command, "--host", "127.0.0.1", "--no-dashboard", *options], **quiet)

        started = [start("scheduler", "--port", "0")]
        started += [start("worker", "--nthreads", "1", "--no-nanny") for _ in range(workers)]
        try:
            with Client(scheduler_file=str(place), timeout="60s", set_as_default=False) as client:
                client.wait_for_workers(workers, timeout=60)
                yield client.scheduler.address
        finally:
            for process in started:
                process.kill()
                process.wait()


def on_dask(cells: int, workers: int = 2) -> Table:
    """Return the time of a sweep on a Dask cluster beside that of processes."""
    found = Table(
        "Dask beside processes of this machine",
        ("workers", "cells", "runs a cell", "processes, s", "Dask, s", "ratio", "bar", ""),
        note="Wall time, in turns, the best of three each. Processes are started for each sweep, the cluster stands.",
    )
    runs = 1000
    with cluster(workers) as address:
        turns = [(swept(cells, runs, workers=workers)[0], swept(cells, runs, dask=address)[0]) for _ in range(3)]
    local, dask = (min(turn[k] for turn in turns) for k in (0, 1))
    plain = (f"{workers}", f"{cells:,}", f"{runs:,}", f"{local:.1f}", f"{dask:.1f}", f"{dask / local:.2f}")
    found.rows.append((*plain, f"< {DASK}", verdict(dask / local, DASK)))
    return found


def main() -> None:
    """Measure, print, and write if asked to."""
    options = argparse.ArgumentParser(prog="python -m benchmarks.sweeps", description=__doc__)
    options.add_argument("--cells", type=int, default=2000)
    options.add_argument("--save", action="store_true", help=f"write {RESULTS.name}")
    given = options.parse_args()
    found = []
    for table in (planning(given.cells // 2, 100), overhead(given.cells), on_dask(given.cells // 20)):
        show(table, Console(width=150))
        found.append(table)
    if given.save:
        RESULTS.write_text(markdown(found), encoding="utf-8")


if __name__ == "__main__":
    main()
