"""What it costs to assume no more than an interval: the tables of docs/families/bounded.md.

TTUCB with random ties; all rules see the same rewards, so ratios are paired run by run.
"""

from typing import Any, NamedTuple

import numpy as np
from rich.console import Console
from rich.table import Table

import toptwo as tt
from benchmarks.thresholds import ratio
from benchmarks.variances import microseconds
from toptwo.families.bounded import ATOMS, Bounded
from toptwo.families.numerics.weighted_values import Atoms, add_value, room_for_atoms
from toptwo.state import add_reward
from toptwo.streams import unit

SEED = 1
DELTA = 0.1
TEN = np.array([0.25, 0.45, 0.1, 0.55, 0.3, 0.15, 0.5, 0.2, 0.4, 0.35])
"""Means for times per round, in no order: a scan over arms must not be lucky or unlucky."""


class AtTheEnds(Bounded):
    """Rewards 0 and 1 only."""

    def reward(self, arm: int, mean: float, bits: int) -> float:
        return 1.0 if unit(bits) < mean else 0.0


class Eight(Bounded):
    """At most 8 atoms."""

    def memory(self) -> Atoms:
        return room_for_atoms(8)

    def observe(self, arm: int, reward: float, state: Any) -> None:
        add_reward(arm, reward, state)
        add_value(arm, reward, 8, state)


class Sixteen(Bounded):
    """At most 16 atoms."""

    def memory(self) -> Atoms:
        return room_for_atoms(16)

    def observe(self, arm: int, reward: float, state: Any) -> None:
        add_reward(arm, reward, state)
        add_value(arm, reward, 16, state)


class Hundred(Bounded):
    """At most 100 atoms."""

    def memory(self) -> Atoms:
        return room_for_atoms(100)

    def observe(self, arm: int, reward: float, state: Any) -> None:
        add_reward(arm, reward, state)
        add_value(arm, reward, 100, state)


class Instance(NamedTuple):
    """A problem of the tables."""

    label: str
    means: tuple[float, ...]
    family: Any
    runs: int


INSTANCES = (
    Instance("0 or 1, K = 4", (0.4, 0.6, 0.5, 0.3), AtTheEnds(), 400),
    Instance("0 or 1, rare, K = 4", (0.02, 0.06, 0.03, 0.01), AtTheEnds(), 400),
    Instance("spread out, K = 4", (0.4, 0.6, 0.5, 0.3), Bounded(), 200),
    Instance("rather tight, K = 4", (0.45, 0.5, 0.48, 0.4), Bounded(spread=0.2), 200),
)


def pulls(instance: Instance, threshold: Any, family: Any) -> Any:
    """Return the stopping times of TTUCB."""
    options: dict[str, Any] = {"delta": DELTA, "threshold": threshold, "runs": instance.runs, "seed": SEED}
    return tt.simulate("TTUCB", instance.means, family=family, **options).stopping_times


def rival_of(instance: Instance) -> Any:
    """Return a family that assumes more and has the same rewards."""
    if isinstance(instance.family, AtTheEnds):
        return tt.Bernoulli()
    return None


def price_table() -> Table:
    """Return the pulls of the two thresholds, and those of families that assume something else."""
    table = Table("instance", "runs", "proven", "mixture", "mixture / proven", "Bernoulli / mixture")
    for instance in INSTANCES:
        proven, mixture = (pulls(instance, name, instance.family) for name in ("proven", "mixture"))
        value, error = ratio(mixture, proven)
        cells = [f"{proven.mean():.1f}", f"{mixture.mean():.1f}", f"{value:.3f} ± {error:.3f}"]
        other = rival_of(instance)
        cells.append("–" if other is None else f"{ratio(pulls(instance, 'mixture', other), mixture)[0]:.3f}")
        table.add_row(instance.label, str(instance.runs), *cells)
    return table


def hoeffding_table() -> Table:
    """Return pulls if all that is used of the interval is its length: the Gaussian mixture with σ = ½."""
    table = Table("instance", "bounded, mixture", "Gaussian σ = ½, mixture", "ratio")
    for instance in INSTANCES:
        mine = pulls(instance, "mixture", instance.family)
        other = pulls(instance, "mixture", hoeffding(instance.family))
        table.add_row(instance.label, f"{mine.mean():.1f}", f"{other.mean():.1f}", f"{ratio(other, mine)[0]:.2f}")
    return table


class EndsByLength(tt.Gaussian):
    """Rewards 0 and 1, judged by σ = ½."""

    def reward(self, arm: int, mean: float, bits: int) -> float:
        return 1.0 if unit(bits) < mean else 0.0


class SpreadByLength(tt.Gaussian):
    """Spread-out rewards, judged by σ = ½."""

    def reward(self, arm: int, mean: float, bits: int) -> float:
        return Bounded(0.0, 1.0, 1.0).reward(arm, mean, bits)


class TightByLength(tt.Gaussian):
    """Rather tight rewards, judged by σ = ½."""

    def reward(self, arm: int, mean: float, bits: int) -> float:
        return Bounded(0.0, 1.0, 0.2).reward(arm, mean, bits)


def hoeffding(family: Any) -> Any:
    """Return the Gaussian family with σ = ½ and the rewards of a bounded one."""
    if isinstance(family, AtTheEnds):
        return EndsByLength(0.5)
    return SpreadByLength(0.5) if family.spread == 1.0 else TightByLength(0.5)


def atoms_table() -> Table:
    """Return pulls and time for several numbers of atoms."""
    kinds = {8: Eight, 16: Sixteen, ATOMS: Bounded, 100: Hundred}
    table = Table("atoms", *(f"{item.label.split(',')[0]}: pulls" for item in INSTANCES[2:]), "µs per round, K = 10")
    for atoms, kind in kinds.items():
        means = [pulls(item, "mixture", kind(*item.family)).mean() for item in INSTANCES[2:]]
        speed = microseconds("TTUCB", TEN, kind(), 2)
        table.add_row(str(atoms), *(f"{value:.1f}" for value in means), f"{speed:.1f}")
    return table


def time_table() -> Table:
    """Return microseconds per round at K = 10."""
    table = Table("µs per round, K = 10", "rewards 0 or 1", "all different")
    for name in ("TTUCB", "T3C", "TTTS", "uniform"):
        table.add_row(name, *(f"{microseconds(name, TEN, family, 2):.1f}" for family in (AtTheEnds(), Bounded())))
    return table


def main() -> None:
    """Print the tables."""
    console = Console(width=150)
    console.print(f"Pulls of TTUCB until it stops, δ = {DELTA:g}, seed {SEED}; ± is one standard error.")
    for table in (price_table, hoeffding_table, atoms_table, time_table):
        console.print(table())


if __name__ == "__main__":
    main()
