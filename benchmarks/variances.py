"""What it costs not to know the variance: the tables of docs/families/unknown-variance.md.

TTUCB with random ties; all rules see the same rewards, so ratios are paired run by run.
"""

import math
from typing import Any, NamedTuple

import numpy as np
from rich.console import Console
from rich.table import Table

import toptwo as tt
from benchmarks.thresholds import ratio
from toptwo.families.student import Evidence, least_mixture
from toptwo.families.unknown_variance import EFFECTS, WEIGHTS, compared
from toptwo.special import lambert_bar

SEED = 1
SHIPPED = (EFFECTS, WEIGHTS)
GRIDS = (
    ((1.0,), (1.0,)),
    ((0.1,), (1.0,)),
    ((0.01,), (1.0,)),
    ((0.001,), (1.0,)),
    ((1.0, 0.03), (0.5, 0.5)),
    ((0.3, 0.02), (0.5, 0.5)),
    ((1.0, 0.04, 0.002), (0.2, 0.6, 0.2)),
    ((1.0, 0.1, 0.01), (1 / 3, 1 / 3, 1 / 3)),
    ((1.0, 0.05), (0.3, 0.7)),
)


class Instance(NamedTuple):
    """A problem of the tables: one row of means per run, and the standard deviations."""

    label: str
    means: Any
    sigma: Any = 1.0


def instances() -> list[Instance]:
    """Return the problems; the best arm of those of our own is not the first."""
    easy, far, hard = np.zeros(5), np.zeros(4), np.zeros(4)
    easy[3], far[2], hard[1] = 2.0, 10.0, 0.05
    return [
        Instance("random (paper), K = 10", tt.problems.random_gaussian(400)),
        Instance("easy: gaps of 2, K = 5", np.tile(easy, (2000, 1))),
        Instance("very easy: gaps of 10, K = 4", np.tile(far, (2000, 1))),
        Instance("hard: gaps of 0.05, K = 4", np.tile(hard, (50, 1))),
        Instance("noisy best arm, K = 3", np.tile([0.0, 0.5, 0.2], (1000, 1)), (0.3, 2.0, 0.3)),
        Instance("noisy rival, K = 3", np.tile([0.0, 0.5, 0.2], (1000, 1)), (0.3, 0.3, 2.0)),
    ]


class Grid(NamedTuple):
    """The t-mixture rule with a grid of its own."""

    level: float
    effects: tuple[float, ...]
    weights: tuple[float, ...]

    def grid_evidence(self, a: int, b: int, now: Any) -> float:
        """Return the evidence of docs/families/unknown-variance.md for this grid."""
        state = now.state
        gap, variance_a, variance_b = compared(a, b, now.epsilon, state)
        if gap <= 0.0 or variance_a <= 0.0:
            return 0.0
        total = 0.0
        for g in range(len(self.effects)):
            first = Evidence(state.counts[a], variance_a, state.counts[a] * self.effects[g])
            second = Evidence(state.counts[b], variance_b, state.counts[b] * self.effects[g])
            total += self.weights[g] * math.exp(min(500.0, least_mixture(first, second)))
        return math.log(total)

    def stops(self, now: Any) -> bool:
        """Return whether every rival is ruled out; the rival with the least cost is the likeliest to object."""
        if now.cost < self.level or self.grid_evidence(now.best, now.rival, now) < self.level:
            return False
        for i in range(len(now.state.means)):
            if i != now.best and self.grid_evidence(now.best, i, now) < self.level:
                return False
        return True


def grid_threshold(grid: tuple[tuple[float, ...], tuple[float, ...]]) -> Any:
    """Return the grid as a `threshold=`."""
    entropy = -sum(weight * math.log(weight) for weight in grid[1])

    def rule(delta: float, arms: int) -> Grid:
        level = lambert_bar(1.0 + entropy + math.log((arms - 1) / delta)) - 1.0 - entropy
        return Grid(level, *grid)

    return rule


def pulls(instance: Instance, delta: float, threshold: Any, family: Any) -> Any:
    """Return the stopping times of TTUCB."""
    return tt.simulate("TTUCB", instance.means, delta=delta, threshold=threshold, seed=SEED, family=family).stopping_times
