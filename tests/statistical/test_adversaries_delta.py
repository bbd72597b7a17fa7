"""δ-correctness against samplers that want the wrong arm to win, by exact binomial tests, at near ties.

Guarantees are for any sampling rule, so they are put to the test with rules that nobody would use: whoever is unlucky
starves, whoever is lucky is fed, and the truth is known to some. Wrong answers do happen here, and levels that are too
low fail the same test.
"""

from typing import Any, NamedTuple

import pytest
from adversaries import NAMES, adversary
from test_delta_correct import FALSE_ALARM, peeking, surprise

import toptwo as tt
from toptwo.rules.stopping import MixtureEvidence

CAP = 200
RUNS = 2000
DELTA = 0.5
"""Of this size for wrong answers to happen, and to be counted."""
SMALL_DELTA = 1e-4
"""Of this size for a level that is too low to have nowhere to hide."""


class Tie(NamedTuple):
    """Instances whose first arm is wrong by a hair: a tie, a margin that is missed, another arm far off."""

    family: Any
    instances: tuple[tuple[tuple[float, ...], float], ...]
    """Means and margins."""
    runs: int = RUNS


TIES = {
    "gaussian": Tie(tt.Gaussian(), (((0.0, 0.001), 0.0), ((0.0, 0.301), 0.3), ((0.0, 0.001, -20.0), 0.0))),
    "one σ per arm": Tie(tt.Gaussian(sigma=(0.7, 1.2)), (((0.0, 0.001), 0.0), ((0.0, 0.301), 0.3))),
    "bernoulli": Tie(tt.Bernoulli(), (((0.5, 0.501), 0.0), ((0.4, 0.501), 0.1), ((0.9, 0.901, 0.1), 0.0))),
    "poisson": Tie(tt.Poisson(), (((2.0, 2.001), 0.0), ((0.1, 0.201), 0.1), ((9.0, 9.001, 0.1), 0.0))),
    "exponential": Tie(tt.Exponential(), (((1.0, 1.001), 0.0), ((1.0, 1.301), 0.3), ((9.0, 9.001, 0.1), 0.0))),
    "gamma": Tie(tt.Gamma(shape=3.0), (((1.0, 1.001), 0.0), ((1.0, 1.301), 0.3), ((9.0, 9.001, 0.1), 0.0))),
    "bounded": Tie(tt.Bounded(), (((0.5, 0.501), 0.0), ((0.3, 0.401), 0.1)), 1000),
    "unknown variance": Tie(tt.GaussianUnknownVariance((0.7, 1.2)), (((0.0, 0.001), 0.0), ((0.0, 0.301), 0.3))),
}
PROVEN = [(law, threshold) for law, tie in TIES.items() for threshold in tie.family.levels()]


def play(name, tie, threshold, delta, instance, seed, runs=None, meals=6):
    """Return the runs in which an adversary decides what is pulled."""
    means, epsilon = instance
    return tt.simulate(
        adversary(name, means, 0, meals, 3.0),
        means,
        delta=delta,
        epsilon=epsilon,
        threshold=threshold,
        family=tie.family,
        max_samples=CAP,
        runs=runs or tie.runs,
        seed=seed,
    )


def count_wrong(tie, threshold, delta, instance, seed, runs=None):
    """Return how often the adversaries had their way, having checked each against δ."""
    wrong = 0
    for name in NAMES:
        result = play(name, tie, threshold, delta, instance, seed, runs)
        assert surprise(result, delta) >= FALSE_ALARM, f"{name}: {result} with δ = {delta}"
        wrong += int(result.wrong.sum())
    return wrong


@pytest.mark.parametrize(
    ("law", "threshold"),
    # Wrong answers are too rare under "proven" to be counted in a short test.
    [pytest.param(*pair, marks=pytest.mark.slow) if pair[1] == "proven" else pair for pair in PROVEN],
)
def test_no_adversary_makes_a_proven_rule_err_more_often_than_delta(law, threshold, seed):
    tie = TIES[law]
    assert count_wrong(tie, threshold, DELTA, tie.instances[0], seed) > 0 or threshold == "proven"
    for instance in tie.instances[1:]:
        count_wrong(tie, threshold, SMALL_DELTA, instance, seed)


@pytest.mark.slow
@pytest.mark.parametrize("delta", [DELTA, SMALL_DELTA])
@pytest.mark.parametrize(("law", "threshold"), PROVEN)
def test_no_adversary_does_over_many_runs(law, threshold, delta, seed):
    for instance in TIES[law].instances:
        count_wrong(TIES[law], threshold, delta, instance, seed, 10 * TIES[law].runs)


def a_tenth_of_a_nat(delta: float, arms: int) -> MixtureEvidence:
    """Return the mixture rule with a level that has nothing to do with δ."""
    return MixtureEvidence(0.1)


@pytest.mark.parametrize(("law", "threshold"), PROVEN)
def test_every_adversary_catches_a_level_that_is_too_low(law, threshold, seed):
    low = a_tenth_of_a_nat if threshold == "mixture" else peeking
    for name in NAMES:
        result = play(name, TIES[law], low, SMALL_DELTA, TIES[law].instances[0], seed)
        assert surprise(result, SMALL_DELTA) < FALSE_ALARM, f"{name}: {result}"
