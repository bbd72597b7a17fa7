"""What the choice of threshold costs in pulls: the tables of docs/mixture.md.

TTUCB with random ties; every threshold and grid sees the same rewards, so ratios are paired run by run.
"""

import math
from typing import Any, NamedTuple

import numpy as np
from rich.console import Console
from rich.table import Table

import toptwo as tt
from toptwo.families.gaussian import LOG_WEIGHTS, PRECISIONS
from toptwo.rules.thresholds import THRESHOLDS

SEED = 1
DELTAS = (0.1, 0.05, 0.01)
SHIPPED = (PRECISIONS, tuple(round(math.exp(weight), 10) for weight in LOG_WEIGHTS))
GRIDS = (
    ((1.0,), (1.0,)),
    ((30.0,), (1.0,)),
    ((500.0,), (1.0,)),
    ((2.0, 40.0), (0.25, 0.75)),
    ((1.0, 10.0, 100.0), (1 / 3, 1 / 3, 1 / 3)),
    ((2.0, 40.0, 1000.0), (1 / 3, 1 / 3, 1 / 3)),
    SHIPPED,
)


class Instance(NamedTuple):
    """A problem of the tables: one row of means per run."""

    label: str
    means: Any
    deltas: tuple[float, ...]
    limit: float = 1.0
    """The promise: pulls of `mixture` relative to `proven` at most."""


def instances() -> list[Instance]:
    """Return the problems; the best arm of those of our own is not the first."""
    easy, hard = np.zeros(5), np.zeros(10)
    easy[3], hard[6] = 2.0, 0.05
    return [
        Instance("random (paper), K = 10", tt.problems.random_gaussian(2000), DELTAS, 0.6),
        Instance("easy: gaps of 2, K = 5", np.tile(easy, (10_000, 1)), DELTAS),
        Instance("hard: gaps of 0.05, K = 10", np.tile(hard, (100, 1)), (0.1,)),
        Instance("equal means (paper), K = 35", np.tile(tt.problems.equal_means(), (1000, 1)), (0.1,)),
    ]


class Grid(NamedTuple):
    """The mixture rule with a grid of its own; `summed` adds up its terms, else the largest one counts."""

    level: float
    precisions: tuple[float, ...]
    weights: tuple[float, ...]
    summed: bool

    def grid_evidence(self, a: int, b: int, now: Any) -> float:
        """Return the evidence of docs/mixture.md for this grid."""
        state = now.state
        gap = (state.means[a] - state.means[b] + now.epsilon) / now.family.sigma
        top, total = -math.inf, 0.0
        for g in range(len(self.precisions)):
            precision = self.precisions[g]
            variance = state.inverse[a] * (1.0 + precision * state.inverse[a])
            variance += state.inverse[b] * (1.0 + precision * state.inverse[b])
            growth = (1.0 + state.counts[a] / precision) * (1.0 + state.counts[b] / precision)
            term = math.log(self.weights[g]) + 0.5 * (gap * gap / variance - math.log(growth))
            top = max(top, term)
            total += math.exp(term)
        return math.log(total) if self.summed else top

    def stops(self, now: Any) -> bool:
        """Return whether every rival is ruled out; the rival with the least cost is the likeliest to object."""
        if now.cost < self.level or self.grid_evidence(now.best, now.rival, now) < self.level:
            return False
        for i in range(len(now.state.means)):
            if i != now.best and self.grid_evidence(now.best, i, now) < self.level:
                return False
        return True


def grid_threshold(grid: tuple[tuple[float, ...], tuple[float, ...]], summed: bool) -> Any:
    """Return the grid as a `threshold=`."""
    return lambda delta, arms: Grid(math.log((arms - 1) / delta), *grid, summed)


def pulls(instance: Instance, delta: float, threshold: Any) -> Any:
    """Return the stopping times of TTUCB."""
    return tt.simulate("TTUCB", instance.means, delta=delta, threshold=threshold, seed=SEED).stopping_times


def ratio(times: Any, reference: Any) -> tuple[float, float]:
    """Return the ratio of two means over the same runs and its standard error (delta method)."""
    value = times.mean() / reference.mean()
    return value, float(np.std(times - value * reference, ddof=1) / math.sqrt(len(times)) / reference.mean())


def threshold_table(problems: list[Instance], proven: dict[tuple[str, float], Any]) -> tuple[Table, bool]:
    """Return pulls under `proven`, those of the other thresholds relative to it, and whether the promises are kept."""
    kept = True
    table = Table("instance", "δ", "runs", "proven", "mixture", "mixture / proven", "heuristic / proven")
    for instance in problems:
        for delta in instance.deltas:
            reference = proven[instance.label, delta]
            mixture, loose = (pulls(instance, delta, name) for name in ("mixture", "heuristic"))
            value, error = ratio(mixture, reference)
            kept = kept and value <= instance.limit
            table.add_row(
                instance.label,
                f"{delta:g}",
                str(len(reference)),
                f"{reference.mean():.1f}",
                f"{mixture.mean():.1f}",
                f"{value:.3f} ± {error:.3f}",
                f"{ratio(loose, reference)[0]:.3f}",
            )
    return table, kept


def grid_table(problems: list[Instance], proven: dict[tuple[str, float], Any]) -> Table:
    """Return pulls relative to `proven` for several grids, over a quarter of the runs."""
    fewer = [item._replace(means=item.means[: len(item.means) // 4]) for item in problems]
    cells = [(instance, delta) for instance in fewer for delta in instance.deltas if delta in (0.1, 0.01)]
    heads = [f"{instance.label.split(' (')[0].split(':')[0]} {delta:g}" for instance, delta in cells]
    table = Table("ρ", "weights", "over the grid", *heads)
    for grid in GRIDS:
        for summed in (False, True) if len(grid[0]) > 1 else (True,):
            numbers = [
                ratio(
                    pulls(instance, delta, grid_threshold(grid, summed)),
                    proven[instance.label, delta][: len(instance.means)],
                )[0]
                for instance, delta in cells
            ]
            names = (" ".join(f"{value:.4g}".removeprefix("0") for value in part) for part in grid)
            kind = ("sum" if summed else "max") if len(grid[0]) > 1 else "–"
            table.add_row(*names, kind, *(f"{number:.3f}" for number in numbers))
    return table


def level_table(delta: float = 0.1, arms: int = 10) -> Table:
    """Return the likelihood ratio that a pair of arms with N pulls each needs to stop (n = N·K for `proven`)."""
    sizes = (1, 3, 10, 30, 100, 1000, 10_000, 100_000, 1_000_000)
    table = Table(f"δ = {delta:g}, K = {arms}; pulls of each arm", *(f"{size:,}" for size in sizes))
    for name in ("proven", "heuristic"):
        level = THRESHOLDS[name](delta, arms).level
        table.add_row(name, *(f"{level.at(size * arms):.2f}" for size in sizes))
    target = math.log((arms - 1) / delta)
    table.add_row("mixture", *(f"{_needed(size, target):.2f}" for size in sizes))
    return table


def _needed(count: int, target: float) -> float:
    """Return the least likelihood ratio of a pair with equal counts at which the shipped evidence reaches a target."""
    low, high = 0.0, 1e4
    for _ in range(100):
        middle = 0.5 * (low + high)
        terms = [
            weight + middle / (1.0 + rho / count) - math.log(1.0 + count / rho)
            for rho, weight in zip(PRECISIONS, LOG_WEIGHTS, strict=True)
        ]
        low, high = (middle, high) if np.logaddexp.reduce(terms) < target else (low, middle)
    return high


def main() -> bool:
    """Print the tables and return whether `mixture` saves as much as it promises."""
    console = Console(width=150)
    problems = instances()
    proven = {(item.label, delta): pulls(item, delta, "proven") for item in problems for delta in item.deltas}
    console.print(f"Pulls of TTUCB until it stops, seed {SEED}; ± is one standard error of the paired ratio.")
    table, kept = threshold_table(problems, proven)
    console.print(table)
    console.print("Grids of the mixture: pulls relative to `proven` over the first quarter of the runs above.")
    console.print(grid_table(problems, proven))
    console.print("Likelihood ratio needed to stop.")
    console.print(level_table())
    return kept


if __name__ == "__main__":
    raise SystemExit(0 if main() else 1)
