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


def counted_printed_proof(arms, gap, delta, alpha, s):
    """Return the bound that the paper's proof on uniform sampling gives when all it needs is counted.

    Needed of n: t ≥ n − K + 1 is above T₁(δ) and N₃, and not before n^{1/α}, where the event begins.
    """
    means = np.zeros(arms)
    means[0] = gap
    confidence = theory.upper_bound_uniform(means, delta, alpha=alpha, s=s).terms["confidence"]
    scale = 8.0 * alpha * arms * (1.0 + s) / gap**2
    # Where scale ≤ 1, n − 1 > scale ln n for all n > 1.
    misled = brentq(lambda n: n - 1.0 - scale * math.log(n), scale, 1e30, rtol=1e-14) if scale > 1.0 else 1.0
    begun = brentq(lambda n: n - n ** (1.0 / alpha) - (arms - 1.0), 0.5 * arms + 1.0, 1e9)
    uncovered = math.floor(max(max(confidence, misled) + arms - 1.0, begun))
    return uncovered + 1.0 + (2.0 * arms - 1.0) * float(zeta(s, arms + 1.0))


def test_the_printed_proof_on_uniform_sampling_falls_short():
    """It gives the printed bound at α = s = 1.2, but not near α = 1."""
    means = np.zeros(10)
    for gap, alpha, s, proves in ((0.5, 1.2, 1.2, True), (100.0, 1.2, 1.2, True), (100.0, 1.01, 60.0, False)):
        means[0] = gap
        printed = theory.upper_bound_uniform(means, 0.1, alpha=alpha, s=s, as_printed=True).value
        assert (counted_printed_proof(10, gap, 0.1, alpha, s) <= printed) == proves
    assert (round(counted_printed_proof(10, 100.0, 0.1, 1.01, 60.0)), round(printed)) == (180, 30)


@pytest.mark.parametrize("arms", [2, 3, 5, 10, 200, 10_000])
@pytest.mark.parametrize("alpha", [1.001, 1.05, 1.2, 3.0])
@pytest.mark.parametrize("s", [1.001, 1.2, 6.0, 300.0])
def test_uniform_sampling_is_proven_below_the_printed_bound(arms, alpha, s):
    means = np.zeros(arms)
    # At the last gap the argument of h₃ is e, where h₃ is furthest below N₃.
    for gap in (1e-2, 0.3, 1.0, 10.0, 100.0, 1e4, math.sqrt(8.0 * alpha * arms * (1.0 + s) / math.e)):
        means[0] = gap
        for delta in (0.5, 1e-6):
            ours, printed = (
                theory.upper_bound_uniform(means, delta, alpha=alpha, s=s, as_printed=flag).value
                for flag in (False, True)
            )
            assert ours + arms * float(zeta(s)) <= printed * (1.0 + 1e-12)


@pytest.mark.parametrize("arms", [2, 3, 10, 50])
def test_rounds_and_error_probabilities_of_uniform_sampling(arms):
    """The two sums of the proof, term by term: rounds with t(n) ≤ T, and t(n)^{−D} over the others."""
    rounds = np.arange(arms + 1, 200_000)
    level = arms * ((rounds - 1) // arms) + 1
    assert (level > rounds - arms).all()
    assert ((level - 1) % arms == 0).all()
    for last in (arms, arms + 1, 3 * arms, 777):
        assert arms + 1 + (level <= last).sum() <= last + arms, "n = 0, …, K are among them"
    for power in (1.1, 3.84, 10.0):
        terms = level.astype(float) ** -power
        assert terms.sum() <= float(zeta(power)) - 1.0
        assert terms.sum() > (rounds.astype(float) ** -power).sum(), "as if t(n) were n, it would be too little"


@pytest.mark.parametrize("means", [[1.0, 0.0], [0.6, 0.5, 0.45, 0.4, 0.3], [3.0, 0.0, -5.0], [0.1, 0.0, 0.0]], ids=str)
@pytest.mark.parametrize(("alpha", "s"), [(1.2, 1.2), (1.01, 6.0)])
def test_uniform_sampling_stops_beyond_its_time(means, alpha, s):
    """With every difference of averages as low as the event allows, arm 1 leads and the rule stops; far earlier not."""
    arms, delta = len(means), 0.05
    gaps = means[0] - np.array(means[1:])
    time = theory.upper_bound_uniform(means, delta, alpha=alpha, s=s).terms["confidence"]

    def stops(blocks):
        t = blocks * arms + 1
        spread = math.sqrt(2.0 / blocks)
        differences = gaps - math.sqrt(2.0 * alpha * (2.0 + s) * math.log(t)) * spread
        cost = 0.5 * (np.maximum(differences, 0.0) / spread) ** 2
        return bool((differences > 0.0).all() and cost.min() >= theory.threshold_proven(t - 1, delta, arms))

    first = math.floor((time - 1.0) / arms) + 1
    assert all(stops(blocks) for blocks in (first, first + 1, 2 * first, 100 * first))
    assert not stops(first - 1), "T₁(δ) is the exact time under these deviations"
