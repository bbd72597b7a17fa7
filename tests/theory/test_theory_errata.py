"""The larger checks behind docs/errata.md; the small ones are doctests on that page."""

import math

import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.special import zeta

from toptwo import theory
from toptwo.theory.implicit import log_hardness_time, log_mixture_time

ALPHA = S = 1.2


def explicit_mixture_time(scale, offset):
    """Return sup{x : x < h₂(scale, x)} with h₂ as the paper defines it."""
    rate = S * ALPHA**2
    constant = math.log(2.0 * rate + 1.0) + 1.0 / (rate + 0.5)

    def balance(x):
        inner = rate * math.log(scale) + offset / (2.0 * scale) + math.log(2.0 + ALPHA**2 * math.log(x))
        return x - scale * (2.0 * rate + 1.0) * theory.lambert_bar(inner / (rate + 0.5) + constant)

    return brentq(balance, 1.0, 1e12)


@pytest.mark.parametrize(("hardness", "beta"), [(250.0, 0.5), (10.0, 0.5), (1e4, 0.3)])
def test_explicit_mixture_time_needs_beta(hardness, beta):
    exact = math.exp(log_mixture_time(math.log(hardness), beta, ALPHA, S, 4))
    offset = 4.0 / beta + 2.0
    printed, right = explicit_mixture_time(2.0 * hardness, offset), explicit_mixture_time(2.0 * hardness / beta, offset)
    for found, as_printed in ((printed, True), (right, False)):
        offered = theory.explicit_mixture_time(hardness, 4, beta=beta, as_printed=as_printed)
        assert offered == pytest.approx(found, rel=1e-9)
    assert printed < 0.55 * exact, "as printed it does not bound what it should"
    assert exact <= right <= exact * 1.001 + 1.0
    if (hardness, beta) == (250.0, 0.5):
        assert (round(printed), round(exact), round(right)) == (23089, 48950, 48951)


def test_gradient_of_the_ratio_vanishes_at_equal_means():
    step = 1e-5
    for arms in (3, 4, 10):
        means = -np.ones(arms)
        means[0] = 0.0
        moved = means.copy()
        moved[2] -= step
        slope = (theory.time_ratio(moved) - theory.time_ratio(means)) / step
        assert abs(slope) < 1e-4
        assert slope < 0.0, "a maximum along this direction"


def test_hardness_time_increases_everywhere():
    values = [log_hardness_time(math.log(x), 2.0 + 10.0 / 0.5) for x in np.geomspace(1e-6, 1e6, 200)]
    assert (np.diff(values) > 0.0).all()


def repaired_uniform_bound(arms, gap, delta):
    """Return the bound that the proof of the theorem on uniform sampling gives when no round is lost."""
    base = 2.0 * theory.calibration_gaussian(0.5 * math.log((arms - 1.0) / delta))

    def balance(n):
        threshold = base + 4.0 * math.log(4.0 + math.log(0.5 * (n - 1.0)))
        reach = math.sqrt(threshold) + math.sqrt(ALPHA * (2.0 + S) * math.log(n))
        return n - arms - 4.0 * arms / gap**2 * reach**2

    confidence = brentq(balance, arms + 1e-9, 1e30, rtol=1e-14)
    scale = 8.0 * ALPHA * arms * (1.0 + S) / gap**2
    settled = scale * (theory.lambert_bar(math.log(scale)) if scale >= math.e else 1.0) + arms - 1.0
    begun = brentq(lambda n: n - n ** (1.0 / ALPHA) - (arms - 1.0), 0.5 * arms + 1.0, 1e9)
    return max(confidence, settled, begun) + 1.0 + (2.0 * arms - 1.0) * float(zeta(S, arms + 1.0))


@pytest.mark.parametrize("arms", [2, 3, 5, 10, 50, 200, 1000, 10_000])
def test_lost_rounds_of_uniform_sampling_are_paid_for(arms):
    means = np.zeros(arms)
    for gap in (1e-3, 1e-2, 0.1, 0.5, 1.0, 3.0, 10.0, 100.0, 1e4):
        means[0] = gap
        for delta in (0.5, 0.1, 0.01, 1e-6):
            printed = theory.upper_bound_uniform(means, delta).value
            assert repaired_uniform_bound(arms, gap, delta) <= printed
