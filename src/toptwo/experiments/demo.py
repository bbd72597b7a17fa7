"""The demonstration: one identification, then every algorithm on the paper's random instances."""

import random
import time
from collections.abc import Sequence

from toptwo import problems
from toptwo.algorithms import algorithms
from toptwo.experiments.comparison import Comparison, compare
from toptwo.study import Verdict, identify

MEANS = (0.35, 0.25, 0.5, 0.3, 0.45, 0.4, 0.7, 0.2, 0.55, 0.15)
"""The best arm is not the first."""

LIMIT = 30_000
"""Samples after which a run of the comparison is given up: EB-TC and TTPS explore too little and may need millions."""


def identify_live(pause: float = 0.0, seed: int = 7) -> tuple[Verdict, Sequence[float]]:
    """Find the best of ten noisy options, live in the terminal; a measurement takes `pause` seconds."""
    noise = random.Random(seed)
    names = [f"option {letter}" for letter in "ABCDEFGHIJ"]
    truth = dict(zip(names, MEANS, strict=True))

    def measure(option: str) -> float:
        time.sleep(pause)
        return truth[option] + noise.gauss(0.0, 1.0)

    return identify(measure, names, delta=0.05), MEANS


def compare_all(runs: int, seed: int = 1) -> Comparison:
    """Run every registered algorithm on the paper's random instances (K = 10, δ = 0.1, heuristic threshold)."""
    instances = problems.random_gaussian(runs, arms=10, seed=seed)
    return compare(list(algorithms()), instances, delta=0.1, threshold="heuristic", seed=seed, max_samples=LIMIT)
