"""Claims: what a table says is what the verdict says, and a table that says the opposite is believed too."""

from dataclasses import replace

import numpy as np
import pytest
from made_up import table_of
from scipy import stats

from toptwo.experiments.registry import REGISTRY
from toptwo.sweeps.statistics import (
    NORMAL_95,
    NORMAL_999,
    Estimate,
    Judgement,
    difference,
    every,
    of_mean,
    ratio_of_means,
    slope,
    wilson,
)

HOLDS, FAILS, OPEN, CORRECTED = Judgement.HOLDS, Judgement.FAILS, Judgement.OPEN, Judgement.CORRECTED


def by_arms(power):
    return lambda point: point.value ** (power - 1.0)


def with_delta(low, high):
    return lambda point: low if point.delta < 0.005 else high


SLOW = dict.fromkeys(("DKM", "LUCB", "1/2-LUCB", "uniform"), 2.0)

CASES = [
    ("fig1a", "on par", {}, HOLDS),
    ("fig1a", "on par", {"T3C": 1.4}, FAILS),
    ("fig1a", "on par", {"T3C": 1.0 / 0.85}, OPEN),
    ("fig1a", "slightly", {"TaS": 1.12, "TaS-C": 1.12, "FWS": 1.12}, HOLDS),
    ("fig1a", "slightly", {"TaS": 1.12, "TaS-C": 1.12, "FWS": 0.8}, FAILS),
    ("fig1a", "slightly", {"TaS": 1.12, "TaS-C": 1.12, "FWS": 1.5}, FAILS),
    ("fig1a", "Significantly", SLOW, HOLDS),
    ("fig1a", "Significantly", SLOW | {"DKM": 1.0}, FAILS),
    ("fig1b", "same linear", {}, HOLDS),
    ("fig1b", "same linear", {"LUCB": by_arms(1.5)}, FAILS),
    ("fig1b", "same linear", {"uniform": by_arms(1.9)}, CORRECTED),
    ("fig1b", "more robust", {"TTUCB": by_arms(1.2)}, HOLDS),
    ("fig1b", "more robust", {"TTUCB": by_arms(0.8)}, FAILS),
    ("fig1b", "better scaling", {}, HOLDS),
    ("fig1b", "better scaling", {"TTUCB": by_arms(1.6)}, FAILS),
    ("alpha06", "performs the best", {"T3C": 0.5}, HOLDS),
    ("alpha06", "performs the best", {"LUCB": 0.5}, FAILS),
    ("tracking_vs_sampling", "negligible", {}, HOLDS),
    ("tracking_vs_sampling", "negligible", {"S-T3C": 1.2}, FAILS),
    ("tracking_vs_sampling", "Independent", {"TTUCB, one tracker": 1.3}, HOLDS),
    ("tracking_vs_sampling", "Independent", {"TTUCB, one tracker": 0.8}, FAILS),
    ("adaptive_random", "slim advantage", dict.fromkeys(("A-TTUCB", "A-EB-TCI", "A-T3C", "A-TTTS"), 0.9), HOLDS),
    ("adaptive_random", "slim advantage", {"A-T3C": 1.1}, FAILS),
    ("equal_means", "speed-up close", dict.fromkeys(("TTUCB", "EB-TCI", "T3C", "TTTS"), 1.5), HOLDS),
    ("equal_means", "speed-up close", {}, FAILS),
    ("equal_means", "outperform", dict.fromkeys(("TaS", "FWS", "DKM"), 2.0), HOLDS),
    ("equal_means", "outperform", {"TaS": 2.0, "FWS": 0.5, "DKM": 2.0}, FAILS),
    ("equal_means", "more robust", dict.fromkeys(("EB-TCI", "T3C", "TTTS"), with_delta(2.0, 1.0)), HOLDS),
    ("equal_means", "more robust", {"TTUCB": with_delta(2.0, 1.0)}, FAILS),
    ("errors_before_stopping", "Uniform sampling and DKM", {"uniform": 4.0, "DKM": 4.0}, HOLDS),
    ("errors_before_stopping", "Uniform sampling and DKM", {"FWS": 4.0}, FAILS),
    ("errors_before_stopping", "At all times", {"T3C": 0.5}, FAILS),
    ("errors_before_stopping", "at least half", {}, HOLDS),
    ("cpu_time", "slowest", {"TaS": 40.0, "FWS": 9.0, "TTTS": 8.0}, HOLDS),
    ("cpu_time", "slowest", {"DKM": 40.0, "TaS": 9.0, "FWS": 8.0, "TTTS": 7.0}, FAILS),
    ("cpu_time", "doubt", {"TaS": 40.0}, HOLDS),
    ("cpu_time", "doubt", {"TaS": 0.3}, FAILS),
    ("ties", "Ties decide", {"TTUCB, lowest index": 1.3, "TTUCB, empirical best": 1.2}, HOLDS),
    ("ties", "Ties decide", {}, FAILS),
    ("thresholds", "less than ¾", {"TTUCB, mixture": 0.5, "T3C, mixture": 0.5}, HOLDS),
    ("thresholds", "less than ¾", {}, FAILS),
    ("bounds", "ln(1/(2.4 δ))", {}, HOLDS),
    ("bounds", "ln(1/(2.4 δ))", dict.fromkeys(("TTUCB", "TTUCB with g_u", "uniform"), 1e-4), FAILS),
    ("bounds", "finite-time theorems", {}, HOLDS),
    ("bounds", "finite-time theorems", {"uniform": 1e4}, FAILS),
    ("bounds", "proved anew", {}, HOLDS),
    ("bounds", "wrong arms lead", {}, FAILS),
    ("bounds", "Repaired", {}, HOLDS),
]


def judge(name, words, table):
    claims = [claim for claim in REGISTRY[name].claims if words in claim.sentence]
    assert len(claims) == 1, [claim.sentence for claim in REGISTRY[name].claims]
    return claims[0].judge(table)


@pytest.mark.parametrize(("name", "words", "factors", "verdict"), CASES)
def test_the_verdict_follows_the_table(name, words, factors, verdict):
    finding = judge(name, words, table_of(REGISTRY[name], factors))
    assert finding.judgement is verdict, finding


@pytest.mark.parametrize(("error", "verdict"), [(0.0, HOLDS), (0.003, CORRECTED), (0.3, FAILS)])
def test_orders_of_magnitude(error, verdict):
    table = table_of(REGISTRY["fig1a"], size="paper", error=error)
    assert judge("fig1a", "orders of magnitude", table).judgement is verdict


def test_few_runs_decide_nothing():
    small = table_of(REGISTRY["fig1a"], {"FWS": 1.02}, spread=3.0)
    assert judge("fig1a", "slightly", small).judgement is OPEN
    assert judge("fig1a", "orders of magnitude", small).judgement is OPEN


def test_what_the_paper_misprints_is_corrected():
    table = table_of(REGISTRY["fig1b"])
    assert judge("fig1b", "32 (K − 1)", table).judgement is CORRECTED
    assert judge("alpha03", "H ≈ 3 K", table_of(REGISTRY["alpha03"])).judgement is CORRECTED
    assert judge("fig1a", "1/3", table_of(REGISTRY["fig1a"], size="paper")).judgement is CORRECTED


def test_the_ratio_is_judged_without_noise():
    experiment = REGISTRY["ratio"]
    table = table_of(experiment)
    assert {claim.judge(table).judgement for claim in experiment.claims} == {HOLDS, CORRECTED}
    spoilt = replace(table, content=table.content | {"theory": table.theory | {"three": [1.5]}})
    assert judge("ratio", "conjecture", spoilt).judgement is FAILS
    for spoiling in ({"largest_over_worst": 1.001}, {"worst_reached": 0.99}):
        search = [entry | spoiling for entry in table.theory["search"]]
        spoilt = replace(table, content=table.content | {"theory": table.theory | {"search": search}})
        assert judge("ratio", "It is a theorem", spoilt).judgement is FAILS


def test_lemmas_on_wrong_leaders_are_judged_under_their_event():
    table = table_of(REGISTRY["bounds"])

    def verdicts(**change):
        found = table.theory["wrong leaders"] | change
        spoilt = replace(table, content=table.content | {"theory": table.theory | {"wrong leaders": found}})
        return [judge("bounds", words, spoilt).judgement for words in ("wrong arms lead", "Repaired")]

    assert verdicts() == [FAILS, HOLDS]
    assert verdicts(wrong=100) == [HOLDS, HOLDS]
    assert verdicts(wrong=10**6) == [FAILS, FAILS]
    assert verdicts(wrong=10**6, event=False) == [HOLDS, HOLDS]


def test_a_bound_above_the_printed_one_is_noticed():
    table = table_of(REGISTRY["bounds"])
    raised = table.theory["five arms"] | {"TTUCB": {"value": 2.0, "printed": 1.0, "decides": "hardness"}}
    spoilt = replace(table, content=table.content | {"theory": table.theory | {"five arms": raised}})
    assert judge("bounds", "proved anew", spoilt).judgement is FAILS


def test_parts_of_a_sentence():
    assert every([HOLDS, HOLDS]) is HOLDS
    assert every([HOLDS, CORRECTED]) is CORRECTED
    assert every([HOLDS, OPEN, FAILS]) is FAILS
    assert Estimate(1.0, 0.9, 1.1).within(0.8, 1.2) is HOLDS
    assert Estimate(1.0, 0.9, 1.1).within(0.95, 1.2) is OPEN
    assert Estimate(1.0, 0.9, 1.1).within(1.15, 1.2) is FAILS


def test_paired_intervals_are_those_of_the_runs(seed):
    """A difference and a ratio of dependent samples, against the runs themselves."""
    rng = np.random.default_rng(seed)
    common = rng.exponential(size=400)
    x, y = 3.0 + common + 0.1 * rng.normal(size=400), 1.0 + common
    spread = np.cov([x, y])
    direct = stats.sem(x - y) * NORMAL_95
    paired = of_mean(x.mean() - y.mean(), spread[0, 0] + spread[1, 1] - 2 * spread[0, 1], 400)
    assert paired.high - paired.value == pytest.approx(direct)
    ratio = ratio_of_means((x.mean(), y.mean()), (spread[0, 0], spread[1, 1]), spread[0, 1], 400)
    residuals = x - ratio.value * y
    assert ratio.high - ratio.value == pytest.approx(stats.sem(residuals) * NORMAL_95 / y.mean())
    independent = difference(of_mean(x.mean(), spread[0, 0], 400), of_mean(y.mean(), spread[1, 1], 400))
    assert independent.high - independent.low > 3 * (paired.high - paired.low), "pairing must matter here"


def test_wilson_is_scipys():
    for wrong, runs in ((0, 10), (3, 50), (50, 50), (7, 5000)):
        expected = stats.binomtest(wrong, runs).proportion_ci(method="wilson")
        low, high = wilson(wrong, runs)
        assert (float(low), float(high)) == pytest.approx((expected.low, expected.high))
    assert [float(end) for end in wilson(0, 0)] == [0.0, 1.0]
    assert pytest.approx(stats.norm.ppf(0.9995)) == NORMAL_999


def test_slope_is_that_of_weighted_least_squares():
    x, y, errors = np.arange(5.0), np.array([0.0, 1.1, 1.9, 3.2, 3.9]), np.array([0.1, 0.2, 0.1, 0.3, 0.1])
    _, covariance = np.polyfit(x, y, 1, w=1 / errors, cov="unscaled")
    found = slope(x, y, errors, 1.0)
    assert found.value == pytest.approx(np.polyfit(x, y, 1, w=1 / errors)[0])
    assert found.high - found.value == pytest.approx(np.sqrt(covariance[0, 0]))
