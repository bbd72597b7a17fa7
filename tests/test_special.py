"""Special functions against SciPy and against decimal arithmetic, far into their tails."""

import itertools
import math
from decimal import Decimal, localcontext

import naive
import pytest
from scipy.special import lambertw, log_ndtr

from toptwo.special import calibration_gaussian, lambert_bar, log_normal_tail


def root_of_u_minus_log_u(x):
    """The root u ≥ 1 of u − ln u = x by bisection with 60 digits."""
    with localcontext() as context:
        context.prec = 60
        target = Decimal(x)
        low, high = Decimal(1), 2 * target + 2
        for _ in range(220):
            middle = (low + high) / 2
            low, high = (middle, high) if middle - middle.ln() < target else (low, middle)
        return float(low)


@pytest.mark.parametrize("x", [1.0, 1.0 + 1e-12, 1.0 + 1e-6, 1.01, 1.5, 2.0, 5.0, 30.0, 700.0, 746.0, 1e5, 1e15, 1e300])
def test_lambert_bar_in_decimal(x):
    """Near 1 the root is √(2(x−1)) above 1 and x itself has only 16 digits; hence the square root in the tolerance."""
    loss = 1e-15 / math.sqrt(max(x - 1.0, 1e-15))
    assert lambert_bar(x) == pytest.approx(root_of_u_minus_log_u(x), rel=max(4e-16, 10 * loss))


@pytest.mark.parametrize("x", [1.3, 2.0, 10.0, 100.0, 600.0])
def test_lambert_bar_is_lambert_w(x):
    assert lambert_bar(x) == pytest.approx(-lambertw(-math.exp(-x), k=-1).real, rel=1e-12)


def test_lambert_bar_increases_and_is_above_x_plus_log_x():
    grid = [1.0 + 0.01 * k for k in range(2000)]
    values = [lambert_bar(x) for x in grid]
    assert all(a < b for a, b in itertools.pairwise(values))
    assert all(value >= x + math.log(x) for x, value in zip(grid, values, strict=True))


@pytest.mark.parametrize(
    ("x", "value"),
    [(1.0, 2.507), (2.0, 3.583), (5.0, 6.757), (12.0, 14.016)],
)
def test_calibration_has_the_published_values(x, value):
    assert round(calibration_gaussian(x), 3) == value


@pytest.mark.parametrize("x", [0.0, 0.01, 0.3, 1.0, 2.3, 7.0, 50.0, 345.0, 1e4])
def test_calibration_is_the_minimum(x):
    assert calibration_gaussian(x) == pytest.approx(naive.calibration(x), rel=1e-11)


def test_calibration_is_not_x_plus_log_x():
    """the approximation quoted in the paper is below C_G for small x and would not be proven."""
    assert all(calibration_gaussian(x) > x + math.log(x) for x in (0.5, 1.0, 2.0, 5.0))


def log_tail_in_decimal(x):
    """ln P(Z > x) for x > 0 by Laplace's continued fraction of Mills' ratio, with 60 digits."""
    with localcontext() as context:
        context.prec = 60
        z = Decimal(x)
        fraction = z
        for k in range(4000, 0, -1):
            fraction = z + k / fraction
        pi = Decimal("3.14159265358979323846264338327950288419716939937510582097494459")
        return float(-z * z / 2 - (2 * pi).ln() / 2 - fraction.ln())


@pytest.mark.parametrize("x", [3.0, 10.0, 24.999, 25.0, 25.001, 30.0, 38.6, 100.0, 1e4, 1e8])
def test_log_normal_tail_in_decimal(x):
    assert log_normal_tail(x) == pytest.approx(log_tail_in_decimal(x), rel=1e-13)


@pytest.mark.parametrize("x", [-1e6, -50.0, -9.0, -3.0, -0.5, 0.0, 0.5, 1.0, 4.0, 12.0, 24.0, 26.0, 60.0, 1e5])
def test_log_normal_tail_is_scipy(x):
    assert log_normal_tail(x) == pytest.approx(float(log_ndtr(-x)), rel=1e-12, abs=3e-16)


def test_log_normal_tail_has_no_seam():
    below, above = log_normal_tail(25.0 - 1e-9), log_normal_tail(25.0)
    slope = 25.0 + 1 / 25.0
    assert below - above == pytest.approx(slope * 1e-9, abs=2e-11 + 1e-12 * 316)
