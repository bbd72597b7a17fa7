"""Plans: the forecast solves its equation, orders as it must, and lands near measured stopping times."""

import inspect
import json
import math
from typing import NamedTuple

import numpy as np
import pytest

import toptwo as tt
from toptwo import theory
from toptwo.errors import InputError
from toptwo.theory import planning

MEANS = [0.3, 0.6, 0.5, 0.45, 0.4]


@pytest.mark.parametrize("family", ["gaussian", "bernoulli", "poisson", "exponential", "gamma"])
@pytest.mark.parametrize("threshold", ["proven", "heuristic"])
def test_samples_solve_the_equation(family, threshold):
    table = theory.plan(MEANS, 0.1, family=family, threshold=threshold)
    for row in table.rows[1:]:
        n = row.expected_samples
        if threshold == "heuristic":
            level = theory.threshold_heuristic(n, 0.1)
        elif family == "gaussian":
            level = theory.threshold_proven(n, 0.1, 5)
        else:
            level = theory.threshold_exponential(n, 0.1, 5)
        assert n == pytest.approx(row.characteristic_time * level, rel=1e-9)
        assert row.characteristic_time == pytest.approx(theory.allocation_time(MEANS, row.allocation, family=family))
    named = table.expected_samples
    assert named["lower bound"] == pytest.approx(theory.lower_bound(MEANS, 0.1, family=family))
    assert named["lower bound"] < named["TTUCB"] == named["T3C"] < named["uniform"]


def test_mixture_plan_stops_when_all_pairs_have_the_evidence():
    table = theory.plan(MEANS, 0.1, threshold="mixture", precisions=[2.0, 20.0], weights=[0.25, 0.5])
    for row in table.rows[1:]:
        slackest = math.inf
        counts = row.expected_samples * np.array(row.allocation)
        for arm in (0, 2, 3, 4):
            statistic = (0.6 - MEANS[arm]) ** 2 / (2.0 * (1.0 / counts[1] + 1.0 / counts[arm]))
            level = theory.threshold_mixture(
                counts[1], counts[arm], 0.1, 5, precisions=[2.0, 20.0], weights=[0.25, 0.5]
            )
            slackest = min(slackest, statistic / level)
        assert slackest == pytest.approx(1.0, rel=1e-9)


@pytest.mark.parametrize("family", [tt.Gaussian(), tt.Gaussian([1.0, 2.0, 0.5, 1.0, 1.0]), tt.Poisson()])
def test_betting_plan_stops_when_the_wealth_suffices_on_average(family):
    """The forecast is where a run whose rewards are their means would stop, its first pulls apart."""
    table = theory.plan(MEANS, 0.1, threshold="betting", family=family)
    asked = planning.PlannedQuestion(np.array(MEANS), family, 0.0, 0.1, None, None)
    excess = planning._excess_of_bets(tt.rules.Betting(math.log(10.0)), asked)
    for row in table.rows[1:]:
        n, shares = row.expected_samples, np.array(row.allocation)
        assert excess(n, n * shares).min() == pytest.approx(0.0, abs=1e-6)
        assert excess(0.99 * n, 0.99 * n * shares).min() < 0.0
    cheaper = theory.plan(MEANS, 0.1, threshold="mixture", family=family).expected_samples
    assert table.expected_samples["TTUCB"] < 0.85 * cheaper["TTUCB"]


@pytest.mark.parametrize("name", ["A-TTUCB", "TTUCB"])
def test_betting_forecast_is_near_a_simulation(name):
    """As for the heuristic below; 400 runs, whose mean is known to 3 %."""
    result = tt.simulate(name, MEANS, delta=0.1, threshold="betting", runs=400, seed=5, progress=False)
    forecast = theory.plan(MEANS, 0.1, threshold="betting").expected_samples[name]
    assert result.stopping_times.mean() < forecast < 4.0 / 3.0 * result.stopping_times.mean()


@pytest.mark.parametrize(
    ("name", "measured"), [("A-TTUCB", 4184.1), ("TTUCB", 4206.5), ("T3C", 4110.3), ("uniform", 8496.1)]
)
def test_forecast_is_near_an_independent_simulation(name, measured):
    """20 000 runs of another program on these means, heuristic threshold: mean stopping times to 0.5 %.

    A forecast ignores that paths stop early by luck, so it lies above; a third is the promise of the documentation.
    """
    forecast = theory.plan(MEANS, 0.1, threshold="heuristic").expected_samples[name]
    assert measured < forecast < 4.0 / 3.0 * measured
    assert theory.lower_bound(MEANS, 0.1) < measured


def test_easy_problems_still_sample_every_arm():
    for row in theory.plan([100.0, 0.0, 0.0], 0.1).rows[1:]:
        assert row.expected_samples == 3.0


def test_margin_and_noise():
    tied = theory.plan([0.5, 0.5, 0.1], 0.1, epsilon=0.1)
    assert all(math.isfinite(row.expected_samples) for row in tied.rows)
    assert "within 0.1 of the best" in str(tied)
    noisy, quiet = theory.plan(MEANS, 0.1, sigma=2.0), theory.plan(MEANS, 0.1)
    for loud, soft in zip(noisy.rows, quiet.rows, strict=True):
        assert loud.characteristic_time == pytest.approx(4.0 * soft.characteristic_time)


def test_tighter_thresholds_need_fewer_samples():
    samples = [
        theory.plan(MEANS, 0.1, threshold=name).expected_samples["TTUCB"] for name in ("proven", "mixture", "heuristic")
    ]
    assert samples[0] > samples[1] > samples[2]


def test_plans_are_immutable_print_and_serialise():
    table = theory.plan(MEANS, 0.1, threshold="Heuristic", family="Bernoulli")
    with pytest.raises(AttributeError):
        table.delta = 0.5
    text = str(table)
    assert repr(table) == text
    assert len({len(line) for line in text.splitlines()[1:7]}) == 1, "columns line up"
    assert "without a proof" in text
    assert "without a proof" not in str(theory.plan(MEANS, 0.1))
    found = json.loads(json.dumps(table.to_dict()))
    assert found["threshold"] == "heuristic"
    assert found["family"] == "bernoulli"
    assert [row["name"] for row in found["rows"]] == ["lower bound", "A-TTUCB", "TTUCB", "T3C", "uniform"]


LAWS = {
    "sigma": (tt.Gaussian(0.5), [0.3, 0.6, 0.5]),
    "sigma per arm": (tt.Gaussian([0.3, 0.5, 0.4]), [0.3, 0.6, 0.5]),
    "bernoulli": (tt.Bernoulli(), [0.3, 0.6, 0.4]),
    "poisson": (tt.Poisson(), [0.3, 0.9, 0.5]),
    "exponential": (tt.Exponential(), [0.3, 0.9, 0.5]),
    "gamma": (tt.Gamma(shape=3.0, scale=0.5), [0.3, 0.9, 0.6]),
}


@pytest.mark.parametrize("threshold", ["mixture", "proven"])
@pytest.mark.parametrize("name", LAWS)
def test_plans_are_near_what_simulations_take(name, threshold):
    """400 runs: their mean is known to a few percent, and a plan promises to be within a third, above."""
    law, means = LAWS[name]
    result = tt.simulate("TTUCB", means, delta=0.05, family=law, threshold=threshold, runs=400, seed=3)
    forecast = theory.plan(means, 0.05, family=law, threshold=threshold).expected_samples["TTUCB"]
    assert 0.95 * result.stopping_times.mean() < forecast < 1.45 * result.stopping_times.mean()


def test_the_default_is_what_studies_stop_by():
    from toptwo.rules.thresholds import DEFAULT_THRESHOLD

    for maker in (tt.simulate, theory.plan):
        assert inspect.signature(maker).parameters["threshold"].default is DEFAULT_THRESHOLD
    assert tt.create_study(2).verdict.threshold == DEFAULT_THRESHOLD
    assert theory.plan([0.5, 0.3], 0.1, family="bernoulli").threshold == DEFAULT_THRESHOLD


class Bonferroni(NamedTuple):
    """A level of one's own."""

    delta: float
    arms: int

    def at(self, n):
        return math.log((self.arms - 1) * n * n / self.delta)


class Betting(NamedTuple):
    """A rule of one's own, which looks at every reward."""

    delta: float
    arms: int

    def stops(self, now):
        return False


def test_a_threshold_of_ones_own():
    table = theory.plan(MEANS, 0.1, threshold=Bonferroni, family="poisson")
    assert table.threshold == "Bonferroni"
    for row in table.rows[1:]:
        assert row.expected_samples == pytest.approx(
            row.characteristic_time * Bonferroni(0.1, 5).at(row.expected_samples), rel=1e-9
        )


def test_names_and_objects_mean_the_same():
    for name, law in (("gaussian", tt.Gaussian()), ("poisson", tt.Poisson()), ("gamma", tt.Gamma())):
        assert theory.plan(MEANS, 0.1, family=name) == theory.plan(MEANS, 0.1, family=law)
    assert theory.plan(MEANS, 0.1, sigma=2.0) == theory.plan(MEANS, 0.1, family=tt.Gaussian(2.0))
    assert theory.plan(MEANS, 0.1, family="gaussian", sigma=2.0) == theory.plan(MEANS, 0.1, family=tt.Gaussian(2.0))


@pytest.mark.parametrize("gap", [1e-150, 1e150])
def test_extreme_gaps_neither_overflow_nor_warn(gap):
    for threshold in ("proven", "mixture", "heuristic"):
        table = theory.plan([gap, 0.0, -1e150], 0.1, threshold=threshold)
        assert all(row.expected_samples >= 0.0 and math.isfinite(row.expected_samples) for row in table.rows)


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: theory.plan([MEANS], 0.1), "shape"),
        (lambda: theory.plan(MEANS, 1.0), "delta must be a probability"),
        (lambda: theory.plan(MEANS, 0.1, beta=0.0), "beta must be a probability"),
        (lambda: theory.plan(MEANS, 0.1, threshold="prooven"), "did you mean 'proven'"),
        (lambda: theory.plan(MEANS, 0.1, family="normal"), "family 'normal' is unknown"),
        (lambda: theory.plan(MEANS, 0.1, family="poisson", precisions=[1.0]), "precisions and weights are those of"),
        (
            lambda: theory.characteristic_time(MEANS, family="bounded"),
            "depends on the whole law.*Take family='bernoulli'",
        ),
        (lambda: theory.characteristic_time(MEANS, family=tt.GaussianUnknownVariance()), r"ln\(1 \+.*Take tt.Gaussian"),
        (lambda: theory.plan(MEANS, 0.1, family="gamma", epsilon=0.1), "epsilon is settled for gaussian rewards"),
        (lambda: theory.plan(MEANS, 0.1, family=tt.Gaussian(2.0), sigma=1.0), "sigma is given twice"),
        (lambda: theory.plan(MEANS, 0.1, family=tt.Gaussian([1.0, 2.0])), "one for each of the 5 arms"),
        (lambda: theory.plan(MEANS, 0.1, family=tt.Gaussian), "family must be a name or an object"),
        (lambda: theory.plan(MEANS, 0.1, threshold=Betting), "decides by what it has seen on the way"),
        (lambda: theory.plan(MEANS, 0.1, threshold="mixture", precisions=[-1.0]), "precisions must be above 0"),
    ],
)
def test_bad_input_names_the_remedy(call, said):
    with pytest.raises(InputError, match=said):
        call()
