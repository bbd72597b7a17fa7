"""The mixture evidence (docs/mixture.md): its closed form, its order properties, and the martingale it rests on."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize_scalar
from scipy.special import logsumexp

import toptwo as tt
from toptwo.families.gaussian import LOG_WEIGHTS, PRECISIONS
from toptwo.memory import NOTHING
from toptwo.rules.round import survey
from toptwo.rules.stopping import least_evidence
from toptwo.rules.thresholds import mixture
from toptwo.special import lambert_bar
from toptwo.state import State
from toptwo.study.certificate import confidence

means = st.floats(-3.0, 3.0)
counts = st.integers(1, 100_000)
margins = st.one_of(st.just(0.0), st.floats(0.0, 2.0))
deviations = st.floats(0.1, 10.0)


def state_of(values, pulls):
    inverse = [1.0 / count if count else 0.0 for count in pulls]
    return State(list(values), [float(n) for n in pulls], inverse, [x**0.5 for x in inverse], NOTHING)


def log_mixture(mean, count, u, precision, sigma=1.0):
    """ln of the likelihood ratio of an arm's rewards, averaged over a normal prior, against mean u (lemma 1)."""
    z = count * (mean - u) / sigma
    return z * z / (2.0 * (count + precision)) - 0.5 * math.log(1.0 + count / precision)


def log_product(x, y, state, sigma=1.0):
    """ln Σ_g w_g M_a(x) M_b(y): the martingale of theorem 1 when x and y are the true means."""
    return logsumexp(
        [
            weight
            + log_mixture(state.means[0], state.counts[0], x, rho, sigma)
            + log_mixture(state.means[1], state.counts[1], y, rho, sigma)
            for rho, weight in zip(PRECISIONS, LOG_WEIGHTS, strict=True)
        ]
    )


def evidence(state, epsilon=0.0, sigma=1.0, a=0, b=1):
    return tt.Gaussian(sigma).evidence(a, b, epsilon, state)


def test_the_weights_are_a_distribution_and_the_grid_increases():
    assert len(LOG_WEIGHTS) == len(PRECISIONS)
    assert sum(math.exp(weight) for weight in LOG_WEIGHTS) == pytest.approx(1.0, abs=1e-15)
    assert all(low < high for low, high in itertools.pairwise(PRECISIONS))
    assert PRECISIONS[0] > 0.0


@given(means, means, counts, counts, margins, deviations)
def test_the_closed_form_is_the_infimum_over_u(x, y, n, m, epsilon, sigma):
    state = state_of([x, y], [n, m])
    terms = []
    for rho, weight in zip(PRECISIONS, LOG_WEIGHTS, strict=True):
        found = minimize_scalar(
            lambda u, rho=rho: log_mixture(x, n, u, rho, sigma) + log_mixture(y, m, u + epsilon, rho, sigma),
            bracket=(min(x, y - epsilon) - 1.0, max(x, y - epsilon) + 1.0),
        )
        terms.append(weight + found.fun)
    expected = max(0.0, float(logsumexp(terms))) if x + epsilon > y else 0.0
    assert evidence(state, epsilon, sigma) == pytest.approx(expected, rel=1e-6, abs=1e-6)


@given(means, means, counts, counts, margins, means, st.floats(0.0, 3.0))
def test_evidence_is_below_the_martingale_wherever_the_means_contradict_it(x, y, n, m, epsilon, truth, excess):
    state = state_of([x, y], [n, m])
    value = evidence(state, epsilon)
    if value > 0.0:
        assert value <= log_product(truth, truth + epsilon + excess, state) + 1e-9 * (1.0 + value)


@given(means, means, counts, counts, margins, deviations)
def test_evidence_is_at_most_the_likelihood_ratio(x, y, n, m, epsilon, sigma):
    state = state_of([x, y], [n, m])
    assert evidence(state, epsilon, sigma) <= tt.Gaussian(sigma).separation(0, 1, epsilon, state)


@given(means, means, counts, counts)
def test_evidence_for_level_x_needs_a_likelihood_ratio_of_lambert_bar_of_one_plus_x(x, y, n, m):
    state = state_of([x, y], [n, m])
    value = evidence(state)
    if value > 0.0:
        assert tt.Gaussian().separation(0, 1, 0.0, state) >= lambert_bar(1.0 + value) * (1.0 - 1e-12)


@given(means, means, counts, counts, margins, st.floats(0.0, 1.0))
def test_evidence_grows_with_the_gap_and_with_the_margin(x, y, n, m, epsilon, more):
    value = evidence(state_of([x, y], [n, m]), epsilon)
    assert evidence(state_of([x + more, y], [n, m]), epsilon) >= value * (1.0 - 1e-12)
    assert evidence(state_of([x, y - more], [n, m]), epsilon) >= value * (1.0 - 1e-12)
    assert evidence(state_of([x, y], [n, m]), epsilon + more) >= value * (1.0 - 1e-12)


@given(means, means, counts, counts, margins, deviations, means)
def test_only_differences_in_units_of_sigma_matter(x, y, n, m, epsilon, sigma, shift):
    plain = evidence(state_of([x, y], [n, m]), epsilon)
    scaled = evidence(state_of([sigma * x + shift, sigma * y + shift], [n, m]), sigma * epsilon, sigma)
    assert scaled == pytest.approx(plain, rel=1e-6, abs=1e-6)


@given(means, means, counts, counts)
def test_without_a_margin_two_arms_cannot_both_beat_each_other(x, y, n, m):
    state = state_of([x, y], [n, m])
    assert evidence(state, a=0, b=1) == 0.0 or evidence(state, a=1, b=0) == 0.0
    assert min(evidence(state, a=0, b=1), evidence(state, a=1, b=0)) >= 0.0


def test_level_arms_and_arms_without_a_pull_give_no_evidence():
    assert evidence(state_of([1.0, 1.0], [50, 70])) == 0.0
    assert evidence(state_of([0.5, 1.0], [50, 70]), epsilon=0.5) == 0.0
    assert evidence(state_of([9.0, 0.0], [100, 0])) == 0.0
    assert evidence(state_of([0.0, -9.0], [0, 100])) == 0.0


def test_overwhelming_evidence_stays_finite():
    value = evidence(state_of([1e6, 0.0], [10**6, 10**6]))
    assert value == pytest.approx(0.25e18, rel=1e-3)


@pytest.mark.parametrize("delta", [0.3, 0.1, 1e-3, 1e-9])
def test_certified_confidence_is_where_the_rule_would_just_stop(delta):
    now = survey(4001, 2, 0.1, state_of([0.2, 0.1, 0.5, 0.15], [900, 800, 1500, 800]), tt.Gaussian())
    level = confidence("mixture", now)
    assert level == pytest.approx(1.0 - 3.0 * math.exp(-least_evidence(now)), abs=1e-15)
    assert mixture(delta, 4).stops(now) == (level >= 1.0 - delta)
    just = 3.0 * math.exp(-least_evidence(now))
    assert mixture(just * 1.0001, 4).stops(now)
    assert not mixture(just * 0.9999, 4).stops(now)


def test_without_evidence_nothing_is_certified():
    now = survey(9, 0, 0.0, state_of([0.5, 0.4, 0.3], [2, 3, 3]), tt.Gaussian())
    assert confidence("mixture", now) == 0.0


# --- the martingale ---------------------------------------------------------------------------------------------------
def behind(value, sums, pulls):
    """An adaptive rule: the arm whose rewards add up to less, the second when level."""
    return np.where(sums[0] < sums[1], 0, 1)


def clairvoyant(value, sums, pulls):
    """Not a sampling rule: it looks at the reward before it says whose it is."""
    return np.where(value > 0.0, 0, 1)


def expected_product(rule, values, weights, rounds):
    """Return E Σ_g w_g M_a M_b at the true means (0, 0) after some rounds, by summing over the whole tree of rewards.

    With Gauss–Hermite nodes for N(0, 1), each conditional expectation of the product is exact to rounding.
    """
    sums, pulls, chance = np.zeros((2, 1)), np.zeros((2, 1)), np.ones(1)
    for _ in range(rounds):
        sums, pulls = (np.repeat(part, len(values), axis=1) for part in (sums, pulls))
        reward = np.tile(values, len(chance))
        chance = np.repeat(chance, len(values)) * np.tile(weights, len(chance))
        arm, column = rule(reward, sums, pulls), np.arange(len(chance))
        sums[arm, column] += reward
        pulls[arm, column] += 1.0
    total = np.zeros(len(chance))
    for rho, weight in zip(PRECISIONS, LOG_WEIGHTS, strict=True):
        exponent = (sums**2 / (2.0 * (pulls + rho)) - 0.5 * np.log1p(pulls / rho)).sum(axis=0)
        total += np.exp(weight + exponent)
    return float(chance @ total)


def normal_nodes(order=60):
    nodes, weights = np.polynomial.hermite_e.hermegauss(order)
    return nodes, weights / weights.sum()


@pytest.mark.parametrize("rounds", [1, 2, 3])
def test_the_product_is_a_martingale_under_adaptive_sampling(rounds):
    assert expected_product(behind, *normal_nodes(), rounds) == pytest.approx(1.0, abs=1e-9)


def test_a_choice_that_knows_the_reward_breaks_it():
    assert expected_product(clairvoyant, *normal_nodes(), 3) > 1.02


def test_for_sub_gaussian_rewards_the_product_is_a_supermartingale():
    signs, bounded = np.array([-1.0, 1.0]), np.array([-0.5, 1.5])
    means_ = [expected_product(behind, signs, np.array([0.5, 0.5]), rounds) for rounds in range(1, 13)]
    assert all(later < earlier for earlier, later in itertools.pairwise([1.0, *means_]))
    assert expected_product(behind, bounded, np.array([0.75, 0.25]), 12) < 1.0


def test_rewards_noisier_than_sigma_break_it():
    nodes, weights = normal_nodes()
    assert expected_product(behind, 1.2 * nodes, weights, 3) > 1.1
