"""Gamma rewards of known shape: the exponential law at shape 1, the right laws at any other."""

import math

import pytest
from scipy.integrate import quad
from scipy.special import gammainc
from scipy.stats import gamma, kstest
from states import FALSE_ALARM

import toptwo as tt
from toptwo.report.catalogue import runs_on
from toptwo.state import state_of
from toptwo.streams import Random, fork, mix

MEANS = (0.3, 0.7, 0.5)


@pytest.mark.parametrize("name", ["TTUCB", "T3C", "TTTS", "KL-LUCB", "TaS", "FWS", "DKM"])
def test_shape_one_is_the_exponential_law(name):
    options = {"runs": 3, "seed": 4, "max_samples": 200, "engine": "python"}
    one, other = (tt.simulate(name, MEANS, family=law, **options) for law in (tt.Exponential(), tt.Gamma(shape=1.0)))
    assert one.counts.tolist() == other.counts.tolist()
    twice = tt.simulate(name, MEANS, family=tt.Gamma(shape=2.0), **options)
    assert one.counts.tolist() != twice.counts.tolist()


def test_it_runs_wherever_the_exponential_law_does():
    for name in tt.algorithms():
        assert ("gamma" in runs_on(name)) == ("exponential" in runs_on(name))


@pytest.mark.parametrize("shape", [0.05, 0.4, 1.0, 2.5, 30.0])
def test_law_of_rewards(shape, seed):
    law = tt.Gamma(shape=shape)
    values = [law.reward(0, 2.0, mix(fork(seed, s))) for s in range(20_000)]
    assert min(values) > 0.0
    assert kstest(values, gamma(shape, scale=2.0 / shape).cdf).pvalue > FALSE_ALARM
    assert kstest(values, gamma(1.2 * shape, scale=2.0 / (1.2 * shape)).cdf).pvalue < FALSE_ALARM  # negative control


def test_law_of_the_posterior(seed):
    law = tt.Gamma(shape=2.5)
    state = state_of(law, 2)
    for value in (1.0, 2.0, 4.0):
        law.observe(0, value, state)
        law.observe(1, value, state)
    random = Random([fork(seed, 3)])
    rates = [1.0 / law.posterior_draw(1, state, random) for _ in range(8000)]
    assert kstest(rates, gamma(7.5, scale=1.0 / 17.5).cdf).pvalue > FALSE_ALARM
    assert kstest(rates, gamma(7.0, scale=1.0 / 17.5).cdf).pvalue < FALSE_ALARM  # negative control


@pytest.mark.parametrize(("shape", "pulls"), [(1.1, 1), (0.4, 3), (2.5, 1), (0.05, 30)])
@pytest.mark.parametrize("value", [0.5, 1.5, 5.0])
def test_improvement_over_a_value_in_closed_form(shape, pulls, value):
    """The mean is t/G with G of shape kN, so that E(θ − v)₊ = t/(kN − 1) P(G' < t/v) − v P(G < t/v)."""
    law = tt.Gamma(shape=shape)
    state = state_of(law, 2)
    for _ in range(pulls):
        law.observe(0, 1.0, state)
    events = shape * pulls
    exact = events / (events - 1.0) * gammainc(events - 1.0, events / value) - value * gammainc(events, events / value)
    assert math.exp(law.improvement_over_value(0, value, state)) == pytest.approx(exact, rel=1e-8)


def test_improvement_is_infinite_while_the_posterior_has_no_expectation():
    law = tt.Gamma(shape=0.3)
    state = state_of(law, 2)
    for pulls in range(1, 6):
        law.observe(0, 1.0, state)
        law.observe(1, 1.0, state)
        finite = math.isfinite(law.improvement_over_value(0, 2.0, state))
        assert finite == math.isfinite(law.improvement_over_arm(0, 1, state)) == (0.3 * pulls > 1.1)


@pytest.mark.parametrize("law", [tt.Exponential(), tt.Gamma(shape=0.05)])
def test_bounds_beyond_the_floats_are_infinite(law):
    state = state_of(law, 2)
    law.observe(0, 3.0, state)
    assert law.upper_bound(0, 50.0, state) == math.inf
    assert law.deviation(0, math.inf, state) == math.inf
    assert 0.0 <= law.lower_bound(0, 50.0, state) < 3.0


@pytest.mark.parametrize("law", [tt.Exponential(), tt.Gamma(shape=0.5)])
def test_an_arm_far_behind_can_be_drawn_to_overtake(law):
    """Its tilted posterior is so wide that draws of the rate underflow."""
    state = state_of(law, 2)
    law.observe(0, 0.0005, state)
    law.observe(1, 1.0, state)
    random = Random([5])
    assert [law.resample(1, state, random) for _ in range(50)] == [0] * 50


@pytest.mark.parametrize("assumed", [0.7, 3.0])
@pytest.mark.parametrize("other", [0.4, 0.9, 1.4, 6.0])
def test_less_spread_than_assumed_makes_supermartingales(assumed, other):
    """The likelihood ratio of another mean against the true one grows on average with more spread only."""
    law, mean = tt.Gamma(shape=assumed), 1.3

    def growth(shape):
        true = gamma(shape, scale=mean / shape)

        def weighted(y):
            x = math.exp(y)
            return math.exp(true.logpdf(x) + y + law.divergence(x, mean) - law.divergence(x, other))

        return quad(weighted, -25.0, 6.0, points=[-5.0, 0.0], limit=500)[0]

    assert growth(assumed) == pytest.approx(1.0, abs=1e-6)
    assert growth(1.5 * assumed) < 0.9999
    assert growth(0.9 * assumed) > 1.0001  # negative control


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (tt.Gamma(shape=0.0), "shape must be a finite number at least 0.05"),
        (tt.Gamma(shape=math.inf), "shape must be a finite number"),
        (tt.Gamma(scale=0.0), "scale must be a finite number above 0"),
    ],
)
def test_wrong_parameters(wrong, said):
    with pytest.raises(tt.InputError, match=said):
        tt.simulate("TTUCB", MEANS, family=wrong, runs=1)


def test_studies_and_the_shortest_mean():
    study = tt.create_study(["a", "b"], family=tt.Gamma(shape=4.0), direction="minimize", seed=1)
    with pytest.raises(tt.InputError, match="a number above 0"):
        study.tell(study.ask(), 0.0)
    count = 0
    pull = study.pending[0]
    while study.running:
        count += 1
        study.tell(pull, 1.0 / study.arms.index(pull.arm) if pull.arm == "b" else 3.0 + 0.01 * (count % 5))
        if study.running:
            pull = study.ask()
    assert study.verdict.arm == "b"
