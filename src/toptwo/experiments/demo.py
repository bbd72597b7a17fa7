"""The demonstration: one identification, then figure 1(a) of the paper, smaller."""

import random
import time
from collections.abc import Sequence
from pathlib import Path

from toptwo.experiments.registry import find
from toptwo.experiments.runner import Job
from toptwo.families import Gaussian
from toptwo.study import Verdict, identify

MEANS = (0.35, 0.25, 0.5, 0.3, 0.45, 0.4, 0.7, 0.2, 0.55, 0.15)
"""The best arm is not the first."""


def identify_live(pause: float = 0.0, seed: int = 7) -> tuple[Verdict, Sequence[float]]:
    """Find the best of ten noisy options, live in the terminal; a measurement takes `pause` seconds."""
    noise = random.Random(seed)
    names = [f"option {letter}" for letter in "ABCDEFGHIJ"]
    truth = dict(zip(names, MEANS, strict=True))

    def measure(option: str) -> float:
        time.sleep(pause)
        return truth[option] + noise.gauss(0.0, 1.0)

    return identify(measure, names, delta=0.05, family=Gaussian(sigma=1.0)), MEANS


def comparison_job(out: Path, seed: int = 1) -> Job:
    """Return figure 1(a) on 1000 random instances (K = 10, δ = 0.1, heuristic threshold)."""
    return Job(find(["fig1a"]), "demo", seed, out)
