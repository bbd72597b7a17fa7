"""The competitors: errors within δ, allocations that approach the optimal ones, and how they do against TTUCB."""

import math

import numpy as np
import pytest
from scipy.stats import binom

import toptwo as tt
from toptwo.families.gaussian import Gaussian
from toptwo.streams import normal

FALSE_ALARM = 1e-6

OWN_RULE = ("LUCB1", "KL-LUCB", "UGapE", "SE", "lilUCB", "Exp-Gap", "Peace")
"""Algorithms that bring a proven stopping rule of their own."""

BY_THRESHOLD = ("TaS", "TaS-C", "FWS", "DKM", "EBS", "LUCB", "1/2-LUCB")
"""Algorithms whose guarantee is that of the threshold."""


class Overconfident(Gaussian):
    """Rewards of standard deviation 1, whatever σ the family believes in."""

    def reward(self, arm: int, mean: float, bits: int) -> float:
        return mean + normal(bits)

    def batch(self, arm: int, mean: float, size: int, bits: int) -> float:
        return mean + normal(bits) / math.sqrt(size)


def surprise(result, delta):
    """Return the probability of at least as many wrong runs if the error probability were exactly δ."""
    return float(binom.sf(int(result.wrong.sum()) - 1, result.runs, delta))


CASES = {"spread": ((0.0, 0.6, 1.0, 2.0, 1.2), 0.1), "close": ((0.0, 0.7, 0.4), 0.3)}


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("name", OWN_RULE)
def test_own_rules_are_delta_correct(name, case, seed):
    means, delta = CASES[case]
    result = tt.simulate(name, means, delta=delta, runs=400, seed=seed)
    assert result.decided.all()
    assert surprise(result, delta) >= FALSE_ALARM, str(result)


@pytest.mark.parametrize("name", OWN_RULE)
def test_own_rules_that_believe_a_small_sigma_fail_the_same_test(name, seed):
    result = tt.simulate(name, (0.0, 0.04, 0.02), delta=0.1, runs=400, seed=seed, family=Overconfident(0.02))
    assert surprise(result, 0.1) < FALSE_ALARM, str(result)


@pytest.mark.parametrize("name", BY_THRESHOLD)
def test_thresholds_are_delta_correct_whoever_samples(name, seed):
    options = {"delta": 0.1, "epsilon": 0.4, "threshold": "proven", "max_samples": 10_000, "runs": 400, "seed": seed}
    means = (0.0, 0.1, 0.401, -0.05)  # the first arm misses the margin by a little
    result = tt.simulate(name, means, **options)
    assert result.decided.all()
    assert surprise(result, 0.1) >= FALSE_ALARM, str(result)
    # Negative control: a σ believed too small. (Peeking at a constant level leaves LUCB's arms aside for ever.)
    fooled = tt.simulate(name, means, family=Overconfident(0.1), **options)
    assert surprise(fooled, 0.1) < FALSE_ALARM, str(fooled)


MEANS = (0.3, 0.6, 0.45, 0.5, 0.4)


def fractions(name, runs, seed):
    """Return the average over runs of N/τ at δ = 1e-40."""
    result = tt.simulate(name, MEANS, delta=1e-40, threshold="heuristic", runs=runs, seed=seed)
    assert result.correct.all()
    return (result.counts / result.stopping_times[:, None]).mean(axis=0)


# At δ = 1e-40 a run takes some 90 T* = 90 000 pulls. The gaps are then known to about 1 % of the smallest, so that a
# single run's fractions are off by about 0.02 and the average over 40 runs by 0.003. To that comes the exploration:
# √t of 90 000 pulls for each arm under D-tracking (0.003), ε_t summed for C-tracking (0.003), the learning curve of
# DKM's learners, which decays like √(ln t/t) times a constant (0.026 measured). The tolerance is 0.015, for DKM 0.04:
# the uniform allocation is off by 0.21, and w*_½ from w* by 0.09.
CLOSE = {"TaS": 0.015, "TaS-C": 0.015, "FWS": 0.015, "DKM": 0.04}


@pytest.mark.parametrize("name", CLOSE)
def test_pulls_approach_the_optimal_allocation(name, seed):
    optimal = tt.theory.optimal_allocation(MEANS)
    assert np.abs(fractions(name, 40, seed) - optimal).max() < CLOSE[name]


@pytest.mark.parametrize("name", ["TTUCB", "T3C", "EB-TCI"])
def test_pulls_of_top_two_rules_approach_the_beta_optimal_allocation(name, seed):
    measured = fractions(name, 40, seed)
    assert np.abs(measured - tt.theory.optimal_allocation(MEANS, beta=0.5)).max() < 0.015
    assert np.abs(measured - tt.theory.optimal_allocation(MEANS)).max() > 0.04  # and not the optimal one


def test_uniform_pulls_do_not_approach_it(seed):
    assert np.abs(fractions("uniform", 4, seed) - tt.theory.optimal_allocation(MEANS)).max() > 0.15


def paired(one, other, runs, seed):
    """Return the mean difference of the stopping times on the same rewards, in units of its standard error.

    Logarithms, because single runs of LUCB take hundreds of times the median.
    """
    means = tt.problems.random_gaussian(runs, seed=seed)
    times = [
        np.log(tt.simulate(name, means, delta=0.1, threshold="heuristic", seed=seed).stopping_times)
        for name in (one, other)
    ]
    difference = times[0] - times[1]
    return difference.mean() / (difference.std(ddof=1) / math.sqrt(runs))


@pytest.mark.parametrize("name", ["DKM", "LUCB", "1/2-LUCB", "uniform"])
def test_top_two_is_clearly_better_on_the_random_instances(name, seed):
    assert paired("TTUCB", name, 1000, seed) < -10.0


def test_the_same_comparison_does_not_favour_everyone(seed):
    assert abs(paired("TTUCB", "S-TTUCB", 1000, seed)) < 5.0
