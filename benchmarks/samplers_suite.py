"""The questions of `benchmarks.samplers`: which samplers, on which instances, and how often."""

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np

import toptwo as tt
from toptwo import problems

LONGEST = 1_000_000
"""Samples after which a run is cut short and counted as undecided: some samplers leave an arm aside for ever."""


class Instance(NamedTuple):
    """A question put to every sampler: one row of means per run, the best arm never the first."""

    label: str
    means: Callable[[int, int], Any]
    """A function of the runs and a seed."""
    delta: float
    runs: int
    family: Any = tt.Gaussian()


def last(means: Any, runs: int) -> Any:
    """Return the same means for every run, the best (given first) moved to the end."""
    return np.tile(np.roll(np.asarray(means, dtype=float), -1), (runs, 1))


def random_last(arms: int, runs: int, seed: int) -> Any:
    """Return the paper's random instances, the best arm last."""
    return np.roll(problems.random_gaussian(runs, arms, seed), -1, axis=1)


def close_last(runs: int, seed: int) -> Any:
    """Return the paper's close competitors, the best arm last."""
    return np.roll(problems.close_competitors(runs, seed), -1, axis=1)


def rates_last(low: float, high: float, best: float, arms: int, runs: int, seed: int) -> Any:
    """Return rates drawn between two bounds, once for each run, and a best one at the end."""
    others = np.random.default_rng(seed).uniform(low, high, (runs, arms - 1))
    return np.column_stack([others, np.full(runs, best)])


def fixed(means: Any) -> Callable[[int, int], Any]:
    """Return a maker of the same means for every run."""
    return partial(_fixed, tuple(np.asarray(means, dtype=float).tolist()))


def _fixed(means: tuple[float, ...], runs: int, seed: int) -> Any:
    return last(means, runs)


BERNOULLI, POISSON = tt.Bernoulli(), tt.Poisson()

CHOOSING = (
    Instance("random K = 10", partial(random_last, 10), 0.05, 2000),
    Instance("random K = 10", partial(random_last, 10), 0.001, 1000),
    Instance("random K = 50", partial(random_last, 50), 0.1, 400),
    Instance("gap ⅓, K = 2", fixed((1 / 3, 0.0)), 0.05, 2000),
    Instance("gaps of 1, K = 4", fixed((1.0, 0.0, 0.0, 0.0)), 0.1, 2000),
    Instance("1-sparse K = 30", fixed(problems.one_sparse(30)), 0.1, 400),
    Instance("α = .3, K = 20", fixed(problems.alpha(20, 0.3)), 0.1, 1000),
    Instance("equal means K = 20", fixed(problems.equal_means(20)), 0.01, 1000),
    Instance("Bernoulli .3 to .6, K = 6", partial(rates_last, 0.3, 0.5, 0.6, 6), 0.05, 1000, BERNOULLI),
    Instance("Bernoulli near .05, K = 4", partial(rates_last, 0.03, 0.05, 0.06, 4), 0.1, 200, BERNOULLI),
)
"""The default is chosen by these."""

REPORTING = (
    Instance("random K = 10", partial(random_last, 10), 0.1, 5000),
    Instance("random K = 10", partial(random_last, 10), 0.05, 5000),
    Instance("random K = 10", partial(random_last, 10), 0.01, 5000),
    Instance("random K = 10", partial(random_last, 10), 1e-6, 1000),
    Instance("gap ½, K = 2", fixed((0.5, 0.0)), 0.1, 5000),
    Instance("gap ½, K = 2", fixed((0.5, 0.0)), 1e-6, 2000),
    Instance("gaps of ½, K = 3", fixed((0.5, 0.0, 0.0)), 0.05, 5000),
    Instance("gaps of 2, K = 5", fixed((2.0, 0.0, 0.0, 0.0, 0.0)), 0.05, 5000),
    Instance("gaps ¼ and 1, K = 5", fixed((1.0, 0.75, 0.0, 0.0, 0.0)), 0.05, 2000),
    Instance("close competitors K = 10", close_last, 0.1, 500),
    Instance("equal means K = 35", fixed(problems.equal_means()), 0.05, 1000),
    Instance("α = .6, K = 50", fixed(problems.alpha(50, 0.6)), 0.05, 300),
    Instance("1-sparse K = 100", fixed(problems.one_sparse(100)), 0.05, 150),
    Instance("1-sparse K = 1000, gap 1", fixed(problems.one_sparse(1000, 1.0)), 0.05, 60),
    Instance("Bernoulli .6 .5 .45 .4 .3", fixed((0.6, 0.5, 0.45, 0.4, 0.3)), 0.05, 2000, BERNOULLI),
    Instance("Bernoulli near .02, K = 5", partial(rates_last, 0.015, 0.02, 0.025, 5), 0.05, 200, BERNOULLI),
    Instance("Poisson .6 .5 .45 .4 .3", fixed((0.6, 0.5, 0.45, 0.4, 0.3)), 0.05, 1000, POISSON),
)
"""The default is judged by these: other instances, other numbers of arms, other rewards."""

UNKNOWN, BOUNDED = tt.GaussianUnknownVariance(), tt.Bounded()

FAMILIES = (
    Instance("σ unknown, random K = 10", partial(random_last, 10), 0.1, 400, UNKNOWN),
    Instance("σ unknown, random K = 10", partial(random_last, 10), 0.01, 400, UNKNOWN),
    Instance("σ unknown, gap ½, K = 2", fixed((0.5, 0.0)), 0.05, 2000, UNKNOWN),
    Instance("σ unknown, gaps of ½, K = 3", fixed((0.5, 0.0, 0.0)), 0.05, 2000, UNKNOWN),
    Instance("σ unknown, gaps of 2, K = 5", fixed((2.0, 0.0, 0.0, 0.0, 0.0)), 0.05, 2000, UNKNOWN),
    Instance("σ unknown, gaps of 10, K = 4", fixed((10.0, 0.0, 0.0, 0.0)), 0.05, 2000, UNKNOWN),
    Instance("σ 1 .3 2 1", fixed((0.6, 0.3, 0.2, 0.0)), 0.1, 2000, tt.Gaussian([1.0, 0.3, 2.0, 1.0])),
    Instance("σ 3 1 .1", fixed((1.0, 0.3, 0.0)), 0.1, 2000, tt.Gaussian([3.0, 1.0, 0.1])),
    Instance("exponential .6 .5 .45 .4 .3", fixed((0.6, 0.5, 0.45, 0.4, 0.3)), 0.1, 1000, tt.Exponential()),
    Instance("bounded .6 .5 .4 .3", fixed((0.6, 0.5, 0.4, 0.3)), 0.1, 400, BOUNDED),
    Instance("bounded, tight", fixed((0.5, 0.48, 0.45, 0.4)), 0.1, 200, tt.Bounded(spread=0.2)),
    Instance("bounded .9 .1, K = 2", fixed((0.9, 0.1)), 0.1, 2000, BOUNDED),
    Instance("Bernoulli .9 .1, K = 2", fixed((0.9, 0.1)), 0.1, 2000, BERNOULLI),
    Instance("gaps of 10, K = 4", fixed((10.0, 0.0, 0.0, 0.0)), 0.1, 2000),
)
"""The candidates are checked by these: families that few samplers can play, and questions of a dozen pulls."""

SETS = {"choosing": (CHOOSING, 21), "reporting": (REPORTING, 1021), "checking": (FAMILIES, 2021)}
"""The instances of a set, and its seed."""

CANDIDATES = ("TTUCB", "A-TTUCB", "TTUCB, anchored", "A-EB-TCI")
"""The samplers played on the instances for checking: a default must do for every family."""

BEFORE = "TTUCB + mixture"
"""What studies did before: TTUCB without random ties, stopped by `mixture`; all pulls are relative to its."""

SAMPLERS: dict[str, Any] = {
    "TTUCB": tt.TTUCB(ties="closest"),
    "A-TTUCB": tt.TTUCB("ids", ties="closest"),
    "TTUCB, anchored": tt.TTUCB(ties="closest", choice="anchored"),
    "TT-LE": tt.TTLE(),
    "T3C": tt.T3C(),
    "A-T3C": tt.T3C("ids"),
    "A-TTTS": tt.TTTS("ids"),
    "EB-TCI": tt.EBTCI(),
    "A-EB-TCI": tt.EBTCI("ids"),
    "EB-TCe": tt.EBTCe(),
    "A-EB-TCe": tt.EBTCe("ids"),
    "AT2": tt.AT2(),
    "TT-IMED": tt.TTIMED(),
    "A-TT-IMED": tt.TTIMED("ids"),
    "A-TT-MOSS": tt.TTMOSS("ids"),
    "TaS": tt.TaS(),
    "FWS": tt.FWS(),
    "LUCB": tt.LUCB(),
    "uniform": tt.Uniform(),
}
"""All are stopped by `betting`. `uniform` shows what choosing what to measure is worth."""

MOST_ARMS = {"TT-LE": 60}
"""Samplers whose rounds take too long with more arms."""
