"""`verify`: how often an algorithm is wrong, counted over as many runs as it takes, with an exact interval."""

import time
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from toptwo import checks
from toptwo.engine.faults import refuse_bad_rules
from toptwo.engine.progress import RunProgress
from toptwo.engine.results import exact_interval
from toptwo.engine.runs import STOPPED, output_for
from toptwo.engine.simulation import Task, make_task
from toptwo.families import make_family
from toptwo.families.base import mean_range
from toptwo.rules.thresholds import DEFAULT_THRESHOLD
from toptwo.words import counted

GAP = 1e-9
"""By how much one arm of a near tie is better: an error is as easy there as it can be."""

NEAR_TIE_SAMPLES = 2000
"""Samples of a run at a near tie, unless asked for others: nobody could tell the arms apart."""

ROOM = 20_000_000
"""Numbers of results kept at a time."""


@dataclass(frozen=True)
class Verification:
    """How often an algorithm was wrong on one instance.

    Attributes
    ----------
    wrong
        Runs that stopped on an arm more than ε below the best.
    undecided
        Runs that had not stopped at `max_samples`; they count as not wrong, so that the error rate of runs without
        that limit may be higher.
    interval
        The Clopper–Pearson interval of the probability to be wrong, which holds with probability `confidence` at least.
    """

    algorithm: str
    threshold: str
    means: tuple[float, ...]
    delta: float
    epsilon: float
    max_samples: int | None
    runs: int
    wrong: int
    undecided: int
    mean_samples: float
    confidence: float
    engine: str
    seconds: float
    interrupted: bool

    @property
    def interval(self) -> tuple[float, float]:
        """Return the interval of the error rate."""
        return exact_interval(self.wrong, self.runs, self.confidence)

    @property
    def verdict(self) -> str:
        """Return "at most δ" or "above δ" if the interval leaves no doubt of it, else "open"."""
        low, high = self.interval
        return "at most δ" if high <= self.delta else "above δ" if low > self.delta else "open"

    def __str__(self) -> str:
        low, high = self.interval
        cut = f", {self.undecided:,} undecided at {self.max_samples:,} samples" if self.undecided else ""
        return (
            f"{self.algorithm}, {self.threshold}, δ = {self.delta:g}: wrong in {self.wrong:,} of "
            f"{counted(self.runs, 'run')}{cut}; error rate {low:.3g} to {high:.3g} with confidence "
            f"{self.confidence:g}: {self.verdict}."
        )


def near_tie(arms: int, family: Any = None, epsilon: float = 0.0) -> list[float]:
    """Return the instance on which errors are easiest, of those known: all arms alike, one of them better by a hair.

    With a margin, that arm is better by the margin and a hair.

    Examples
    --------
    >>> near_tie(3)
    [0.0, 1e-09, 0.0]
    """
    span = mean_range(make_family(family))
    if np.isfinite(span.low) and np.isfinite(span.high):
        level = span.low + 0.3 * (span.high - span.low)
    else:
        level = span.low + 1.0 if np.isfinite(span.low) else min(0.0, span.high - 1.0)
    means = [float(level)] * arms
    means[1] = level + (epsilon + GAP)
    return means


def verify(
    algorithm: Any,
    means: ArrayLike | None = None,
    *,
    delta: float = 0.1,
    threshold: Any = DEFAULT_THRESHOLD,
    arms: int = 2,
    runs: int = 100_000,
    confidence: float = 0.95,
    seed: int = 0,
    family: Any = None,
    epsilon: float = 0.0,
    max_samples: int | None = None,
    engine: str = "cpu",
    threads: int | None = None,
    progress: bool | None = None,
) -> Verification:
    """Count how often an algorithm is wrong, and say what that proves.

    Parameters
    ----------
    algorithm
        As in `simulate`, and so are `delta`, `threshold`, `seed`, `family`, `epsilon`, `engine` and `threads`.
    means
        True means of the arms; by default a near tie of `arms` arms, where errors are easiest.
    runs
        Number of runs; any number, since results are counted and not kept.
    confidence
        Of the exact interval.
    max_samples
        Give up a run after so many samples; by default 2000 at a near tie, and never on given means.

    Returns
    -------
    Verification
        Counts, interval and verdict; after Ctrl-C, of the runs finished by then.

    Examples
    --------
    >>> import toptwo as tt
    >>> found = tt.verify("TTUCB", [0.0, 1.0, 0.5], delta=0.1, runs=500, seed=1)
    >>> found.verdict, found.wrong <= 50
    ('at most δ', True)
    """
    if means is None:
        means = near_tie(checks.whole("arms", arms, 2), family, checks.margin("epsilon", epsilon))
        max_samples = NEAR_TIE_SAMPLES if max_samples is None else max_samples
    given = np.atleast_2d(checks.means(means, axes=(1,)))
    task = make_task(
        algorithm,
        np.ascontiguousarray(given),
        checks.whole("runs", runs, 1),
        delta=delta,
        threshold=threshold,
        seed=seed,
        family=family,
        epsilon=epsilon,
        max_samples=max_samples,
        engine=engine,
        threads=threads,
    )
    started = time.perf_counter()
    with RunProgress(task.name, runs, progress) as bar:
        tally = counted_runs(task, bar)
    return Verification(
        algorithm=task.name,
        threshold=threshold if isinstance(threshold, str) else repr(threshold),
        means=tuple(float(mean) for mean in given[0]),
        delta=float(delta),
        epsilon=task.setup.epsilon,
        max_samples=max_samples,
        runs=tally.finished,
        wrong=tally.wrong,
        undecided=tally.undecided,
        mean_samples=tally.samples / tally.finished,
        confidence=checks.probability("confidence", confidence),
        engine=task.engine.name,
        seconds=time.perf_counter() - started,
        interrupted=tally.interrupted,
    )


class CountedRuns(NamedTuple):
    """What is counted."""

    finished: int
    wrong: int
    undecided: int
    samples: int
    interrupted: bool


def _show(bar: RunProgress, before: int, finished: int) -> None:
    bar.show(before + finished)


def counted_runs(task: Task, bar: RunProgress) -> CountedRuns:
    """Play the runs of a task chunk by chunk, and count."""
    means, total = task.instances[0], task.share.last
    right = means >= means.max() - task.setup.epsilon
    size = max(1, ROOM // (len(means) + 4))
    finished = wrong = undecided = samples = 0
    for first in range(0, total, size):
        part = task.share._replace(first=first, last=min(first + size, total), base=first)
        output, before = output_for(part.last - first, len(means)), finished
        interrupted = task.engine.play(task.instances, part, output, task.workers, partial(_show, bar, before))
        refuse_bad_rules(task.setup, task.instances, part, output)
        over = output.status >= 0
        decided = output.status == STOPPED
        finished += int(over.sum())
        wrong += int((decided & ~right[output.recommended]).sum())
        undecided += int((over & ~decided).sum())
        samples += int(output.samples[over].sum())
        if interrupted:
            if not finished:
                raise KeyboardInterrupt
            return CountedRuns(finished, wrong, undecided, samples, True)
    return CountedRuns(finished, wrong, undecided, samples, False)
