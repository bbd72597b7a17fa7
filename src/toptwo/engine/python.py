"""The plain engine: the same loop, interpreted. Slow, for debugging and for checking the compiled one."""

from numpy.typing import NDArray

from toptwo.engine import loop
from toptwo.engine.loop import Output, Setup, Share, Workspace
from toptwo.state import empty_state
from toptwo.streams import Random


class PythonEngine:
    """Runs a setup with the interpreter."""

    def __init__(self, setup: Setup) -> None:
        self.setup = setup

    def workspace(self, arms: int, rows: int, store: int) -> Workspace:
        """Return lists for one worker: faster to index than arrays without a compiler."""
        return Workspace(empty_state(arms, rows, store), [0] * arms, Random([0]), [0, 0])

    def play_runs(self, means: NDArray, share: Share, work: Workspace, output: Output) -> None:  # type: ignore[type-arg]
        """Play a share of the runs."""
        loop.play_runs(self.setup, means.tolist(), share, work, output)
