"""What is kept of runs, one by one, and how parts of them are joined."""

from collections.abc import Sequence

import numpy as np

from toptwo.engine.results import Simulation
from toptwo.sweeps.files import Arrays


def arrays_of(result: Simulation) -> Arrays:
    """Return what is kept of runs, one by one; counts over all of them at the times of a trace."""
    best = result.means.argmax(axis=1)
    return {
        "samples": result.stopping_times,
        "recommended": result.recommended,
        "wrong": result.wrong,
        "undecided": ~result.decided,
        "pulls_of_best": np.take_along_axis(result.counts, best[:, None], axis=1)[:, 0],
        "running_at": (result.trace.recommended >= 0).sum(axis=0),
        "wrong_at": result.wrong_at.sum(axis=0),
    }


def joined(chunks: Sequence[Arrays]) -> Arrays:
    """Join runs end to end; counts at checkpoints add up."""
    found = {}
    for name in chunks[0]:
        arrays = [chunk[name] for chunk in chunks]
        found[name] = np.sum(arrays, axis=0) if name.endswith("_at") else np.concatenate(arrays)
    return found
