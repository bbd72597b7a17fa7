"""`simulate`: many independent runs of an algorithm, in parallel, reproducible run by run."""

import time
from collections.abc import Callable, Sequence
from functools import partial
from os import cpu_count
from threading import Thread
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from toptwo import checks
from toptwo.engine.progress import RunProgress
from toptwo.engine.question import (
    NOT_A_SHARE,
    UNLIMITED,
    algorithm_name,
    check_noise,
    check_range,
    check_single_best,
    make_setup,
    not_an_arm,
    stream_label,
)
from toptwo.engine.results import Simulation
from toptwo.engine.rounds import Setup
from toptwo.engine.runs import NOT_AN_ARM as NO_ARM
from toptwo.engine.runs import STOPPED, Output, Share, Trace, Workspace, output_for
from toptwo.errors import InputError
from toptwo.families.base import check_means
from toptwo.families.origin import origins_of
from toptwo.rules.thresholds import DEFAULT_THRESHOLD

CHUNK = 64
"""Runs handed to a worker at a time, at most."""

DEFAULT_RUNS = 1000

POLL = 0.02
"""Seconds between two looks at the progress of long calls."""


class Engine(Protocol):
    """Something that can play runs of a setup."""

    def workspace(self, arms: int) -> Workspace:
        """Return what one worker writes to."""
        ...

    def play_runs(self, means: NDArray[np.float64], share: Share, work: Workspace, output: Output) -> None:
        """Play a share of the runs."""
        ...


def _python(setup: Setup) -> Engine:
    from toptwo.engine.python import PythonEngine

    return PythonEngine(setup)


def _cpu(setup: Setup) -> Engine:
    from toptwo.engine.cpu import CompiledEngine

    return CompiledEngine(setup)


ENGINES = {"cpu": _cpu, "python": _python}


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
    trace: Sequence[int] = (),
    engine: str = "cpu",
    threads: int | None = None,
    progress: bool | None = None,
) -> Simulation:
    """Run an algorithm many times on simulated rewards.

    The s-th reward of an arm in a run depends on (seed, run, arm, s) alone, so algorithms compared with the same seed
    see the same rewards, and a result does not depend on `engine` or `threads`.

    Parameters
    ----------
    algorithm
        A name (`toptwo algorithms` lists them; prefixes T-, S-, A- make variants) or an object such as `tt.TTUCB()`.
    means
        True means, (K,) for one instance or (runs, K) for one instance per run.
    delta
        Probability of error aimed at.
    threshold
        "mixture" (proven, the default), "betting" (proven, stops earliest; not for all families), "proven" (the
        paper's, proven), "heuristic" (the paper's experiments, **no proof**), or your own (see rules/thresholds.py).
    runs
        Number of runs; by default 1000, or the number of rows of `means`.
    family
        Law of the rewards, `tt.Gaussian(sigma=1.0)` by default.
    epsilon
        Margin: any arm within ε of the best is a right answer.
    max_samples
        Give up a run after so many samples; it is then undecided.
    trace
        Numbers of samples, at least K, at which to write down how each run stands: `result.trace` then holds
        recommendations, leaders, the stopping statistic, counts and means at those times.
    engine
        "cpu" (compiled) or "python" (interpreted: slow, for debugging).
    threads
        Workers; by default one per processor.
    progress
        Show a progress bar; by default on a terminal, if it takes long.

    Returns
    -------
    Simulation
        Stopping times, recommended arms and counts, one per run. After Ctrl-C, those of the finished runs.

    Notes
    -----
    Under a Gaussian law whose means are large beside the noise, rules see rewards less the highest mean, so that
    averages keep their digits (docs/rounding.md); what is returned is as it was given.

    Examples
    --------
    >>> import toptwo as tt
    >>> result = tt.simulate("TTUCB", [0.0, 1.0, 0.5], delta=0.1, runs=200, seed=1)
    >>> result.runs, bool(result.correct.mean() > 0.9)
    (200, True)
    """
    instances = np.ascontiguousarray(np.atleast_2d(checks.means(means)))
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
    origins = origins_of(setup.family, instances)  # what rules see is measured from there
    measured = instances - origins[:, None]
    check_noise(setup.family, measured)
    if max_samples is None:
        check_single_best(instances, setup.epsilon)
    total = _number_of_runs(runs, instances, np.ndim(means))
    seed = checks.whole("seed", seed, 0) & (UNLIMITED - 1)
    workers = min(total, checks.whole("threads", threads, 1) if threads is not None else (cpu_count() or 1))
    output = output_for(total, arms, _times(trace, arms))
    started = time.perf_counter()
    with RunProgress(algorithm_name(algorithm), total, progress) as bar:
        player = checks.one_of("engine", engine, ENGINES)(setup)
        share = Share(seed, stream_label(algorithm), 0, total)
        interrupted = _play(player, setup, measured, share, output, workers, bar)
    if (output.status <= NO_ARM).any():
        raise InputError(not_an_arm(arms) if (output.status == NO_ARM).any() else NOT_A_SHARE)
    finished = output.status >= 0
    instance_of = np.arange(total) % len(instances)
    output.trace.means[...] += origins[instance_of, None, None]
    return Simulation(
        algorithm=algorithm_name(algorithm),
        stopping_times=output.samples[finished],
        recommended=output.recommended[finished],
        decided=output.status[finished] == STOPPED,
        counts=output.counts[finished],
        means=instances[instance_of][finished],
        numbers=np.flatnonzero(finished),
        epsilon=setup.epsilon,
        trace=Trace(output.trace.times, *(table[finished] for table in output.trace[1:])),
        interrupted=interrupted,
        settings={
            "rules": repr(setup.algorithm),
            "stopping": repr(setup.stopping),
            "family": repr(setup.family),
            "delta": delta,
            "threshold": threshold if isinstance(threshold, str) else repr(threshold),
            "seed": seed,
            "engine": engine,
            "max_samples": max_samples,
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


def _times(trace: Sequence[int], arms: int) -> list[int]:
    array = np.asarray(trace)
    if array.ndim != 1 or (array.size and (array.dtype.kind not in "iu" or array.min() < arms)):
        raise InputError(f"trace must be whole numbers of at least {arms}, the number of arms.")
    if array.size and (np.diff(array) <= 0).any():
        raise InputError("trace must be numbers of samples that increase.")
    return [int(time) for time in array]


def _play(
    player: Engine,
    setup: Setup,
    means: NDArray[np.float64],
    whole: Share,
    output: Output,
    workers: int,
    bar: RunProgress,
) -> bool:
    """Play all runs on several threads; return whether the user interrupted."""
    arms = means.shape[1]
    spaces = [player.workspace(arms) for _ in range(workers)]
    # Compile, if need be, before the threads start: Numba does not take an interruption well, so it is held back.
    if _on_threads([lambda: player.play_runs(means, whole._replace(last=0), spaces[0], output)]):
        raise KeyboardInterrupt
    size = max(1, min(CHUNK, whole.last // (8 * workers)))
    chunks = iter(range(0, whole.last, size))  # shared: taking the next one is atomic

    def work(space: Workspace) -> None:
        for first in chunks:
            player.play_runs(means, whole._replace(first=first, last=min(first + size, whole.last)), space, output)

    def give_up() -> None:
        for space in spaces:
            space.signal[0] = 1

    def show() -> None:
        bar.show(sum(int(space.signal[1]) for space in spaces))

    interrupted = _on_threads([partial(work, space) for space in spaces], show, give_up)
    if interrupted and not (output.status >= 0).any():
        raise KeyboardInterrupt
    return interrupted


def _nothing() -> None:
    pass


def _on_threads(
    jobs: Sequence[Callable[[], None]], show: Callable[[], None] = _nothing, give_up: Callable[[], None] = _nothing
) -> bool:
    """Run jobs side by side to their end and return whether the user interrupted; `give_up` asks them to end early."""
    problems: list[BaseException] = []
    over: list[None] = []

    def run(job: Callable[[], None]) -> None:
        try:
            job()
        except BaseException as problem:
            problems.append(problem)
            give_up()
        finally:
            over.append(None)

    interrupted, pause = False, 0.0005
    try:
        for job in jobs:
            Thread(target=run, args=(job,), daemon=True).start()
        while len(over) < len(jobs):  # sleeping: an interrupt in Thread.join takes running threads for finished ones
            try:
                time.sleep(pause)
                pause = min(2.0 * pause, POLL)
                show()
            except KeyboardInterrupt:
                if interrupted:
                    raise
                interrupted = True
                give_up()
    finally:
        give_up()
    if problems:
        raise problems[0]
    return interrupted
