"""Runs shared among threads, and how long calls are interrupted."""

from collections.abc import Callable, Sequence
from functools import partial
from threading import Event, Thread
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from toptwo.engine.runs import Output, Share, Workspace

CHUNK = 64
"""Runs handed to a worker at a time, at most."""

POLL = 0.02
"""Seconds between two looks at the progress of long calls."""


class Player(Protocol):
    """Something that can play runs one after the other, and so on several threads."""

    def workspace(self, arms: int) -> Workspace:
        """Return what one worker writes to."""
        ...

    def play_runs(self, means: NDArray[np.float64], share: Share, work: Workspace, output: Output) -> None:
        """Play a share of the runs."""
        ...

    def play(
        self,
        means: NDArray[np.float64],
        share: Share,
        output: Output,
        workers: int,
        show: Callable[[int], None],
    ) -> bool:
        """Play a share of the runs on several threads; return whether the user interrupted."""
        return play_on_threads(self, means, share, output, workers, show)


def play_on_threads(
    player: Player,
    means: NDArray[np.float64],
    whole: Share,
    output: Output,
    workers: int,
    show: Callable[[int], None],
) -> bool:
    """Play all runs on several threads; return whether the user interrupted."""
    spaces = [player.workspace(means.shape[1]) for _ in range(workers)]
    # Compile, if need be, before the threads start: Numba does not take an interruption well, so it is held back.
    if on_threads([lambda: player.play_runs(means, whole._replace(last=whole.first), spaces[0], output)]):
        raise KeyboardInterrupt
    size = max(1, min(CHUNK, (whole.last - whole.first) // (8 * workers)))
    chunks = iter(range(whole.first, whole.last, size))  # shared: taking the next one is atomic

    def work(space: Workspace) -> None:
        for first in chunks:
            player.play_runs(means, whole._replace(first=first, last=min(first + size, whole.last)), space, output)

    def give_up() -> None:
        for space in spaces:
            space.signal[0] = 1

    def show_all() -> None:
        show(sum(int(space.signal[1]) for space in spaces))

    return on_threads([partial(work, space) for space in spaces], show_all, give_up)


def _nothing() -> None:
    pass


def on_threads(
    jobs: Sequence[Callable[[], None]], show: Callable[[], None] = _nothing, give_up: Callable[[], None] = _nothing
) -> bool:
    """Run jobs side by side to their end and return whether the user interrupted; `give_up` asks them to end early."""
    problems: list[BaseException] = []
    over: list[None] = []
    done = Event()

    def run(job: Callable[[], None]) -> None:
        try:
            job()
        except BaseException as problem:
            problems.append(problem)
            give_up()
        finally:
            over.append(None)
            if len(over) == len(jobs):
                done.set()

    interrupted = False
    try:
        for job in jobs:
            Thread(target=run, args=(job,), daemon=True).start()
        while len(over) < len(jobs):  # an interrupt in Thread.join would take running threads for finished ones
            try:
                done.wait(POLL)
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
