"""One-thread access to the compiled engine, without the parts of `simulate` that are not rounds."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from toptwo.algorithms.base import memory_rows
from toptwo.engine.cpu import CompiledEngine
from toptwo.engine.loop import Output, Share
from toptwo.engine.question import UNLIMITED, make_setup, stream_label
from toptwo.families.base import store_rows

SEED = 5
DELTA = 0.1


class Player:
    """Plays the same runs of an algorithm again and again."""

    def __init__(
        self,
        algorithm: str,
        means: NDArray[np.float64],
        max_samples: int = UNLIMITED,
        family: Any = None,
        delta: float = DELTA,
    ) -> None:
        self.means = np.ascontiguousarray(means)
        self.runs, self.arms = means.shape
        self.max_samples = max_samples
        self.setup = make_setup(
            algorithm,
            self.arms,
            delta=delta,
            threshold="heuristic",
            family=family,
            epsilon=0.0,
            max_samples=max_samples,
        )
        self.label = stream_label(algorithm)
        self.engine = CompiledEngine(self.setup)
        setup = self.setup
        rows, store = memory_rows(setup.algorithm, self.arms, setup.family), store_rows(setup.family)
        self.work = self.engine.workspace(self.arms, rows, store)
        self.output = Output(
            samples=np.zeros(self.runs, np.int64),
            recommended=np.zeros(self.runs, np.int64),
            status=np.zeros(self.runs, np.int8),
            counts=np.zeros((self.runs, self.arms), np.int64),
            checkpoints=np.zeros(0, np.int64),
            answers=np.zeros((self.runs, 0), np.int64),
        )

    def play(self) -> None:
        """Play all runs."""
        self.engine.play_runs(self.means, Share(SEED, self.label, 0, self.runs), self.work, self.output)

    @property
    def rounds(self) -> int:
        """Return the rounds of a play, without the first pull of each arm."""
        return int(self.output.samples.sum()) - self.runs * self.arms
