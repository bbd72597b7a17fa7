"""Special functions, bonuses and thresholds against direct evaluation."""

import math

import numpy as np
import pytest
from scipy.special import lambertw, zeta

import toptwo as tt
from toptwo import theory
from toptwo.errors import InputError
from toptwo.state import state_of


def test_lambert_bar_against_scipy_and_its_bounds():
    x = np.concatenate([1.0 + np.geomspace(1e-6, 1.0, 20), np.linspace(2.0, 600.0, 50)])
    found = theory.lambert_bar(x)
    np.testing.assert_allclose(found, -lambertw(-np.exp(-x), -1).real, rtol=1e-9)
    np.testing.assert_allclose(found - np.log(found), x, rtol=1e-14)
    assert (found >= x + np.log(x)).all()
    assert (found <= x + np.log(x) + np.minimum(0.5, 1.0 / np.sqrt(x))).all()


def test_lambert_bar_far_beyond_underflow():
    for x in (1e3, 1e8, 1e300):
        assert theory.lambert_bar(x) == pytest.approx(x + math.log(x), rel=1e-5)


def test_calibration_gaussian_is_the_minimum():
    rates = np.linspace(0.5 + 1e-6, 1.0 - 1e-6, 400_001)
    cost = 2.0 * rates - 2.0 * rates * np.log(4.0 * rates) + np.log(zeta(2.0 * rates)) - 0.5 * np.log1p(-rates)
    for x in (0.0, 0.05, 1.0, 2.0, 5.0, 12.0, 345.0):
        brute = ((cost + x) / rates).min()
        assert theory.calibration_gaussian(x) == pytest.approx(brute, rel=1e-7)
        assert theory.calibration_gaussian(x) <= brute * (1.0 + 1e-12)


def test_x_plus_log_x_is_no_substitute_for_the_gaussian_calibration():
    x = np.linspace(0.05, 6.0, 50)
    assert (theory.calibration_gaussian(x) > x + np.log(x)).all()


def test_calibration_exponential_is_continuous_increasing_and_above_the_popular_formula():
    x = np.linspace(0.1, 60.0, 20_001)
    values = theory.calibration_exponential(x)
    steps = np.diff(values)
    assert (steps > 0.0).all()
    assert steps.max() < 0.02  # no jump where the straight line ends
    moderate = x[x < 12.0]
    popular = moderate + 4.0 * np.log1p(moderate + np.sqrt(2.0 * moderate))
    assert (theory.calibration_exponential(moderate) > popular).all()


def test_calibration_exponential_by_hand():
    for x in (0.01, 0.3, 1.0, 7.0, 80.0):
        middle = 0.5 * (-lambertw(-math.exp(-1.0 - x), -1).real + math.log(2.0 * zeta(2.0)))
        inverse = -lambertw(-math.exp(-middle), -1).real
        steep = math.exp(1.0 / inverse) * inverse
        line = 1.5 * (middle - math.log(math.log(1.5)))
        expected = 2.0 * (steep if middle >= 1.0 / math.log(1.5) - math.log(1.0 / math.log(1.5)) else line)
        assert theory.calibration_exponential(x) == pytest.approx(expected, rel=1e-12)


def test_bonuses():
    n = np.arange(37, 10_000)
    mixture, union = theory.bonus_mixture(n), theory.bonus_union(n)
    assert (mixture < union).all()
    assert theory.bonus_mixture(36) > theory.bonus_union(36)
    argument = 2.0 * 1.44 * np.log(n) + 2.0 * np.log(2.0 + 1.2 * np.log(n)) + 2.0
    np.testing.assert_allclose(mixture - np.log(mixture), argument, rtol=1e-13)
    np.testing.assert_allclose(theory.bonus_union(n, alpha=1.5, s=2.0), 9.0 * np.log(n))


def test_thresholds_of_the_specification():
    assert theory.threshold_exponential(1000, 0.1, 10) == pytest.approx(34.4, abs=0.05)
    assert theory.threshold_proven(1000, 0.1, 10) == pytest.approx(17.0, abs=0.05)
    assert theory.threshold_heuristic(1000, 0.1) == pytest.approx(4.4, abs=0.05)


def test_thresholds_take_arrays():
    n, delta = np.array([10.0, 100.0, 1e6]), np.array([[0.1], [0.01]])
    for threshold in (theory.threshold_proven, theory.threshold_exponential):
        table = threshold(n, delta, 5)
        assert table.shape == (2, 3)
        assert table[1, 2] == threshold(1e6, 0.01, 5)
        assert (np.diff(table, axis=1) > 0.0).all()
        assert (table[1] > table[0]).all()
    assert theory.threshold_heuristic(n, delta).shape == (2, 3)


@pytest.mark.parametrize("counts", [(1, 1), (3, 40), (400, 400), (10_000, 17)])
@pytest.mark.parametrize("precision", [0.5, 10.0, 64.0])
def test_mixture_level_is_where_the_evidence_suffices(counts, precision):
    """At the level, the closed form of the evidence equals ln((K−1)/δ); the infimum over u agrees with it."""
    first, second = counts
    level = theory.threshold_mixture(first, second, 0.05, 7, precisions=[precision])
    gap = math.sqrt(2.0 * level * (1.0 / first + 1.0 / second))

    def log_mixture(count, mean, u):
        return count**2 * (mean - u) ** 2 / (2.0 * (count + precision)) - 0.5 * math.log1p(count / precision)

    u = np.linspace(-0.1 * gap, 1.1 * gap, 400_001)
    assert (log_mixture(first, gap, u) + log_mixture(second, 0.0, u)).min() == pytest.approx(
        math.log(6.0 / 0.05), rel=1e-8
    )


def test_mixture_level_is_that_of_the_shipped_rule():
    """At the level, the evidence that the stopping rule computes is exactly enough."""
    first, second = 50, 70
    level = theory.threshold_mixture(first, second, 0.1, 4)
    state = state_of(tt.Gaussian(), 2)
    for arm, count in enumerate((first, second)):
        state.counts[arm], state.inverse[arm], state.root[arm] = float(count), 1 / count, count**-0.5
    state.means[0] = math.sqrt(2 * level * (1 / first + 1 / second))
    assert tt.Gaussian().evidence(0, 1, 0.0, state) == pytest.approx(math.log(3 / 0.1), rel=1e-12)


def test_mixture_over_a_grid_beats_each_weighted_precision():
    weighted = theory.threshold_mixture(50, 70, 0.1, 4, precisions=[1.0, 16.0], weights=[0.9, 0.1])
    parts = [
        theory.threshold_mixture(50, 70, weight * 0.1, 4, precisions=[rho]) for rho, weight in ((1.0, 0.9), (16.0, 0.1))
    ]
    assert 0.9 * min(parts) < weighted < min(parts)


def test_mixture_is_tighter_than_proven_in_the_useful_range():
    counts = np.geomspace(50, 1e6, 40)
    assert (theory.threshold_mixture(counts, counts, 0.1, 10) < theory.threshold_proven(2 * counts, 0.1, 10)).all()
    assert theory.mixture_loss(counts, counts, 0.1, 10).shape == (40,)


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: theory.lambert_bar(0.5), "x must be at least 1, not 0.5"),
        (lambda: theory.lambert_bar("a"), "x must be a number"),
        (lambda: theory.lambert_bar([2.0, math.nan]), "without NaN"),
        (lambda: theory.bonus_union(10, alpha=1.0), "alpha must be a finite number above 1"),
        (lambda: theory.bonus_mixture(10, s=0.5), "s must be a finite number above 1"),
        (lambda: theory.threshold_proven(1, 0.1, 3), "samples must be at least 2"),
        (lambda: theory.threshold_proven(10, 0.1, 1), "arms must be a whole number of at least 2"),
        (lambda: theory.threshold_mixture(0, 5, 0.1, 3), "first must be at least 1"),
        (lambda: theory.threshold_mixture(5, 5, 0.1, 3, precisions=[]), "list of finite positive"),
        (lambda: theory.threshold_mixture(5, 5, 0.1, 3, weights=[0.5, 0.5]), "as many as precisions"),
        (lambda: theory.threshold_mixture(5, 5, 0.1, 3, precisions=[1.0, 2.0], weights=[0.9, 0.5]), "at most 1"),
        (lambda: theory.worst_time_ratio(1), "arms must be at least 2"),
        (lambda: theory.idealised_time(-1.0, 1.0, 0.1), "multiplier"),
    ],
)
def test_bad_input_names_the_remedy(call, said):
    with pytest.raises(InputError, match=said):
        call()
