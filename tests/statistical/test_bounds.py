"""What is measured lies between what is proven: lower bound ≤ mean stopping time ≤ upper bound."""

import math
from typing import NamedTuple

import numpy as np
import pytest

import toptwo as tt

INSTANCES = {
    "spread": [0.3, 1.0, 0.6, 0.0],
    "two": [0.0, 0.7],
    "close competitors": [0.5, 0.9, 0.6, 0.6, 0.55],
    "1-sparse": [0.0, 0.0, 0.0, 0.0, 0.5, 0.0, 0.0, 0.0],
}


def measured(name, means, delta, **options):
    times = tt.simulate(name, means, delta=delta, threshold="proven", runs=400, seed=11, **options).stopping_times
    return times.mean(), times.std(ddof=1) / np.sqrt(len(times))


@pytest.mark.parametrize("instance", INSTANCES)
@pytest.mark.parametrize("delta", [0.1, 0.001])
def test_measured_times_lie_between_the_bounds(instance, delta):
    means = INSTANCES[instance]
    lowest = tt.theory.lower_bound(means, delta)
    for algorithm, upper in (
        (tt.TTUCB(), tt.theory.upper_bound_mixture),
        (tt.TTUCB(bonus="union"), tt.theory.upper_bound_half),
        ("uniform", tt.theory.upper_bound_uniform),
        ("LUCB1", tt.theory.upper_bound_lucb1),
    ):
        mean, error = measured(algorithm, means, delta)
        assert lowest <= mean + 5 * error
        assert mean - 5 * error <= upper(means, delta).value


class Peeking(NamedTuple):
    """A constant threshold: not δ-correct."""

    delta: float
    arms: int

    def at(self, n):
        return math.log(1.0 / self.delta) / 4.0


def test_control_a_rule_that_peeks_goes_below_the_lower_bound():
    """The lower bound binds δ-correct algorithms only, so the check above can fail."""
    means, delta = INSTANCES["spread"], 0.001
    hasty = tt.simulate("TTUCB", means, delta=delta, threshold=Peeking, runs=400, seed=11).stopping_times
    assert hasty.mean() + 5 * hasty.std() / np.sqrt(400) < tt.theory.lower_bound(means, delta)


@pytest.mark.parametrize("threshold", ["proven", "mixture", "heuristic"])
def test_plans_forecast_what_is_measured(threshold):
    """A plan is a first-order forecast: within a third of the truth on a moderate instance."""
    means = [0.6, 0.5, 0.45, 0.4, 0.3]
    forecast = tt.plan(means, 0.05, threshold=threshold).expected_samples
    for name in ("TTUCB", "T3C", "uniform"):
        mean = tt.simulate(name, means, delta=0.05, threshold=threshold, runs=600, seed=2).stopping_times.mean()
        assert 0.67 < mean / forecast[name] < 1.5
