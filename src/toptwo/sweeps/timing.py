"""Processor time of single runs: a measurement, which no two machines repeat."""

import time
from typing import Any

import numpy as np
from numpy.typing import NDArray

from toptwo.engine.rounds import Setup
from toptwo.engine.runs import Share, output_for
from toptwo.engine.simulation import looked_up
from toptwo.problems import Means


def timed_runs(setup: Setup, means: Means, share: Share) -> dict[str, NDArray[Any]]:
    """Return samples and seconds of processor time of each run of a share, after all have been played once.

    That fills the tables. The means are those of these runs, one row each.
    """
    from toptwo.engine.cpu import CompiledEngine

    runs, arms = means.shape
    engine = CompiledEngine(setup)
    space, output = engine.workspace(arms), output_for(runs, arms)
    rows = looked_up(means, share.first)
    engine.play_runs(rows, share, space, output)
    seconds = np.zeros(runs)
    for run in range(runs):
        before = time.thread_time_ns()
        one = share._replace(first=share.first + run, last=share.first + run + 1)
        engine.play_runs(rows, one, space, output)
        seconds[run] = (time.thread_time_ns() - before) * 1e-9
    wrong = means[np.arange(runs), output.recommended] < means.max(axis=1)
    return {"samples": output.samples, "seconds": seconds, "wrong": wrong, "undecided": output.status == 0}
