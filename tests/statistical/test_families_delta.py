"""δ-correctness of every one-parameter family by exact binomial tests, skewed instances included.

All runs end, because the margin is missed by a little only. Near ties are in test_adversaries_delta.py.
"""

import pytest
from test_delta_correct import FALSE_ALARM, Case, check, peeking, run, surprise

import toptwo as tt

CASES = {
    "bernoulli": (tt.Bernoulli(), Case((0.4, 0.501), 0.1, epsilon=0.1)),
    "bernoulli, rare successes": (tt.Bernoulli(), Case((0.02, 0.071, 0.02), 0.1, epsilon=0.05)),
    "poisson": (tt.Poisson(), Case((2.0, 2.401, 1.9), 0.1, epsilon=0.4)),
    "poisson, rare": (tt.Poisson(), Case((0.02, 0.071), 0.1, epsilon=0.05)),
    "exponential": (tt.Exponential(), Case((1.0, 1.401), 0.1, epsilon=0.4)),
    "exponential, far scale": (tt.Exponential(), Case((300.0, 421.0, 280.0), 0.1, epsilon=120.0)),
    "gamma, skewed": (tt.Gamma(shape=0.4), Case((1.0, 1.601), 0.1, epsilon=0.6)),
    "gamma, nearly normal": (tt.Gamma(shape=20.0), Case((5.0, 5.401, 4.9), 0.1, epsilon=0.4)),
    "one σ per arm": (tt.Gaussian(sigma=[0.2, 3.0, 1.0]), Case((0.0, 0.901, -0.05), 0.1, epsilon=0.9)),
}


@pytest.mark.parametrize("threshold", ["mixture", "proven"])
@pytest.mark.parametrize("name", CASES)
def test_delta_correct(name, threshold, seed):
    family, case = CASES[name]
    check("TTUCB", case, threshold, 1000, seed, family)


@pytest.mark.parametrize("name", CASES)
def test_peeking_fails_the_same_test(name, seed):
    family, case = CASES[name]
    result = run("TTUCB", case, peeking, 1000, seed, family)
    assert surprise(result, case.delta) < FALSE_ALARM, str(result)
