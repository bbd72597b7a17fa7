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
from toptwo.families.origin import NEAR, origin_of
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

    def finest(self, rewards):
        return math.inf


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
    assert origin_of(LAWS["one σ per arm"].for_arms(2), [0.6 * NEAR, 0.0]) == 0.6 * NEAR
    assert origin_of(tt.GaussianUnknownVariance(), [1.0, 0.0]) == 0.0
    assert origin_of(tt.GaussianUnknownVariance(), [100.0, 0.0, 100.0, 99.0]) == 100.0
    assert origin_of(tt.GaussianUnknownVariance(), [-7.0, -7.0]) == -7.0
    assert origin_of(tt.Gaussian(), [1e300, -1e300]) == 0.0  # differences of such rewards are no floats


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
