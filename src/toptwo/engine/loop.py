"""The one simulation loop. Plain Python; engine/cpu.py compiles it as it stands."""

from typing import Any, NamedTuple

from toptwo.algorithms.base import Algorithm
from toptwo.families.base import Family, pull_batch
from toptwo.rules.hooks import answer, batch_size, pass_on
from toptwo.rules.round import recommend, survey, update_best
from toptwo.rules.stopping import Stopping
from toptwo.state import State
from toptwo.streams import Random, fork, next_word

CHECK_EVERY = 4096
"""Samples between two looks at the signal to give up."""


class Setup(NamedTuple):
    """What is run: the same for all runs of a call."""

    algorithm: Algorithm
    stopping: Stopping
    family: Family
    epsilon: float
    max_samples: int


class Workspace(NamedTuple):
    """What one worker writes to during a run, allocated once and reset for each run."""

    state: State
    rewards: Any
    """Positions of the K reward streams."""
    random: Random
    signal: Any
    """Two integers: non-zero to give up, and the number of runs finished."""


class Output(NamedTuple):
    """Where results go, one row per run."""

    samples: Any
    recommended: Any
    status: Any
    """1: stopped; 0: undecided at max_samples; −1: not finished; −2: a rule chose something that is not an arm."""
    counts: Any
    checkpoints: Any
    """Sorted sample sizes at which the recommendation is written down."""
    answers: Any


class Share(NamedTuple):
    """The part of the work that a call of `play_runs` does."""

    seed: int
    label: int
    """Identifies the algorithm's own random stream."""
    first: int
    last: int


def reset(seed: int, label: int, run: int, work: Workspace) -> None:
    """Forget the previous run and place the streams of this one."""
    root = fork(seed, run)
    state = work.state
    for i in range(len(state.means)):
        work.rewards[i] = fork(root, i)
        state.means[i] = state.counts[i] = state.inverse[i] = state.root[i] = 0.0
        state.led[i] = state.owed[i] = state.own[i] = 0.0
        for j in range(len(state.memory)):
            state.memory[j][i] = 0.0
        for j in range(len(state.store)):
            state.store[j][i] = 0.0
    work.random.position[0] = fork(root, label)


def pull(leader: int, arm: int, mean: float, size: int, setup: Setup, work: Workspace) -> None:
    """Draw a reward, or the average of several, and let everyone learn from it."""
    if size == 1:
        reward = setup.family.reward(arm, mean, next_word(work.rewards, arm))
        setup.family.observe(arm, reward, work.state)
    else:
        reward = pull_batch(setup.family, arm, mean, size, work.state, work.rewards)
    pass_on(setup.algorithm, leader, arm, reward, size, work.state, setup.family)


def note(best: int, samples: int, noted: int, checkpoints: Any, answers: Any) -> int:
    """Write the recommendation down at every checkpoint up to so many samples; return the number of the next."""
    while noted < len(checkpoints) and checkpoints[noted] <= samples:
        answers[noted] = best
        noted += 1
    return noted


def play(setup: Setup, means: Any, work: Workspace, checkpoints: Any, answers: Any) -> tuple[int, int, int]:
    """Play one run; return the number of samples, the recommended arm and the status (see Output)."""
    arms = len(means)
    for i in range(arms):
        pull(-1, i, means[i], 1, setup, work)
    best = recommend(-1, work.state, work.random)
    noted, samples, watch = 0, arms, arms + CHECK_EVERY
    while True:
        now = survey(samples + 1, best, setup.epsilon, work.state, setup.family)
        noted = note(best, samples, noted, checkpoints, answers)
        if setup.stopping.stops(now):
            return samples, answer(setup.stopping, now), 1
        if samples >= setup.max_samples:
            return samples, best, 0
        if samples >= watch:
            watch = samples + CHECK_EVERY
            if work.signal[0] != 0:
                return samples, best, -1
        leader, arm = setup.algorithm.next_pull(now, work.random)
        if arm < 0 or arm >= arms:
            return samples, best, -2
        before = work.state.means[arm]
        size = batch_size(setup.algorithm, arm, now)
        if size != 1:
            size = max(1, min(size, setup.max_samples - samples))
            noted = note(best, samples + size - 1, noted, checkpoints, answers)
        pull(leader, arm, means[arm], size, setup, work)
        samples += size
        best = update_best(best, arm, before, work.state, work.random)


def play_runs(setup: Setup, means: Any, share: Share, work: Workspace, output: Output) -> None:
    """Play runs `first` to `last` (exclusive), unless told to give up."""
    for run in range(share.first, share.last):
        if work.signal[0] != 0:
            return
        reset(share.seed, share.label, run, work)
        row = means[run % len(means)]
        samples, best, status = play(setup, row, work, output.checkpoints, output.answers[run])
        output.samples[run], output.recommended[run] = samples, best
        for i in range(len(row)):
            output.counts[run, i] = int(work.state.counts[i])
        output.status[run] = status
        if status >= 0:
            work.signal[1] += 1
        elif status == -2:
            work.signal[0] = 1
