"""The parts of the competitors' naive twins against other ways to the same numbers. No rule of the package is used."""

import itertools
import math

import naive_competitors as twins
import naive_tracking as tracking
import numpy as np
import pytest
from scipy.optimize import linprog
from states import data_of

from toptwo.theory import optimal_allocation


def numbers(*coordinates):
    return np.random.default_rng(coordinates)


# ---------------------------------------------------------------------------------------------------------- allocations


@pytest.mark.parametrize("arms", [2, 3, 4, 8])
def test_weights_are_those_of_the_theory(arms):
    for means in numbers(1, arms).normal(size=(30, arms)):
        assert np.allclose(tracking.optimal_weights(means.tolist()), optimal_allocation(means), rtol=1e-11, atol=0)


def test_weights_of_equal_gaps():
    assert tracking.optimal_weights([0.3, 0.7]) == [0.5, 0.5]
    for others in range(2, 7):
        best, *rest = tracking.optimal_weights([1.0] + [0.0] * others)
        assert math.isclose(best, 1 / (1 + math.sqrt(others)), rel_tol=1e-14)
        assert len(set(rest)) == 1


@pytest.mark.parametrize("arms", [2, 3, 5])
def test_projection_is_closest_in_the_largest_difference(arms):
    """A linear program finds no point of {w ≥ e} on the simplex that is closer."""
    random = numbers(2, arms)
    for _ in range(30):
        weights, floor = random.dirichlet([0.5] * arms), random.uniform(0, 1 / (2 * arms))
        got = np.array(tracking.projected(weights.tolist(), floor))
        assert math.isclose(got.sum(), 1, rel_tol=1e-14)
        assert (got >= floor).all()
        identity, column = np.eye(arms), np.ones((arms, 1))
        closest = linprog(
            [0.0] * arms + [1.0],
            A_ub=np.block([[identity, -column], [-identity, -column]]),
            b_ub=np.concatenate([weights, -weights]),
            A_eq=[[1.0] * arms + [0.0]],
            b_eq=[1.0],
            bounds=[(floor, None)] * arms + [(0, None)],
        )
        assert math.isclose(np.abs(got - weights).max(), closest.fun, rel_tol=1e-9, abs_tol=1e-12)


# ----------------------------------------------------------------------------------------------------------------- EBS


def least_weights(points):
    """Smallest optimal weight at each of many points (rows), 0 where the best arm is not alone, by bisection."""
    ordered = np.sort(points, axis=1)
    gaps = ordered[:, -1:] - ordered[:, :-1]
    alone = gaps[:, -1] > 1e-12
    squares = np.where(alone[:, None], gaps / np.where(alone, gaps[:, -1], 1.0)[:, None], 1.0) ** 2
    low, high = np.full(len(points), 2.0), np.full(len(points), 1 + math.sqrt(gaps.shape[1]))
    for _ in range(60):
        middle = (low + high) / 2
        above = (1 / (middle[:, None] * squares - 1) ** 2).sum(axis=1) > 1
        low, high = np.where(above, middle, low), np.where(above, high, middle)
    shares = 1 / (low[:, None] * squares - 1)
    return np.where(alone, shares.min(axis=1) / (1 + shares.sum(axis=1)), 0.0)


def searched(lower, upper, points=7, rounds=14):
    """The largest smallest weight over a box: a grid for each best arm, then finer ones around the best point."""
    low, high = np.array(lower), np.array(upper)
    found = []
    for best in range(len(low)):
        middle, width = (low + high) / 2, (high - low) / 2
        for _ in range(rounds):
            sides = np.clip(np.linspace(middle - width, middle + width, points), low, high)
            grid = np.array(list(itertools.product(*sides.T)))
            values = np.where(grid.argmax(axis=1) == best, least_weights(grid), 0.0)
            found.append(values.max())
            middle, width = grid[values.argmax()], width * 0.6
    return max(found)


def random_box(random, arms):
    centre, width = random.normal(size=arms), random.exponential(0.6, size=arms)
    return (centre - width).tolist(), (centre + width).tolist()


@pytest.mark.parametrize("arms", [2, 3, 4])
def test_no_point_of_the_box_is_kinder_than_that_of_ebs(arms):
    """The closed form is as good as a search of the box, also where the others cannot all be equal."""
    random, unequal = numbers(3, arms), 0
    for _ in range(8):
        lower, upper = random_box(random, arms)
        mean = [(a + b) / 2 for a, b in zip(lower, upper, strict=True)]
        here, there = min(tracking.biased_weights(mean, lower, upper)), searched(lower, upper)
        assert there - 1e-9 <= here <= there * 1.001
        unequal += here < 0.999 / (arms - 1 + math.sqrt(arms - 1))
    assert unequal >= 2 or arms == 2


def test_a_search_of_the_box_notices_a_worse_point():
    """Negative control: means in the middle of their intervals; the others left at their lower ends."""
    random, worse = numbers(3, 3), [0, 0]
    for _ in range(8):
        lower, upper = random_box(random, 3)
        best = int(np.argmax(np.add(lower, upper)))
        low = [upper[i] if i == best else lower[i] for i in range(3)]
        there = searched(lower, upper)
        for which, point in enumerate((np.add(lower, upper) / 2, np.array(low))):
            worse[which] += bool(least_weights(point[None])[0] < there - 1e-9)
    assert min(worse) >= 6


# ----------------------------------------------------------------------------------------------------------------- FWS


def random_game(random, arms):
    """The game of FWS at random weights and gaps, arm 0 the best."""
    x, c = random.dirichlet([2.0] * arms), random.exponential(size=arms)
    rows = {}
    for j in range(1, arms):
        pair = x[0] + x[j]
        rows[j] = tuple(
            float(v) for v in (c[j] * (x[j] / pair) ** 2, c[j] * (x[0] / pair) ** 2, c[j] * x[0] * x[j] / pair)
        )
    return rows


def value_of(z, rows):
    return min(z[0] * p + z[j] * q - f for j, (p, q, f) in rows.items())


@pytest.mark.parametrize("arms", [3, 4, 5])
def test_game_is_solved_as_by_a_linear_program(arms):
    random, inner = numbers(4, arms), 0
    for _ in range(40):
        rows = random_game(random, arms)
        exact = tracking.game(0, rows)
        z = [float(exact.get(i, 0)) for i in range(arms)]
        constraints = [[-p] + [-q * (i == j) for i in range(1, arms)] + [1.0] for j, (p, q, _) in rows.items()]
        program = linprog(
            [0.0] * arms + [-1.0],
            A_ub=constraints,
            b_ub=[-f for _, _, f in rows.values()],
            A_eq=[[1.0] * arms + [0.0]],
            b_eq=[1.0],
            bounds=[(0, None)] * arms + [(None, None)],
        )
        assert math.isclose(value_of(z, rows), -program.fun, rel_tol=1e-6, abs_tol=1e-9)
        assert np.allclose(z, program.x[:-1], atol=1e-6)
        inner += 0 < z[0] < 1
    assert inner > 5


def test_game_against_a_grid():
    """Three arms: no point of a fine grid of the simplex is better, and one comes close."""
    random, steps = numbers(5), 400
    grid = [(a / steps, b / steps, (steps - a - b) / steps) for a in range(steps + 1) for b in range(steps + 1 - a)]
    z = np.array(grid)
    for _ in range(20):
        rows = random_game(random, 3)
        exact = tracking.game(0, rows)
        value = value_of([float(exact.get(i, 0)) for i in range(3)], rows)
        values = np.min([z[:, 0] * p + z[:, j] * q - f for j, (p, q, f) in rows.items()], axis=0)
        steepest = max(max(p, q) for p, q, _ in rows.values())
        assert value - 4 * steepest / steps <= values.max() <= value + 1e-14


def test_game_takes_the_smallest_share_of_the_best_arm():
    """Equal weights: arm 1 may give its share to the best arm or keep it; it keeps it until arm 2 is as poor."""
    rows = {1: (0.25, 0.25, 1 / 6), 2: (0.5, 0.5, 1 / 3)}
    z = tracking.game(0, rows)
    assert [float(z.get(i, 0)) for i in range(3)] == pytest.approx([5 / 6, 1 / 6, 0])
    assert value_of([1, 0, 0], rows) == pytest.approx(value_of([5 / 6, 1 / 6, 0], rows))


# ------------------------------------------------------------------------------------------------------ other formulas


def test_hedge_is_the_mix_of_experts():
    """With K experts of losses l, exp(−ηm) is the weighted mean of exp(−ηl): the definition of the mix loss."""
    hedge, random = tracking.Hedge(3), numbers(6)
    for _ in range(20):
        losses, weights, rate = random.normal(scale=0.002, size=3), np.array(hedge.weights()), hedge.rate
        mix = -math.log((weights * np.exp(-rate * losses)).sum()) / rate
        gap = hedge.gap
        hedge.suffer(losses.tolist())
        assert math.isclose(hedge.gap, gap + max(0.0, (weights * losses).sum() - mix), rel_tol=1e-9)
    assert hedge.gap > 0.01


def test_gains_are_optimistic():
    """The gain is the largest divergence to nature's means within the confidence interval, and at least ln t/N."""
    data, sigma, weights = data_of([0.3, 0.9, -0.2, 0.4], [4, 9, 2, 3], sigma=0.7), 0.7, [0.2, 0.5, 0.1, 0.2]
    twin = tracking.PureExplorationGame(tracking.Question(4, 0.1, "heuristic", sigma, 0.0))
    middle = (0.5 * 0.9 + 0.2 * 0.3) / 0.7
    for i, (target, got) in enumerate(zip([middle, middle, -0.2, 0.4], twin.gains(1, 0, weights, data), strict=True)):
        width = sigma * math.sqrt(2 * math.log(18) / data.count[i])
        inside = np.linspace(data.mean[i] - width, data.mean[i] + width, 1001)
        best = max(((inside - target) ** 2).max() / (2 * sigma**2), math.log(18) / data.count[i])
        assert math.isclose(got, best, rel_tol=1e-12)


def test_gaussian_width():
    """Expected maxima of normals in closed form (two to five)."""
    root, angle = math.sqrt(math.pi), math.asin(1 / 3)
    closed = [0.0, 1 / root, 1.5 / root, 3 / root * (0.5 + angle / math.pi), 5 / root * (0.25 + 1.5 * angle / math.pi)]
    assert np.allclose([twins.gaussian_width(n) for n in range(1, 6)], closed, atol=1e-12)


def test_confidence_of_lil_ucb():
    """The theorem's 4√(cν) + 4cν is δ."""
    for delta in (0.3, 0.1, 1e-6):
        twin = twins.LilUCB(tracking.Question(3, delta, "heuristic", 1.0, 0.0))
        cv = 2.01 / 0.01 / math.log(1.01) ** 1.01 * twin.confidence
        assert math.isclose(4 * math.sqrt(cv) + 4 * cv, delta, rel_tol=1e-9)


# ---------------------------------------------------------------------------------------------------------- whole runs


def play(name, *question, **options):
    return twins.run(name, *question, **options, label=123)


EASY = [0.2, 0.0, 2.0, -0.5]


@pytest.mark.parametrize("threshold", ["heuristic", "proven", "mixture"])
@pytest.mark.parametrize("name", twins.COMPETITORS)
def test_finds_the_best_arm_of_an_easy_instance(name, threshold):
    samples, recommended, decided, counts = play(name, EASY, 0.1, threshold, seed=1, sigma=0.5)
    assert (recommended, decided) == (2, True)
    assert samples == sum(counts)
    assert min(counts) >= 1


@pytest.mark.parametrize("name", ["Exp-Gap", "Peace"])
def test_a_limit_cuts_the_last_batch(name):
    whole = play(name, EASY, 0.1, "heuristic", seed=2, sigma=0.5)
    assert play(name, EASY, 0.1, "heuristic", seed=2, sigma=0.5, max_samples=whole[0]) == whole
    for less in (1, 2, 50):
        cut = play(name, EASY, 0.1, "heuristic", seed=2, sigma=0.5, max_samples=whole[0] - less)
        assert (cut[0], cut[2]) == (whole[0] - less, False)
        assert sum(cut[3]) == cut[0]


def test_lucb_stops_at_the_end_of_pairs():
    for name in ("LUCB", "LUCB1", "KL-LUCB"):
        samples = [play(name, EASY, 0.1, "heuristic", seed=seed)[0] for seed in range(8)]
        assert {n % 2 for n in samples} == {0}


def test_margins_end_eliminations():
    """Two equal best arms: SE and Peace end because of the margin, and LUCB and UGapE by their bounds."""
    for name in ("SE", "Peace", "LUCB", "1/2-LUCB", "LUCB1", "KL-LUCB", "UGapE", "TaS"):
        samples, recommended, decided, _ = play(
            name, [0.0, 1.0, 1.0], 0.1, "heuristic", seed=1, sigma=0.3, epsilon=0.4, max_samples=20_000
        )
        assert decided
        assert recommended in (1, 2)
        assert samples < 5000
