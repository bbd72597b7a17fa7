"""A small job in a process of its own, for tests that kill it: python small_run.py FOLDER PLACE [SHARD].

PLACE is a number of workers or the address of a Dask scheduler.
"""

import signal
import sys
from functools import partial
from pathlib import Path

from toptwo import problems
from toptwo.experiments.experiment import Experiment, Point, entrants
from toptwo.experiments.paper.line_ups import repeated
from toptwo.experiments.runner import Job, JobUnderWay
from toptwo.sweeps.executors import hire
from toptwo.sweeps.running import Shard

SCRIPT = Path(__file__)
MEANS = problems.alpha(12, 0.7)[::-1].copy()


def points(size):
    instances = partial(repeated, MEANS)
    names = entrants("TTUCB", "uniform")
    return tuple(
        Point(f"δ = {delta:g}", instances, names, runs=1200, delta=delta, chunk=150, checkpoints=(20, 50, 100))
        for delta in (0.1, 0.001)
    )


SMALL = Experiment("small", "tests", "A small experiment", points)
SAME = Experiment("same", "tests", "Another one of the same cells", points)


def job(folder, shard=None):
    return Job((SMALL, SAME), "smoke", 5, Path(folder), shard and Shard.read(shard))


def where(place):
    return hire(int(place)) if place.isdigit() else hire(cluster=place)


def main():
    signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored if the tests run in the background
    run = JobUnderWay(job(sys.argv[1], *sys.argv[3:]))
    print(f"kept {run.cells.kept} missing {len(run.cells.missing)}", flush=True)
    run.finish(where(sys.argv[2]), lambda experiment, table: None, lambda forecast: None)
    print(f"computed {len(run.cells.missing) - run.cells.shared}\nfinished", flush=True)


if __name__ == "__main__":
    main()
