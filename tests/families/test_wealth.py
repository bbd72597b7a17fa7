"""Bets and their mixtures: integrals, slopes, certified minima, and sums over trees of rewards."""

import itertools
import math
import random

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.optimize import minimize_scalar
from wagers import LAWS, SIDES, played, setup_of, wagered

import toptwo as tt
from toptwo.families.numerics.wealth import ALL_SIDES, COUPLING, FLOOR, ROOM, Wager, fading, half_normal
from toptwo.rules.betting import mean_of_leaders


# --- one bet ----------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("total", [-400.0, -30.0, -3.0, 0.0, 2.0, 25.0])
@pytest.mark.parametrize("precision", [1.0, 40.0])
def test_the_half_normal_bet_is_its_integral(total, precision):
    count = 60.0
    value, slope = half_normal(total, count, precision)
    peak = max(0.0, total / (count + precision))

    def log_density(theta):
        return theta * total - 0.5 * theta**2 * (count + precision) + 0.5 * math.log(2.0 * precision / math.pi)

    scale = log_density(peak)
    wide = peak + 40.0 / math.sqrt(count + precision)
    points = [peak, peak + 1.0 / max(1.0, abs(total))]
    integral = quad(lambda theta: math.exp(log_density(theta) - scale), 0.0, wide, points=points, epsabs=0.0, limit=500)
    assert value == pytest.approx(scale + math.log(integral[0]), abs=1e-9)
    step = 1e-4
    up, down = (half_normal(total + s, count, precision)[0] for s in (step, -step))
    assert slope == pytest.approx((up - down) / (2.0 * step), rel=1e-6, abs=1e-9)


def test_the_weights_of_the_lattice_sum_to_at_most_one():
    far = 2000
    fade = np.array([fading(k) for k in range(far)])
    rest = 2.0 / (far - 4.0)  # ∑ of 1/(1 + ½(k − 3.5)²) beyond
    assert fade.sum() <= ALL_SIDES <= fade.sum() + rest
    total = 0.0
    for candidate in range(far):
        weights = FLOOR * fade
        low, high = max(0, candidate - 1), min(far, candidate + 7)
        weights = weights.copy()
        weights[low:high] = [COUPLING[k - candidate + 1] for k in range(low, high)]
        total += fade[candidate] * weights.sum()
    bound = ALL_SIDES * (sum(COUPLING) + FLOOR * ALL_SIDES)
    assert 0.95 * bound < total <= bound


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("epsilon", [0.0, 0.15])
def test_wealth_is_convex_and_its_slope_is_its_slope(law, side, epsilon, seed):
    setup = setup_of(law, side, epsilon)
    now = played(setup, 120, seed, side, law)
    family = setup.family
    sign = 1.0
    lowest = min(range(3), key=lambda i: now.state.means[i])

    wager, room = wagered(lowest, setup, now)
    middle, reach = family.bet_start(wager.pulls_mean, mean_of_leaders(wager), sign)
    assert reach > 0.0
    places = np.linspace(middle - reach, middle + reach, 41)
    values = np.array([family.log_wealth(place, sign, wager, room) for place in places])
    assert (np.diff(values[:, 1]) > 0.0).all()
    step = 1e-4 * reach
    for place, (_, slope) in zip(places, values, strict=True):
        up, down = (family.log_wealth(place + s, sign, wager, room)[0] for s in (step, -step))
        assert slope == pytest.approx((up - down) / (2.0 * step), rel=1e-5, abs=1e-5)


def searched(family, wager, room):
    """Return the least ln wealth by a search without derivatives, and the interval that was searched."""
    low, high = family.bet_range(wager.margin, 1.0)
    middle, reach = family.bet_start(wager.pulls_mean, mean_of_leaders(wager), 1.0)
    ends = max(low, middle - 20.0 * reach), min(high, middle + 20.0 * reach)

    def value(place):
        return family.log_wealth(place, 1.0, wager, room)[0]

    grid = np.linspace(*ends, 121)
    best = grid[np.argmin([value(place) for place in grid])]
    cell = grid[1] - grid[0]
    around = max(low, best - cell), min(high, best + cell)
    found = minimize_scalar(value, bounds=around, method="bounded", options={"xatol": 1e-9 * cell})
    return min(found.fun, value(best)), ends


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("epsilon", [0.0, 0.15])
def test_the_minimum_is_never_overstated(law, side, epsilon, seed):
    """However the search starts and whatever it looks for, it stays on its side of a search without derivatives."""
    setup, noise = setup_of(law, side, epsilon), random.Random(seed)
    checked = 0
    for turn in range(12):
        now = played(setup, 30 + 20 * turn, seed * 100 + turn, side, law)
        family = setup.family

        for arm in range(3):
            if arm == now.best:
                continue
            wager, room = wagered(arm, setup, now)
            least = setup.stopping.least_wealth(arm, math.inf, now)
            if least.lower == -math.inf:
                continue
            true, ends = searched(family, wager, room)
            assert least.lower <= true + 1e-9
            if least.upper < 0.0:  # no evidence; the least may lie far away
                continue
            assert true <= least.upper + 1e-6
            assert least.upper - least.lower <= 1e-8
            for wanted in (true - 1e-3, true + 1e-3, noise.uniform(-1.0, 5.0)):
                now.mine.place[arm] = noise.choice([0.0, noise.uniform(*ends)])
                found = setup.stopping.least_wealth(arm, wanted, now)
                assert found.lower <= true + 1e-9
                assert found.upper >= true - 1e-6
                assert (found.lower >= wanted) == (true >= wanted)
            checked += 1
    assert checked > 2


# --- the martingale, over the whole tree of rewards -------------------------------------------------------------------
def expected_wealth(marks, depth=9):
    """Return the mean wealth against arm 0 at the true means over all rewards of three fair coins.

    `marks(rewards, pull, value)` says whether a pull of arm 1 or 2 counts.
    """
    family, room, total = tt.Bernoulli(), [0.0] * ROOM, 0.0
    for rewards in itertools.product((0.0, 1.0), repeat=depth):
        counts, sums = [0.0, 0.0], [0.0, 0.0]  # candidate, leaders
        for pull, value in enumerate(rewards):
            arm = pull % 3 if pull < 6 else (1 if sum(rewards[:pull]) > 0.5 * pull else 0)  # sampling looks back
            if arm == 0:
                counts[0] += 1.0
                sums[0] += value
            elif marks(rewards, pull, value):
                counts[1] += 1.0
                sums[1] += value
        means = [s / n if n else 0.0 for s, n in zip(sums, counts, strict=True)]
        wager = Wager(0.0, 0.0, counts[1], means[1], 0.0, 0.0, 0.0, -math.inf, counts[0], means[0], 0.0)
        total += math.exp(family.log_wealth(0.5, 1.0, wager, room)[0])
    return total / 2.0**depth


def test_wealth_at_the_true_means_is_at_most_one_on_average_if_marks_come_before_rewards():
    assert 0.3 < expected_wealth(lambda rewards, pull, value: True) <= 1.0
    assert expected_wealth(lambda rewards, pull, value: sum(rewards[:pull]) >= 0.5 * pull) <= 1.0


def test_it_is_not_if_a_pull_is_marked_after_its_reward_is_seen():
    assert expected_wealth(lambda rewards, pull, value: value == 1.0) > 1.2
