"""What a cell of a sweep costs beyond its simulation: the table of benchmarks/sweeps.md.

A grid of many small cells is swept, with nothing compiled any more; the overhead is processor time of this process less
that of the simulations, for each cell, files and digests included. `--cells` says how many, `--save` writes the file.
"""

import argparse
import json
import resource
import tempfile
import time
from pathlib import Path

import numpy as np
from rich.console import Console

import toptwo as tt
from benchmarks.__main__ import machine, markdown, show
from benchmarks.measure import Table, verdict

RESULTS = Path(__file__).with_name("sweeps.md")
BAR = 0.020
QUESTION = {"threshold": "heuristic", "max_samples": 2000, "progress": False}


def swept(cells: int, runs: int, workers: int) -> tuple[float, float, float, int]:
    """Return wall and processor seconds of a sweep of so many cells, those of its simulations, and its peak memory."""
    levels = np.geomspace(0.2, 1e-6, cells).tolist()
    with tempfile.TemporaryDirectory() as folder:
        tt.sweep(["TTUCB"], "random", delta=0.3, runs=runs, out=folder, workers=workers, **QUESTION)  # compiles
        wall, processor = time.perf_counter(), time.process_time()
        tt.sweep(["TTUCB"], "random", delta=levels, runs=runs, out=folder, workers=workers, **QUESTION)
        wall, processor = time.perf_counter() - wall, time.process_time() - processor
        notes = [json.loads(path.read_text()) for path in (Path(folder) / "cells").glob("*.json")]
    simulated = sum(note["seconds"]["processor"] for note in notes)
    return wall, processor, simulated, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def table(cells: int) -> Table:
    """Return the overhead for cells of several sizes, and how memory grows with their number."""
    found = Table(
        "A cell beyond its simulation",
        ("workers", "cells", "runs a cell", "simulation, ms", "overhead, ms", "bar", "", "peak memory, MiB"),
        note="Processor time of the process that plans, writes and tabulates, for each cell; peak memory is that of "
        "the process so far, so a row shows what its number of cells has added.",
    )
    for workers, number, runs in ((1, cells // 10, 20), (1, cells, 20), (1, cells // 4, 1000), (2, cells // 4, 20)):
        _, processor, simulated, memory = swept(number, runs, workers)
        extra = (processor - (simulated if workers == 1 else 0.0)) / number
        found.rows.append(
            (
                f"{workers}",
                f"{number:,}",
                f"{runs:,}",
                f"{1e3 * simulated / number:.1f}",
                f"{1e3 * extra:.1f}",
                f"< {1e3 * BAR:.0f}",
                verdict(extra, BAR),
                f"{memory / 1024:.0f}",
            )
        )
    return found


def main() -> None:
    """Measure, print, and write if asked to."""
    options = argparse.ArgumentParser()
    options.add_argument("--cells", type=int, default=2000)
    options.add_argument("--save", action="store_true")
    given = options.parse_args()
    found = table(given.cells)
    show(found, Console())
    if given.save:
        text = f"# Results\n\nMeasured by `python -m benchmarks.sweeps --save`: {machine()}.\n\n{markdown(found)}\n"
        RESULTS.write_text(text)


if __name__ == "__main__":
    main()
