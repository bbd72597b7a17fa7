"""Transportation costs of one-parameter families against a plain search over the common mean, to 1e-9."""

import numpy as np
import pytest
from scipy.optimize import minimize_scalar

import toptwo as tt
from toptwo.state import state_of

LAWS = {
    "bernoulli": (tt.Bernoulli(), lambda random, mean, n: (random.random(n) < mean).astype(float), 1.0),
    "poisson": (tt.Poisson(), lambda random, mean, n: random.poisson(5.0 * mean, n).astype(float), np.inf),
    "exponential": (tt.Exponential(), lambda random, mean, n: random.exponential(5.0 * mean, n), np.inf),
    "gamma": (tt.Gamma(shape=0.7), lambda random, mean, n: random.gamma(0.7, mean / 0.7, n), np.inf),
}


def searched(family, state, epsilon, top):
    """Return the least N_a d(μ̂_a, u) + N_b d(μ̂_b, u + ε), between the means, where it has its one minimum."""
    (a, b), (n, m) = state.means, state.counts

    def cost(u):
        return n * family.divergence(a, u) + m * family.divergence(b, u + epsilon)

    low, high = sorted((a, b - epsilon))
    low, high = max(low, 0.0), min(high, top - epsilon)
    found = minimize_scalar(cost, bounds=(low, high), method="bounded", options={"xatol": 1e-13})
    return min(found.fun, cost(low + 1e-15), cost(high - 1e-15))


@pytest.mark.parametrize("epsilon", [0.0, 0.03, 0.2])
@pytest.mark.parametrize("law", LAWS)
def test_cost_is_that_of_a_search(law, epsilon, seed):
    family, draw, top = LAWS[law]
    random, compared = np.random.default_rng(seed), 0
    for _ in range(60):
        state = state_of(family, 2)
        for arm, mean in enumerate(random.uniform(0.15, 0.85, 2)):
            for value in draw(random, mean, int(random.integers(3, 400))):
                family.observe(arm, float(value), state)
        a, b = state.means
        if min(a, b) > 0.0 and max(a, b) < top - epsilon and abs(a - b + epsilon) > 1e-3:
            compared += 1
            assert family.separation(0, 1, epsilon, state) == pytest.approx(
                searched(family, state, epsilon, top), rel=1e-9
            )
    assert compared > 30
