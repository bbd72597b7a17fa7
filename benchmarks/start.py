"""Start-up, in processes of their own: import, first simulation with and without a compile cache."""

import json
import os
import subprocess
import sys
import tempfile
import time

from benchmarks.measure import Table, verdict

COLD, WARM, IMPORT = 6.0, 1.5, 0.15

SIMULATE = """
import toptwo as tt
tt.simulate("TTUCB", [0.0, 1.0, 0.5], delta=0.1, threshold="heuristic", runs=200, seed=1)
"""

LOAD = """
import json, sys, time
import numpy
started = time.perf_counter()
import toptwo
seconds = time.perf_counter() - started
names = {name.split(".")[0] for name in sys.modules}
heavy = sorted(names & {"numba", "scipy", "matplotlib", "llvmlite", "rich", "click"})
print(json.dumps([seconds, sum(name.split(".")[0] == "toptwo" for name in sys.modules), heavy]))
"""


def _processor_time() -> float:
    """Return the processor time of the processes that have ended."""
    times = os.times()
    return times.children_user + times.children_system


def _process(code: str, cache: str) -> tuple[float, float, str]:
    """Return the wall-clock seconds of a Python process, those of a processor, and what it printed."""
    started, spent = time.perf_counter(), _processor_time()
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "NUMBA_CACHE_DIR": cache},
        check=True,
        capture_output=True,
        text=True,
    )
    return time.perf_counter() - started, _processor_time() - spent, done.stdout


def tables(quick: bool) -> list[Table]:
    """Return start-up times."""
    cold: list[tuple[float, float]] = []
    warm: list[tuple[float, float]] = []
    for _ in range(1 if quick else 3):
        with tempfile.TemporaryDirectory() as cache:
            cold.append(_process(SIMULATE, cache)[:2])
            warm += [_process(SIMULATE, cache)[:2] for _ in range(3)]
    loads = [json.loads(_process(LOAD, tempfile.gettempdir())[2]) for _ in range(3 if quick else 9)]
    modules, heavy = loads[0][1:]
    others = ", ".join(heavy) or "neither Numba, SciPy, matplotlib, rich nor click"
    table = Table(
        "Start-up",
        ("what", "best", "median", "processor", "bar", ""),
        note=(
            "Whole processes, interpreter and imports included; import: beyond NumPy. Processor time (the least): what "
            "they take where no other program runs, as all of it is one thread. "
            f"`import toptwo` loads {modules} of its own modules and {others}."
        ),
    )
    for what, seconds, bar in (
        ("process with a first simulate, empty compile cache", cold, COLD),
        ("the same, warm cache", warm, WARM),
        ("import toptwo", [(load[0], load[0]) for load in loads], IMPORT),
    ):
        ordered, least = sorted(wall for wall, _ in seconds), min(spent for _, spent in seconds)
        middle = ordered[len(ordered) // 2]
        cells = [f"{time:.3f} s" for time in (ordered[0], middle, least)]
        table.rows.append((what, *cells, f"< {bar} s", verdict(least, bar)))
    return [table]
