"""Tables made up from drawn stopping times, to try claims and figures without simulating."""

import hashlib

import numpy as np

from toptwo.experiments.runner import make_table


class MadeUp:
    """A store in which every algorithm needs lognormal times around `factors` times a common level."""

    def __init__(self, factors=None, spread=0.1, error=0.0):
        self.factors, self.spread, self.error = factors or {}, spread, error

    def factor(self, cell):
        found = self.factors.get(cell.entrant.label, 1.0)
        return found(cell.point) if callable(found) else found

    def read(self, cell):
        runs = cell.last - cell.first
        text = f"{cell.entrant.label} {cell.first} {cell.point.label}"
        noise = np.random.default_rng(int(hashlib.sha256(text.encode()).hexdigest()[:12], 16))
        level = 1000.0 * cell.means.shape[1] * self.factor(cell)
        samples = np.maximum(level * np.exp(self.spread * noise.normal(size=runs)), 50.0).astype(np.int64)
        wrong = noise.uniform(size=runs) < self.error
        times = np.array(cell.point.checkpoints, float)
        running = (samples[:, None] >= times).sum(axis=0)
        arrays = {
            "samples": samples,
            "wrong": wrong,
            "undecided": np.zeros(runs, bool),
            "running_at": running,
            "wrong_at": (running * np.exp(-times / (500.0 * self.factor(cell)))).astype(np.int64),
        }
        if cell.point.timed:
            return arrays | {"seconds": samples * 1e-7}
        return arrays | {"pulls_of_best": samples // 2}


def table_of(experiment, factors=None, size="smoke", **options):
    return make_table(experiment, size, 1, MadeUp(factors, **options))[0]
