"""Studies of values that are large beside their noise: told 1e12 and a little, they know the little."""

import json
import math
import random

import pytest

import toptwo as tt
from toptwo.families import Gaussian
from toptwo.study.designs.independent import Independent

FAR = 1e12
LAWS = {
    "gaussian": tt.Gaussian(),
    "one σ per arm": tt.Gaussian(sigma=(1.0, 0.5)),
    "unknown variance": tt.GaussianUnknownVariance(),
}


class FromZero(Gaussian):
    """A Gaussian law that is measured from 0 however large the rewards."""

    def measured_from(self, rewards):
        return 0.0


def told(family, place, pulls, direction="maximize", batch=3, threshold="mixture"):
    """A study told so many values around a place, late and in reverse, and the values of each arm."""
    study = tt.create_study(
        2, family=family, delta=1e-300, max_samples=pulls, direction=direction, threshold=threshold, seed=4
    )
    noise, values, asked = random.Random(5), ([], []), []
    while study.running:
        for pull in reversed(study.ask(batch)):
            little = round(2.0**12 * noise.gauss(0.0, 1.0)) / 2.0**12 + pull.index / 256  # a double, 1e12 added or not
            values[pull.index].append(little)
            asked.append(pull.index)
            study.tell(pull, place + little)
    return study, values, asked


def farthest_off(study, values, place):
    """What the means of a verdict are off by, at most."""
    return max(abs(arm.mean - place - math.fsum(values[arm.arm]) / arm.pulls) for arm in study.verdict.arms)


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("direction", ["maximize", "minimize"])
def test_a_study_of_values_around_1e12_goes_as_one_around_0(law, direction):
    far, values, asked = told(LAWS[law], FAR, 1500, direction)
    near, same_values, same_asked = told(LAWS[law], 0.0, 1500, direction)
    assert (asked, values) == (same_asked, same_values)
    assert farthest_off(far, values, FAR) <= math.ulp(FAR)
    assert farthest_off(near, values, 0.0) <= 1e-14
    assert far.verdict.confidence == pytest.approx(near.verdict.confidence, abs=1e-12)


def test_measured_from_zero_a_study_loses_digits():
    study, values, _ = told(FromZero(), FAR, 10_000)
    assert farthest_off(study, values, FAR) > 4.0 * math.ulp(FAR)
    study, values, _ = told(tt.Gaussian(), FAR, 10_000)
    assert farthest_off(study, values, FAR) <= math.ulp(FAR)


@pytest.mark.parametrize("family", [tt.Gaussian(sigma=(1.0, 1.0, 1e15)), tt.GaussianUnknownVariance()])
def test_an_arm_that_is_all_noise_costs_the_others_no_digits(family):
    """Its first value, the highest by far, is no place to measure from."""
    study = tt.create_study(3, family=family, delta=1e-300, max_samples=1000, seed=4)
    noise, values = random.Random(5), ([], [], [])
    while study.running:
        [pull] = study.ask(1)
        value = (0.0, 0.25, -1e14)[pull.index] + (1.0, 1.0, 1e15)[pull.index] * noise.gauss(0.0, 1.0)
        values[pull.index].append(value if values[pull.index] or pull.index < 2 else 9e14)
        study.tell(pull, values[pull.index][-1])
    for arm in study.verdict.arms[:2]:
        assert arm.mean == pytest.approx(math.fsum(values[arm.arm]) / arm.pulls, abs=1e-12)


@pytest.mark.slow
def test_a_million_values_around_1e12():
    study, values, _ = told(tt.Gaussian(), FAR, 10**6, batch=1, threshold="heuristic")
    assert study.verdict.pulls == 10**6
    assert farthest_off(study, values, FAR) <= math.ulp(FAR)


def test_it_is_the_highest_first_value_that_counts_whatever_the_order():
    for first in range(3):
        means = [FAR, FAR + 1.0, -FAR]
        means = means[first:] + means[:first]
        study = tt.create_study(means, delta=0.01, seed=first)
        noise = random.Random(first)
        while study.running:
            for pull in study.ask(4):
                study.tell(pull, pull.arm + round(2.0**12 * noise.gauss(0.0, 1.0)) / 2.0**12)
        assert study.verdict.arm == FAR + 1.0
        assert study.verdict.confidence >= 0.99


def test_values_before_the_last_arm_has_one_are_measured_from_there_too(seed):
    """A thousand results of one arm come first; kept and restored half-way."""
    question = {
        "delta": 1e-9,
        "epsilon": 0.0,
        "algorithm": "TTUCB",
        "threshold": "mixture",
        "family": tt.Gaussian(),
        "sign": 1.0,
        "max_samples": None,
        "seed": 1,
    }
    noise = random.Random(seed)
    values = [FAR + round(2.0**12 * noise.gauss(0.0, 1.0)) / 2.0**12 for _ in range(1000)]
    design, other = Independent(3, **question), Independent(3, **question)
    design.add_results(1, values)
    assert design.findings().means[1] == pytest.approx(FAR, abs=1.0)
    other.restore(json.loads(json.dumps(design.snapshot())))
    for one in (design, other):
        one.add_results(0, [FAR - 2.0])
        one.add_results(2, [FAR - 1.0])
    assert design.snapshot() == other.snapshot()
    mean = math.fsum(value - FAR for value in values) / 1000
    for state in (design.settled.state, design.known.state):
        assert [place + design.origin - FAR for place in state.means] == pytest.approx([-2.0, mean, -1.0], abs=2e-4)
        assert state.means[1] - state.means[0] == pytest.approx(mean + 2.0, abs=1e-12)
