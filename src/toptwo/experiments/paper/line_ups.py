"""Who runs, and on which instances, in more than one experiment; sharing a point shares its cells."""

from collections.abc import Sequence
from functools import partial

import numpy as np

from toptwo import problems
from toptwo.experiments.experiment import Entrant, Point, entrants

TOP_TWO = ("TTUCB", "EB-TCI", "T3C", "TTTS")
ASYMPTOTIC = ("TaS", "FWS", "DKM")
BASELINES = ("LUCB", "1/2-LUCB", "uniform")
ADAPTIVE = tuple(f"A-{name}" for name in TOP_TWO)
LOW_COST = ("TTUCB", "EB-TCI", "T3C", "LUCB", "uniform")
"""The paper runs "algorithms with low computational cost" on larger sets of arms."""

RUNS = {"smoke": 200, "demo": 1000, "paper": 5000}
"""Random instances, one run each."""

CHECKPOINTS = tuple(int(time) for time in np.unique(np.geomspace(10, 20_000, 100).round()))
"""Sample sizes at which recommendations on random instances are noted."""


def random_instances(size: str, competitors: Sequence[Entrant]) -> Point:
    """Return the paper's random instances: K = 10, μ₁ = 0.6, the others uniform on [0.2, 0.5]."""
    return Point(
        "random instances",
        partial(_random, 10),
        tuple(competitors),
        runs=RUNS[size],
        value=10.0,
        checkpoints=CHECKPOINTS,
    )


def _random(arms: int, runs: int, seed: int) -> problems.Means:
    return problems.random_gaussian(runs, arms, seed)


def repeated(means: problems.Means, runs: int, seed: int) -> problems.Means:
    """Return one instance for all runs."""
    return means


def fixed_and_adaptive() -> tuple[Entrant, ...]:
    """Return each Top Two rule with β = ½ and, after it, with adaptive proportions."""
    return entrants(*(name for rule in TOP_TWO for name in (rule, f"A-{rule}")))
