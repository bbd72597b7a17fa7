"""The Gaussian family against quadrature, minimisation and exact laws, at moderate and extreme arguments."""

import itertools
import math

import naive
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.optimize import minimize_scalar
from scipy.special import log_ndtr, logsumexp
from scipy.stats import kstest, truncnorm
from states import FALSE_ALARM, data_of, state_of

from toptwo.families import Gaussian
from toptwo.families.gaussian import LOG_WEIGHTS, PRECISIONS
from toptwo.families.numerics.normal_posterior import log_improvement, normal_above
from toptwo.streams import Random, fork

# means, counts, σ
BALANCED = {
    "two": ([0.2, 0.5], [3, 8], 1.0),
    "four": ([0.0, 0.5, 0.2, 0.3], [3, 10, 5, 7], 0.7),
    "certain": ([0.0, 0.5, 0.2, 0.3], [3000, 10000, 5000, 7000], 1.0),
}
UNBALANCED = {
    "cliff above": ([0.0, 0.5], [1, 400], 1.0),
    "cliff below": ([0.5, 0.0], [1, 400], 1.0),
    "both": ([1.0, 0.5, 0.0], [1, 400, 3], 2.0),
    "six": ([0.1, 0.5, 0.45, 0.3, 0.2, -1.0], [2, 2000, 900, 30, 5, 1], 1.0),
    "extreme": ([0.0, 1e-3], [1, 10**6], 1.0),
    "extreme, below": ([0.0, -3.0], [10**6, 1], 0.5),
}
IMPOSSIBLE = {
    "thousands of deviations": ([0.0, 3.0, 1.0], [10**4] * 3, 1.0),
    "far": ([0.0, 30.0, 29.0], [100, 90, 110], 1.0),
}


def log_quad(arm, means, counts, sigma):
    """ln ∫ φ_arm ∏ Φ_i by SciPy's adaptive quadrature, pieced together at the means and relative to the peak."""
    widths = [sigma / math.sqrt(count) for count in counts]

    def log_density(x):
        z = (x - means[arm]) / widths[arm]
        below = sum(log_ndtr((x - means[i]) / widths[i]) for i in range(len(means)) if i != arm)
        return -z * z / 2 - math.log(widths[arm] * math.sqrt(2 * math.pi)) + below

    ends = min(means) - 10 * max(widths), max(means) + 10 * max(widths)
    mode = minimize_scalar(lambda x: -log_density(x), bounds=ends, method="bounded", options={"xatol": 1e-10}).x
    peak = log_density(mode)
    cuts = {mode, *ends}
    for mean, width in zip(means, widths, strict=True):
        cuts |= {mean + k * width for k in (-8, -4, -2, 0, 2, 4, 8)}
        cuts |= {mode + k * width for k in (-4, -1, -0.1, 0.1, 1, 4)}
    cuts = sorted(x for x in cuts if ends[0] <= x <= ends[1])
    total = sum(
        quad(lambda x: math.exp(log_density(x) - peak), a, b, epsabs=1e-13, epsrel=1e-11, limit=200)[0]
        for a, b in itertools.pairwise(cuts)
    )
    return peak + math.log(total)


@pytest.mark.parametrize("case", BALANCED | UNBALANCED)
def test_probability_best_is_quad(case):
    means, counts, sigma = (BALANCED | UNBALANCED)[case]
    state, family = state_of(means, counts), Gaussian(sigma)
    values = [family.log_probability_best(arm, state) for arm in range(len(means))]
    for arm, value in enumerate(values):
        assert value == pytest.approx(log_quad(arm, means, counts, sigma), abs=2e-7, rel=1e-11)
    assert sum(map(math.exp, values)) == pytest.approx(1, abs=5e-7)


@pytest.mark.parametrize("case", BALANCED | UNBALANCED | IMPOSSIBLE)
def test_probability_best_is_the_naive_one(case):
    means, counts, sigma = (BALANCED | UNBALANCED | IMPOSSIBLE)[case]
    state, family = state_of(means, counts), Gaussian(sigma)
    values = [family.log_probability_best(arm, state) for arm in range(len(means))]
    expected = naive.log_probabilities_best(data_of(means, counts, sigma))
    assert values == pytest.approx(expected, abs=2e-7, rel=1e-11)


arms_seen = st.lists(st.tuples(st.floats(-2, 2), st.integers(1, 3000)), min_size=2, max_size=6)


@given(arms_seen, st.sampled_from([0.3, 1.0, 3.0]))
def test_probabilities_of_being_best_sum_to_one(arms, sigma):
    means, counts = [mean for mean, _ in arms], [count for _, count in arms]
    state, family = state_of(means, counts), Gaussian(sigma)
    values = [family.log_probability_best(arm, state) for arm in range(len(means))]
    assert sum(map(math.exp, values)) == pytest.approx(1, abs=5e-7)


@given(arms_seen)
def test_with_two_arms_being_best_is_being_above(arms):
    means, counts = [mean for mean, _ in arms[:2]], [count for _, count in arms[:2]]
    state, family = state_of(means, counts), Gaussian(1.0)
    for arm in (0, 1):
        above = family.log_probability_above(arm, 1 - arm, state)
        assert family.log_probability_best(arm, state) == pytest.approx(above, abs=2e-7, rel=1e-10)
        gap = (means[arm] - means[1 - arm]) / math.sqrt(1 / counts[0] + 1 / counts[1])
        assert above == pytest.approx(float(log_ndtr(gap)), abs=1e-14, rel=1e-10)


@pytest.mark.parametrize(
    ("means", "counts"),
    [
        ([0.0, -300.0], [10**4, 10**4]),
        ([0.0, -300.0], [10**4, 2]),
        ([5.0, -5.0], [10**9, 10**8]),
        ([0.0, -3e5], [1, 1]),
    ],
)
def test_being_best_is_being_above_thousands_of_deviations_apart(means, counts):
    state, family = state_of(means, counts), Gaussian(1.0)
    for arm in (0, 1):
        above = family.log_probability_above(arm, 1 - arm, state)
        assert family.log_probability_best(arm, state) == pytest.approx(above, abs=2e-7, rel=1e-10)


@pytest.mark.parametrize("spread", [0.01, 1.0, 30.0])
@pytest.mark.parametrize(
    "x", [-1e4, -300.0, -40.0, -25.001, -25.0, -24.999, -10.0, -3.0, -1.001, -1.0, -0.3, 0.0, 0.4, 5.0, 50.0]
)
def test_improvement_is_quad(x, spread):
    """E(gap + spread Z)₊, gap = x·spread, by quadrature in units of the decay of the integrand."""
    t = max(abs(x), 1.0)
    integral = quad(
        lambda v: v * math.exp(-abs(x) / t * v - v * v / (2 * t * t)), 0, 60, epsabs=0, epsrel=1e-13, limit=300
    )[0]
    log_part = math.log(integral / t**2) - x * x / 2 - math.log(2 * math.pi) / 2
    expected = math.log(spread) + (log_part if x <= 0 else math.log(x + math.exp(log_part)))
    assert log_improvement(x * spread, spread) == pytest.approx(expected, abs=3e-10, rel=1e-12)
    assert log_improvement(x * spread, spread) == pytest.approx(
        naive.log_expected_excess(x * spread, spread), abs=1e-9, rel=1e-11
    )


def test_improvement_increases_through_its_seams():
    for seam in (-1.0, -25.0):
        below, at, above = (log_improvement(seam + step, 1.0) for step in (-1e-7, 0.0, 1e-7))
        assert below < at < above
        assert (at - below) / (above - at) == pytest.approx(1, abs=5e-3)


def test_improvements_ask_for_the_right_gap():
    state, family = state_of([0.3, 0.9, 0.5], [4, 25, 9]), Gaussian(2.0)
    assert family.improvement_over_value(2, 0.9, state) == log_improvement(0.5 - 0.9, 2 / 3)
    spread = 2 * math.sqrt(1 / 4 + 1 / 25)
    assert family.improvement_over_arm(0, 1, state) == pytest.approx(log_improvement(-0.6, spread), rel=1e-14)


@pytest.mark.parametrize("low", [-6.0, -0.3, 0.499, 0.5, 2.0, 8.0, 30.0])
def test_normal_above_is_the_truncated_law(low, seed):
    random = Random([fork(seed, int(100 * low) & 0xFFFF)])
    values = np.array([normal_above(low, random) for _ in range(8000)])
    assert values.min() > low
    assert kstest(values, lambda x: truncnorm.cdf(x, low, math.inf)).pvalue > FALSE_ALARM


def test_control_of_the_truncated_law(seed):
    """Without the rejection step the exponential proposal is told apart."""
    random = Random([fork(seed, 1)])
    rate = (1.0 + math.sqrt(5.0)) / 2
    values = [1.0 - math.log(random.uniform()) / rate for _ in range(8000)]
    assert kstest(values, lambda x: truncnorm.cdf(x, 1.0, math.inf)).pvalue <= FALSE_ALARM


def test_posterior_draw(seed):
    state, family, random = state_of([0.3, 0.9], [4, 25]), Gaussian(2.0), Random([fork(seed, 2)])
    values = np.array([family.posterior_draw(1, state, random) for _ in range(8000)])
    assert kstest((values - 0.9) * 5 / 2, "norm").pvalue > FALSE_ALARM


@given(arms_seen, st.sampled_from([0.0, 0.4]), st.sampled_from([0.5, 1.0, 2.0]))
def test_separation_is_the_least_cost_of_moving_the_pair(arms, epsilon, sigma):
    """inf over u of N_a d(μ̂_a, u) + N_b d(μ̂_b, u + ε), where a + ε is above b."""
    (mean_a, count_a), (mean_b, count_b) = arms[0], arms[1]
    state, family = state_of([mean_a, mean_b], [count_a, count_b]), Gaussian(sigma)

    def cost(u):
        return count_a * family.divergence(mean_a, u) + count_b * family.divergence(mean_b, u + epsilon)

    u = (count_a * mean_a + count_b * (mean_b - epsilon)) / (count_a + count_b)
    assert family.divergence(mean_a, u) == pytest.approx((mean_a - u) ** 2 / (2 * sigma**2))
    assert family.separation(0, 1, epsilon, state) == pytest.approx(cost(u), rel=1e-9, abs=1e-9)
    assert cost(u) <= min(cost(u - 0.01), cost(u + 0.01))


@given(arms_seen, st.sampled_from([0.0, 0.4]), st.sampled_from([0.5, 1.0, 2.0]))
def test_evidence_is_the_least_product_of_mixtures(arms, epsilon, sigma):
    """ln Σ_ρ w exp(inf over u of ln M_a(u) + ln M_b(u + ε)), each M a mixture over N(u, σ²/ρ)."""
    (mean_a, count_a), (mean_b, count_b) = arms[0], arms[1]
    state = state_of([mean_a, mean_b], [count_a, count_b])

    def log_mixture(mean, count, u, rho):
        return count**2 * ((mean - u) / sigma) ** 2 / (2 * (count + rho)) - math.log(1 + count / rho) / 2

    parts = []
    for rho, log_weight in zip(PRECISIONS, LOG_WEIGHTS, strict=True):
        slope_a, slope_b = count_a**2 / (count_a + rho), count_b**2 / (count_b + rho)
        u = (slope_a * mean_a + slope_b * (mean_b - epsilon)) / (slope_a + slope_b)
        values = [
            log_mixture(mean_a, count_a, v, rho) + log_mixture(mean_b, count_b, v + epsilon, rho)
            for v in (u, u - 0.01, u + 0.01)
        ]
        assert values[0] == min(values)
        parts.append(values[0] + log_weight)
    expected = max(0.0, logsumexp(parts)) if mean_a + epsilon > mean_b else 0.0
    assert Gaussian(sigma).evidence(0, 1, epsilon, state) == pytest.approx(expected, rel=1e-9, abs=1e-9)


def test_mixture_likelihood_ratio_is_an_integral():
    """ln M(u) is ln ∫ exp(N(μ̂−u)x − Nx²/2) N(0, 1/ρ)(dx); the weights of the grid sum to at most one."""
    for mean, count, rho in ((0.7, 5, 1.0), (-0.4, 40, 10.0), (0.2, 3, 100.0)):
        prior = math.sqrt(rho / (2 * math.pi))
        integral = quad(
            lambda x, m=mean, n=count, r=rho, c=prior: c * math.exp(n * m * x - n * x * x / 2 - r * x * x / 2), -20, 20
        )[0]
        closed = count**2 * mean**2 / (2 * (count + rho)) - math.log(1 + count / rho) / 2
        assert math.log(integral) == pytest.approx(closed, rel=1e-9)
    assert sum(map(math.exp, LOG_WEIGHTS)) <= 1 + 1e-12
    assert len(PRECISIONS) == len(LOG_WEIGHTS)


@given(arms_seen)
def test_leader_share_balances_divergences(arms):
    """IDS: N_B d(μ̂_B, u) / (N_B d(μ̂_B, u) + N_C d(μ̂_C, u)) with u the pooled mean."""
    (mean_b, count_b), (mean_c, count_c) = arms[0], arms[1]
    state, family = state_of([mean_b, mean_c], [count_b, count_c]), Gaussian(1.5)
    share = family.leader_share(0, 1, state)
    assert share == count_c / (count_b + count_c)
    if abs(mean_b - mean_c) > 1e-3:
        u = (count_b * mean_b + count_c * mean_c) / (count_b + count_c)
        left, right = count_b * family.divergence(mean_b, u), count_c * family.divergence(mean_c, u)
        assert share == pytest.approx(left / (left + right), rel=1e-6)
