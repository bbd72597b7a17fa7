"""Processor time of single runs: a measurement, which no two machines repeat."""

import time
from typing import Any

import numpy as np
from numpy.typing import NDArray

from toptwo.algorithms.base import memory_rows
from toptwo.engine.loop import Output, Setup, Share
from toptwo.families.base import store_rows
from toptwo.problems import Means


def timed_runs(setup: Setup, means: Means, share: Share) -> dict[str, NDArray[Any]]:
    """Return samples and seconds of processor time of each run, after all have been played once to fill the tables."""
    from toptwo.engine.cpu import CompiledEngine

    runs, arms = means.shape
    engine = CompiledEngine(setup)
    rows, store = memory_rows(setup.algorithm, arms, setup.family), store_rows(setup.family)
    space = engine.workspace(arms, rows, store)
    output = Output(
        samples=np.zeros(runs, np.int64),
        recommended=np.full(runs, -1, np.int64),
        status=np.full(runs, -1, np.int8),
        counts=np.zeros((runs, arms), np.int64),
        checkpoints=np.zeros(0, np.int64),
        answers=np.zeros((runs, 0), np.int64),
    )
    engine.play_runs(means, share, space, output)
    seconds = np.zeros(runs)
    for run in range(runs):
        before = time.thread_time_ns()
        engine.play_runs(means, share._replace(first=run, last=run + 1), space, output)
        seconds[run] = (time.thread_time_ns() - before) * 1e-9
    wrong = means[np.arange(runs), output.recommended] < means.max(axis=1)
    return {"samples": output.samples, "seconds": seconds, "wrong": wrong, "undecided": output.status == 0}
