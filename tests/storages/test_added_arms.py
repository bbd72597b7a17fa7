"""Arms that come while a study runs: measured, kept, replayed, and paid for with a part of δ."""

import random

import pytest

import toptwo as tt
from toptwo.study.designs.added import share_of_delta

MEANS = {"rye": 0.0, "spelt": 0.5, "wheat": 1.5, ("oats", 2): 0.3}


def create(storage, **options):
    asked = {"delta": 0.1, "family": tt.Gaussian(1.0), "more_arms": True, **options}
    return tt.create_study(["rye", "spelt"], storage=storage, study_name="bread", **asked)


def measure(study, noise, pulls=10**6):
    while study.running and pulls > 0:
        for pull in study.ask_block():
            study.tell(pull, MEANS[pull.arm] + noise.gauss(0.0, 1.0))
            pulls -= 1


@pytest.mark.parametrize("options", [{}, {"algorithm": "T3C", "threshold": "betting"}, {"direction": "minimize"}])
def test_an_arm_that_comes_later_can_win(opened, options):
    sign = -1.0 if options.get("direction") == "minimize" else 1.0
    one, other = create(opened(), **options), tt.load_study("bread", opened())
    noise = random.Random(1)
    measuring = [one, other]
    for number in range(10**6):
        if not one.running:
            break
        if number == 9:
            other.add_arm("wheat")
        if number == 12:
            one.add_arm(("oats", 2))
        pull = measuring[number % 2].ask()
        measuring[number % 2].tell(pull, sign * (MEANS[pull.arm] + noise.gauss(0.0, 1.0)))
    verdict = tt.load_study("bread", opened()).verdict
    assert verdict == one.verdict
    assert verdict.arm == "wheat"
    assert verdict.confidence >= 0.9
    assert [report.arm for report in verdict.arms] == list(MEANS)
    assert all(report.pulls for report in verdict.arms)
    assert one.replay() == ""


def test_rows_take_new_arms_too(opened):
    study = create(opened(), family=None, design="blocks", more_arms=False)
    noise = random.Random(2)
    measure(study, noise, 6)
    study.add_arm("wheat")
    measure(study, noise)
    assert study.verdict.arm == "wheat"
    assert study.replay() == ""


def test_a_snapshot_holds_arms_that_came_later(opened, monkeypatch):
    monkeypatch.setattr("toptwo.study.journal.EVERY", 20)
    monkeypatch.setattr("toptwo.study.journal.COSTLY", 10**9)
    study, noise = create(opened(), delta=1e-9), random.Random(3)
    for name in ("wheat", ("oats", 2)):
        measure(study, noise, 40)
        study.add_arm(name)
    study.ask(5)
    measure(study, noise, 40)
    again = tt.load_study("bread", opened())
    assert again.verdict == study.verdict
    assert again.ask()[:3] == study.pending[-1][:3]


def test_what_makes_no_sense_is_said(opened):
    plain = tt.create_study(2, storage=opened(), study_name="plain")
    for study, arm, words in (
        (plain, 2, "more_arms=True"),
        (create(opened()), "rye", "different from each other"),
        (tt.load_study("bread", opened()), [1], "hashable"),
    ):
        arms = study.arms
        with pytest.raises(tt.InputError, match=words):
            study.add_arm(arm)
        assert study.arms == arms
        assert study.ask().number == len(study.pending) - 1
    for algorithm in ("LUCB", "FWS", "SE"):
        with pytest.raises(tt.InputError, match="Top Two"):
            tt.create_study(2, algorithm=algorithm, family=tt.Gaussian(1.0), more_arms=True)
    over = tt.create_study(2, more_arms=True, max_samples=3)
    over.add_arm("c")
    with pytest.raises(tt.InputError, match="max_samples"):
        over.add_arm("d")
    over.optimize(lambda arm: random.random(), progress=False)
    with pytest.raises(tt.StudyError, match="over"):
        over.add_arm("d")


def test_what_is_spent_adds_up_to_delta():
    assert sum((added + 1) * share_of_delta(added) for added in range(10**5)) == pytest.approx(1.0, abs=2e-5)
