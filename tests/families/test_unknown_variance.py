"""Gaussian arms of unknown variance against brute force, quadrature and exact laws."""

import json
import math

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import dblquad, quad
from scipy.special import logsumexp
from scipy.stats import binom, kstest, norm
from scipy.stats import t as student
from states import FALSE_ALARM

import toptwo as tt
from toptwo.cli import main
from toptwo.families.gaussian import LOG_WEIGHTS
from toptwo.families.numerics.student import Evidence, least_mixture, likelihood_ratio, nearest_mean, t_mixture
from toptwo.families.unknown_variance import EFFECTS, ENTROPY, GaussianUnknownVariance, mixture_level
from toptwo.rules.round import survey
from toptwo.rules.stopping import least_evidence
from toptwo.state import state_of
from toptwo.streams import Random, fork, next_word
from toptwo.study.certificate import confidence

FAMILY = GaussianUnknownVariance()

counts = st.integers(2, 20_000)
variances = st.floats(-9.0, 7.0).map(math.exp)
margins = st.sampled_from([0.0, 0.0, 0.1, 1.0])
samples = st.lists(st.floats(-3.0, 3.0).map(lambda x: round(x, 3)), min_size=2, max_size=30)


def seen(*rewards):
    """State after these rewards of each arm."""
    state = state_of(FAMILY, len(rewards))
    for arm, values in enumerate(rewards):
        for value in values:
            FAMILY.observe(arm, float(value), state)
    return state


def summary(counts, means, variances):
    """State of arms with these counts, means and mean square deviations."""
    state = state_of(FAMILY, len(counts))
    for arm, (count, mean, variance) in enumerate(zip(counts, means, variances, strict=True)):
        state.counts[arm], state.inverse[arm], state.root[arm] = float(count), 1.0 / count, count**-0.5
        state.means[arm], state.kept.squares[arm] = mean, count * variance
    return state


def global_minimum(function, farthest=60.0):
    """Least value of a function of x and y = 1 − x: every local minimum of a fine grid of ln(x/y), refined."""
    t = np.unique(np.concatenate([np.linspace(-farthest, farthest, 481), np.linspace(-18.0, 18.0, 1201)]))

    def at(t):
        return function(1.0 / (1.0 + np.exp(-t)), 1.0 / (1.0 + np.exp(t)))

    values = at(t)
    least = min(values.min(), function(np.array(0.0), np.array(1.0)), function(np.array(1.0), np.array(0.0)))
    for i in np.flatnonzero((values[1:-1] <= values[:-2]) & (values[1:-1] <= values[2:])) + 1:
        low, high = t[i - 1], t[i + 1]
        for _ in range(8):
            z = np.linspace(low, high, 41)
            near = at(z)
            k = int(np.argmin(near))
            low, high = z[max(k - 1, 0)], z[min(k + 1, 40)]
        least = min(least, near.min())
    return float(least)


def log_ratio(k, variance, distance):
    return 0.5 * k * np.log1p(distance**2 / variance)


def log_mixture(k, variance, effects, distance):
    """ln M with t² = k d²/s² and ν = k − 1, so that t²/ν = d²/V."""
    ratio = distance**2 / variance
    return 0.5 * k * (np.log1p(ratio) - np.log1p(ratio / (1 + effects))) - 0.5 * np.log1p(effects)


# --- the kernels ------------------------------------------------------------------------------------------------------
@given(counts, variances, counts, variances)
def test_nearest_mean_is_the_global_minimum(k, v, m, w):
    x, y = nearest_mean(k, v, m, w)
    expected = global_minimum(lambda x, y: log_ratio(k, v, x) + log_ratio(m, w, y))
    assert 0.0 <= x <= 1.0
    assert x + y == pytest.approx(1.0, abs=1e-15)
    assert likelihood_ratio(k, v, x) + likelihood_ratio(m, w, y) == pytest.approx(expected, rel=1e-9, abs=1e-9)


@given(counts, variances, counts, variances, st.sampled_from([1e-3, 0.04, 1.0, 9.0]))
def test_least_mixture_is_the_global_minimum(k, v, m, w, tau2):
    arms = Evidence(float(k), v, k * tau2), Evidence(float(m), w, m * tau2)
    expected = global_minimum(lambda x, y: log_mixture(k, v, k * tau2, x) + log_mixture(m, w, m * tau2, y))
    assert least_mixture(*arms) == pytest.approx(expected, rel=1e-9, abs=1e-9)
    swapped = least_mixture(arms[1], arms[0])
    assert swapped == pytest.approx(expected, rel=1e-9, abs=1e-9)


spreads = st.floats(-128.0, 128.0).map(math.exp)
many = st.floats(0.7, 20.0).map(math.exp).map(round).map(float)


@given(many, spreads, many, spreads, st.sampled_from([0.002, 0.04, 1.0]))
def test_both_minima_are_global_however_unequal_the_arms(k, v, m, w, tau2):
    """Spreads 110 orders of magnitude apart, counts of 2 to 5e8: never above the sum anywhere, and not below either."""
    expected = global_minimum(lambda x, y: log_ratio(k, v, x) + log_ratio(m, w, y), 300.0)
    x, y = nearest_mean(k, v, m, w)
    assert likelihood_ratio(k, v, x) + likelihood_ratio(m, w, y) == pytest.approx(expected, rel=1e-9, abs=1e-9)
    c, e = k * tau2, m * tau2
    expected = global_minimum(lambda x, y: log_mixture(k, v, c, x) + log_mixture(m, w, e, y), 300.0)
    assert least_mixture(Evidence(k, v, c), Evidence(m, w, e)) == pytest.approx(expected, rel=1e-9, abs=1e-9)


def test_both_sums_can_have_two_minima():
    """A far and tight pair: the common mean lies near the one or the other, never between."""
    for k, m in ((10, 11), (11, 10)):
        x, y = nearest_mean(k, 1e-3, m, 1e-3)
        middle = 2 * likelihood_ratio(k, 1e-3, 0.5)
        assert abs(x - 0.5) > 0.49
        assert likelihood_ratio(k, 1e-3, x) + likelihood_ratio(m, 1e-3, y) < 0.7 * middle
        arms = Evidence(float(k), 1e-3, float(k)), Evidence(float(m), 1e-3, float(m))
        assert least_mixture(*arms) < t_mixture(arms[0], 0.5) + t_mixture(arms[1], 0.5) - 1.0


@given(counts, variances, st.floats(0.01, 5.0), st.sampled_from([0.002, 1.0]))
def test_t_mixture_is_the_formula_of_the_docs(k, v, distance, tau2):
    value = t_mixture(Evidence(float(k), v, k * tau2), distance)
    assert value == pytest.approx(log_mixture(k, v, k * tau2, distance), rel=1e-9, abs=1e-9)
    assert value <= likelihood_ratio(k, v, distance)


def test_t_mixture_is_the_ratio_of_integrals():
    """∫∫ Π φ((y − θσ)/σ)/σ N(θ; 0, τ²) dθ dσ/σ over the same with θ = 0 (lemma 1)."""
    y, tau2 = np.array([0.4, 1.9, 1.1, 0.7]), 0.5

    def density(s, theta):
        return s ** (len(y) - 1) * math.exp(-0.5 * float(((s * y - theta) ** 2).sum()))

    null = quad(lambda s: density(s, 0.0), 0, 30)[0]
    mixed = dblquad(lambda s, theta: density(s, theta) * norm.pdf(theta, scale=math.sqrt(tau2)), -8, 8, 0, 30)[0]
    value = t_mixture(Evidence(4.0, y.var(), 4 * tau2), y.mean())
    assert value == pytest.approx(math.log(mixed / null), rel=1e-6)


def mixture_of(values, tau2=0.5):
    k = len(values)
    return math.exp(log_mixture(k, max(np.var(values), 1e-300), k * tau2, np.mean(values)))


def test_the_mixture_has_expectation_one_at_the_true_mean():
    """Two rewards N(0, σ²) point in a uniform direction, and the mixture looks at nothing else."""
    total = quad(lambda angle: mixture_of([math.cos(angle), math.sin(angle)]), 0, 2 * math.pi, limit=200)[0]
    assert total / (2 * math.pi) == pytest.approx(1.0, abs=1e-7)


@pytest.mark.parametrize("angle", [0.1, 0.8, 2.5, 4.0])
def test_the_mixture_is_a_martingale_given_the_direction_of_what_was_seen(angle):
    """The third reward, in units of the length of the first two, has density ½ (1 + r²)^{−3/2}."""
    past = [math.cos(angle), math.sin(angle)]

    def term(r):
        return mixture_of([*past, r]) * 0.5 * (1.0 + r * r) ** -1.5

    total = sum(quad(term, *ends, limit=200)[0] for ends in ((-math.inf, 0), (0, math.inf)))
    assert total == pytest.approx(mixture_of(past), rel=1e-7)


def test_given_the_sizes_too_it_is_none():
    """After two rewards much smaller than σ, a third of its size shrinks the mixture: who knows σ sees it coming."""
    past = [0.01, 0.012]
    following = quad(lambda x: mixture_of([*past, x]) * norm.pdf(x), -8, 8, points=[0.0])[0]
    assert following < 0.7 * mixture_of(past)


# --- the family -------------------------------------------------------------------------------------------------------
@given(samples)
def test_variance_is_that_of_the_rewards(values):
    state = seen(values)
    assert state.kept.squares[0] == pytest.approx(len(values) * np.var(values), rel=1e-9, abs=1e-12)
    assert state.means[0] == pytest.approx(np.mean(values), abs=1e-12)


@given(samples, samples, margins)
def test_separation_is_the_least_cost_of_moving_the_pair(x, y, epsilon):
    state = seen(x, y)
    gap, spreads = np.mean(x) - np.mean(y) + epsilon, (np.var(x), np.var(y))
    if min(spreads) > 1e-9 and abs(gap) > 1e-6:
        u = [spread / gap**2 for spread in spreads]
        expected = global_minimum(lambda p, q: log_ratio(len(x), u[0], p) + log_ratio(len(y), u[1], q))
        value = FAMILY.separation(0, 1, epsilon, state)
        assert value == pytest.approx(expected, rel=1e-6, abs=1e-9)
        assert FAMILY.separation(1, 0, -epsilon, state) == pytest.approx(value, rel=1e-9)
        for level in (0.5 * value, 0.99 * value, 1.01 * value):
            assert not (FAMILY.separation_surely_above(0, 1, epsilon, level, state) and level > value)


@given(samples, samples, margins)
def test_evidence_is_the_least_product_of_mixtures_and_at_most_the_separation(x, y, epsilon):
    state = seen(x, y)
    value = FAMILY.evidence(0, 1, epsilon, state)
    gap, spreads = np.mean(x) - np.mean(y) + epsilon, (np.var(x), np.var(y))
    assert 0.0 <= value <= FAMILY.separation(0, 1, epsilon, state) + 1e-12
    if gap > 1e-6 and min(spreads) > 1e-9:
        k, m, v, w = len(x), len(y), spreads[0] / gap**2, spreads[1] / gap**2
        terms = [
            weight + global_minimum(lambda p, q, t=tau2: log_mixture(k, v, k * t, p) + log_mixture(m, w, m * t, q))
            for tau2, weight in zip(EFFECTS, LOG_WEIGHTS, strict=True)
        ]
        assert value == pytest.approx(max(0.0, float(logsumexp(terms))), rel=1e-6, abs=1e-9)
    if gap < 0:
        assert value == 0.0


@given(samples, samples, st.floats(0.01, 100.0), st.floats(-50.0, 50.0))
def test_neither_shift_nor_scale_matters(x, y, scale, shift):
    if min(np.var(x), np.var(y)) > 1e-6 and abs(np.mean(x) - np.mean(y)) > 1e-4:
        plain, moved = seen(x, y), seen(*([scale * value + shift for value in part] for part in (x, y)))
        for question in (FAMILY.separation, FAMILY.evidence):
            assert question(0, 1, 0.0, moved) == pytest.approx(question(0, 1, 0.0, plain), rel=1e-5, abs=1e-6)


def test_without_variance_there_is_no_evidence():
    for state in (
        seen([5.0], [1.0]),
        seen([5.0] * 9, [1.0] * 9),
        seen([5.0, 5.0], [1.0, 1.1]),
        seen([5.0, 4.9], [1.0]),
    ):
        assert FAMILY.evidence(0, 1, 0.0, state) == FAMILY.separation(0, 1, 0.0, state) == 0.0
        assert not FAMILY.separation_surely_above(0, 1, 0.0, 0.0, state)
        assert FAMILY.leader_share(0, 1, state) == state.counts[1] / sum(state.counts)
    assert FAMILY.upper_bound(0, 1.0, seen([5.0, 5.0])) == math.inf
    assert FAMILY.lower_bound(0, 1.0, seen([5.0])) == -math.inf
    assert FAMILY.posterior_draw(0, seen([5.0]), Random([1])) == math.inf
    assert FAMILY.deviation(0, 2.0, seen([5.0, 5.0])) == 0.0


def test_a_tiny_variance_is_bounded_evidence():
    """Two rewards that happen to be close prove little: ln M ≤ ((k − 1)/2) ln(1 + kτ²)."""
    close = seen([1.0, 1.0 + 1e-9], [0.0, 1e-9])
    assert FAMILY.evidence(0, 1, 0.0, close) <= 0.5 * 2 * math.log(1 + 2 * max(EFFECTS))
    assert FAMILY.evidence(0, 1, 0.0, close) < mixture_level(0.3, 2)


@pytest.mark.parametrize(("pulls", "enough"), [(9, False), (10, True)])
def test_ten_pulls_of_each_arm_may_rule_one_out(pulls, enough):
    """ln Σ w (1 + kτ²)^{(k−2)/2} is what two arms without spread come to."""
    tight = summary((pulls, pulls), (1.0, 0.0), (1e-12, 1e-12))
    most = math.log(
        sum(math.exp(w) * (1.0 + pulls * t) ** (0.5 * pulls - 1) for w, t in zip(LOG_WEIGHTS, EFFECTS, strict=True))
    )
    assert FAMILY.evidence(0, 1, 0.0, tight) == pytest.approx(most, abs=1e-6)
    assert FAMILY.evidence(0, 1, 0.0, summary((pulls, 500), (1.0, 0.0), (1e-12, 1e-12))) < most
    assert (most >= mixture_level(0.1, 10)) == enough


def test_a_gap_without_size_is_none():
    state = seen([1.0, 2.0, 3.0], [1.0, 2.0, 3.0])
    assert FAMILY.separation(0, 1, 0.0, state) == FAMILY.evidence(0, 1, 0.0, state) == 0.0
    nearly = seen([1.0, 2.0, 3.0], [1.0, 2.0, 3.0 - 1e-15])
    assert 0.0 <= FAMILY.separation(0, 1, 0.0, nearly) < 1e-20


def test_a_very_tight_rival_is_no_evidence():
    """The likelihood ratio is 1.38, and the prices of the mixtures are more than that."""
    state = summary((15, 15), (0.45, 0.0), (1.0, 1e-10))
    assert FAMILY.separation(0, 1, 0.0, state) == pytest.approx(7.5 * math.log1p(0.45**2), rel=1e-8)
    assert FAMILY.evidence(0, 1, 0.0, state) == 0.0


@given(many, many, st.floats(-70.0, 70.0), st.floats(-70.0, 70.0), st.floats(-80.0, 80.0), st.floats(-20.0, 20.0))
def test_evidence_is_a_number_and_at_most_the_separation(n, m, v, w, gap, more):
    values = []
    for difference in (gap, gap + abs(more)):
        state = summary((n, m), (math.exp(difference), 0.0), (math.exp(v), math.exp(w)))
        values.append(FAMILY.evidence(0, 1, 0.0, state))
        assert 0.0 <= values[-1] <= FAMILY.separation(0, 1, 0.0, state) < math.inf
    assert values[0] <= values[1] * (1.0 + 1e-9) + 1e-9


def test_a_wrong_arm_is_rarely_trusted_however_tight_the_best_one(seed):
    """N(0, 1) against the better N(0.05, s²): at most one study in a thousand may ever show 0.999 for the wrong one."""
    runs, trusted = 200, 0
    noise = np.random.default_rng(seed)
    for _ in range(runs):
        state, sure = state_of(FAMILY, 2), 0.0
        for pull in range(30):
            arm = pull % 2
            value = noise.standard_normal() if arm == 0 else 0.05 + 1e-7 * noise.standard_normal()
            FAMILY.observe(arm, float(value), state)
            if pull > 2 and state.means[0] > state.means[1]:
                sure = max(sure, confidence("mixture", survey(pull + 2, 0, 0.0, state, FAMILY)))
        trusted += sure >= 0.999
    assert binom.sf(trusted - 1, runs, 1e-3) > FALSE_ALARM
    assert binom.sf(100, runs, 1e-3) < FALSE_ALARM  # negative control: the number of an evidence that is too large


@given(samples, st.floats(0.1, 8.0))
def test_bounds_are_where_the_deviation_reaches_the_width(values, width):
    state = seen(values)
    if np.var(values) > 1e-6:
        for bound in (FAMILY.upper_bound, FAMILY.lower_bound):
            assert FAMILY.deviation(0, bound(0, width, state), state) == pytest.approx(0.5 * width**2, rel=1e-6)
    assert FAMILY.upper_bound(0, 100.0, seen([0.0, 1.0])) == math.inf


@given(samples, samples)
def test_leader_share_is_the_leaders_part_of_the_cost(x, y):
    state = seen(x, y)
    if min(np.var(x), np.var(y)) > 1e-6 and abs(np.mean(x) - np.mean(y)) > 1e-3:
        mine, other = FAMILY._costs(0, 1, 0.0, state)
        assert FAMILY.leader_share(0, 1, state) == mine / (mine + other)
        assert FAMILY.leader_share(1, 0, state) == pytest.approx(other / (mine + other), abs=1e-6)


@pytest.mark.parametrize(("delta", "arms"), [(0.1, 10), (0.3, 2), (1e-6, 100)])
def test_the_level_pays_for_following_arms_one_by_one(delta, arms):
    x = mixture_level(delta, arms)
    assert (arms - 1) * (1.0 + x + ENTROPY) * math.exp(-x) == pytest.approx(delta, rel=1e-9)
    assert x > math.log((arms - 1) / delta)


def test_certified_confidence():
    state = seen([3.0, 3.5, 2.9, 3.3, 3.1] * 4, [1.0, 1.2, 0.6] * 6, [2.0, 2.5, 1.8, 2.2] * 6)
    now = survey(63, 0, 0.0, state, FAMILY)
    x = least_evidence(now)
    assert confidence("mixture", now) == pytest.approx(1.0 - 2.0 * (1.0 + x + ENTROPY) * math.exp(-x), abs=1e-9)


def test_posterior_draws_are_student(seed):
    values = [0.3, 1.9, 1.1, 0.6]
    state, random = seen([9.0, 9.1], values), Random([fork(seed, 1)])
    draws = np.array([FAMILY.posterior_draw(1, state, random) for _ in range(8000)])
    scaled = (draws - np.mean(values)) / (np.std(values, ddof=1) / 2.0)
    assert kstest(scaled, student(3).cdf).pvalue > FALSE_ALARM
    assert kstest(scaled, "norm").pvalue < FALSE_ALARM


def test_rewards_have_the_deviation_of_their_arm(seed):
    family, position = FAMILY._replace(sigma=(1.0, 3.0)).for_arms(2), [fork(seed, 2)]
    values = np.array([family.reward(1, 5.0, next_word(position, 0)) for _ in range(4000)])
    assert kstest((values - 5.0) / 3.0, "norm").pvalue > FALSE_ALARM


def test_resampling_never_returns_the_leader(seed):
    random = Random([fork(seed, 3)])
    likely = seen([1.0, 1.5, 0.2], [0.9, 1.2, 0.1], [0.8, 1.3, 0.2])
    remote = seen([9.0, 9.1, 8.9] * 50, [0.0, 0.1, 0.2] * 50, [5.0, 5.1, 5.2] * 50)
    assert {FAMILY.resample(0, likely, random) for _ in range(200)} == {1, 2}
    assert {FAMILY.resample(0, remote, random) for _ in range(20)} == {2}


# --- at the door ------------------------------------------------------------------------------------------------------
def test_what_does_not_apply_is_refused_with_the_reason():
    with pytest.raises(tt.InputError, match=r"Student.*Use TTUCB"):
        tt.simulate("TTEI", [0.0, 1.0], family=tt.GaussianUnknownVariance())
    with pytest.raises(tt.InputError, match="threshold='mixture'"):
        tt.simulate("TTUCB", [0.0, 1.0], family=tt.GaussianUnknownVariance(), threshold="proven")
    with pytest.raises(tt.InputError, match="one per arm"):
        tt.simulate("TTUCB", [0.0, 1.0], family=tt.GaussianUnknownVariance([1.0, 2.0, 3.0]))
    with pytest.raises(tt.InputError, match="sigma"):
        tt.simulate("TTUCB", [0.0, 1.0], family=tt.GaussianUnknownVariance(-1.0))


def test_a_study_of_constants_reaches_no_verdict():
    """Gaussian rewards are never equal: where they are, the assumption fails, and nothing is claimed."""
    levels = {"a": 1.0, "b": 2.0, "c": 0.0}
    verdict = tt.identify(levels.get, list(levels), family=tt.GaussianUnknownVariance(), max_samples=200)
    assert verdict.status == "undecided"
    assert verdict.confidence == 0.0


def test_the_lowest_of_three(seed):
    noise = np.random.default_rng(seed)
    spreads = {"slow": (3.0, 0.1), "shaky": (2.0, 2.0), "fast": (1.0, 0.5)}
    verdict = tt.identify(
        lambda arm: spreads[arm][0] + spreads[arm][1] * noise.standard_normal(),
        list(spreads),
        family=tt.GaussianUnknownVariance(),
        direction="minimize",
        delta=0.01,
    )
    assert verdict.arm == "fast"
    assert "any variance" in str(verdict)


def test_the_command_line_knows_the_family():
    line = "simulate uniform --means 0,5 --family unknown-variance --sigma 1,0.1 --runs 3 --engine python --json"
    result = CliRunner().invoke(main, line.split())
    assert result.exit_code == 0, result.output
    assert json.loads(result.output)
