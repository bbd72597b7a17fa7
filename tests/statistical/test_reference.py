"""Mean stopping times against an independent C++ program, within four standard errors."""

import math
from typing import NamedTuple

import pytest

import toptwo as tt
from toptwo.rules import Round, TransportationCost
from toptwo.rules.round import highest
from toptwo.streams import Random

MEANS = (0.6, 0.5, 0.45, 0.4, 0.3)
DELTA = 0.1
GENEROUS = 10**7
"""Cap on a run: a few hundred times the slowest mean, so that an undecided run is a fault."""

REFERENCE = {
    "TTUCB": (4206.5, 18.2),
    "S-TTUCB": (4227.5, 18.3),
    "A-T-TTUCB": (4184.1, 18.5),
    "A-S-TTUCB": (4132.9, 18.4),
    "T-T3C": (4087.1, 18.0),
    "T3C": (4110.3, 18.0),
    "A-T-T3C": (3944.3, 18.0),
    "T-EB-TCI": (4402.8, 18.0),
    "EB-TCI": (4414.4, 18.0),
    "A-T-EB-TCI": (4235.3, 18.0),
    "T-EB-TC": (4841.9, 26.5),
    "LUCB": (8280.1, 28.0),
    "1/2-LUCB": (8234.2, 28.0),
    "uniform": (8496.1, 39.9),
}
"""Mean and standard error over 20 000 runs, heuristic threshold, random ties."""

RANDOM_TIES, LOWEST_INDEX, CLOSEST = (4473.0, 26.0), (5973.0, 40.0), (4484.0, 26.0)
"""TTUCB on the paper's random instances, by the way in which ties of the challenger are broken."""


class LowestIndex(NamedTuple):
    """TC with ties broken by the lowest index: not the paper's algorithm."""

    random_ties: bool = False

    def challenge(self, leader: int, now: Round, random: Random) -> int:
        return highest(self, leader, 0.0, now, random)

    def score(self, arm: int, other: int, level: float, now: Round) -> float:
        if now.state.means[arm] < now.state.means[other] + now.epsilon:
            return -now.family.separation(other, arm, now.epsilon, now.state)
        return 0.0


def distance(result, reference):
    """Return the difference of the means in standard errors of the difference."""
    summary = result.summary()
    assert summary.undecided == 0
    mean, error = reference
    return (summary.mean - mean) / math.hypot(summary.standard_error, error)


def on_five_arms(algorithm, runs, seed):
    return tt.simulate(algorithm, MEANS, delta=DELTA, threshold="heuristic", runs=runs, seed=seed, max_samples=GENEROUS)


def on_random_instances(algorithm, runs, seed):
    means = tt.problems.random_gaussian(runs, seed=seed)
    return tt.simulate(algorithm, means, delta=DELTA, threshold="heuristic", seed=seed, max_samples=GENEROUS)


@pytest.mark.parametrize("algorithm", ["TTUCB", "T3C", "A-T-TTUCB", "EB-TCI", "LUCB", "1/2-LUCB", "uniform"])
def test_reference_means(algorithm, seed):
    assert abs(distance(on_five_arms(algorithm, 2000, seed), REFERENCE[algorithm])) < 4.0


@pytest.mark.slow
@pytest.mark.parametrize("algorithm", REFERENCE)
def test_reference_means_over_as_many_runs(algorithm, seed):
    assert abs(distance(on_five_arms(algorithm, 20_000, seed), REFERENCE[algorithm])) < 4.0


def test_ties_at_random_and_closest_on_the_random_instances(seed):
    assert abs(distance(on_random_instances("TTUCB", 4000, seed), RANDOM_TIES)) < 4.0
    assert abs(distance(on_random_instances(tt.TTUCB(ties="closest"), 4000, seed), CLOSEST)) < 4.0


def test_ties_by_lowest_index_are_told_apart(seed):
    assert isinstance(tt.TTUCB().challenger, TransportationCost)
    result = on_random_instances(tt.TTUCB()._replace(challenger=LowestIndex()), 4000, seed)
    assert abs(distance(result, RANDOM_TIES)) > 8.0
    assert abs(distance(result, LOWEST_INDEX)) < 4.0
