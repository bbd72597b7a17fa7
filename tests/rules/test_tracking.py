"""Optimal allocations inside a round, their projection, and the two ways of tracking them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from states import Forbidden, round_of

from toptwo import theory
from toptwo.families.numerics.optimal_allocation import gaussian_allocation
from toptwo.rules.tracking import CumulativeTracking, DirectTracking, project


def allocation(means, start=0.0):
    shares = [0.0] * len(means)
    return shares, gaussian_allocation(int(np.argmax(means)), list(means), start, shares)


@given(st.lists(st.floats(1e-6, 1e3), min_size=1, max_size=20), st.integers(0, 20))
def test_the_allocation_is_that_of_the_theory(gaps, place):
    means = [-gap for gap in gaps]
    means.insert(min(place, len(gaps)), 0.0)
    shares, root = allocation(means)
    assert shares == pytest.approx(theory.optimal_allocation(means).tolist(), rel=1e-9, abs=1e-15)
    for start in (root, 0.5 * root, 3.0 * root, 1e9, -1.0):  # wherever the search starts, it ends in the same place
        assert allocation(means, start)[0] == pytest.approx(shares, rel=1e-11, abs=1e-16)


def test_a_known_root_is_found_in_one_step():
    means = [0.6, 0.5, 0.45, 0.4, 0.3]
    _, root = allocation(means)
    assert allocation(means, root)[1] == pytest.approx(root, rel=1e-15)


@given(st.lists(st.floats(0.0, 1.0), min_size=2, max_size=12).filter(lambda w: sum(w) > 0.1), st.floats(0.0, 1.0))
def test_projection_is_the_nearest_point_above_the_floor(weights, depth):
    start = np.array(weights) / sum(weights)
    floor = depth / len(weights)
    moved = start.tolist()
    project(floor, moved)
    moved = np.array(moved)
    assert moved.sum() == pytest.approx(1.0, abs=1e-12)
    assert (moved >= floor - 1e-15).all()
    # The least possible largest change: raise what is below the floor, lower the rest evenly but not below it.
    need = np.maximum(floor - start, 0.0)
    low, high = 0.0, 1.0
    for _ in range(100):
        middle = 0.5 * (low + high)
        enough = np.minimum(np.maximum(start - floor, 0.0), middle).sum() >= need.sum()
        low, high = (low, middle) if enough else (middle, high)
    assert np.abs(moved - start).max() == pytest.approx(max(high, need.max()), abs=1e-9)


def moment(means, counts, rule, shares, sums=()):
    now = round_of(means, counts, rule=rule)
    now.mine.shares[:] = shares
    if sums:
        now.mine.sums[:] = sums
    return now


def test_cumulative_tracking_follows_the_sum():
    rule = CumulativeTracking()
    now = moment([0.0, 0.5, 0.2], [40, 30, 30], rule, [0.2, 0.5, 0.3], [40.0, 30.6, 30.1])
    assert rule.track(now, Forbidden()) == 1
    assert now.mine.sums == pytest.approx([40.2, 31.1, 30.4])


def test_cumulative_tracking_explores():
    rule = CumulativeTracking()
    now = moment([0.0, 0.5, 0.2], [40, 30, 30], rule, [0.0, 0.5, 0.5], [0.0, 0.1, 0.0])
    rule.track(now, Forbidden())
    floor = 0.5 / np.sqrt(9.0 + 100.0)
    assert now.mine.shares == pytest.approx([floor, (1.0 - floor) / 2, (1.0 - floor) / 2])


@pytest.mark.parametrize(("counts", "arm"), [([20, 40, 40], 1), ([8, 52, 40], 0), ([9, 51, 40], 0)])
def test_direct_tracking_follows_the_share_unless_an_arm_is_far_behind(counts, arm):
    rule = DirectTracking()
    assert rule.track(moment([0.0, 0.5, 0.2], counts, rule, [0.1, 0.5, 0.4]), Forbidden()) == arm
