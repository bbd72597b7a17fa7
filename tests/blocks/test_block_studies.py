"""Studies with design="blocks": rows as pulls, items, losses, storages, and what does not fit."""

import random

import pytest

import toptwo as tt
from toptwo.errors import InputError

MEANS = {"a": 1.0, "b": 1.6, "c": 0.7}


def measured(study, rng, most=10_000, **costs):
    """Measure row by row until the verdict."""
    rows = 0
    while study.running and rows < most:
        pulls, load = study.ask_block(), rng.gauss(0.0, 3.0)
        for pull in pulls:
            study.tell(pull, load + MEANS[pull.arm] + rng.gauss(0.0, 0.3), **costs)
        rows += 1
    return study


def test_rows_cancel_what_they_share():
    verdict = measured(tt.create_study(list(MEANS), design="blocks", delta=0.01), random.Random(1)).verdict
    assert (verdict.arm, verdict.status) == ("b", "winner")
    assert verdict.pulls < 60
    assert [report.arm for report in verdict.ranked()] == ["b", "a", "c"]
    assert "differences of two arms in a block are Gaussian" in str(verdict)


def test_rows_are_asked_whole_and_read_in_order():
    study = tt.create_study(list(MEANS), design="blocks")
    first, second = study.ask_block(), study.ask_block()
    assert sorted(pull.arm for pull in first) == list(MEANS)
    assert {pull.block for pull in first} == {0}
    assert {pull.block for pull in second} == {1}
    for pull in reversed(second):
        study.tell(pull, MEANS[pull.arm])
    assert (study.verdict.pulls, study.verdict.waiting) == (0, 3)
    for pull in first:
        study.tell(pull, MEANS[pull.arm])
    assert (study.verdict.pulls, study.verdict.waiting) == (6, 0)


def test_one_by_one_is_row_by_row():
    rows, ones = (tt.create_study(list(MEANS), design="blocks", seed=4) for _ in range(2))
    assert [pull.arm for _ in range(3) for pull in rows.ask_block()] == [ones.ask().arm for _ in range(9)]


def test_items_are_used_once_and_are_the_same_in_a_row():
    study = tt.create_study(list(MEANS), design="blocks", items=[f"question {k}" for k in range(5)], epsilon=0.0)
    rows = [study.ask_block() for _ in range(5)]
    assert all(len({pull.item for pull in row}) == 1 for row in rows)
    assert sorted(row[0].item for row in rows) == [f"question {k}" for k in range(5)]
    assert [row[0].item for row in rows] != sorted(row[0].item for row in rows)
    for row in rows:
        for pull in row:
            study.tell(pull, 1.0 if int(pull.item[-1]) % 2 else 0.5 + (pull.arm == "b"))
    assert study.verdict.status == "undecided"
    assert not study.running


def test_a_lost_pull_leaves_its_row():
    study = tt.create_study(list(MEANS), design="blocks", failures="drop")
    row = study.ask_block()
    study.fail(row[0], "no power")
    for pull in row[1:]:
        study.tell(pull, MEANS[pull.arm])
    assert study.verdict.pulls == 2
    assert "that the 1 measurement that failed would have been like the others" in str(study.verdict)


def test_where_only_wins_count_a_failure_may_be_the_worst():
    study = tt.create_study(list(MEANS), design="blocks", compare="wins", failures="worst", worst=-1e9)
    while study.running:
        for pull in study.ask_block():
            if pull.arm == "c":
                study.fail(pull, "crashed")
            else:
                study.tell(pull, MEANS[pull.arm])
    assert study.verdict.arm == "b"


@pytest.mark.parametrize("compare", ["mean", "log", "wins"])
def test_a_stored_study_is_the_one_in_memory(compare, tmp_path):
    """Opened anew for each row, so that all is read from the journal and its snapshots."""
    options = {"design": "blocks", "compare": compare, "delta": 0.01, "seed": 3, "epsilon": 0.05}
    memory = tt.create_study(list(MEANS), **options)
    place = {"storage": f"sqlite:///{tmp_path}/studies.db", "study_name": compare}
    tt.create_study(list(MEANS), **options, **place)
    rng = random.Random(6)
    while memory.running:
        stored = tt.load_study(compare, place["storage"])
        ours, theirs = memory.ask_block(), stored.ask_block()
        assert [pull.arm for pull in ours] == [pull.arm for pull in theirs]
        load = rng.uniform(1.0, 3.0)
        for mine, its in zip(reversed(ours), reversed(theirs), strict=True):
            value = load * MEANS[mine.arm] * (1.0 + 0.1 * rng.random())
            memory.tell(mine, value)
            stored.tell(its, value)
    assert repr(memory.verdict) == repr(tt.load_study(compare, place["storage"]).verdict)


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"family": tt.Gaussian()}, "compares differences and knows no"),
        ({"algorithm": "LUCB"}, "chooses rows by a rule of its own"),
        ({"items": "abc"}, "items must be a list"),
        ({"items": []}, "at least one item"),
        ({"compare": "median"}, "compare 'median' is unknown"),
    ],
)
def test_what_does_not_fit_is_refused(options, sentence):
    with pytest.raises(InputError, match=sentence):
        tt.create_study(3, design="blocks", **options)


def test_results_that_were_not_made_side_by_side_are_refused():
    study = tt.create_study(list(MEANS), design="blocks")
    with pytest.raises(InputError, match="not measured side by side"):
        study.add("a", [1.0, 2.0])
    assert study.verdict.pulls == 0


def test_bounded_values_need_no_law():
    study = tt.create_study(["bad", "good"], design="blocks", family=tt.Bounded(0, 1), delta=0.1)
    rng = random.Random(8)
    while study.running:
        for pull in study.ask_block():
            study.tell(pull, float(rng.random() < {"bad": 0.2, "good": 0.7}[pull.arm]))
    assert study.verdict.arm == "good"
    assert "values in [0, 1]" in str(study.verdict)
