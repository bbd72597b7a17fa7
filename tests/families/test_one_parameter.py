"""Bernoulli, Poisson, exponential and Gamma families against brute force, exact laws and their edges."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.optimize import brentq, minimize_scalar
from scipy.special import betaln, gammaln
from scipy.stats import beta, chisquare, expon, gamma, kstest, poisson
from states import FALSE_ALARM, chi_square

import toptwo as tt
from toptwo import theory
from toptwo.families.numerics.mixture_prices import LOG_WEIGHTS, RATES
from toptwo.state import state_of as fresh_state
from toptwo.streams import Random, fork, mix

SHAPE = 2.5
FAMILIES = {
    "bernoulli": tt.Bernoulli(),
    "poisson": tt.Poisson(),
    "exponential": tt.Exponential(),
    "gamma": tt.Gamma(shape=SHAPE),
}
NAMES = tuple(FAMILIES)
counts = st.integers(1, 4000)
levels = st.floats(0.0, 1.0)


def sums_of(name, shares, pulls):
    """Sums of rewards that the family can have: whole numbers for the first two."""
    if name == "bernoulli":
        return [float(round(share * count)) for share, count in zip(shares, pulls, strict=True)]
    if name == "poisson":
        return [float(round(5.0 * share * count)) for share, count in zip(shares, pulls, strict=True)]
    return [(0.01 + 5.0 * share) * count for share, count in zip(shares, pulls, strict=True)]


def state_of(family, sums, pulls):
    """State after so many pulls with these sums of rewards."""
    state = fresh_state(family, len(pulls))
    for i, (total, count) in enumerate(zip(sums, pulls, strict=True)):
        state.counts[i], state.inverse[i], state.root[i] = float(count), 1.0 / count, math.sqrt(1.0 / count)
        state.means[i] = total / count
        state.kept.potentials[i] = family.total_potential(total, float(count))
        state.kept.totals[i] = total
        state.kept.places[i] = family.stabilised(total / count)
    return state


def shape_of(name):
    """The shape of the Gamma law."""
    return SHAPE if name == "gamma" else 1.0


def plain_divergence(name, x, y):
    """The textbook formulas."""
    if name == "bernoulli":
        return sum(p * math.log(p / q) for p, q in ((x, y), (1.0 - x, 1.0 - y)) if p > 0.0)
    if name == "poisson":
        return y - x + (x * math.log(x / y) if x > 0.0 else 0.0)
    return shape_of(name) * (x / y - 1.0 - math.log(x / y))


@pytest.mark.parametrize("name", NAMES)
@given(st.floats(0.01, 0.99), st.floats(0.01, 0.99))
def test_divergence(name, x, y):
    assert FAMILIES[name].divergence(x, y) == pytest.approx(plain_divergence(name, x, y), rel=1e-9, abs=1e-15)


@pytest.mark.parametrize("name", NAMES)
def test_divergence_of_close_means_keeps_its_digits(name):
    family = FAMILIES[name]
    for x in (0.1, 0.5, 0.9):
        assert family.divergence(x, x + 1e-9) == pytest.approx(0.5e-18 / family.variance(x), rel=1e-6)


@pytest.mark.parametrize("name", NAMES)
@given(levels, levels, counts, counts, st.sampled_from([0.0, 0.01, 0.3]))
def test_separation_is_the_least_cost(name, x, y, n, m, epsilon):
    family = FAMILIES[name]
    sums = sums_of(name, (x, y), (n, m))
    state = state_of(family, sums, (n, m))
    a, b = state.means[0], state.means[1]
    top = family.highest_mean() - epsilon
    low, high = max(0.0, min(a, b - epsilon)), min(top, max(a, b - epsilon))
    found = family.separation(0, 1, epsilon, state)
    if epsilon == 0.0:
        u = sum(sums) / (n + m)
        expected = family.deviation(0, u, state) + family.deviation(1, u, state)
        assert found == pytest.approx(expected, rel=1e-9, abs=1e-9)
    else:

        def cost(u):
            return min(1e18, n * family.divergence(a, u) + m * family.divergence(b, u + epsilon))

        # With the first arm behind there may be two minima; a search does not quite reach the ends.
        edges = np.linspace(low, high, 41)
        near = int(np.argmin([cost(u) for u in edges]))
        least = cost(edges[near])
        bounds = edges[max(near - 1, 0)], edges[min(near + 1, 40)]
        if bounds[0] < bounds[1]:
            least = min(least, minimize_scalar(cost, bounds=bounds, method="bounded", options={"xatol": 1e-13}).fun)
        assert found <= least + 1e-9 * (1.0 + abs(least))
        assert found == pytest.approx(least, rel=1e-5, abs=1e-6)
    assert not family.separation_surely_above(0, 1, epsilon, found * (1.0 + 1e-9) + 1e-12, state)


@pytest.mark.parametrize("name", NAMES)
@given(levels, counts, st.floats(0.1, 8.0))
def test_bounds_solve_their_equation(name, x, n, width):
    family = FAMILIES[name]
    state = state_of(family, sums_of(name, (x,), (n,)), (n,))
    mean, target = state.means[0], 0.5 * width * width / n
    upper, lower = family.upper_bound(0, width, state), family.lower_bound(0, width, state)
    if mean < family.highest_mean():
        ceiling = 1.0 - 1e-16 if name == "bernoulli" else 1e3 * (mean + 1.0 + target) * math.exp(min(target, 300.0))
        if family.divergence(mean, ceiling) > target:
            found = brentq(lambda u: family.divergence(mean, u) - target, mean, ceiling, xtol=1e-15, rtol=1e-14)
            assert upper == pytest.approx(found, rel=1e-11, abs=1e-12)
    else:
        assert upper == 1.0
    assert lower <= mean <= upper
    if lower > 1e-12:
        assert family.divergence(mean, lower) == pytest.approx(target, rel=1e-6, abs=1e-12)
    if name == "bernoulli":
        mirror = state_of(family, [n - state.kept.totals[0]], (n,))
        assert lower == pytest.approx(1.0 - family.upper_bound(0, width, mirror), abs=1e-12)


def log_mixture_likelihood(name, total, count):
    """ln ∫ likelihood dπ for one arm, by the textbook integrals (but for Bernoulli: prior rate 0.5)."""
    if name == "bernoulli":
        return betaln(total + 0.5, count - total + 0.5) - betaln(0.5, 0.5)
    events, exposure = (total, count) if name == "poisson" else (shape_of(name) * count, shape_of(name) * total)
    rate = 0.5
    return 0.5 * math.log(rate) - gammaln(0.5) + gammaln(events + 0.5) - (events + 0.5) * math.log(exposure + rate)


def log_likelihood(name, total, count, mean):
    """ln of the likelihood, without what does not depend on the mean."""
    if name == "bernoulli":
        return sum(k * math.log(p) for k, p in ((total, mean), (count - total, 1.0 - mean)) if k > 0)
    if name == "poisson":
        return total * math.log(mean) - count * mean
    return shape_of(name) * (-count * math.log(mean) - total / mean)


@pytest.mark.parametrize("name", NAMES)
@given(st.floats(0.05, 0.95), st.floats(0.05, 0.95), st.integers(2, 500), st.integers(2, 500))
def test_evidence_is_the_least_product_of_mixture_likelihood_ratios(name, x, y, n, m):
    family = FAMILIES[name]
    sums = sums_of(name, (x, y), (n, m))
    state = state_of(family, sums, (n, m))
    evidence = family.evidence(0, 1, 0.0, state)
    assert evidence <= family.separation(0, 1, 0.0, state)
    if state.means[0] <= state.means[1]:
        assert evidence == 0.0
        return
    u = sum(sums) / (n + m)
    value = -sum(log_likelihood(name, total, count, u) for total, count in zip(sums, (n, m), strict=True))
    if name == "bernoulli":
        value += sum(log_mixture_likelihood(name, total, count) for total, count in zip(sums, (n, m), strict=True))
        assert evidence == pytest.approx(max(0.0, value), abs=1e-8)
    else:  # the term of the grid with rate 0.5 is one of a sum
        value += sum(log_mixture_likelihood(name, total, count) for total, count in zip(sums, (n, m), strict=True))
        assert evidence >= value + LOG_WEIGHTS[RATES.index(0.5)] - 1e-8


@pytest.mark.parametrize("name", NAMES)
def test_the_mixture_is_a_martingale(name):
    """E of the next likelihood ratio at the true mean is the present one, by summing or integrating over the reward."""
    family, mean = FAMILIES[name], 0.4
    start = state_of(family, [2.0, 1.0], (5, 3))

    def log_ratio(reward):
        state = state_of(family, [2.0 + (reward or 0.0), 1.0], (5 + (reward is not None), 3))
        value = family.pair_price(0, 1, state)
        for arm in (0, 1):
            value += family.deviation(arm, mean, state)
        return value

    if name == "bernoulli":
        expected = mean * math.exp(log_ratio(1.0)) + (1.0 - mean) * math.exp(log_ratio(0.0))
    elif name == "poisson":
        expected = sum(poisson.pmf(k, mean) * math.exp(log_ratio(float(k))) for k in range(60))
    else:
        law = gamma(shape_of(name), scale=mean / shape_of(name))
        expected = quad(lambda x: math.exp(law.logpdf(x) + log_ratio(x)), 0.0, 2e4, points=[1, 10, 100], limit=500)[0]
    assert expected == pytest.approx(math.exp(log_ratio(None)), rel=1e-6)
    assert start.counts == [5.0, 3.0]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("means", [(0.3, 0.6, 0.5, 0.1), (0.9, 0.2), (0.05, 0.02, 0.01, 0.049, 0.03)])
def test_allocations_are_those_of_the_theory(name, means):
    shares = [0.0] * len(means)
    for start in (0.0, 1.0, -3.0):
        FAMILIES[name].allocate(int(np.argmax(means)), list(means), start, shares)
        np.testing.assert_allclose(
            shares, theory.optimal_allocation(means, family=FAMILIES[name]), rtol=1e-9, atol=1e-12
        )


def test_edges_do_not_warn():
    """All successes, none, one pull, equal arms."""
    for sums, pulls in (([5.0, 0.0, 3.0], (5, 4, 7)), ([1.0, 0.0, 1.0], (1, 1, 1)), ([9.0, 9.0, 0.0], (9, 9, 9))):
        for name in ("bernoulli", "poisson"):
            family = FAMILIES[name]
            state = state_of(family, sums, pulls)
            for a in range(3):
                assert family.lower_bound(a, 3.0, state) <= state.means[a] <= family.upper_bound(a, 3.0, state)
                for b in range(3):
                    if a != b:
                        assert family.separation(a, b, 0.0, state) >= 0.0
                        assert 0.0 <= family.evidence(a, b, 0.1, state) <= family.separation(a, b, 0.1, state)
                        assert 0.0 <= family.leader_share(a, b, state) <= 1.0
            assert all(0 <= family.resample(0, state, Random([s])) < 3 for s in range(20))
    assert math.isinf(FAMILIES["bernoulli"].separation(0, 1, 1.5, state_of(FAMILIES["bernoulli"], [1.0, 2.0], (3, 3))))


def test_laws_of_rewards(seed):
    bits = [mix(fork(seed, s)) for s in range(30_000)]
    assert kstest([tt.Exponential().reward(0, 2.5, b) for b in bits], expon(scale=2.5).cdf).pvalue > FALSE_ALARM
    for mean in (0.0, 0.3, 4.0, 9.9, 10.0, 47.0):
        values = np.array([tt.Poisson().reward(0, mean, b) for b in bits])
        edges = [-1, *(int(poisson.ppf(q, mean)) for q in (0.1, 0.3, 0.5, 0.7, 0.9)), 10**6] if mean else [-1, 0]
        edges = sorted(set(edges))
        tally = [int(((values > a) & (values <= b)).sum()) for a, b in itertools.pairwise(edges)]
        chances = np.diff(poisson.cdf(edges, mean))
        assert sum(tally) == len(bits)
        if len(tally) > 1:
            assert chisquare(tally, len(bits) * chances / chances.sum()).pvalue > FALSE_ALARM
    values = [tt.Poisson().reward(0, 4.2, b) for b in bits]
    cells = [sum(v == k for v in values) for k in range(8)]
    wrong = poisson.pmf(range(8), 4.0)
    assert chisquare(cells, sum(cells) * wrong / wrong.sum()).pvalue < FALSE_ALARM  # negative control


def test_posterior_laws(seed):
    random = Random([fork(seed, 5)])
    state = state_of(tt.Bernoulli(), [0.0, 7.0], (4, 10))
    draws = [[tt.Bernoulli().posterior_draw(arm, state, random) for _ in range(8000)] for arm in (0, 1)]
    assert kstest(draws[0], beta(1, 5).cdf).pvalue > FALSE_ALARM
    assert kstest(draws[1], beta(8, 4).cdf).pvalue > FALSE_ALARM
    assert kstest(draws[1], beta(7, 4).cdf).pvalue < FALSE_ALARM  # negative control
    state = state_of(tt.Poisson(), [0.0, 7.0], (4, 10))
    for arm, shape in ((0, 0.5), (1, 7.5)):
        values = [tt.Poisson().posterior_draw(arm, state, random) for _ in range(8000)]
        assert kstest(values, gamma(shape, scale=1.0 / state.counts[arm]).cdf).pvalue > FALSE_ALARM
    state = state_of(tt.Exponential(), [2.0, 7.0], (1, 10))
    values = [1.0 / tt.Exponential().posterior_draw(1, state, random) for _ in range(8000)]
    assert kstest(values, gamma(10.0, scale=1.0 / 7.0).cdf).pvalue > FALSE_ALARM


@pytest.mark.parametrize("name", NAMES)
def test_probabilities_of_being_best_and_the_law_of_resampling(name, seed):
    family = FAMILIES[name]
    state = state_of(family, sums_of(name, (0.3, 0.62, 0.5, 0.55), (12, 40, 30, 9)), (12, 40, 30, 9))
    best = [math.exp(family.log_probability_best(arm, state)) for arm in range(4)]
    assert sum(best) == pytest.approx(1.0, abs=1e-8)
    law = [0.0 if arm == 1 else p / (1.0 - best[1]) for arm, p in enumerate(best)]
    random, tally = Random([fork(seed, 9)]), [0] * 4
    for _ in range(6000):
        tally[family.resample(1, state, random)] += 1
    cells = [arm for arm in range(4) if law[arm] > 0.005]
    statistic, critical = chi_square([tally[arm] for arm in cells], [law[arm] for arm in cells])
    assert statistic <= critical
    uniform = [len(cells) and 1.0 / len(cells)] * len(cells)
    statistic, critical = chi_square([tally[arm] for arm in cells], uniform)
    assert statistic > critical  # negative control
    above = [math.exp(family.log_probability_above(a, b, state)) for a, b in ((0, 1), (1, 0))]
    assert sum(above) == pytest.approx(1.0, abs=1e-8)


def test_improvements_are_integrals():
    family = tt.Bernoulli()
    state = state_of(family, [3.0, 40.0], (8, 60))
    laws = [beta(4, 6), beta(41, 21)]
    expected = quad(laws[0].sf, 0.7, 1.0, epsabs=1e-13)[0]
    assert math.exp(family.improvement_over_value(0, 0.7, state)) == pytest.approx(expected, rel=1e-7)
    expected = quad(lambda x: laws[0].sf(x) * laws[1].cdf(x), 0.0, 1.0, epsabs=1e-13)[0]
    assert math.exp(family.improvement_over_arm(0, 1, state)) == pytest.approx(expected, rel=1e-7)
    assert family.improvement_over_value(0, 1.0, state) == -math.inf
