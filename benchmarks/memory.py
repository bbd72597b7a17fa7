"""Peak memory of a process against the length of its runs."""

import subprocess
import sys

from benchmarks.measure import Table

SHORT = 1_100_000
"""Samples of a short run: beyond the engine's tables, which are 16 MiB whatever happens."""

BAR = 2.0
"""Growth, in MiB, that the allocator's noise may cause."""

CODE = """
import resource, sys
from pathlib import Path
import toptwo as tt
samples = int(sys.argv[1])
result = tt.simulate("TTUCB", [0.0, 1e-9], delta=1e-9, threshold="heuristic", runs=1, max_samples=samples, threads=1)
assert result.stopping_times[0] == samples
status = Path("/proc/self/status")
if status.exists():  # Linux lets a process inherit the peak of the one that started it, but for this line
    peak = int(status.read_text().split("VmHWM:")[1].split()[0])
else:
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
print(peak / 1024)
"""


def _peak(samples: int) -> float:
    """Return the peak resident memory of a process, in MiB."""
    command = [sys.executable, "-c", CODE, str(samples)]
    return float(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def tables(quick: bool) -> list[Table]:
    """Return peak memory for a short run and one a hundred times as long."""
    factor = 10 if quick else 100
    _peak(10)  # fills the compile cache, so that neither of the next two compiles
    short, long = _peak(SHORT), _peak(factor * SHORT)
    growth = long - short
    table = Table(
        "Peak memory, TTUCB at K = 2, one run",
        ("rounds", "peak", "growth", "bar", ""),
        [
            (f"{SHORT:,}", f"{short:.1f} MiB", "", "", ""),
            (
                f"{factor * SHORT:,}",
                f"{long:.1f} MiB",
                f"{growth:+.1f} MiB",
                f"≤ {BAR} MiB",
                "ok" if growth <= BAR else f"misses by {growth - BAR:.1f} MiB",
            ),
        ],
    )
    return [table]
