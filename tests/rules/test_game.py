"""The small game of Frank–Wolfe sampling against SciPy's linear programming."""

import numpy as np
import pytest
from scipy.optimize import linprog

from toptwo.rules.game import solve


def by_linear_programming(cost, slope_best, slope_own):
    """Value of max over (z, v) of v subject to s a_j + z_j b_j − f_j ≥ v and z in the simplex; z = (s, z_1, …)."""
    arms = len(cost)
    objective = np.zeros(arms + 2)
    objective[-1] = -1.0
    rows = np.zeros((arms, arms + 2))
    rows[:, 0], rows[:, -1] = -slope_best, 1.0
    rows[np.arange(arms), np.arange(arms) + 1] = -slope_own
    simplex = np.ones((1, arms + 2))
    simplex[0, -1] = 0.0
    bounds = [(0, None)] * (arms + 1) + [(None, None)]
    found = linprog(objective, A_ub=rows, b_ub=-cost, A_eq=simplex, b_eq=[1.0], bounds=bounds, method="highs")
    assert found.status == 0
    return -found.fun


def strategy(share, value, cost, slope_best, slope_own):
    return np.maximum(0.0, (value + cost - share * slope_best) / slope_own)


def games(number, seed):
    random = np.random.default_rng(seed)
    for _ in range(number):
        arms = int(random.integers(1, 12))
        scale = 10.0 ** random.uniform(-4, 3)
        cost = random.uniform(0.0, 1.0, arms) * scale * 10.0 ** random.uniform(-3, 0)
        yield cost, random.exponential(size=arms) * scale, random.exponential(size=arms) * scale


def test_the_value_is_that_of_the_linear_programme(seed):
    pure, mixed = 0, 0
    for cost, slope_best, slope_own in games(400, seed):
        share, value = solve(cost.tolist(), slope_best.tolist(), slope_own.tolist())
        scale = max(slope_best.max(), slope_own.max())
        assert abs(value - by_linear_programming(cost, slope_best, slope_own)) < 1e-9 * scale
        z = strategy(share, value, cost, slope_best, slope_own)
        assert abs(share + z.sum() - 1.0) < 1e-9 or share == 1.0
        assert (share * slope_best + z * slope_own - cost >= value - 1e-9 * scale).all()
        pure, mixed = pure + (share in (0.0, 1.0)), mixed + (0.0 < share < 1.0)
    assert min(pure, mixed) > 40  # corners and the interior both occur


def test_arms_that_are_not_at_play_do_not_count(seed):
    for cost, slope_best, slope_own in games(50, seed):
        padded = [
            np.insert(part, 0, value).tolist() for part, value in ((cost, -1.0), (slope_best, 9.0), (slope_own, 9.0))
        ]
        assert solve(*padded) == pytest.approx(solve(cost.tolist(), slope_best.tolist(), slope_own.tolist()), rel=1e-12)


def test_one_arm_at_play_is_a_choice_between_two_corners():
    assert solve([0.3], [2.0], [1.0]) == (1.0, 1.7)
    assert solve([0.3], [1.0], [2.0]) == (0.0, 1.7)
