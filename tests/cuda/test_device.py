"""On a GPU: nearly every run stops when the processor's does, and the law is the same."""

import math
from typing import NamedTuple

import numpy as np
import pytest
from scipy.stats import ks_2samp

import toptwo as tt


class LastUnlessBehind(NamedTuple):
    """A leader of one's own that counts from the end."""

    def lead(self, now, random):
        last = now.best - len(now.state.means)
        return now.best if now.state.means[-1] < now.state.means[last] else len(now.state.means) - 1


ALARM = 1e-6
"""Probability that a test of a law fails although nothing is wrong."""

ARMS = np.array([0.3, 0.9, 0.5, 0.1])


def both(algorithm, means, **options):
    """Return the runs of both engines."""
    return (tt.simulate(algorithm, means, engine=engine, seed=7, **options) for engine in ("cuda", "cpu"))


def same(one, other):
    """Return the share of the runs that are equal in every number."""
    equal = (one.stopping_times == other.stopping_times) & (one.recommended == other.recommended)
    return float((equal & (one.counts == other.counts).all(axis=1)).mean())


def test_ttucb_stops_when_the_processor_does():
    ours, theirs = both("TTUCB", tt.problems.random_gaussian(20_000), threshold="heuristic")
    assert same(ours, theirs) >= 0.999


@pytest.mark.parametrize("name", tt.algorithms())
def test_every_algorithm_has_the_same_law(name):
    """Kolmogorov's and Smirnov's test, other rewards for the device: 2000 independent runs on each side."""
    options = {"threshold": "heuristic", "max_samples": 20_000}
    ours = tt.simulate(name, ARMS, engine="cuda", runs=2000, seed=7, **options)
    theirs = tt.simulate(name, ARMS, engine="cpu", runs=2000, seed=8, **options)
    assert ks_2samp(ours.stopping_times, theirs.stopping_times, method="asymp").pvalue > ALARM


FAMILIES = (tt.Bernoulli(), tt.Poisson(), tt.Exponential(), tt.Gamma(2.0), tt.Bounded(0.0, 1.0))


@pytest.mark.parametrize("family", [*FAMILIES, tt.GaussianUnknownVariance()], ids=lambda family: type(family).__name__)
def test_every_family_has_the_same_law(family):
    ours = tt.simulate("TTUCB", ARMS, engine="cuda", runs=2000, seed=7, family=family, max_samples=20_000)
    theirs = tt.simulate("TTUCB", ARMS, engine="cpu", runs=2000, seed=8, family=family, max_samples=20_000)
    assert ks_2samp(ours.stopping_times, theirs.stopping_times, method="asymp").pvalue > ALARM


def test_the_test_of_laws_sees_another_law():
    """The negative control: a threshold a fifth higher is another law."""
    ours = tt.simulate("TTUCB", ARMS, engine="cuda", runs=2000, seed=7, threshold="heuristic", delta=0.1)
    theirs = tt.simulate("TTUCB", ARMS, engine="cpu", runs=2000, seed=8, threshold="heuristic", delta=0.1**1.2)
    assert ks_2samp(ours.stopping_times, theirs.stopping_times, method="asymp").pvalue < ALARM


@pytest.mark.parametrize("threshold", ["mixture", "betting"])
def test_runs_of_proven_rules_are_the_processors(threshold):
    ours, theirs = both("TTUCB", tt.problems.random_gaussian(4000), threshold=threshold)
    assert same(ours, theirs) >= 0.998


def test_a_margin_counts_after_runs_without_one_and_before_others():
    """Kernels with and without a margin are two: neither stands in for the other."""
    for epsilon in (0.0, 0.3, 0.0):
        ours, theirs = both("TTUCB", ARMS, runs=2000, family=tt.Bernoulli(), threshold="heuristic", epsilon=epsilon)
        assert same(ours, theirs) >= 0.99


def test_batches_change_nothing(monkeypatch):
    from toptwo.engine.cuda import device

    whole, theirs = both("TTUCB", ARMS, runs=5000)
    monkeypatch.setattr(device, "free_memory", lambda: 100_000)
    parts, _ = both("TTUCB", ARMS, runs=5000)
    np.testing.assert_array_equal(whole.counts, parts.counts)
    assert math.isclose(whole.stopping_times.mean(), theirs.stopping_times.mean(), rel_tol=1e-3)


def test_a_rule_may_count_arms_from_the_end():
    ours, theirs = both(tt.TopTwo(leader=LastUnlessBehind()), ARMS, runs=5000, threshold="heuristic", max_samples=2000)
    assert same(ours, theirs) >= 0.999
