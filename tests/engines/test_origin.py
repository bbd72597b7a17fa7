"""Means large beside the noise: averages keep their digits because they are measured from near the best arm."""

import math
from fractions import Fraction
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import toptwo as tt
from toptwo.families import Gaussian
from toptwo.families.origin import NEAR, SURELY, origin_of
from toptwo.state import add_reward, state_of

LAWS = {
    "gaussian": tt.Gaussian(),
    "one σ per arm": tt.Gaussian(sigma=(1.0, 0.5)),
    "unknown variance": tt.GaussianUnknownVariance((1.0, 0.5)),
}

FAR = 1e12
SPACING = math.ulp(FAR)
"""Means around 1e12 are handed out as doubles, which lie so far apart."""


class FromZero(Gaussian):
    """A Gaussian law that is measured from 0 however large the rewards: what the tests below must find out."""

    def measured_from(self, rewards):
        return 0.0


class Never(NamedTuple):
    """A stopping rule that never stops."""

    def stops(self, now):
        return False


def never(delta, arms):
    return Never()


def of_a_million(family, low):
    """The averages of two arms of means `low` and one more after a million pulls."""
    result = tt.simulate(
        "TTUCB", [low, low + 1.0], threshold=never, family=family, runs=4, max_samples=10**6, trace=[10**6], seed=2
    )
    return result.trace.means[:, 0], result.counts


@pytest.mark.parametrize("law", LAWS)
def test_averages_of_a_million_rewards_around_1e12_lose_nothing(law):
    far, pulls = of_a_million(LAWS[law], FAR)
    near, same = of_a_million(LAWS[law], -1.0)
    assert np.array_equal(pulls, same)
    assert (np.abs(far - FAR - 1.0 - near) <= SPACING).all()


def test_measured_from_zero_they_are_several_standard_errors_off():
    far, pulls = of_a_million(FromZero(), FAR)
    truth = np.array([FAR, FAR + 1.0])
    assert (np.abs(far - truth) * np.sqrt(pulls)).max() > 6.0
    near, pulls = of_a_million(FromZero(), -1.0)
    assert (np.abs(near - [-1.0, 0.0]) * np.sqrt(pulls)).max() < 5.0


@pytest.mark.parametrize("law", LAWS)
def test_runs_do_not_depend_on_what_all_means_have_in_common(law):
    options = {"family": LAWS[law], "seed": 3, "max_samples": 300, "engine": "python"}
    rows = np.array([[0.0, 1.0], [0.5, 0.0], [0.0, 0.25]])
    shifts = np.array([[FAR], [-FAR], [1e6]])
    plain = tt.simulate("T3C", rows - rows.max(axis=1, keepdims=True), **options)
    moved = tt.simulate("T3C", rows + shifts, **options)
    assert np.array_equal(plain.counts, moved.counts)
    assert np.array_equal(plain.recommended, moved.recommended)
    assert (moved.means == rows + shifts).all()


def test_other_laws_are_read_as_they_are():
    for family in (tt.Poisson(), tt.Exponential(), tt.Bounded(0.0, 1e13), FromZero()):
        assert origin_of(family, [1e12, 1e12 + 1.0]) == 0.0


def test_the_origin_is_zero_where_that_loses_nothing():
    assert origin_of(tt.Gaussian(2.0), [2.0 * NEAR, -1e300]) == 0.0
    assert origin_of(tt.Gaussian(2.0), [2.1 * NEAR, -1e300]) == 2.1 * NEAR
    assert origin_of(LAWS["one σ per arm"].for_arms(2), [0.8 * NEAR, 0.0]) == 0.8 * NEAR - 4.0
    assert origin_of(tt.GaussianUnknownVariance(), [1.0, 0.0]) == 0.0
    assert origin_of(tt.GaussianUnknownVariance(), [-7.0, -7.0]) == -7.0
    assert origin_of(tt.GaussianUnknownVariance(), [1e12, 0.0, 1e12 + 1.0]) == 1e12 + 1.0
    assert origin_of(tt.GaussianUnknownVariance(), [1e12, 0.0, 1.0]) == 0.0  # all of 1e12 may be noise
    assert origin_of(tt.GaussianUnknownVariance(), [1e13, 1e9, 1e9 + 1.0]) == 1e9
    assert origin_of(tt.Gaussian(), [1e300, -1e300]) == 0.0  # differences of such rewards are no floats


WIDEST = 40.0
"""Deviations of the best arm, at most, that its true mean lies from the origin (theorem 1 of docs/rounding.md)."""

first_pulls = st.tuples(
    st.floats(-15.0, 15.0).map(lambda power: 10.0**power),  # σ
    st.floats(-1.0, 1.0),  # mean
    st.floats(-SURELY, SURELY),  # noise of the first reward
)


def off_by(place, sigmas, means):
    """How far the best arm's mean lies from a place, in deviations of its own."""
    best = means.index(max(means))
    return abs(means[best] - place) / sigmas[best]


@given(st.lists(first_pulls, min_size=2, max_size=5), st.floats(-15.0, 15.0).map(lambda power: 10.0**power))
def test_the_best_arm_is_near_the_origin_whatever_the_noise_of_others(pulls, scale):
    sigmas, means = [sigma for sigma, _, _ in pulls], [scale * mean for _, mean, _ in pulls]
    firsts = [mean + sigma * noise for mean, (sigma, _, noise) in zip(means, pulls, strict=True)]
    family = tt.Gaussian(sigma=sigmas).for_arms(len(pulls))
    rounding = 1e-15 * (max(map(abs, firsts)) + SURELY * max(sigmas)) / min(sigmas)
    for values in (firsts, means):  # a study, and a simulation
        assert off_by(origin_of(family, values), sigmas, means) <= WIDEST + rounding


def test_the_highest_first_reward_may_be_far_from_the_best_arm():
    sigmas, means, firsts = [1.0, 1.0, 1e13], [0.0, 1.0, -1e12], [0.3, 0.8, 1e13]
    assert off_by(max(firsts), sigmas, means) > 1e12
    assert off_by(origin_of(tt.Gaussian(sigma=sigmas).for_arms(3), firsts), sigmas, means) <= WIDEST


@given(st.lists(st.floats(-1e9, 1e9), min_size=2, max_size=5))
def test_with_unknown_variance_the_origin_is_farther_than_0_from_no_first_reward_that_may_be_noise(firsts):
    place, (second, highest) = origin_of(tt.GaussianUnknownVariance(), firsts), sorted(firsts)[-2:]
    if highest - second >= 1e-6 * abs(highest):
        assert all(abs(first - place) <= abs(first) for first in firsts)


rewards = st.lists(st.floats(-1.0, 1.0), min_size=2, max_size=300)


@given(rewards, st.sampled_from([0.0, 1.0, 32.0, 1e6, 1e12]), st.sampled_from([1.0, 1e-4, 1e-9]))
def test_the_error_of_an_average_is_within_its_bound(noise, place, spread):
    """Lemma 1 of docs/rounding.md, against fractions."""
    state, total, largest, farthest = state_of(tt.Gaussian(), 1), Fraction(0), Fraction(0), Fraction(0)
    for n, part in enumerate(noise, 1):
        reward = place + spread * part
        if n > 1:
            farthest = max(farthest, abs(Fraction(reward) - Fraction(state.means[0])))
        add_reward(0, reward, state)
        total += Fraction(reward)
        largest = max(largest, abs(Fraction(state.means[0])))
        bound = Fraction(2.0**-53) * (Fraction(101, 200) * (n + 1) * largest + Fraction(301, 100) * farthest)
        assert abs(Fraction(state.means[0]) - total / n) <= bound


def test_means_of_bounded_rewards_do_not_drift_in_an_interval_far_away(seed):
    noise, far = np.random.default_rng(seed), tt.Bounded(FAR, FAR + 1.0)
    parts = np.round(noise.uniform(0.3, 0.4, 20_000) / SPACING) * SPACING
    state, plain = state_of(far, 1), state_of(tt.Gaussian(), 1)
    for part in parts.tolist():
        far.observe(0, FAR + part, state)
        add_reward(0, FAR + part, plain)
    assert abs(state.means[0] - FAR - parts.mean()) <= SPACING
    assert abs(plain.means[0] - FAR - parts.mean()) > 2.0 * SPACING
    assert far.mirrored().low < -FAR
