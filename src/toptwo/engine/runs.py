"""Simulated runs: a workspace that holds the progress of one run, and drivers that advance it.

Plain Python; engine/cpu.py and engine/cuda compile it as it stands.
"""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from toptwo.algorithms.top_two import NO_SHARE
from toptwo.engine.rounds import Knowledge, Setup, answer_of, decide, draw, first_pull, knowledge, look, stops
from toptwo.rules.round import Round, recommend, update_best
from toptwo.rules.stopping import is_dear
from toptwo.streams import Random, fork

SLICE = 4096
"""Samples between two looks at the signal to give up."""

STOPPED, UNDECIDED, UNFINISHED, NOT_AN_ARM, BAD_SHARE = 1, 0, -1, -2, -3
"""How a run ended: by its stopping rule, at max_samples, not yet, or because a rule returned no arm or share."""


class Progress(NamedTuple):
    """How far a run has come, one integer each."""

    samples: Any
    best: Any
    """î; the answer when the run has ended."""
    leader: Any
    """The leader of the last round; −1 if nobody led."""
    noted: Any
    """How many times of the trace have passed."""


class Workspace(NamedTuple):
    """All that one worker writes to during a run, laid out once and wiped for each run."""

    known: Knowledge
    progress: Progress
    rewards: Any
    """Positions of the K reward streams."""
    random: Random
    lines: Any
    """The rows of numbers in which all of `known` lives."""
    signal: Any
    """Two integers: non-zero to give up, and the number of runs finished."""


class Trace(NamedTuple):
    """How runs stood at some numbers of samples: a row per run, an entry per time; empty after the run had ended."""

    times: Any
    """Sorted numbers of samples."""
    recommended: Any
    """î, −1 after the run had ended."""
    leaders: Any
    """The leader of the last round; −1 if there was none."""
    statistics: Any
    """The likelihood ratio of î against its rival, which stopping rules look at; NaN after the run had ended."""
    counts: Any
    """Pulls of each arm."""
    means: Any
    """Empirical means; NaN after the run had ended."""


class Output(NamedTuple):
    """Where results go, one row per run."""

    samples: Any
    recommended: Any
    status: Any
    counts: Any
    trace: Trace


def output_for(runs: int, arms: int, times: Sequence[int] = ()) -> Output:
    """Return room for the results of so many runs."""
    table = (runs, len(times))
    trace = Trace(
        np.array(times, np.int64),
        np.full(table, -1, np.int64),
        np.full(table, -1, np.int64),
        np.full(table, np.nan),
        np.zeros((*table, arms), np.int64),
        np.full((*table, arms), np.nan),
    )
    return Output(
        np.zeros(runs, np.int64),
        np.full(runs, -1, np.int64),
        np.full(runs, UNFINISHED, np.int8),
        np.zeros((runs, arms), np.int64),
        trace,
    )


class Share(NamedTuple):
    """The part of the work that a call of `play_runs` does."""

    seed: int
    label: int
    """Identifies the algorithm's own random stream."""
    first: int
    last: int
    base: int = 0
    """The run that the first row of the output stands for."""


def workspace(setup: Setup, arms: int, new: Callable[..., Any], positions: Callable[[int], Any]) -> Workspace:
    """Return what one worker writes to; `new(*sizes)` makes room for numbers, `positions(n)` for whole ones."""
    lines: list[Any] = []

    def row(*sizes: int) -> Any:
        made = new(*sizes)
        lines.extend(made if len(sizes) > 1 else [made])
        return made

    known = knowledge(setup, arms, row)
    progress = Progress(*(positions(1) for _ in Progress._fields))
    return Workspace(known, progress, positions(arms), Random(positions(1)), lines, positions(2))


def begin(run: int, means: Any, setup: Setup, share: Share, work: Workspace) -> None:
    """Forget the previous run, place the streams of this one and pull each arm once."""
    for j in range(len(work.lines)):
        for i in range(len(work.lines[j])):
            work.lines[j][i] = 0.0
    root = fork(share.seed, run)
    work.random.position[0] = fork(root, share.label)
    for i in range(len(means)):
        work.rewards[i] = fork(root, i)
    for i in range(len(means)):
        draw(first_pull(i), means[i], setup, work.known, work.rewards)
    progress = work.progress
    progress.best[0] = recommend(-1, work.known.state, work.random)
    progress.samples[0], progress.leader[0], progress.noted[0] = len(means), -1, 0


def advance(row: int, means: Any, turn: int, pausing: bool, setup: Setup, work: Workspace, trace: Trace) -> int:
    """Play on until the run ends or has so many more samples; return how it ended (UNFINISHED: not yet).

    `row` is the run's place in the trace. Who is `pausing` stops before a round in which the stopping rule is dear,
    unless it is the first: lanes of a device, which wait for the slowest, then work at the dear rounds together.
    """
    progress, known = work.progress, work.known
    samples, best, leader, noted = progress.samples[0], progress.best[0], progress.leader[0], progress.noted[0]
    status, begun = UNFINISHED, samples
    while samples < begun + turn:
        now = look(samples, best, setup, known)
        if pausing and samples > begun and is_dear(setup.stopping, now.by(known.stopping)):
            break
        noted = note(row, samples, noted, leader, now, trace)
        if stops(now, setup, known):
            best, status = answer_of(now, setup, known), STOPPED
            break
        if samples >= setup.max_samples:
            status = UNDECIDED
            break
        decision = decide(now, setup, known, work.random)
        leader, arm, size = decision.leader, decision.arm, decision.size
        if arm < 0 or arm >= len(means):
            status = BAD_SHARE if arm == NO_SHARE else NOT_AN_ARM
            break
        if size != 1:
            size = max(1, min(size, setup.max_samples - samples))
            noted = note(row, samples + size - 1, noted, leader, now, trace)
            decision = decision.resized(size)
        before = known.state.means[arm]
        draw(decision, means[arm], setup, known, work.rewards)
        samples += size
        best = update_best(best, arm, before, known.state, work.random)
    progress.samples[0], progress.best[0], progress.leader[0], progress.noted[0] = samples, best, leader, noted
    return status


def note(row: int, samples: int, noted: int, leader: int, now: Round, trace: Trace) -> int:
    """Write down how things stand at every time up to so many samples; return the number of the next."""
    while noted < len(trace.times) and trace.times[noted] <= samples:
        trace.recommended[row][noted], trace.leaders[row][noted] = now.best, leader
        trace.statistics[row][noted] = now.cost
        for i in range(len(now.state.means)):
            trace.counts[row][noted][i] = int(now.state.counts[i])
            trace.means[row][noted][i] = now.state.means[i]
        noted += 1
    return noted


def finish(row: int, status: int, work: Workspace, output: Output) -> None:
    """Write down how a run ended."""
    output.samples[row], output.recommended[row] = work.progress.samples[0], work.progress.best[0]
    for i in range(len(work.known.state.counts)):
        output.counts[row][i] = int(work.known.state.counts[i])
    output.status[row] = status


def play_runs(setup: Setup, means: Any, share: Share, work: Workspace, output: Output) -> None:
    """Play runs `first` to `last` (exclusive), unless told to give up."""
    for run in range(share.first, share.last):
        instance, row = means[run % len(means)], run - share.base
        begin(run, instance, setup, share, work)
        status = UNFINISHED
        while status == UNFINISHED and work.signal[0] == 0:
            status = advance(row, instance, SLICE, False, setup, work, output.trace)
        finish(row, status, work, output)
        if status >= 0:
            work.signal[1] += 1
        else:
            work.signal[0] = 1
            return
