"""What it costs not to know the variances: the tables of docs/families/unknown-variance.md.

TTUCB with random ties; all rules see the same rewards, so ratios are paired run by run.
"""

import math
import time
from typing import Any, NamedTuple

import numpy as np
from rich.console import Console
from rich.table import Table

import toptwo as tt
from benchmarks.thresholds import ratio
from toptwo.families.gaussian import LOG_WEIGHTS
from toptwo.families.numerics.student import Evidence, least_mixture
from toptwo.families.unknown_variance import EFFECTS, compared
from toptwo.special import lambert_bar

SEED = 1
GRIDS = (
    ((1.0,), (1.0,)),
    ((0.1,), (1.0,)),
    ((0.01,), (1.0,)),
    ((0.001,), (1.0,)),
    ((1.0, 0.03), (0.5, 0.5)),
    ((1.0, 0.1, 0.01), (1 / 3, 1 / 3, 1 / 3)),
    (EFFECTS, tuple(round(math.exp(weight), 10) for weight in LOG_WEIGHTS)),
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
    unequal = np.tile([0.0, 0.5, 0.2], (1000, 1))
    return [
        Instance("random (paper), K = 10", tt.problems.random_gaussian(400)),
        Instance("easy: gaps of 2, K = 5", np.tile(easy, (2000, 1))),
        Instance("very easy: gaps of 10, K = 4", np.tile(far, (2000, 1))),
        Instance("hard: gaps of 0.05, K = 4", np.tile(hard, (100, 1))),
        Instance("noisy best arm, K = 3", unequal, (0.3, 2.0, 0.3)),
        Instance("noisy rival, K = 3", unequal, (0.3, 0.3, 2.0)),
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
    result = tt.simulate("TTUCB", instance.means, delta=delta, threshold=threshold, seed=SEED, family=family)
    return result.stopping_times


def price_table(problems: list[Instance]) -> Table:
    """Return the pulls of unknown variances beside those of the known one."""
    table = Table("instance", "δ", "runs", "σ = 1 known", "unknown", "unknown / known")
    for instance in problems:
        if instance.sigma == 1.0:
            for delta in (0.1, 0.01):
                known = pulls(instance, delta, "mixture", tt.Gaussian())
                unknown = pulls(instance, delta, "mixture", tt.GaussianUnknownVariance())
                value, error = ratio(unknown, known)
                cells = f"{known.mean():.1f}", f"{unknown.mean():.1f}", f"{value:.3f} ± {error:.3f}"
                table.add_row(instance.label, f"{delta:g}", str(len(known)), *cells)
    return table


def grid_table(problems: list[Instance], delta: float = 0.1) -> Table:
    """Return pulls for several grids, over a quarter of the runs above, relative to the shipped one."""
    table = Table("τ²", "weights", *(instance.label.split(",")[0].split(":")[0] for instance in problems))
    fewer = [item._replace(means=item.means[: len(item.means) // 4]) for item in problems]
    families = [tt.GaussianUnknownVariance(item.sigma) for item in fewer]
    shipped = [pulls(item, delta, "mixture", family) for item, family in zip(fewer, families, strict=True)]
    table.add_row("shipped: pulls", "", *(f"{times.mean():.0f}" for times in shipped))
    for grid in GRIDS:
        numbers = [
            ratio(pulls(item, delta, grid_threshold(grid), family), times)[0]
            for item, family, times in zip(fewer, families, shipped, strict=True)
        ]
        names = (" ".join(f"{value:.4g}".removeprefix("0") for value in part) for part in grid)
        table.add_row(*names, *(f"{number:.3f}" for number in numbers))
    return table


def microseconds(algorithm: str, means: Any, family: Any, runs: int = 20) -> float:
    """Return the processor time per round on one thread, `mixture` at δ = 0.1, best of three."""
    tt.simulate(algorithm, means, runs=1, family=family, threads=1, max_samples=len(means))
    best = math.inf
    for turn in range(3):
        started = time.process_time()
        result = tt.simulate(algorithm, means, runs=runs, family=family, threads=1, seed=turn)
        best = min(best, (time.process_time() - started) / float(result.stopping_times.sum()))
    return best * 1e6


def time_table() -> Table:
    """Return microseconds per round at K = 10."""
    means = np.linspace(0.0, 0.9, 10)
    table = Table("µs per round, K = 10", "Gaussian", "unknown variance")
    for name in ("TTUCB", "T3C", "TTTS", "uniform"):
        families = (tt.Gaussian(), tt.GaussianUnknownVariance())
        table.add_row(name, *(f"{microseconds(name, means, family):.2f}" for family in families))
    return table


def main() -> None:
    """Print the tables."""
    console = Console(width=150)
    problems = instances()
    console.print(f"Pulls of TTUCB until it stops, seed {SEED}; ± is one standard error of the paired ratio.")
    console.print(price_table(problems))
    console.print("Grids of the t-mixture: pulls relative to the shipped grid, δ = 0.1, a quarter of the runs above.")
    console.print(grid_table(problems))
    console.print(time_table())


if __name__ == "__main__":
    main()
