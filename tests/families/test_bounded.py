"""The bounded family against brute force, exact sums and its own proof (docs/families/bounded.md)."""

import itertools
import json
import math

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.optimize import brentq, minimize_scalar
from scipy.special import gammaln, xlogy
from scipy.stats import beta, ks_2samp, kstest
from states import FALSE_ALARM

import toptwo as tt
from toptwo.cli import main
from toptwo.families.bounded import ATOMS, Bounded, regret
from toptwo.families.numerics.betting import best_stake, growth
from toptwo.families.numerics.weighted_values import mean_of, variance_of_atoms
from toptwo.rules.round import survey
from toptwo.rules.stopping import least_evidence
from toptwo.state import state_of
from toptwo.streams import Random, fork, next_word
from toptwo.study.certificate import confidence

UNIT = Bounded()


def seen(*samples, family=UNIT):
    """State after these rewards of each arm."""
    state = state_of(family, len(samples))
    for arm, values in enumerate(samples):
        for value in values:
            family.observe(arm, float(value), state)
    return state


def k_inf(values, u, side):
    """K_inf by a root of the derivative, bracketed to the last bit (side +1: raise the mean to u, −1: lower it)."""
    z = side * (u - np.asarray(values, float))
    room = 1.0 - u if side > 0 else u
    if z.mean() <= 0.0:
        return 0.0
    if room == 0.0:
        return math.inf

    def slope(rate):
        return np.mean(z / (1.0 + rate * z))

    end = 1.0 / room
    lossless = z.min() > -room * (1.0 - 1e-12)
    if lossless and slope(end) >= 0.0:
        return float(np.mean(np.log1p(end * z)))
    top = end if lossless else end * (1.0 - 1e-14)
    return float(np.mean(np.log1p(brentq(slope, 0.0, top, xtol=1e-16, rtol=1e-15) * z))) if slope(top) < 0 else math.nan


def pair_cost(x, y, epsilon):
    """min over u of the two costs for mean(x) + ε > mean(y), by a bounded search of SciPy's."""

    def cost(u):
        return len(x) * k_inf(x, u, -1) + len(y) * k_inf(y, u + epsilon, 1)

    low, high = max(0.0, np.mean(y) - epsilon), min(np.mean(x), 1.0 - epsilon)
    found = minimize_scalar(cost, bounds=(low, high), method="bounded", options={"xatol": 1e-12})
    return found.fun


grid_values = st.sampled_from([0.0, 0.1, 0.25, 0.5, 0.7, 0.95, 1.0])
inner_values = st.floats(0.01, 0.99)
tight_values = st.floats(0.49, 0.51)
rewards = st.one_of(*(st.lists(kind, min_size=1, max_size=25) for kind in (grid_values, inner_values, tight_values)))
places = st.floats(0.02, 0.98)
margins = st.sampled_from([0.0, 0.0, 0.05, 0.3])


# --- K_inf ------------------------------------------------------------------------------------------------------------
@given(rewards, places)
def test_deviation_is_k_inf(values, u):
    state = seen(values)
    side = 1 if u > np.mean(values) else -1
    expected = len(values) * k_inf(values, u, side)
    assert UNIT.deviation(0, u, state) == pytest.approx(expected, rel=1e-9, abs=1e-9)


@given(rewards, places)
def test_k_inf_is_attained_by_a_law_with_that_mean(values, u):
    """The weights p/(1 + λz), and what they lack at the end, are a law on [0, 1] of mean u at just that divergence."""
    state, mean = seen(values), float(np.mean(values))
    side = 1.0 if u > mean else -1.0
    stake, _ = best_stake(0, u, side, 0.0, state)
    z = side * (u - np.array(values))
    weights = 1.0 / (1.0 + stake / (1.0 - u if side > 0 else u) * z) / len(values)
    lacking = 1.0 - weights.sum()
    assert lacking >= -1e-9
    assert weights @ values + lacking * (1.0 if side > 0 else 0.0) == pytest.approx(u, abs=1e-9)
    divergence = -np.log(weights * len(values)).mean()
    assert len(values) * divergence == pytest.approx(UNIT.deviation(0, u, state), rel=1e-9, abs=1e-9)


@given(st.integers(0, 30), st.integers(0, 30), places)
def test_for_rewards_at_the_ends_k_inf_is_the_bernoulli_divergence(ones, zeros, u):
    if ones + zeros:
        p, n = ones / (ones + zeros), ones + zeros
        expected = n * float(xlogy(p, p / u) + xlogy(1 - p, (1 - p) / (1 - u)))
        assert UNIT.deviation(0, u, seen([1] * ones + [0] * zeros)) == pytest.approx(expected, rel=1e-9, abs=1e-9)


def test_means_at_the_ends():
    ones, zeros, mixed = seen([1, 1, 1]), seen([0, 0]), seen([0.2, 0.4])
    assert UNIT.deviation(0, 1.0, ones) == UNIT.deviation(0, 0.0, zeros) == 0.0
    assert UNIT.deviation(0, 0.0, ones) == UNIT.deviation(0, 1.0, zeros) == UNIT.deviation(0, 1.0, mixed) == math.inf
    assert UNIT.deviation(0, 0.3, mixed) == 0.0
    assert UNIT.deviation(0, 0.5, ones) == pytest.approx(3 * math.log(2))
    assert UNIT.upper_bound(0, 3.0, ones) == 1.0
    assert UNIT.lower_bound(0, 3.0, zeros) == 0.0
    assert UNIT.upper_bound(0, 2.0, zeros) == pytest.approx(1.0 - math.exp(-1.0))
    assert UNIT.lower_bound(0, 2.0, ones) == pytest.approx(math.exp(-2.0 / 3.0))


# --- pairs ------------------------------------------------------------------------------------------------------------
@given(rewards, rewards, margins)
def test_separation_is_the_least_cost_of_moving_the_pair(x, y, epsilon):
    state = seen(x, y)
    value = UNIT.separation(0, 1, epsilon, state)
    gap = np.mean(x) + epsilon - np.mean(y)
    if abs(gap) < 1e-9:
        assert value == pytest.approx(0.0, abs=1e-9)
    elif gap > 0 and np.mean(x) > 0.0 and np.mean(y) < 1.0:
        expected = pair_cost(x, y, epsilon)
        assert value <= expected + 1e-9 * (1.0 + expected)
        assert value == pytest.approx(expected, rel=1e-6, abs=1e-6)  # what the search of SciPy's can tell
    assert sum(UNIT._costs(0, 1, epsilon, state)) == value
    assert UNIT.separation(1, 0, -epsilon, state) == pytest.approx(value, rel=1e-9, abs=1e-9)


@given(rewards, rewards, margins, st.floats(0.0, 1.0))
def test_no_common_mean_costs_less_than_the_separation(x, y, epsilon, where):
    """Exact to 1e-9: convexity and brute force at any u, on both sides of the minimum."""
    state = seen(x, y)
    if np.mean(x) + epsilon > np.mean(y):
        low, high = max(0.0, np.mean(y) - epsilon), min(np.mean(x), 1.0 - epsilon)
        u = low + where * (high - low)
        if low < u < high:
            cost = len(x) * k_inf(x, u, -1) + len(y) * k_inf(y, u + epsilon, 1)
            assert UNIT.separation(0, 1, epsilon, state) <= cost + 1e-9 * (1.0 + cost)


@given(rewards, rewards, margins)
def test_the_costs_are_those_of_one_common_mean(x, y, epsilon):
    """N λ agree: the pair of costs is a point of the curve that a common mean draws, and the minimal one."""
    state = seen(x, y)
    if np.mean(x) + epsilon > np.mean(y) + 1e-6 and np.mean(x) > 0.0 and np.mean(y) < 1.0:
        cost_x, cost_y = UNIT._costs(0, 1, epsilon, state)
        u = UNIT.lower_bound(0, math.sqrt(2.0 * cost_x), state)
        v = UNIT.upper_bound(1, math.sqrt(2.0 * cost_y), state)
        assert v - u == pytest.approx(epsilon, abs=1e-6)


def test_ends_that_meet():
    assert UNIT.separation(0, 1, 0.0, seen([1, 1], [0, 0])) == pytest.approx(4 * math.log(2))
    assert UNIT.separation(0, 1, 0.0, seen([1, 1], [1])) == 0.0
    assert UNIT.separation(0, 1, 0.0, seen([0, 0], [0])) == 0.0
    assert UNIT.separation(0, 1, 0.5, seen([0, 0], [0])) == pytest.approx(math.log(2))
    assert UNIT.separation(0, 1, 0.5, seen([1, 1], [1])) == pytest.approx(2 * math.log(2))
    assert UNIT.separation(0, 1, 1.5, seen([0.5], [0.5])) == math.inf
    assert UNIT.separation(0, 1, 0.0, seen([0.5], [0.5])) == 0.0


@given(rewards, rewards, margins, st.floats(0.1, 50.0), st.floats(-20.0, 20.0))
def test_only_the_place_in_the_interval_matters(x, y, epsilon, length, low):
    family = Bounded(low, low + length)
    moved = seen(*([low + (family.high - low) * value for value in part] for part in (x, y)), family=family)
    plain = seen(x, y)
    value = UNIT.separation(0, 1, epsilon, plain)
    assert family.separation(0, 1, epsilon * (family.high - low), moved) == pytest.approx(value, rel=1e-6, abs=1e-6)


@given(rewards, rewards, margins, st.floats(0.0, 40.0))
def test_what_is_called_separated_is(x, y, epsilon, level):
    state = seen(x, y)
    if UNIT.separation_surely_above(0, 1, epsilon, level, state):
        assert UNIT.separation(0, 1, epsilon, state) > level


@given(rewards, st.floats(0.01, 8.0), places)
def test_a_bound_called_below_a_value_is(values, width, place):
    state = seen(values)
    if UNIT.bound_surely_below(0, width, place, state):
        assert UNIT.upper_bound(0, width, state) < place
    assert not UNIT.bound_surely_below(0, width, float(np.mean(values)), state)


@given(rewards, st.floats(0.01, 12.0))
def test_bounds_are_where_the_deviation_reaches_the_width(values, width):
    state, cost = seen(values), 0.5 * width * width
    low, high = UNIT.lower_bound(0, width, state), UNIT.upper_bound(0, width, state)
    assert 0.0 <= low <= np.mean(values) + 1e-12
    assert np.mean(values) - 1e-12 <= high <= 1.0
    for u, flat in ((low, np.mean(values) == 0.0), (high, np.mean(values) == 1.0)):
        room = min(u, 1.0 - u)
        if not flat and room > 1e-9:
            assert UNIT.deviation(0, u, state) == pytest.approx(cost, rel=1e-8, abs=1e-8 + 1e-14 * len(values) / room)


@given(rewards, rewards)
def test_leader_share_is_the_leaders_part_of_the_cost(x, y):
    state = seen(x, y)
    share = UNIT.leader_share(0, 1, state)
    mine, other = UNIT._costs(0, 1, 0.0, state)
    assert share == (mine / (mine + other) if mine + other > 0.0 else len(y) / (len(x) + len(y)))
    assert UNIT.leader_share(1, 0, state) == pytest.approx(1.0 - share, abs=1e-6)


# --- atoms ------------------------------------------------------------------------------------------------------------
def atoms_of(arm, state):
    number = int(state.kept.number[arm])
    return [row[arm] for row in state.kept.values[:number]], [row[arm] for row in state.kept.masses[:number]]


@given(st.lists(grid_values, min_size=1, max_size=200))
def test_few_values_are_kept_as_they_are(values):
    kept, masses = atoms_of(0, seen(values))
    found = {value: mass for value, mass in zip(kept, masses, strict=True) if mass}
    assert found == {value: values.count(value) for value in set(values)}


@pytest.mark.parametrize("shape", [(1, 1), (0.05, 0.3), (400, 600), (0.5, 20)])
def test_many_values_are_spread_out_but_little(shape, seed):
    values = np.random.default_rng(seed).beta(*shape, 3000)
    state = seen(values)
    kept, masses = map(np.array, atoms_of(0, state))
    assert len(kept) == ATOMS
    assert (np.diff(kept) > 0).all()
    assert kept[0] == 0.0
    assert kept[-1] == 1.0
    assert masses.min() >= 0.0
    assert masses.sum() == pytest.approx(len(values), rel=1e-12)
    assert state.kept.total[0] == len(values)
    assert mean_of(0, state) == pytest.approx(values.mean(), rel=1e-12)
    variance = masses @ (kept - values.mean()) ** 2 / len(values)
    assert values.var() * (1 - 1e-9) <= variance <= 1.02 * values.var()
    assert variance_of_atoms(0, state) == pytest.approx(variance, rel=1e-9, abs=1e-11)
    for side, u, stake in itertools.product((1.0, -1.0), (0.05, 0.4, 0.9), (0.05, 0.5, 0.99)):
        far, room = (1.0 - values, 1.0 - u) if side > 0 else (values, u)
        exact = np.log(1.0 - stake + stake * far / room).mean()
        assert growth(0, u, side, stake, state) <= exact + 1e-12  # lemma 3
        assert stake > 0.9 or growth(0, u, side, stake, state) == pytest.approx(exact, abs=0.005)


# --- the proof --------------------------------------------------------------------------------------------------------
def arcsine_capital(values, u, side):
    """Capital of the mixture of all constant stakes b under the arcsine law, by quadrature (b = sin² φ)."""
    far = (1.0 - np.array(values)) / (1.0 - u) if side > 0 else np.array(values) / u

    def capital(angle):
        stake = math.sin(angle) ** 2
        return float(np.prod(1.0 - stake + stake * far)) * 2.0 / math.pi

    return quad(capital, 0.0, 0.5 * math.pi, epsabs=0, epsrel=1e-11, limit=200)[0]


@given(
    st.one_of(st.lists(grid_values, min_size=1, max_size=25), st.lists(inner_values, min_size=1, max_size=25)), places
)
def test_the_mixture_falls_short_of_the_best_stake_by_no_more_than_its_regret(values, u):
    """Lemma 2, for the claims on both sides."""
    for side in (1, -1):
        best = len(values) * k_inf(values, u, side)
        assert math.log(arcsine_capital(values, u, side)) >= best - regret(len(values)) - 1e-9


def test_regrets_of_all_sequences_of_heads_and_tails():
    """The worst case of lemma 2 is a sequence of the two ends; exact regrets from Gamma functions."""
    for n in (1, 2, 3, 10, 100, 1000):
        k = np.arange(n + 1)
        best = xlogy(k, k / n) + xlogy(n - k, (n - k) / n)
        arcsine = gammaln(k + 0.5) + gammaln(n - k + 0.5) - gammaln(n + 1) - math.log(math.pi)
        uniform = gammaln(k + 1) + gammaln(n - k + 1) - gammaln(n + 2)
        assert (best - arcsine).max() == pytest.approx((best - arcsine)[0], rel=1e-9)
        assert (best - arcsine).max() <= regret(n) + 1e-9
        assert (best - arcsine).max() == pytest.approx(regret(n), abs=0.02)
        assert (best - uniform).max() <= math.log(1 + n) + 1e-9


@pytest.mark.parametrize("law", [((0.0, 1.0), (0.3, 0.7)), ((0.1, 0.5, 1.0), (0.2, 0.5, 0.3))])
def test_the_product_of_capitals_is_a_martingale_under_adaptive_sampling(law):
    """Over the whole tree of rewards: arm 0 bets above its mean, arm 1 below, the poorer one is pulled next."""
    values, weights = law
    mean = float(np.dot(values, weights))
    total = 0.0
    for path in itertools.product(range(len(values)), repeat=5):
        histories = ([], [])
        for step in path:
            arm = 0 if sum(histories[0]) <= sum(histories[1]) else 1
            histories[arm].append(values[step])
        capital = arcsine_capital(histories[0], mean, -1) * arcsine_capital(histories[1], mean, 1)
        total += math.prod(weights[step] for step in path) * capital
    assert total == pytest.approx(1.0, abs=1e-9)


@given(rewards, rewards, margins, places, st.floats(0.0, 0.3))
def test_evidence_is_below_the_martingale_wherever_the_means_contradict_it(x, y, epsilon, mean, excess):
    other = mean + epsilon + excess
    value = UNIT.evidence(0, 1, epsilon, seen(x, y))
    if value > 0.0 and other < 0.99:
        capital = arcsine_capital(x, mean, -1) * arcsine_capital(y, other, 1)
        assert value <= math.log(capital) + 1e-9


@given(rewards, rewards, margins)
def test_evidence_is_at_most_the_separation(x, y, epsilon):
    state = seen(x, y)
    assert 0.0 <= UNIT.evidence(0, 1, epsilon, state) <= UNIT.separation(0, 1, epsilon, state)
    if np.mean(x) + epsilon < np.mean(y):
        assert UNIT.evidence(0, 1, epsilon, state) == 0.0


def test_certified_confidence_and_counts_made_to_order():
    state = seen([0.9, 0.8, 1.0] * 20, [0.2, 0.0] * 30, [0.5] * 40)
    now = survey(161, 0, 0.0, state, UNIT)
    assert confidence("mixture", now) == pytest.approx(1.0 - 2.0 * math.exp(-least_evidence(now)), abs=1e-12)
    doubled = UNIT.with_counts([2.0 * count for count in state.counts], state)
    assert UNIT.separation(0, 1, 0.0, doubled) == pytest.approx(2.0 * UNIT.separation(0, 1, 0.0, state), rel=1e-9)


# --- laws -------------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(("mean", "shape"), [(0.3, (1, 7 / 3)), (0.5, (1, 1)), (0.9, (9, 1))])
def test_rewards_are_beta(mean, shape, seed):
    family, position = Bounded(-1.0, 3.0), [fork(seed, 1)]
    values = np.array([family.reward(0, -1.0 + 4.0 * mean, next_word(position, 0)) for _ in range(8000)])
    assert kstest((values + 1.0) / 4.0, beta(*shape).cdf).pvalue > FALSE_ALARM
    assert kstest((values + 1.0) / 4.0, beta(*(1.2 * x for x in shape)).cdf).pvalue < FALSE_ALARM


def test_rewards_of_little_spread_and_of_means_at_the_ends(seed):
    position = [fork(seed, 2)]
    values = [Bounded(0.0, 5.0, 0.1).reward(0, 1.0, next_word(position, 0)) for _ in range(4000)]
    assert 0.9 <= min(values) < 0.91
    assert abs(np.mean(values) - 1.0) < 5.0 * np.std(values) / math.sqrt(4000)
    assert Bounded().reward(0, 0.0, next_word(position, 0)) == 0.0
    assert Bounded().reward(0, 1.0, next_word(position, 0)) == 1.0


def test_posterior_draws_are_dirichlet_means(seed):
    values = [0.2, 0.2, 0.7, 1.0]
    state, random = seen(values), Random([fork(seed, 3)])
    draws = [UNIT.posterior_draw(0, state, random) for _ in range(5000)]
    generator, ends = np.random.default_rng(seed), np.array([0.0, *values, 1.0])
    assert ks_2samp(draws, generator.dirichlet(np.ones(6), 5000) @ ends).pvalue > FALSE_ALARM
    assert ks_2samp(draws, generator.dirichlet(np.full(6, 2.0), 5000) @ ends).pvalue < FALSE_ALARM


def test_resampling_never_returns_the_leader(seed):
    random = Random([fork(seed, 4)])
    likely, remote = seen([0.9, 0.4], [0.5], [0.8, 0.3]), seen([0.9] * 400, [0.1] * 400, [0.2] * 400)
    assert {UNIT.resample(0, likely, random) for _ in range(200)} == {1, 2}
    assert {UNIT.resample(0, remote, random) for _ in range(20)} == {2}


# --- at the door ------------------------------------------------------------------------------------------------------
def test_a_value_outside_the_interval_is_refused_and_changes_nothing():
    study = tt.create_study(["a", "b"], family=tt.Bounded(0.0, 10.0))
    pull = study.ask()
    for wrong in (-0.1, 10.1, math.nan):
        with pytest.raises(tt.InputError, match=r"value for arm 'a'"):
            study.tell(pull, wrong)
    assert study.pending == [pull]
    study.tell(pull, 10.0)
    assert study.verdict.waiting + study.verdict.pulls == 1


@pytest.mark.parametrize(
    ("family", "message"),
    [
        (Bounded(1.0, 1.0), "low must be below high"),
        (Bounded(0.0, math.inf), "high"),
        (Bounded(spread=1.5), "spread must be at most 1"),
    ],
)
def test_parameters_are_checked(family, message):
    with pytest.raises(tt.InputError, match=message):
        tt.simulate("TTUCB", [0.1, 0.2], family=family)


def test_means_outside_the_interval_and_algorithms_without_an_answer_are_refused():
    with pytest.raises(tt.InputError, match="between 0 and 1"):
        tt.simulate("TTUCB", [0.5, 1.2], family=tt.Bounded())
    with pytest.raises(tt.InputError, match=r"Dirichlet.*Use TTUCB"):
        tt.simulate("TTPS", [0.5, 0.2], family=tt.Bounded())


def test_the_lowest_score_of_ten():
    scores = {"a": [4, 5, 3, 4, 4], "b": [7, 8, 9, 8, 7], "c": [9, 9, 8, 10, 7]}
    turn = dict.fromkeys(scores, 0)

    def measure(arm):
        turn[arm] += 1
        return scores[arm][turn[arm] % 5]

    verdict = tt.identify(measure, list(scores), family=tt.Bounded(0, 10), direction="minimize", delta=0.1)
    assert verdict.arm == "a"
    assert verdict.decided
    assert "between 0 and 10" in str(verdict)


def test_the_command_line_knows_the_family():
    line = "simulate uniform --means 2,9 --family bounded --high 10 --runs 3 --engine python --json"
    result = CliRunner().invoke(main, line.split())
    assert result.exit_code == 0, result.output
    assert json.loads(result.output)
    refused = CliRunner().invoke(main, ["simulate", "uniform", "--means", "2,9", "--family", "bounded"])
    assert refused.exit_code == 2
    assert "between 0 and 1" in refused.output
