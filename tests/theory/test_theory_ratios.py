"""The price of a fixed share: the theorem of docs/theory.md, its proof step by step, and what it does not say."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.optimize import brentq, minimize_scalar

from toptwo import theory
from toptwo.theory.arguments import gaps_of
from toptwo.theory.newton import relative_weights

laws = settings(derandomize=True, deadline=None, max_examples=300, database=None)
ROUNDING = 1e-11

# Gaps as multiples of the smallest, from equal to a hundred orders of magnitude apart, many of them nearly equal.
stretches = st.one_of(
    st.just(0.0),
    st.floats(min_value=-12.0, max_value=2.0).map(lambda power: 10.0**power),
    st.floats(min_value=2.0, max_value=100.0).map(lambda power: 10.0**power),
)
gaps = st.lists(stretches, min_size=0, max_size=30).map(lambda rest: np.array([1.0, *(1.0 + x for x in rest)]))
shares = st.one_of(st.just(0.5), st.floats(min_value=0.001, max_value=0.999))


def means_of(distances):
    return -np.concatenate([[0.0], distances])


def equal_means_ratio(arms, beta):
    return (1.0 + (arms - 2.0) * beta) / (beta * (1.0 - beta) * (1.0 + np.sqrt(arms - 1.0)) ** 2)


@laws
@given(gaps, shares)
def test_no_instance_costs_more_than_the_worst(distances, beta):
    means = means_of(distances)
    assert theory.time_ratio(means, beta) <= theory.worst_time_ratio(means.size, beta) * (1.0 + ROUNDING)


@laws
@given(gaps)
def test_the_conjecture_of_the_paper_holds(distances):
    arms = distances.size + 1
    bound = 2.0 * arms / (1.0 + np.sqrt(arms - 1.0)) ** 2
    assert theory.worst_time_ratio(arms) == pytest.approx(bound, rel=1e-14)
    assert theory.time_ratio(means_of(distances)) <= bound * (1.0 + ROUNDING)


@laws
@given(gaps, shares)
def test_each_step_of_the_proof(distances, beta):
    """Every equation and inequality of docs/theory.md, on the y, c and S of an instance."""
    n, rho = float(distances.size), (1.0 - beta) / beta
    found = gaps_of(means_of(distances))
    y = np.asarray(relative_weights(found, None)[1])[1:]
    c = (1.0 + float(relative_weights(found, np.array(beta))[0])) / (1.0 + float(relative_weights(found, None)[0]))
    total = float(y.sum())
    tight = 1.0 + 1e-10
    assert (y <= tight).all()
    assert (y**2).sum() == pytest.approx(1.0, rel=1e-10)
    assert 1.0 / tight <= total <= np.sqrt(n) * tight
    assert (y / (c + (c - 1.0) * y)).sum() == pytest.approx(rho, rel=1e-8)  # (1)
    ratio = (1.0 + rho) * c / (1.0 + total)
    assert ratio == pytest.approx(theory.time_ratio(means_of(distances), beta), rel=1e-10)
    if beta >= 0.5:
        assert c >= 1.0 - 1e-10
    two_arms = (1.0 + rho) ** 2 / (4.0 * rho)
    if c >= 1.0:
        assert c <= total * (n + rho) / (rho * (n + total)) * tight
        middle = (1.0 + rho) * (n + rho) / rho / (n / total + total + n + 1.0)
        assert ratio <= middle * tight
        assert middle <= (1.0 + rho) * (n + rho) / (rho * (1.0 + np.sqrt(n)) ** 2) * tight  # (2)
    elif c <= 0.5:
        assert ratio <= (1.0 + rho) / 4.0 * tight <= two_arms * tight
    else:
        chord = y / c + y**2 * (1.0 - c) / (c * (2.0 * c - 1.0))
        assert (y / (c + (c - 1.0) * y) <= chord * tight).all()
        assert rho * c - (1.0 - c) / (2.0 * c - 1.0) <= total * tight  # (3)
        assert ratio <= two_arms * tight  # (4)


def test_the_curve_of_the_last_step_falls():
    """c/(1 + s(c)) on [c₁, 1), and the closed form of its slope."""
    for rho in (1.01, 1.5, 4.0, 50.0):
        c = np.linspace((1.0 + rho) / (2.0 * rho), 1.0, 2001)[:-1]
        lower = rho * c - (1.0 - c) / (2.0 * c - 1.0)
        assert lower[0] == pytest.approx(1.0)
        assert (np.diff(c / (1.0 + lower)) < 0.0).all()
        slope = rho + 1.0 / (2.0 * c - 1.0) ** 2
        sign = 2.0 * (3.0 * c - 1.0) * (c - 1.0) / (2.0 * c - 1.0) ** 2
        np.testing.assert_allclose(1.0 + lower - c * slope, sign, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("arms", [2, 3, 10, 200])
@pytest.mark.parametrize("beta", [0.02, 0.3, 0.5, 0.9])
def test_the_worst_is_reached(arms, beta):
    """By equal means, or in the limit of two arms: so no smaller constant will do."""
    equal = theory.time_ratio(means_of(np.ones(arms - 1)), beta)
    assert equal == pytest.approx(equal_means_ratio(arms, beta), rel=1e-12)
    apart = theory.time_ratio(means_of(np.array([1.0, *[1e9] * (arms - 2)])), beta)
    assert apart == pytest.approx(1.0 / (4.0 * beta * (1.0 - beta)), rel=1e-7)
    assert max(equal, apart) == pytest.approx(theory.worst_time_ratio(arms, beta), rel=1e-7)


@laws
@given(gaps)
def test_only_equal_means_reach_the_constant(distances):
    assume(distances.max() > 1.01)
    arms = distances.size + 1
    assert theory.time_ratio(means_of(distances)) < theory.worst_time_ratio(arms) * (1.0 - 1e-8)


def test_control_equal_means_are_not_the_worst_at_small_shares():
    """Without the two-arm term the theorem would be false, and the tests above would see it."""
    assert theory.time_ratio(means_of(np.array([1.0, *[1e6] * 8])), 0.25) > 1.3 * equal_means_ratio(10, 0.25)


@pytest.mark.parametrize("arms", [2, 3, 10, 35, 1000])
def test_the_robust_share_has_the_smallest_worst_case(arms):
    found = minimize_scalar(lambda b: theory.worst_time_ratio(arms, b), bounds=(0.01, 0.99), options={"xatol": 1e-12})
    share = theory.robust_share(arms)
    assert share == pytest.approx(found.x, abs=1e-6)
    assert theory.worst_time_ratio(arms, share) <= found.fun * (1.0 + 1e-12)
    assert theory.worst_time_ratio(arms, share) == pytest.approx(1.0 / (4.0 * share * (1.0 - share)))
    assert theory.worst_time_ratio(arms, share) < 4.0 / 3.0
    meeting = (
        brentq(lambda b: equal_means_ratio(arms, b) - 1.0 / (4.0 * b * (1.0 - b)), 0.2, 0.5000001) if arms > 2 else 0.5
    )
    assert share == pytest.approx(meeting, abs=1e-9)


@pytest.mark.parametrize(
    ("family", "means"),
    [
        ("bernoulli", [0.99, 0.9]),
        ("poisson", [1.0, 0.01]),
        ("exponential", [1.0, 0.01]),
        ("poisson", [1.0, *[0.0] * 9]),
        ("bernoulli", [1e-6, *[0.0] * 9]),
    ],
)
def test_one_parameter_families_exceed_the_gaussian_constant(family, means):
    ratio = theory.time_ratio(means, family=family)
    assert theory.worst_time_ratio(len(means)) * 1.02 < ratio <= 2.0
