"""One-thread access to the compiled engine, without the parts of `simulate` that are not rounds."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from toptwo.engine.cpu import CompiledEngine
from toptwo.engine.question import UNLIMITED, make_setup, stream_label
from toptwo.engine.runs import Share, output_for

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
        threshold: str = "heuristic",
    ) -> None:
        self.means = np.ascontiguousarray(means)
        self.runs, self.arms = means.shape
        self.max_samples = max_samples
        self.setup = make_setup(
            algorithm,
            self.arms,
            delta=delta,
            threshold=threshold,
            family=family,
            epsilon=0.0,
            max_samples=max_samples,
        )
        self.label = stream_label(algorithm)
        self.engine = CompiledEngine(self.setup)
        self.work, self.output = self.engine.workspace(self.arms), output_for(self.runs, self.arms)

    def play(self) -> None:
        """Play all runs."""
        self.engine.play_runs(self.means, Share(SEED, self.label, 0, self.runs), self.work, self.output)

    @property
    def rounds(self) -> int:
        """Return the rounds of a play, without the first pull of each arm."""
        return int(self.output.samples.sum()) - self.runs * self.arms
