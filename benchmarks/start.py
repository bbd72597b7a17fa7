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


def _process(code: str, cache: str) -> tuple[float, str]:
    """Return the wall-clock seconds of a Python process, from its start to its end, and what it printed."""
    started = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "NUMBA_CACHE_DIR": cache},
        check=True,
        capture_output=True,
        text=True,
    )
    return time.perf_counter() - started, done.stdout


def tables(quick: bool) -> list[Table]:
    """Return start-up times."""
    cold, warm = [], []
    for _ in range(1 if quick else 3):
        with tempfile.TemporaryDirectory() as cache:
            cold.append(_process(SIMULATE, cache)[0])
            warm += [_process(SIMULATE, cache)[0] for _ in range(3)]
    loads = [json.loads(_process(LOAD, tempfile.gettempdir())[1]) for _ in range(3 if quick else 9)]
    modules, heavy = loads[0][1:]
    others = ", ".join(heavy) or "neither Numba, SciPy, matplotlib, rich nor click"
    table = Table(
        "Start-up",
        ("what", "best", "median", "bar", ""),
        note=(
            "Whole processes, interpreter and imports included; import: beyond NumPy. "
            f"`import toptwo` loads {modules} of its own modules and {others}."
        ),
    )
    for what, seconds, bar in (
        ("process with a first simulate, empty compile cache", cold, COLD),
        ("the same, warm cache", warm, WARM),
        ("import toptwo", [load[0] for load in loads], IMPORT),
    ):
        ordered = sorted(seconds)
        middle = ordered[len(ordered) // 2]
        table.rows.append((what, f"{ordered[0]:.3f} s", f"{middle:.3f} s", f"< {bar} s", verdict(middle, bar)))
    return [table]
