"""Costs and evidence where plain differences have no digits left, against sums in 60 digits."""

import math
from decimal import Decimal, localcontext

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom
from states import FALSE_ALARM

import toptwo as tt
from toptwo.families.gaussian import gap_between
from toptwo.rules.round import survey
from toptwo.state import state_of as fresh_state
from toptwo.study.certificate import confidence

FAMILIES = {"bernoulli": tt.Bernoulli(), "poisson": tt.Poisson(), "exponential": tt.Exponential()}


def state_of(family, sums, pulls):
    """State after so many pulls with these sums of rewards."""
    state = fresh_state(family, len(pulls))
    for i, (total, count) in enumerate(zip(sums, pulls, strict=True)):
        total, count = float(total), float(count)
        state.counts[i], state.inverse[i], state.root[i] = count, 1.0 / count, math.sqrt(1.0 / count)
        state.means[i] = total / count
        state.kept.potentials[i] = family.total_potential(total, count)
        state.kept.totals[i] = total
        state.kept.places[i] = family.stabilised(total / count)
    return state


def entropy(x):
    """x ln x."""
    return x * x.ln() if x > 0 else Decimal(0)


def potential(name, total, count):
    """N φ(S/N), from the definition."""
    x = total / count
    if name == "bernoulli":
        return count * (entropy(x) + entropy(1 - x))
    return count * (entropy(x) if name == "poisson" else -x.ln())


def pooled(name, sums, pulls):
    """The separation without a margin, in 60 digits."""
    with localcontext() as context:
        context.prec = 60
        (s, t), (n, m) = ([Decimal(float(value)) for value in part] for part in (sums, pulls))
        return float(potential(name, s, n) + potential(name, t, m) - potential(name, s + t, n + m))


def divergence(name, x, y):
    """d(x, y), from the definition."""
    parts = {
        "bernoulli": lambda: x * (x / y).ln() + (1 - x) * ((1 - x) / (1 - y)).ln(),
        "poisson": lambda: y - x + x * (x / y).ln(),
        "exponential": lambda: x / y - 1 - (x / y).ln(),
    }
    return parts[name]()


def searched(name, sums, pulls, epsilon, top):
    """The separation with a margin and the first arm ahead, by halving the derivative's bracket in 60 digits."""
    with localcontext() as context:
        context.prec = 60
        (s, t), (n, m) = ([Decimal(float(value)) for value in part] for part in (sums, pulls))
        a, b, margin = s / n, t / m, Decimal(epsilon)
        low, high = max(Decimal(0), b - margin), min(a, Decimal(top) - margin)

        def variance(x):
            return {"bernoulli": x * (1 - x), "poisson": x, "exponential": x * x}[name]

        for _ in range(180):
            u = (low + high) / 2
            if n * (u - a) * variance(u + margin) + m * (u + margin - b) * variance(u) > 0:
                high = u
            else:
                low = u
        return float(n * divergence(name, a, u) + m * divergence(name, b, u + margin))


many = st.floats(0.0, 20.7).map(math.exp).map(round).map(float)
steps = st.floats(-8.0, 8.0)


def sums_near(name, mean, pulls, shifts):
    """Sums of rewards whose means are some standard errors off: whole numbers for the first two families."""
    if name == "bernoulli":
        mean = mean / (1.0 + mean)
    variance = {"bernoulli": mean * (1.0 - mean), "poisson": mean, "exponential": mean * mean}[name]
    sums = [n * mean + shift * math.sqrt(n * variance) for n, shift in zip(pulls, shifts, strict=True)]
    if name == "exponential":
        return [max(total, 1e-3 * n * mean) for total, n in zip(sums, pulls, strict=True)]
    top = pulls if name == "bernoulli" else (math.inf, math.inf)
    return [float(round(min(max(total, 0.0), most))) for total, most in zip(sums, top, strict=True)]


@pytest.mark.parametrize("name", FAMILIES)
@given(st.floats(-30.0, 34.0).map(math.exp), many, many, steps, steps)
def test_separation_keeps_its_digits_at_any_size(name, mean, n, m, x, y):
    family, sums = FAMILIES[name], sums_near(name, mean, (n, m), (x, y))
    state, expected = state_of(family, sums, (n, m)), pooled(name, sums, (n, m))
    found = family.separation(0, 1, 0.0, state)
    assert found == pytest.approx(expected, rel=1e-9, abs=1e-9)
    assert 0.0 <= family.evidence(0, 1, 0.0, state) <= found
    assert not family.separation_surely_above(0, 1, 0.0, expected * (1.0 + 2e-9) + 2e-9, state)


@pytest.mark.parametrize("name", FAMILIES)
@given(st.floats(-20.0, 30.0).map(math.exp), many, many, steps, steps, st.floats(-25.0, 0.0).map(math.exp))
def test_separation_with_a_margin_is_never_too_large(name, mean, n, m, x, y, share):
    family, sums = FAMILIES[name], sums_near(name, mean, (n, m), (x, y))
    state = state_of(family, sums, (n, m))
    epsilon = share * state.means[1] + max(0.0, state.means[1] - state.means[0])
    top = family.highest_mean()
    if min(sums) > 0.0 and max(state.means) < top and 0.0 < epsilon < top:
        found = family.separation(0, 1, epsilon, state)
        expected = searched(name, sums, (n, m), epsilon, 1 if name == "bernoulli" else "Infinity")
        assert found <= expected * (1.0 + 1e-9) + 1e-9
        gap = state.means[0] - state.means[1] + epsilon
        if gap > 1e-4 * (state.means[0] + epsilon):  # then its roundings are no excuse
            assert found == pytest.approx(expected, rel=1e-8, abs=1e-9)


@pytest.mark.parametrize(
    ("name", "sums", "pulls"),
    [
        ("poisson", (30.00001e11, 29.99999e11), (30, 30)),
        ("poisson", (30.000001e13, 29.999999e13), (30, 30)),
        ("poisson", (16.0000001e14, 15.9999999e14), (16, 16)),
        ("poisson", (2231837055484627, 139489838391687), (16, 1)),
        ("poisson", (55815712, 3), (2527297, 1)),
        ("bernoulli", (300994069, 25539151), (300994070, 25539151)),
        ("bernoulli", (3310840, 0), (3310840, 1)),
        ("exponential", (1e-13, 1e13), (430, 7)),
        ("exponential", (1e9 + 5e4, 1e9), (1e9, 1e9)),
    ],
)
def test_separation_of_single_cases(name, sums, pulls):
    state = state_of(FAMILIES[name], sums, pulls)
    assert FAMILIES[name].separation(0, 1, 0.0, state) == pytest.approx(pooled(name, sums, pulls), rel=1e-11, abs=1e-10)


def test_a_mean_at_the_end_of_the_range_is_moved_as_little_as_it_takes():
    """All of 28 successes against 39 646 097 of 39 646 100, and a margin too small to matter."""
    family = tt.Bernoulli()
    sums, pulls = (39646097, 28), (39646100, 28)
    expected = pooled("bernoulli", sums, pulls)
    assert family.separation(0, 1, 4e-19, state_of(family, sums, pulls)) == pytest.approx(expected, rel=1e-6)
    backwards = state_of(family, sums[::-1], pulls[::-1])
    assert family.separation(0, 1, 1e-12, backwards) == pytest.approx(expected, rel=1e-4)


def test_far_behind_there_may_be_two_minima():
    """Exponential means ten orders apart, 226 and 1e9 rewards: moving the few costs 7436, moving the many 2e7."""
    family = tt.Exponential()
    state = state_of(family, (1.316722029690888e-13, 1706894499.3317342), (226, 1e9))
    epsilon = 1.3986064363370176
    few = family.deviation(0, state.means[1] - epsilon, state)
    assert 0.99 * few < family.separation(0, 1, epsilon, state) < few


def test_divergences_of_means_far_apart_keep_their_digits():
    assert tt.Exponential().divergence(1e-15, 1.0) == pytest.approx(1e-15 - 1.0 + 15.0 * math.log(10.0), rel=1e-14)
    assert tt.Poisson().divergence(1.0, 1e-15) == pytest.approx(1e-15 - 1.0 + 15.0 * math.log(10.0), rel=1e-14)
    assert tt.Exponential().upper_bound(0, 45.0, state_of(tt.Exponential(), (1.0,), (1.0,))) == math.inf


@pytest.mark.parametrize(("pulls", "successes", "width"), [(10**9, 380417055, 0.02), (1477849, 223619, 1.2)])
def test_bounds_of_bernoulli_arms_reach_their_width_at_large_counts(pulls, successes, width):
    family = tt.Bernoulli()
    state = state_of(family, (successes,), (pulls,))
    for bound in (family.lower_bound(0, width, state), family.upper_bound(0, width, state)):
        assert family.deviation(0, bound, state) == pytest.approx(0.5 * width**2, rel=1e-7)


def test_a_wrong_arm_of_large_counts_is_rarely_trusted(seed):
    """Poisson means of 1e14 that are equal: the arm that looks better may be given 0.999 once in a thousand runs."""
    family, noise, runs, trusted = tt.Poisson(scale=1e14), np.random.default_rng(seed), 300, 0
    for _ in range(runs):
        pulls = noise.integers(100, 400, 2)
        sums = [float(round(1e14 * n + math.sqrt(1e14 * n) * noise.standard_normal())) for n in pulls]
        state = state_of(family, sums, pulls)
        wrong = int(state.means[1] > state.means[0])
        trusted += confidence("mixture", survey(int(pulls.sum()) + 1, wrong, 0.0, state, family)) >= 0.999
    assert binom.sf(trusted - 1, runs, 1e-3) > FALSE_ALARM
    assert binom.sf(100, runs, 1e-3) < FALSE_ALARM  # negative control


# --- Gaussian ---------------------------------------------------------------------------------------------------------
def test_a_margin_that_cancels_the_gap_leaves_its_digits():
    state = fresh_state(tt.Gaussian(), 2)
    state.means[:], state.counts[:], state.inverse[:] = [0.1, 1e9], [1e9, 1e9], [1e-9, 1e-9]
    epsilon = 1e9  # exactly the difference but for the tenth
    assert gap_between(0, 1, epsilon, state) == 0.1
    assert state.means[0] - state.means[1] + epsilon != 0.1
    assert tt.Gaussian().separation(0, 1, epsilon, state) == pytest.approx(0.01 * 1e9 / 4.0, rel=1e-14)
    assert not tt.Gaussian().separation_surely_above(0, 1, epsilon, 0.01 * 1e9 / 4.0, state)


def test_means_of_a_million_million_one_apart():
    state = fresh_state(tt.Gaussian(), 2)
    state.means[:], state.counts[:], state.inverse[:] = [1e12 + 1.0, 1e12], [30.0, 40.0], [1 / 30.0, 1 / 40.0]
    small = fresh_state(tt.Gaussian(), 2)
    small.means[:], small.counts[:], small.inverse[:] = [1.0, 0.0], [30.0, 40.0], [1 / 30.0, 1 / 40.0]
    for question in (tt.Gaussian().separation, tt.Gaussian().evidence):
        assert question(0, 1, 0.0, state) == question(0, 1, 0.0, small)


# --- bounded ----------------------------------------------------------------------------------------------------------
def atoms_of(*arms):
    """State of arms in [0, 1] with these masses of values."""
    state = fresh_state(tt.Bounded(), len(arms))
    kept = state.kept
    for arm, masses in enumerate(arms):
        masses = {0.0: 0.0, 1.0: 0.0} | masses
        count = sum(masses.values())
        state.counts[arm], state.inverse[arm], state.root[arm] = count, 1.0 / count, count**-0.5
        kept.number[arm], kept.total[arm] = float(len(masses)), count
        kept.sum[arm] = sum(value * mass for value, mass in masses.items())
        kept.squares[arm] = sum(value * value * mass for value, mass in masses.items())
        state.means[arm] = kept.sum[arm] / count
        for place, value in enumerate(sorted(masses)):
            kept.values[place][arm], kept.masses[place][arm] = value, masses[value]
    return state


@pytest.mark.parametrize(
    ("arms", "epsilon", "most"),
    [
        (({1.0: 3.0}, {1.0 - 1e-14: 314841.0}), 0.0, 3.2e-14),
        (({1.988574849462384e-12: 1.0}, {0.0: 4912774.0}), 0.0, 9.8e-6),
        (({0.9999998272183417: 2.0}, {0.9999998272183416: 2.0}), 0.0, 1e-15),
    ],
)
def test_rewards_without_spread_cost_little_where_the_other_arm_can_move(arms, epsilon, most):
    state = atoms_of(*arms)
    value = tt.Bounded().separation(0, 1, epsilon, state)
    assert 0.0 <= tt.Bounded().evidence(0, 1, epsilon, state) <= value <= most


def test_arms_that_are_level_but_for_rounding_cost_nothing():
    state = atoms_of({0.3: 2.0, 0.6: 1.0}, {0.7: 199642831.0})
    epsilon = state.means[1] - state.means[0]
    for margin in (epsilon, math.nextafter(epsilon, 1.0)):
        assert tt.Bounded().separation(0, 1, margin, state) < 1e-12


def test_lower_bounds_of_rewards_at_both_ends_are_numbers():
    state = atoms_of({0.0: 1.0, 0.9999999979583956: 1.0})
    assert 0.0 <= tt.Bounded().lower_bound(0, 43.8, state) < 1e-100
