"""What a cell of a sweep costs beyond its simulation, what a hundred thousand take, and Dask: benchmarks/sweeps.md.

Many small cells are swept with nothing compiled any more; the overhead is processor time of this process less that of
the simulations, for each cell, files and digests included. Without topics all are measured; `--cells` says how many
cells, `--save` writes the tables to the file, where other topics stay.
"""

import argparse
import json
import multiprocessing
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console

import toptwo as tt
from benchmarks.__main__ import keep, show
from benchmarks.measure import Table, verdict
from toptwo.sweeps.points import Point, entrants
from toptwo.sweeps.running import Cells

RESULTS = Path(__file__).with_name("sweeps.md")
BAR = 0.020
"""Seconds beyond the simulation, for each cell."""

SHARE = 0.10
"""Of the simulation."""

ROOM = 2048
"""Bytes that a planned cell may take."""

WHOLE_ROOM = 8192
"""Bytes that a cell may take at the end, its point, its row in the table and buffers for files included."""

DASK = 1.2
"""Times the local executor."""

SENSIBLE = 1000
"""Runs of a cell that takes a tenth of a second."""

FEW, SOON = 5, 200
"""Runs of a cell of which there are very many, and samples after which they are given up."""

QUESTION: dict[str, Any] = {"threshold": "heuristic", "max_samples": 2000, "progress": False}


def swept(cells: int, runs: int, **where: Any) -> tuple[float, float, float]:
    """Return wall and processor seconds of a sweep of so many cells, and processor seconds of its simulations."""
    levels = np.geomspace(0.2, 1e-6, cells).tolist()
    with tempfile.TemporaryDirectory() as folder:
        question = QUESTION | where
        tt.sweep(["TTUCB"], "random", delta=0.3, runs=runs, out=folder, **question)  # compiles
        wall, processor = time.perf_counter(), time.process_time()
        tt.sweep(["TTUCB"], "random", delta=levels, runs=runs, out=folder, **question)
        wall, processor = time.perf_counter() - wall, time.process_time() - processor
        notes = (json.loads(path.read_text()) for path in (Path(folder) / "cells").glob("*.json"))
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
    sizes = ((1, cells // 10, 20), (1, cells, 20), (1, cells // 20, SENSIBLE), (2, cells // 4, 20))
    for workers, number, runs in sizes:
        _, processor, simulated = swept(number, runs, workers=workers)
        extra = (processor - (simulated if workers == 1 else 0.0)) / number
        part = extra * number / simulated
        judged = (f"< {SHARE:.0%}", verdict(part, SHARE)) if runs == SENSIBLE else ("", "")
        plain = (f"{workers}", f"{number:,}", f"{runs:,}", f"{1e3 * simulated / number:.1f}", f"{1e3 * extra:.1f}")
        found.rows.append((*plain, f"< {1e3 * BAR:.0f}", verdict(extra, BAR), f"{part:.0%}", *judged))
    return found


def peak() -> int:
    """Return the largest number of bytes that this process has ever had in memory."""
    return 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def many(cells: int) -> Table:
    """Return what a sweep of so many small cells takes, all of them computed, written, read and tabulated."""
    found = Table(
        "A sweep of many small cells",
        (
            "cells",
            "minutes",
            "simulation, ms a cell",
            "overhead, ms a cell",
            "bar",
            "",
            "of the simulation",
            "bar",
            "",
            "memory, bytes a cell",
            "bar",
            "",
        ),
        note=f"One worker; {FEW} runs a cell, given up after {SOON} samples. Overhead: processor time of all but "
        "the simulations. These take about a millisecond each, which is less than it costs to keep a cell by "
        "itself, in files that say how it came about. Memory: by how much the peak of the process grew.",
    )
    before = peak()
    wall, processor, simulated = swept(cells, FEW, workers=1, max_samples=SOON)
    extra, room = (processor - simulated) / cells, (peak() - before) / cells
    part = extra * cells / simulated
    plain = (f"{cells:,}", f"{wall / 60:.1f}", f"{1e3 * simulated / cells:.2f}", f"{1e3 * extra:.2f}")
    judged = (f"< {1e3 * BAR:.0f}", verdict(extra, BAR), f"{part:.0%}", f"< {SHARE:.0%}", verdict(part, SHARE))
    found.rows.append((*plain, *judged, f"{room:,.0f}", f"< {WHOLE_ROOM:,}", verdict(room, WHOLE_ROOM)))
    return found


def planning(points: int, chunks: int) -> Table:
    """Return what it takes to plan many cells: everything that is kept for each until it is computed."""
    found = Table(
        "Planning many cells",
        ("points", "cells", "ms a cell", "bytes a cell", "bar", ""),
        note="All that is kept in memory of a cell before it is computed; of results, three a worker are under way.",
    )
    instances = tt.problems.random_gaussian(10 * chunks, seed=1)
    before = peak()
    with tempfile.TemporaryDirectory() as folder:
        started = time.process_time()
        grid = [
            Point(f"{k}", lambda runs, seed: instances, entrants("TTUCB"), 10 * chunks, delta=level, chunk=10)
            for k, level in enumerate(np.geomspace(0.2, 1e-6, points).tolist())
        ]
        cells = len(Cells(grid, 1, Path(folder)).missing)
        seconds = time.process_time() - started
    room = (peak() - before) / cells
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
        note="Wall time, in turns, the best of three each. Processes and cluster stand, and have computed such cells "
        "before. Small cells cost a scheduler, which is asked for each, more: no bar.",
    )
    spawn = multiprocessing.get_context("spawn")
    with cluster(workers) as address, ProcessPoolExecutor(workers, mp_context=spawn) as processes:
        for number, runs in ((cells, SENSIBLE), (2 * cells, 20)):
            turns = [
                (swept(number, runs, executor=processes)[0], swept(number, runs, dask=address)[0]) for _ in range(3)
            ]
            local, dask = (min(turn[k] for turn in turns) for k in (0, 1))
            plain = (f"{workers}", f"{number:,}", f"{runs:,}", f"{local:.1f}", f"{dask:.1f}", f"{dask / local:.2f}")
            judged = (f"< {DASK}", verdict(dask / local, DASK)) if runs == SENSIBLE else ("", "")
            found.rows.append((*plain, *judged))
    return found


def main() -> None:
    """Measure, print, and write if asked to."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.sweeps", description=__doc__)
    parser.add_argument("topics", nargs="*", help="some of many, planning, overhead, dask; all by default")
    parser.add_argument("--cells", type=int, default=100_000, help="of the largest sweep")
    parser.add_argument("--save", action="store_true", help=f"write {RESULTS.name}; other topics stay there")
    given = parser.parse_args()
    makers: dict[str, Callable[[], Table]] = {
        "many": lambda: many(given.cells),
        "planning": lambda: planning(max(given.cells // 100, 1), 100),
        "overhead": lambda: overhead(max(given.cells // 50, 20)),
        "dask": lambda: on_dask(max(given.cells // 1000, 10)),
    }
    if unknown := sorted(set(given.topics) - set(makers)):
        parser.error(f"unknown topic {', '.join(unknown)}: choose from {', '.join(makers)}")
    for topic in given.topics or makers:
        table = makers[topic]()
        show(table, Console(width=150))
        if given.save:
            keep(table, RESULTS)


if __name__ == "__main__":
    main()
