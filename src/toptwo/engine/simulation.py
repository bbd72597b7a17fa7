"""`simulate`: many independent runs of an algorithm, in parallel, reproducible run by run."""

import sys
import time
from collections.abc import Callable, Mapping, Sequence
from os import cpu_count
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from toptwo import checks
from toptwo.engine.engines import Engine, make_engine
from toptwo.engine.faults import refuse_bad_rules
from toptwo.engine.progress import RunProgress
from toptwo.engine.question import (
    UNLIMITED,
    algorithm_name,
    check_noise,
    check_range,
    check_single_best,
    make_setup,
    stream_label,
)
from toptwo.engine.results import Simulation
from toptwo.engine.rounds import Setup
from toptwo.engine.runs import STOPPED, Share, Trace, output_for
from toptwo.errors import InputError
from toptwo.families.base import check_means
from toptwo.families.origin import origins_of
from toptwo.rules.thresholds import DEFAULT_THRESHOLD

DEFAULT_RUNS = 1000


class Task(NamedTuple):
    """Runs to be played: what a call asks for, validated."""

    name: str
    setup: Setup
    instances: NDArray[np.float64]
    """Means as rules see them, measured from their origins, in the order of `looked_up`."""
    origins: NDArray[np.float64]
    share: Share
    workers: int
    engine: Engine


def make_task(
    algorithm: Any,
    instances: NDArray[np.float64],
    total: int,
    *,
    delta: float,
    threshold: Any,
    seed: int,
    family: Any,
    epsilon: float,
    max_samples: int | None,
    engine: str,
    threads: int | None,
    first: int = 0,
) -> Task:
    """Return what a call for `total` runs from the first on asks for, or raise InputError."""
    arms = instances.shape[1]
    setup = make_setup(
        algorithm,
        arms,
        delta=delta,
        threshold=threshold,
        family=family,
        epsilon=epsilon,
        max_samples=max_samples,
    )
    check_means(setup.family, instances)
    check_range(instances)
    origins = origins_of(setup.family, instances)
    measured = instances - origins[:, None]
    check_noise(setup.family, measured)
    if max_samples is None:
        check_single_best(instances, setup.epsilon)
    begin = checks.whole("first", first, 0, UNLIMITED - total)
    share = Share(checks.whole("seed", seed, 0) & (UNLIMITED - 1), stream_label(algorithm), begin, begin + total, begin)
    workers = min(total, checks.whole("threads", threads, 1) if threads is not None else (cpu_count() or 1))
    player = make_engine(engine, setup, arms, total)
    return Task(algorithm_name(algorithm), setup, looked_up(measured, begin), origins, share, workers, player)


def looked_up(rows: NDArray[np.float64], first: int) -> NDArray[np.float64]:
    """Return instances of the runs from the first on in the order in which they are looked up: run r on row r mod n.

    Examples
    --------
    >>> looked_up(np.array([[5.0], [6.0], [7.0]]), 5).ravel().tolist()  # of runs 5, 6 and 7: run 6 is on row 0
    [6.0, 7.0, 5.0]
    """
    return np.roll(rows, first % len(rows), axis=0)


def simulate(
    algorithm: Any,
    means: ArrayLike,
    *,
    delta: float = 0.1,
    threshold: Any = DEFAULT_THRESHOLD,
    runs: int | None = None,
    seed: int = 0,
    family: Any = None,
    epsilon: float = 0.0,
    max_samples: int | None = None,
    first: int = 0,
    trace: Sequence[int] = (),
    engine: str = "cpu",
    threads: int | None = None,
    progress: bool | None = None,
) -> Simulation:
    """Run an algorithm many times on simulated rewards.

    The s-th reward of an arm in a run depends on (seed, run, arm, s) alone, so algorithms compared with the same seed
    see the same rewards, and a result does not depend on `threads`, nor on `engine` but
    for the last bits of logarithms on a GPU (docs/cuda.md).

    Parameters
    ----------
    algorithm
        A name (`toptwo algorithms` lists them; prefixes T-, S-, A- make variants) or an object such as `tt.TTUCB()`.
    means
        True means, (K,) for one instance or (runs, K) for one instance per run.
    delta
        Probability of error aimed at.
    threshold
        "betting" (proven, stops earliest, the default), "mixture" (proven, keeps nothing on the way), "proven" (the
        paper's, proven), "heuristic" (the paper's experiments, **no proof**), or your own (see rules/thresholds.py).
    runs
        Number of runs; by default 1000, or the number of rows of `means`.
    family
        Law of the rewards, `tt.Gaussian(sigma=1.0)` by default.
    epsilon
        Margin: any arm within ε of the best is a right answer.
    max_samples
        Give up a run after so many samples; it is then undecided.
    first
        Number of the first run: many runs may be played in parts, which together are the runs of one call. Rows of
        `means` are those of the runs played.
    trace
        Numbers of samples, at least K, at which to write down how each run stands: `result.trace` then holds
        recommendations, leaders, the stopping statistic, counts and means at those times.
    engine
        "cpu" (compiled), "cuda" (an NVIDIA GPU: docs/cuda.md), "auto" (a GPU where it pays) or "python" (interpreted:
        slow, for debugging).
    threads
        Workers; by default one per processor. A GPU has its own.
    progress
        Show a progress bar; by default on a terminal, if it takes long.

    Returns
    -------
    Simulation
        Stopping times, recommended arms and counts, one per run. After Ctrl-C, those of the finished runs.

    Notes
    -----
    Under a Gaussian law whose means are large beside the noise, rules see rewards less a point near the best, so that
    averages keep their digits (docs/rounding.md); what is returned is as it was given.

    Examples
    --------
    >>> import toptwo as tt
    >>> result = tt.simulate("TTUCB", [0.0, 1.0, 0.5], delta=0.1, runs=200, seed=1)
    >>> result.runs, bool(result.correct.mean() > 0.9)
    (200, True)
    """
    instances = np.ascontiguousarray(np.atleast_2d(checks.means(means)))
    total = _number_of_runs(runs, instances, np.ndim(means))
    times = _times(trace, instances.shape[1], total)
    task = make_task(
        algorithm,
        instances,
        total,
        delta=delta,
        threshold=threshold,
        seed=seed,
        family=family,
        epsilon=epsilon,
        max_samples=max_samples,
        engine=engine,
        threads=threads,
        first=first,
    )
    with RunProgress(task.name, total, progress) as bar:
        return play_task(task, instances, bar.show, times, {"delta": delta, "threshold": threshold})


def play_task(
    task: Task,
    instances: NDArray[np.float64],
    show: Callable[[int], None],
    times: Sequence[int] = (),
    asked: Mapping[str, Any] = MappingProxyType({}),
) -> Simulation:
    """Return the runs of a task on instances as they were given; what else was `asked` goes into the settings."""
    setup, share, started = task.setup, task.share, time.perf_counter()
    total, arms = share.last - share.first, instances.shape[1]
    output = output_for(total, arms, list(times))
    interrupted = task.engine.play(task.instances, share, output, task.workers, show)
    if interrupted and not (output.status >= 0).any():
        raise KeyboardInterrupt
    refuse_bad_rules(setup, task.instances, task.share, output)
    finished = output.status >= 0
    instance_of = np.arange(total) % len(instances)
    output.trace.means[...] += task.origins[instance_of, None, None]
    return Simulation(
        algorithm=task.name,
        stopping_times=output.samples[finished],
        recommended=output.recommended[finished],
        decided=output.status[finished] == STOPPED,
        counts=output.counts[finished],
        means=instances[instance_of][finished],
        numbers=share.first + np.flatnonzero(finished),
        epsilon=setup.epsilon,
        trace=Trace(output.trace.times, *(table[finished] for table in output.trace[1:])),
        interrupted=interrupted,
        settings={
            "rules": repr(setup.algorithm),
            "stopping": repr(setup.stopping),
            "family": repr(setup.family),
            **{name: value if isinstance(value, str | float) else repr(value) for name, value in asked.items()},
            "seed": share.seed,
            "engine": task.engine.name,
            "max_samples": None if setup.max_samples == UNLIMITED else setup.max_samples,
            "seconds": time.perf_counter() - started,
        },
    )


def _number_of_runs(runs: int | None, instances: NDArray[np.float64], axes: int) -> int:
    if axes == 1:
        total = DEFAULT_RUNS if runs is None else checks.whole("runs", runs, 1)
        return checks.room("runs", total, total * (instances.shape[1] + 4))
    if runs is not None and checks.whole("runs", runs, 1) != len(instances):
        raise InputError(
            f"runs is {runs} but means has {len(instances)} rows: leave runs out, or pass one row (K,) to repeat it."
        )
    return len(instances)


def _times(trace: Sequence[int], arms: int, runs: int) -> list[int]:
    """Return the times of a trace, of which a range is not written out before it is known to fit."""
    none = InputError(f"trace must be whole numbers of at least {arms}, the number of arms.")
    try:
        size = len(trace)
    except OverflowError:
        size = sys.maxsize
    except TypeError:
        raise none from None
    checks.room("trace", size, 2 * size * runs * (2 * arms + 3), "entries")  # once while runs go on, once as returned
    array = np.asarray(trace)
    if array.ndim != 1 or (array.size and (array.dtype.kind not in "iu" or array.min() < arms)):
        raise none
    if array.size and (np.diff(array) <= 0).any():
        raise InputError("trace must be numbers of samples that increase.")
    return [int(time) for time in array]
