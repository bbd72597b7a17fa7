"""δ-correctness of every one-parameter family by exact binomial tests, near ties and skewed instances included."""

import pytest
from test_delta_correct import FALSE_ALARM, Case, Peeking, check, run, surprise

import toptwo as tt

CASES = {
    "bernoulli, near tie": (tt.Bernoulli(), Case((0.5, 0.51), 0.3, max_samples=2000)),
    "bernoulli, rare successes": (tt.Bernoulli(), Case((0.01, 0.02, 0.015), 0.2, max_samples=3000)),
    "bernoulli, margin just missed": (tt.Bernoulli(), Case((0.4, 0.51, 0.45), 0.2, epsilon=0.1, max_samples=2000)),
    "poisson, near tie": (tt.Poisson(), Case((2.0, 2.05, 1.9), 0.2, max_samples=2000)),
    "poisson, rare": (tt.Poisson(), Case((0.02, 0.03), 0.3, max_samples=2000)),
    "exponential, near tie": (tt.Exponential(), Case((1.0, 1.03), 0.3, max_samples=2000)),
    "exponential, far scale": (tt.Exponential(), Case((300.0, 310.0, 280.0), 0.2, max_samples=2000)),
    "one σ per arm": (tt.Gaussian(sigma=[0.2, 3.0, 1.0]), Case((0.0, 0.05, -0.05), 0.2, max_samples=2000)),
}


@pytest.mark.parametrize("threshold", ["mixture", "proven"])
@pytest.mark.parametrize("name", CASES)
def test_delta_correct(name, threshold, seed):
    family, case = CASES[name]
    check("TTUCB", case, threshold, 1000, seed, family)


@pytest.mark.parametrize("name", ["bernoulli, near tie", "poisson, near tie", "exponential, near tie"])
def test_peeking_fails_the_same_test(name, seed):
    family, case = CASES[name]
    result = run("uniform", case, Peeking, 1000, seed, family)
    assert surprise(result, case.delta) < FALSE_ALARM, str(result)
