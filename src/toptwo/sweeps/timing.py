"""Processor time of single runs: a measurement, which no two machines repeat."""

import time
from typing import Any

import numpy as np
from numpy.typing import NDArray

from toptwo.engine.rounds import Setup
from toptwo.engine.runs import Share, output_for
from toptwo.problems import Means


def timed_runs(setup: Setup, means: Means, share: Share) -> dict[str, NDArray[Any]]:
    """Return samples and seconds of processor time of each run, after all have been played once to fill the tables."""
    from toptwo.engine.cpu import CompiledEngine

    runs, arms = means.shape
    engine = CompiledEngine(setup)
    space, output = engine.workspace(arms), output_for(runs, arms)
    engine.play_runs(means, share, space, output)
    seconds = np.zeros(runs)
    for run in range(runs):
        before = time.thread_time_ns()
        engine.play_runs(means, share._replace(first=run, last=run + 1), space, output)
        seconds[run] = (time.thread_time_ns() - before) * 1e-9
    wrong = means[np.arange(runs), output.recommended] < means.max(axis=1)
    return {"samples": output.samples, "seconds": seconds, "wrong": wrong, "undecided": output.status == 0}
