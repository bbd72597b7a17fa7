"""Arms that show no noise, where the variance is asked for: said once, no skew, and not measured for ever."""

import json
import math
import random

import pytest

import toptwo as tt
from toptwo.families import GaussianUnknownVariance
from toptwo.study.diagnostics import Diagnostics


def told(study, value_of, pulls):
    for _ in range(pulls):
        pull = study.ask()
        study.tell(pull, value_of(pull))
    return study.verdict


def test_arms_that_show_no_noise_are_not_called_skewed_and_nothing_is_forecast():
    verdict = told(tt.create_study(3), lambda pull: 1.0, 200)
    assert ["are equal" in sentence for sentence in verdict.diagnostics] == [True] * len(verdict.diagnostics)
    assert verdict.diagnostics
    assert verdict.remaining == math.inf
    assert "more to go" not in str(verdict)


def test_one_arm_without_noise_leaves_no_forecast_either():
    stream = random.Random(1)
    verdict = told(tt.create_study(2), lambda pull: 1.0 if pull.index == 0 else stream.gauss(3.0, 1.0), 100)
    assert verdict.constant == (0,)
    assert verdict.remaining == math.inf
    budgeted = told(tt.create_study(2, max_samples=10), lambda pull: float(pull.number), 8)
    assert budgeted.remaining < math.inf


LOOPS = {
    "asking": lambda study: [study.tell(pull, 1.0) for pull in study.asking()],
    "ask and tell": lambda study: told(study, lambda pull: 1.0, 10**6),
    "ask_block": lambda study: [study.tell(pull, 1.0) for _ in range(10**6) for pull in study.ask_block()],
    "ask many": lambda study: [study.tell_many([(pull, 1.0) for pull in study.ask(7)]) for _ in range(10**6)],
    "optimize": lambda study: study.optimize(lambda arm: 1.0, progress=False),
}


@pytest.mark.parametrize("loop", LOOPS)
def test_equal_values_are_not_measured_for_ever(loop):
    study = tt.create_study(["a", "b"])
    with pytest.raises(tt.MeasurementError, match=r"all 1\d\d values of arm 'a' are equal") as caught:
        LOOPS[loop](study)
    assert caught.value.study is study
    assert 256 <= study.verdict.pulls < 263


def test_who_knows_better_may_ask_on_until_the_pulls_have_doubled():
    study = tt.create_study(2)
    with pytest.raises(tt.MeasurementError):
        told(study, lambda pull: 1.0, 10**6)
    with pytest.raises(tt.MeasurementError, match="all 2"):
        told(study, lambda pull: 1.0, 10**6)
    assert study.verdict.pulls == 512


def test_a_budget_ends_a_study_of_equal_values_by_itself():
    assert tt.identify(lambda arm: 1.0, 2, max_samples=600, progress=False).status == "undecided"


def test_values_of_which_most_are_equal_are_no_coins():
    """One step in the middle of equal values: all the others were below no mean, and above none."""
    watch = Diagnostics(GaussianUnknownVariance(), 2)
    for place in range(2048):
        watch.see(place % 2, 1.0)
    watch.see(0, 2.0)
    for _ in range(14):
        watch.see(0, 1.0)
    assert "skew" not in {diagnosis.kind for diagnosis in watch.read()}


def test_values_that_are_mostly_equal_but_skewed_are_still_seen():
    stream, watch = random.Random(3), Diagnostics(GaussianUnknownVariance(), 2)
    for place in range(4096):
        watch.see(place % 2, stream.expovariate(1.0))
    assert "skew" in {diagnosis.kind for diagnosis in watch.read()}


def test_a_snapshot_of_before_is_still_read():
    watch = Diagnostics(GaussianUnknownVariance(), 2)
    for place in range(50):
        watch.see(place % 2, float(place % 5))
    kept = json.loads(json.dumps(watch.snapshot()))
    for tally in kept["tallies"]:
        tally.pop()  # the number of values that were just the mean
    again = Diagnostics(GaussianUnknownVariance(), 2)
    again.restore(kept)
    assert again.read() == watch.read()
