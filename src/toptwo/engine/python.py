"""The plain engine: the same rounds, interpreted. Slow, for debugging and for checking the compiled one."""

import numpy as np
from numpy.typing import NDArray

from toptwo.engine import runs
from toptwo.engine.rounds import Setup
from toptwo.engine.runs import Output, Share, Workspace
from toptwo.engine.threads import Player
from toptwo.engine.watching import blaming, watched
from toptwo.memory import zeros


class PythonEngine(Player):
    """Runs a setup with the interpreter."""

    name = "python"

    def __init__(self, setup: Setup) -> None:
        self.setup = watched(setup)

    def workspace(self, arms: int) -> Workspace:
        """Return lists for one worker: faster to index than arrays without a compiler."""
        return runs.workspace(self.setup, arms, zeros, lambda count: [0] * count)

    def play_runs(self, means: NDArray[np.float64], share: Share, work: Workspace, output: Output) -> None:
        """Play a share of the runs."""
        with blaming():
            runs.play_runs(self.setup, means.tolist(), share, work, output)
