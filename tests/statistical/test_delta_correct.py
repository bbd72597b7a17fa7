"""δ-correctness by exact binomial tests: the proven rules pass, peeking at a constant level does not."""

import math
from typing import NamedTuple

import numpy as np
import pytest
from scipy.stats import binom

import toptwo as tt
from toptwo.families.gaussian import Gaussian
from toptwo.families.numerics.proven_levels import ProvenLevel
from toptwo.rules.stopping import LikelihoodRatio
from toptwo.streams import normal

FALSE_ALARM = 1e-6
THRESHOLDS = ("proven", "mixture")
ALGORITHMS = ("TTUCB", "T3C", "uniform")


class Case(NamedTuple):
    """Where a rule can go wrong; the best arm is never the first."""

    means: tuple[float, ...]
    delta: float
    epsilon: float = 0.0
    max_samples: int | None = None


CASES = {
    "margin barely missed, K = 2": Case((0.0, 0.251), 0.1, epsilon=0.25),
    "margin barely missed, K = 4": Case((0.0, 0.0, 0.301, -0.05), 0.05, epsilon=0.3),
    "spread, K = 5": Case((0.0, 0.3, 0.5, 1.0, 0.7), 0.02),
    "small gaps, K = 3": Case((0.3, 0.5, 0.2), 0.02),
}
"""All of them end, and a rule that errs too easily shows it; near ties are in test_adversaries_delta.py."""


def peeking(delta: float, arms: int) -> LikelihoodRatio:
    """Return a rule with a constant level: what it costs to look after every reward as if only once."""
    return LikelihoodRatio(ProvenLevel(math.log(1.0 / delta) / 4.0, 0.0, 4.0))  # compiled with the proven one


class Signs(Gaussian):
    """Rewards μ ± σ: as noisy as a σ-sub-Gaussian law can be, and far from normal when pulls are few."""

    def reward(self, arm: int, mean: float, bits: int) -> float:
        return mean + (self.sigma if normal(bits) > 0.0 else -self.sigma)


def surprise(result, delta):
    """Return the probability of at least as many wrong runs if the error probability were exactly δ."""
    return float(binom.sf(int(result.wrong.sum()) - 1, result.runs, delta))


def run(algorithm, case, threshold, runs, seed, family=None):
    return tt.simulate(
        algorithm,
        case.means,
        delta=case.delta,
        epsilon=case.epsilon,
        max_samples=case.max_samples,
        threshold=threshold,
        runs=runs,
        seed=seed,
        family=family,
    )


def check(algorithm, case, threshold, runs, seed, family=None):
    result = run(algorithm, case, threshold, runs, seed, family)
    assert result.runs == runs
    assert case.max_samples is not None or result.decided.all()
    assert surprise(result, case.delta) >= FALSE_ALARM, f"{result} with δ = {case.delta}"


@pytest.mark.parametrize("threshold", THRESHOLDS)
@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize("name", CASES)
def test_delta_correct(name, algorithm, threshold, seed):
    check(algorithm, CASES[name], threshold, 1000, seed)


@pytest.mark.slow
@pytest.mark.parametrize("threshold", THRESHOLDS)
@pytest.mark.parametrize("algorithm", [*ALGORITHMS, "A-TTUCB", "TTTS", "EB-TCI"])
@pytest.mark.parametrize("name", CASES)
def test_delta_correct_over_many_runs(name, algorithm, threshold, seed):
    check(algorithm, CASES[name], threshold, 20_000, seed)


@pytest.mark.parametrize("name", ["margin barely missed, K = 2", "spread, K = 5"])
def test_sub_gaussian_rewards_suffice(name, seed):
    check("TTUCB", CASES[name], "mixture", 4000, seed, Signs(0.7))


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize("name", CASES)
def test_peeking_fails_the_same_test(name, algorithm, seed):
    result = run(algorithm, CASES[name], peeking, 1000, seed)
    assert surprise(result, CASES[name].delta) < FALSE_ALARM, str(result)


@pytest.mark.parametrize("threshold", THRESHOLDS)
def test_a_sigma_taken_too_small_fails_the_same_test(threshold, seed):
    """The guarantee rests on σ: believing 1/8 of it voids the guarantee, and the test notices."""
    case = Case((0.0, 0.02, 0.01), 0.1, max_samples=1000)
    result = run("uniform", case, threshold, 1000, seed, Overconfident(0.125))
    assert surprise(result, case.delta) < FALSE_ALARM, str(result)


class Overconfident(Gaussian):
    """Rewards of standard deviation 1, whatever σ the family believes in."""

    def reward(self, arm: int, mean: float, bits: int) -> float:
        return mean + normal(bits)


def test_an_undecided_run_is_neither_right_nor_wrong(seed):
    result = run("TTUCB", Case((0.0, 0.001), 0.01, max_samples=50), "mixture", 200, seed)
    undecided = ~result.decided
    assert undecided.any()
    assert not (result.wrong & undecided).any()
    assert not (result.correct & undecided).any()
    np.testing.assert_array_equal(result.stopping_times[undecided], 50)
