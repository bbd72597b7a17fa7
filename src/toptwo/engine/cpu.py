"""The compiled engine: the rounds and runs of this folder for one combination of rules, by Numba.

Code that releases the interpreter, for a pool of threads over chunks of runs.
"""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from toptwo.engine import runs
from toptwo.engine.compiling import Compiling
from toptwo.engine.faults import explained
from toptwo.engine.rounds import Setup
from toptwo.engine.runs import Output, Share, Workspace
from toptwo.engine.threads import Player
from toptwo.errors import InputError

play_runs = runs.play_runs


def _playing(code: str) -> Callable[..., None]:
    def run(setup: Any, means: Any, share: Any, work: Any, output: Any) -> None:
        code  # noqa: B018 (part of the key of Numba's cache)
        play_runs(setup, means, share, work, output)

    return run


class CompiledEngine(Player):
    """Runs a setup with compiled code."""

    name = "cpu"

    def __init__(self, setup: Setup) -> None:
        compiling = Compiling(setup)
        self.setup, self._plain = compiling.setup, setup
        self._run = compiling.entry(_playing, play_runs)

    def workspace(self, arms: int) -> Workspace:
        """Return arrays for one worker, all of them views of one buffer."""
        used = 0

        def count(*sizes: int) -> Any:
            nonlocal used
            used += math.prod(sizes)
            return np.empty(sizes)

        runs.workspace(self.setup, arms, count, lambda size: count(size))
        buffer, taken = np.zeros(used), 0

        def take(*sizes: int) -> Any:
            nonlocal taken
            taken += math.prod(sizes)
            return buffer[taken - math.prod(sizes) : taken].reshape(sizes)

        def take_whole(size: int) -> Any:
            return take(size).view(np.int64)

        work = runs.workspace(self.setup, arms, take, take_whole)
        rows = buffer[: sum(line.size for line in work.lines)]
        return work._replace(lines=rows.reshape(1, -1), rewards=work.rewards.view(np.uint64))

    def play_runs(self, means: NDArray[np.float64], share: Share, work: Workspace, output: Output) -> None:
        """Play a share of the runs."""
        before = int(work.signal[1])
        try:
            self._run(self.setup, means, share, work, output)
        except InputError:
            raise
        except (IndexError, ValueError) as problem:  # from a rule of a user: nothing else raises in compiled code
            run, samples = share.first + int(work.signal[1]) - before, int(work.progress.samples[0])
            generic = f"a rule fails: {problem}."
            raise explained(self._plain, means, share, run, samples, samples, generic) from problem
