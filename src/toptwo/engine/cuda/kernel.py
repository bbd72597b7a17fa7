"""What a lane of a device does: it takes a run from the counter, plays it to its end, and takes the next.

Runs differ much in length: a lane whose run is over goes on with another one while its neighbours play theirs. A launch
ends after a given number of turns, wherever the runs are by then; the next one goes on from there.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

from numba import cuda

from toptwo.engine.cuda.lanes import Lanes
from toptwo.engine.rounds import Setup
from toptwo.engine.runs import UNFINISHED, Output, Share, Workspace, advance, begin, finish

TURN = 64
"""Samples of a turn: lanes side by side wait for each other at the end of each."""

IDLE = -1
"""In place of the number of a run: the lane has none."""

NEXT, FINISHED, FAILED = 0, 1, 2
"""Places in the counters: the next run to be taken, how many are finished, how many ended because of a bad rule."""


class Launch(NamedTuple):
    """What is the same for all lanes of a launch."""

    setup: Setup
    means: Any
    """(instances, K)."""
    share: Share
    output: Output
    counters: Any
    turns: int


def take(run: int, lane: int, launch: Launch, lanes: Lanes, work: Workspace) -> bool:
    """Begin a run, unless there are no more."""
    instance, share = lanes.means[:, lane], launch.share
    if run >= share.last or launch.counters[FAILED] > 0:
        return False
    for i in range(len(instance)):
        instance[i] = launch.means[run % len(launch.means)][i]
    begin(run, instance, launch.setup, share, work)
    lanes.integers[0, lane] = run
    return True


def play_turn(lane: int, launch: Launch, lanes: Lanes, work: Workspace) -> int:
    """Go on with the run of a lane for a turn, and return how it ended (UNFINISHED: not yet)."""
    row, output = lanes.integers[0, lane] - launch.share.base, launch.output
    limit = work.progress.samples[0] + TURN
    status = advance(row, lanes.means[:, lane], limit, launch.setup, work, output.trace)
    if status != UNFINISHED:
        finish(row, status, work, output)
        lanes.integers[0, lane] = IDLE
    return status


def kernel(code: str, share_of: Callable[[Lanes, int], Workspace]) -> Callable[[Launch, Lanes], None]:
    """Return what all lanes run."""

    def run(launch: Launch, lanes: Lanes) -> None:
        code  # noqa: B018 (part of the key of Numba's cache)
        lane = cuda.grid(1)
        if lane < lanes.means.shape[1]:
            work = share_of(lanes, lane)
            for _ in range(launch.turns):
                if lanes.integers[0, lane] == IDLE and not take(
                    cuda.atomic.add(launch.counters, NEXT, 1), lane, launch, lanes, work
                ):
                    break
                status = play_turn(lane, launch, lanes, work)
                if status != UNFINISHED:
                    cuda.atomic.add(launch.counters, FINISHED if status >= 0 else FAILED, 1)

    return run
