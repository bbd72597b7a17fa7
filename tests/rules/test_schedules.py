"""Bonuses and thresholds against their formulas, and stopping rules against the naive twin."""

import math
from decimal import Decimal
from typing import NamedTuple

import naive
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import lambertw
from states import Forbidden, data_of, round_of

import toptwo as tt
from toptwo.rules import MixtureBonus, UnionBonus, UpperConfidenceBound
from toptwo.rules.schedules import Tabulated
from toptwo.rules.stopping import least_evidence
from toptwo.rules.thresholds import stopping_rule

TIMES = [1, 2, 3, 10, 49, 50, 1000, 10**6, 10**12]


@pytest.mark.parametrize("n", TIMES)
@pytest.mark.parametrize(("alpha", "s"), [(1.2, 1.2), (1.01, 3.0), (2.5, 1.1)])
def test_bonuses_are_roots_of_g(n, alpha, s):
    assert UnionBonus(alpha, s).at(n) ** 2 == pytest.approx(2 * alpha * (1 + s) * math.log(n), rel=1e-14)
    x = 2 * s * alpha * math.log(n) + 2 * math.log(2 + alpha * math.log(n)) + 2
    g = MixtureBonus(alpha, s).at(n) ** 2
    assert g == pytest.approx(-lambertw(-math.exp(-x), k=-1).real, rel=1e-12)
    assert float(Decimal(g) - Decimal(g).ln()) == pytest.approx(x, rel=1e-14)


def test_mixture_bonus_is_the_smaller_one_from_50_on():
    """Paper, section 2: g_m(n) ≤ g_u(n) for n ≥ 50, at α = s = 1.2."""
    assert all(MixtureBonus().at(n) <= UnionBonus().at(n) for n in [*range(50, 3000), 10**6, 10**15])
    assert MixtureBonus().at(5) > UnionBonus().at(5)


@pytest.mark.parametrize("bonus", [MixtureBonus(), UnionBonus()])
def test_ucb_leader_adds_the_bonus(bonus):
    means, counts, sigma = [0.4, 0.1, 0.55, 0.3], [12, 3, 30, 8], 0.7
    g = {MixtureBonus: naive.mixture_bonus, UnionBonus: naive.union_bonus}[type(bonus)](54)
    bounds = [mean + sigma * math.sqrt(g / count) for mean, count in zip(means, counts, strict=True)]
    now = round_of(means, counts, sigma)
    assert UpperConfidenceBound(bonus).lead(now, Forbidden()) == bounds.index(max(bounds))
    for arm in range(4):
        assert now.family.upper_bound(arm, bonus.at(now.number), now.state) == pytest.approx(bounds[arm], rel=1e-13)


@pytest.mark.parametrize("n", [2, 3, 10, 1000, 10**9])
@pytest.mark.parametrize("arms", [2, 10, 1000])
@pytest.mark.parametrize("delta", [0.9, 0.1, 1e-3, 1e-40])
def test_thresholds(n, arms, delta):
    proven = stopping_rule("proven", delta, arms).level.at(n)
    constant = 2 * naive.calibration(math.log((arms - 1) / delta) / 2)
    assert proven == pytest.approx(constant + 4 * math.log(4 + math.log(n / 2)), rel=1e-10)
    heuristic = stopping_rule("heuristic", delta, arms).level.at(n)
    assert heuristic == pytest.approx(math.log((1 + math.log(n)) / delta), rel=1e-13)
    assert stopping_rule("mixture", delta, arms).level == pytest.approx(math.log((arms - 1) / delta), rel=1e-13)
    assert proven > heuristic


arms_seen = st.lists(st.tuples(st.floats(-3, 3), st.integers(1, 3000)), min_size=2, max_size=6)


@given(arms_seen, st.sampled_from([0.3, 1.0, 4.0]), st.sampled_from([0.0, 0.1, 1.0]), st.sampled_from([0.5, 0.1, 1e-8]))
def test_stopping_rules_are_naive(arms, sigma, epsilon, delta):
    means, counts = [mean for mean, _ in arms], [count for _, count in arms]
    data = data_of(means, counts, sigma, epsilon)
    now = round_of(means, counts, sigma, epsilon, best=data.recommended)
    for threshold in ("proven", "heuristic", "mixture"):
        twin = naive.stopping_rule(threshold, delta, len(arms))
        assert stopping_rule(threshold, delta, len(arms)).stops(now) == bool(twin.stops(data)), threshold
    evidence = naive.MixtureEvidence(delta)
    least = min(evidence.evidence(data.recommended, i, data) for i in naive.others(data.recommended, data))
    assert least_evidence(now) == pytest.approx(max(0.0, least), rel=1e-9, abs=1e-9)


@given(arms_seen, st.sampled_from([0.3, 1.0]), st.sampled_from([0.0, 0.5]))
def test_evidence_never_exceeds_the_likelihood_ratio(arms, sigma, epsilon):
    means, counts = [mean for mean, _ in arms], [count for _, count in arms]
    now = round_of(means, counts, sigma, epsilon, best=means.index(max(means)))
    assert least_evidence(now) <= now.cost


class Peeking(NamedTuple):
    """A user's threshold: a constant."""

    delta: float
    arms: int

    def at(self, n):
        return math.log(1 / self.delta) + 0.001 * self.arms


def test_own_threshold_class_is_a_schedule_of_the_likelihood_ratio():
    rule = stopping_rule(Peeking, 0.1, 3)
    assert rule.level == Peeking(0.1, 3)
    result = tt.simulate("EB-TCI", [0.0, 1.0, 0.4], threshold=Peeking, runs=2, engine="python", max_samples=500)
    twin = naive.GLR(lambda t: math.log(10) + 0.003)
    for run in range(2):
        means, counts = [0.0, 1.0, 0.4], result.counts[run].tolist()
        assert result.decided[run]
        assert not twin.stops(data_of(means, [1, 1, 1]))
        assert sum(counts) == result.stopping_times[run]


def test_tables_return_what_the_formula_returns():
    table = Tabulated([0.0] * 20, UnionBonus())
    for _ in range(2):
        assert [table.at(n) for n in range(1, 40)] == [UnionBonus().at(n) for n in range(1, 40)]
