"""Plans for unknown variances and bounded rewards: from what the family answers at the statistics to be expected."""

import math

import numpy as np
import pytest
from click.testing import CliRunner

import toptwo as tt
from toptwo import theory
from toptwo.cli import main
from toptwo.study.defaults import default_algorithm
from toptwo.theory.expectations import Expected, allocations_of, typical

FIVE = [0.6, 0.5, 0.45, 0.4, 0.3]

CASES = {
    "the default of studies": (tt.GaussianUnknownVariance(), FIVE, "betting", 200),
    "the default, mixture": (tt.GaussianUnknownVariance(), FIVE, "mixture", 200),
    "unequal noise": (tt.GaussianUnknownVariance((0.3, 0.5, 0.4)), [0.3, 0.6, 0.5], "betting", 200),
    "unequal noise, mixture": (tt.GaussianUnknownVariance((0.3, 0.5, 0.4)), [0.3, 0.6, 0.5], "mixture", 200),
    "unequal noise, heuristic": (tt.GaussianUnknownVariance((0.3, 0.5, 0.4)), [0.3, 0.6, 0.5], "heuristic", 200),
    "two arms": (tt.GaussianUnknownVariance(2.0), [0.0, 1.0], "betting", 200),
    "large gaps": (tt.GaussianUnknownVariance(0.2), [0.3, 0.9, 0.5], "betting", 200),
    "bounded": (tt.Bounded(), [0.3, 0.6, 0.5], "betting", 200),
    "bounded, less noise": (tt.Bounded(0.0, 10.0, 0.5), [3.0, 6.0, 5.0], "betting", 200),
    "bounded, mixture": (tt.Bounded(spread=0.5), [0.3, 0.6, 0.5], "mixture", 200),
    "bounded, proven": (tt.Bounded(spread=0.5), [0.3, 0.6, 0.5], "proven", 200),
}


@pytest.mark.parametrize("name", CASES)
def test_a_plan_is_within_a_third_of_simulations(name):
    """200 runs, whose mean is known to 4 %: a third is 8 standard errors, the chance of an alarm below 1e-6."""
    law, means, threshold, runs = CASES[name]
    algorithm = default_algorithm(law, len(means))
    result = tt.simulate(algorithm, means, delta=0.05, family=law, threshold=threshold, runs=runs, seed=7)
    forecast = theory.plan(means, 0.05, family=law, threshold=threshold).expected_samples["A-TTUCB"]
    measured = result.stopping_times.mean()
    assert 2.0 / 3.0 * measured < forecast < 4.0 / 3.0 * measured


def test_a_plan_that_knows_sigma_is_far_from_a_study_that_does_not():
    """Negative control: what the plan for a given σ promises is not within a third of what the default study takes."""
    unknown = theory.plan(FIVE, 0.05, family=tt.GaussianUnknownVariance()).expected_samples["A-TTUCB"]
    assert theory.plan(FIVE, 0.05).expected_samples["A-TTUCB"] < 2.0 / 3.0 * unknown


@pytest.mark.parametrize("beta", [None, 0.3, 0.5])
@pytest.mark.parametrize("epsilon", [0.0, 0.1])
def test_with_little_effect_times_are_those_of_known_variances(beta, epsilon):
    """Gaps of hundredths of σ: ln(1 + x) is x, and the search must find the allocation that formulas give."""
    means, law = np.array([0.02, 0.05, 0.01, 0.04]), tt.GaussianUnknownVariance((1.0, 2.0, 1.5, 1.0))
    margin = epsilon / 10.0
    expected, known = Expected(law, means, margin), tt.Gaussian(law.sigma)
    found = expected.allocation(beta)
    wanted = theory.optimal_allocation(means, beta, family=known, epsilon=margin)
    assert found == pytest.approx(wanted, rel=2e-2)
    time = theory.characteristic_time(means, beta, family=known, epsilon=margin)
    assert 1.0 / expected.rates(found).min() == pytest.approx(time, rel=5e-3)
    assert 1.0 / expected.rates(found).min() >= time * (1.0 - 1e-9)


def test_no_other_allocation_has_a_smaller_time():
    random = np.random.default_rng(2)
    for law in (tt.GaussianUnknownVariance((0.1, 0.4, 0.2)), tt.Bounded()):
        means = np.array([0.2, 0.7, 0.5])
        best, fixed = allocations_of(law, means, 0.5, 0.0)
        expected = Expected(law, means)
        least, least_fixed = 1.0 / expected.rates(best).min(), 1.0 / expected.rates(fixed).min()
        assert best.sum() == pytest.approx(1.0)
        assert fixed[1] == pytest.approx(0.5)
        assert least <= least_fixed
        for _ in range(200):
            other = random.dirichlet(np.ones(3))
            assert 1.0 / expected.rates(other).min() >= least * (1.0 - 1e-6)
            other[[0, 2]] *= 0.5 / other[[0, 2]].sum()
            other[1] = 0.5
            assert 1.0 / expected.rates(other).min() >= least_fixed * (1.0 - 1e-6)


@pytest.mark.parametrize("mean", [0.0, 0.1, 0.5, 0.9, 1.0])
def test_typical_rewards_have_the_mean_and_the_spread_of_simulated_ones(mean):
    law = tt.Bounded(-2.0, 4.0, 0.7)
    place = -2.0 + 6.0 * mean
    values = typical(law, 0, place)
    assert np.mean(values) == pytest.approx(place)
    assert min(values) >= -2.0
    assert max(values) <= 4.0
    many = [law.reward(0, place, 2 * int(bits)) for bits in np.random.default_rng(1).integers(0, 2**63, 4000)]
    assert np.std(values) == pytest.approx(np.std(many), abs=0.1)


def test_sigma_may_be_given_by_itself_and_only_once():
    short = theory.plan(FIVE, 0.05, family="unknown-variance", sigma=2.0)
    assert short.rows == theory.plan(FIVE, 0.05, family=tt.GaussianUnknownVariance(2.0)).rows
    assert "sigma = 2" in str(short)
    assert short.to_dict()["note"] == short.note
    with pytest.raises(tt.InputError, match="sigma is given twice"):
        theory.plan(FIVE, 0.05, family=tt.GaussianUnknownVariance(2.0), sigma=3.0)
    with pytest.raises(tt.InputError, match="sigma belongs to Gaussian families"):
        theory.plan(FIVE, 0.05, family="bounded", sigma=3.0)
    with pytest.raises(tt.InputError, match="means must lie between 0 and 1"):
        theory.plan([0.5, 1.5], 0.05, family="bounded")
    with pytest.raises(tt.InputError, match="two best arms"):
        theory.plan([0.5, 0.5], 0.05, family="bounded")


def test_a_margin_is_planned_for_too():
    wide = theory.plan(FIVE, 0.05, family=tt.GaussianUnknownVariance(), epsilon=0.1)
    assert math.isfinite(wide.expected_samples["A-TTUCB"])
    assert wide.expected_samples["A-TTUCB"] < 0.6 * theory.plan(
        FIVE, 0.05, family=tt.GaussianUnknownVariance()
    ).expected_samples["A-TTUCB"]  # fmt: skip


@pytest.mark.parametrize("family", [("unknown-variance", "--sigma", "0.5"), ("bounded", "--spread", "0.5")])
def test_the_command_line_plans_for_them(family):
    result = CliRunner().invoke(main, ["theory", "0.6", "0.5", "0.4", "--delta", "0.05", "--family", *family])
    assert result.exit_code == 0, result.output
    assert "Planned for" in result.output
    assert "upper bound" not in result.output
