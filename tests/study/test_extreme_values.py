"""Values at the ends of the floats: refused before they are kept, so that no study is ever lost to one."""

import math
import sys
from typing import NamedTuple

import pytest

import toptwo as tt

FAR = 1e100
TOO_FAR = [sys.float_info.max, -sys.float_info.max, 1e200, -1.01e100, 10**101]


@pytest.mark.parametrize("design", ["independent", "blocks"])
@pytest.mark.parametrize("value", TOO_FAR)
def test_a_value_beyond_the_limit_is_refused_and_the_study_goes_on(value, design, tmp_path):
    url = f"sqlite:///{tmp_path / 'kept.db'}"
    study = tt.create_study(["a", "b", "c"], storage=url, study_name="kept", design=design)
    pull = study.ask()
    for refused in (
        lambda: study.tell(pull, value),
        lambda: study.tell_many([(pull, value)]),
        lambda: study.tell(pull, value, trials=3),
    ):
        with pytest.raises(tt.InputError, match=r"must lie between -1e\+100 and 1e\+100"):
            refused()
    study.tell(pull, 1.0)
    for _ in range(2):
        study.tell(study.ask(), 2.0)
    assert tt.load_study("kept", url).verdict.status == "running"
    assert not tt.load_study("kept", url).pending


def test_results_that_exist_already_are_held_to_the_same_limit():
    study = tt.create_study(2, family=tt.Gaussian(1.0))
    with pytest.raises(tt.InputError, match="must lie between"):
        study.add(0, [1.0, 1e200])
    assert study.verdict.pulls == 0


FAMILIES = [
    tt.Gaussian(1e-50),
    tt.Gaussian(1.0),
    tt.Gaussian(1e100),
    tt.Gaussian([1.0, 1e-30, 1e-10]),
    tt.GaussianUnknownVariance(),
    tt.Bounded(-FAR, FAR),
]


@pytest.mark.parametrize("epsilon", [0.0, 1e-300, 1.0, FAR])
@pytest.mark.parametrize("family", FAMILIES, ids=repr)
def test_values_at_the_limit_are_taken_in(family, epsilon):
    values = [FAR, -FAR, 1.0, 0.0, 9e99, 5e-324, -FAR, FAR, 1e50, -1e-300, FAR, FAR]
    for threshold in ("betting", "mixture"):
        study = tt.create_study(3, family=family, epsilon=epsilon, threshold=threshold, max_samples=12)
        for value in values:
            if study.running:
                study.tell(study.ask(), value)
        assert not study.running
        assert "nan" not in str(study.verdict)


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"epsilon": 1e300}, r"epsilon must be at most 1e\+100, not 1e\+300"),
        ({"family": tt.Gaussian(1e-165)}, "sigma must lie between 1e-50 and"),
        ({"family": tt.Gaussian(1e200)}, "sigma must lie between 1e-50 and"),
        ({"family": tt.GaussianUnknownVariance(sigma=1e-165)}, "sigma must lie between 1e-50 and"),
        ({"family": tt.Gaussian([1.0, 1e-40])}, r"sigma must not differ by more than a factor of 1e\+30"),
        ({"family": tt.Bounded(-1e308, 1e308)}, r"low must lie between -1e\+100 and"),
        ({"failures": "worst", "worst": 1e200}, "worst must be a finite number between"),
    ],
)
def test_parameters_whose_squares_are_no_floats_are_refused(options, sentence):
    with pytest.raises(tt.InputError, match=sentence):
        tt.create_study(2, **options)
    if "worst" not in options:
        with pytest.raises(tt.InputError, match=sentence):
            tt.simulate("TTUCB", [0.0, 1.0], runs=1, max_samples=10, engine="python", **options)


class FailsOnSeven(NamedTuple):
    """A leader that cannot take one value in."""

    def lead(self, now, random):
        return now.best

    def learn(self, seen):
        if seen.value == 7.0:
            raise ValueError("seven")


def test_a_turn_that_fails_leaves_the_study_as_it_was():
    study = tt.create_study(2, algorithm=tt.TopTwo(leader=FailsOnSeven()), family=tt.Gaussian(1.0))
    pulls = [study.ask(), study.ask()]
    with pytest.raises(Exception, match="seven"):
        study.tell_many([(pulls[0], 1.0), (pulls[1], 7.0)])
    assert study.pending == pulls
    study.tell_many([(pulls[0], 1.0), (pulls[1], 6.0)])
    assert study.verdict.pulls == 2


def test_a_value_that_a_rule_cannot_take_in_fails_alike_whenever_it_is_read():
    study = tt.create_study(2, algorithm=tt.TopTwo(leader=FailsOnSeven()), family=tt.Gaussian(1.0))
    study.tell(study.ask(), 1.0)
    for attempt in (lambda: study.tell(study.ask(), 7.0), lambda: study.verdict, study.ask, lambda: study.pending):
        with pytest.raises(Exception, match="seven"):
            attempt()


def test_limits_are_squares_that_are_floats():
    assert math.isfinite((FAR / 1e-50) ** 2 * 1e6)
