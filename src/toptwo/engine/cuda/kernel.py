"""What a lane of a device does: it takes a run from the counter, plays it to its end, and takes the next.

Runs differ much in length: a lane whose run is over goes on with another one while its neighbours play theirs. A launch
ends after a given number of turns, wherever the runs are by then; the next one goes on from there.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

from numba import cuda

from toptwo.engine.cuda.lanes import Lane, Lanes
from toptwo.engine.rounds import Setup
from toptwo.engine.runs import UNFINISHED, Output, Share, advance, begin, finish
from toptwo.rules.stopping import is_dear

TURN, SHORT_TURN = 64, 32
"""Samples of a turn, and of one that may end early, before a round in which the stopping rule is dear.

Lanes side by side wait for each other at the end of each.
"""

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
    turn: int
    """Samples of a turn."""
    turns: int


Settle = Callable[[Launch], Launch]
"""What fixes, when a kernel is compiled, what is known of all its launches by then."""


def turn_of(setup: Setup) -> int:
    """Return how many samples a turn has."""
    return SHORT_TURN if hasattr(setup.stopping, is_dear.__name__) else TURN


def as_asked(launch: Launch) -> Launch:
    """Return a launch as it is: its margin is known when it runs."""
    return launch


def without_margin(launch: Launch) -> Launch:
    """Return a launch whose margin is known to be 0 when it is compiled: what only a margin needs is left out."""
    setup = launch.setup
    return Launch(
        Setup(setup.algorithm, setup.stopping, setup.family, 0.0, setup.max_samples),
        launch.means,
        launch.share,
        launch.output,
        launch.counters,
        launch.turn,
        launch.turns,
    )


def settling(setup: Setup) -> Settle:
    """Return what a kernel for a setup does to its launches: kernels with and without a margin differ in it."""
    return without_margin if setup.epsilon == 0.0 else as_asked


def take(run: int, number: int, launch: Launch, lanes: Lanes, lane: Lane) -> bool:
    """Begin a run, unless there are no more."""
    share, means = launch.share, lane.means
    if run >= share.last or launch.counters[FAILED] > 0:
        return False
    for i in range(len(means)):
        means[i] = launch.means[run % len(launch.means)][i]
    for i in range(len(lane.near)):
        lane.near[i] = 0.0
    begin(run, means, launch.setup, share, lane.work)
    lanes.runs[number] = run
    return True


def play_turn(number: int, launch: Launch, lanes: Lanes, lane: Lane) -> int:
    """Go on with the run of a lane for a turn, and return how it ended (UNFINISHED: not yet)."""
    work, row, output = lane.work, lanes.runs[number] - launch.share.base, launch.output
    status = advance(row, lane.means, launch.turn, True, launch.setup, work, output.trace)
    if status != UNFINISHED:
        finish(row, status, work, output)
        lanes.runs[number] = IDLE
    return status


def move(source: Any, target: Any) -> None:
    """Copy numbers from one place to another."""
    for i in range(len(source)):
        target[i] = source[i]


def called(setup: Setup, lane_of: Callable[[Lanes, int], Lane]) -> tuple[Callable[..., Any], ...]:
    """Return the functions that a kernel for a setup calls: the key under which it is kept is made from them."""
    return take, play_turn, move, lane_of, settling(setup)


def kernel(code: str, lane_of: Callable[[Lanes, int], Lane], settle: Settle) -> Callable[[Launch, Lanes], None]:
    """Return what all lanes run."""

    def run(given: Launch, lanes: Lanes) -> None:
        code  # noqa: B018 (part of the key of Numba's cache)
        launch = settle(given)
        number = cuda.grid(1)
        if number < len(lanes.runs):
            lane = lane_of(lanes, number)
            move(lane.home, lane.near)
            for _ in range(launch.turns):
                if lanes.runs[number] == IDLE and not take(
                    cuda.atomic.add(launch.counters, NEXT, 1), number, launch, lanes, lane
                ):
                    break
                status = play_turn(number, launch, lanes, lane)
                if status != UNFINISHED:
                    cuda.atomic.add(launch.counters, FINISHED if status >= 0 else FAILED, 1)
            move(lane.near, lane.home)

    return run
