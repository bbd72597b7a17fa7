"""Studies in rows (`design="blocks"`): items reach the function that measures, and means are those of shared rows."""

import random
import sys
import threading
import time

import pytest

import toptwo as tt
from toptwo.study import journal

WORTH = {"a": 0.0, "b": 0.5, "c": 0.1}


def on_items(seed, scale):
    noise, seen = random.Random(seed), {}

    def measure(arm, item):
        seen.setdefault(item, set()).add(arm)
        return WORTH[arm] + scale * item + noise.gauss(0.0, 0.3)

    return measure, seen


@pytest.mark.parametrize("jobs", [1, 3])
def test_a_row_is_measured_on_one_item(jobs):
    measure, seen = on_items(1, 10.0)
    verdict = tt.identify(measure, list(WORTH), design="blocks", items=range(300), n_jobs=jobs)
    assert verdict.arm == "b"
    alone = sum(len(arms) < 2 for arms in seen.values())
    assert alone <= jobs - 1, "only rows under way at the end may be cut short"
    assert len(seen) < 300


def test_means_are_levelled_over_rows_that_an_arm_was_not_in():
    """An arm that is out early has seen other items than the rest: its own mean would tell of those."""
    measure, _ = on_items(2, 10.0)
    verdict = tt.identify(measure, list(WORTH), design="blocks", items=range(300))
    counts = {report.arm: report.pulls for report in verdict.arms}
    assert counts["a"] < counts["b"], "otherwise nothing is tested here"
    assert [report.arm for report in verdict.ranked()] == ["b", "c", "a"]
    means = {report.arm: report.mean for report in verdict.arms}
    assert means["b"] - means["a"] == pytest.approx(0.5, abs=0.3)


def test_the_lowest_geometric_mean_is_levelled_too():
    rng, study = random.Random(3), tt.create_study(4, design="blocks", compare="log", direction="minimize")
    level = 1.0
    while study.running:
        level *= 1.1
        for pull in study.ask_block():
            study.tell(pull, level * 1.5**pull.index * rng.lognormvariate(0.0, 0.2))
    verdict = study.verdict
    assert verdict.arm == 0
    assert [report.arm for report in verdict.ranked()] == [0, 1, 2, 3]
    assert verdict.arms[3].mean / verdict.arms[0].mean == pytest.approx(1.5**3, rel=0.25)


def test_gaps_have_digits_of_their_own():
    study = tt.create_study(["old", "new"], design="blocks", max_samples=40)
    rng = random.Random(4)
    while study.running:
        day = rng.gauss(0.0, 5e4)
        for pull in study.ask_block():
            study.tell(pull, 1e6 + day + 0.02 * pull.index + rng.gauss(0.0, 0.03))
    line = next(line for line in str(study.verdict).splitlines() if "behind by" in line)
    low, high = line.split("behind by ")[1].split(" to ")
    assert float(low) != float(high)


def test_batches_are_compared_by_their_averages():
    rng, study = random.Random(5), tt.create_study(["old", "new"], design="blocks")
    while study.running:
        for pull in study.ask_block():
            rate = 0.1 + 0.05 * pull.index
            study.tell(pull, successes=sum(rng.random() < rate for _ in range(200)), trials=200)
    assert study.verdict.arm == "new"


def test_the_figure_shows_how_far_arms_are_behind():
    measure, _ = on_items(6, 1.0)
    study = tt.create_study(list(WORTH), design="blocks", items=range(300))
    study.optimize(measure)
    (axes,) = study.plot_arms().axes
    assert "behind" in axes.get_xlabel()
    gaps = [report.gap for report in study.verdict.ranked() if report.gap]
    assert sorted(list(line.get_xdata()) for line in axes.lines) == sorted(
        [[0.0], *([gap.low, gap.high] for gap in gaps)]
    )


def in_rows(tmp_path, **options):
    url = f"sqlite:///{tmp_path / 'rows.db'}"
    study = tt.create_study(list(WORTH), design="blocks", storage=url, study_name="rows", **options)
    noise = random.Random(7)
    return study, tt.load_study("rows", url), lambda arm: WORTH[arm] + noise.gauss(0.0, 1.0)


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_row_that_was_begun_is_measured_to_its_end(tmp_path, jobs):
    study, elsewhere, measure = in_rows(tmp_path)
    study.optimize(measure, n_pulls=4, n_jobs=jobs)
    assert study.verdict.pulls == 6
    assert elsewhere.pending == []
    assert elsewhere.optimize(measure, n_pulls=6).waiting == 0


@pytest.mark.parametrize("ended_by", ["stop", "timeout", "failure", "break"])
def test_nobody_waits_for_the_rest_of_a_row_when_a_loop_is_left(tmp_path, ended_by):
    study, elsewhere, measure = in_rows(tmp_path)

    calls = iter(range(100))

    def slow(arm):
        time.sleep(1.5 if ended_by == "timeout" and next(calls) == 3 else 0.0)
        if ended_by == "failure" and len(study.pending) and study.verdict.pulls == 3:
            raise OSError("no space left")
        return measure(arm)

    if ended_by == "stop":
        study.optimize(slow, callbacks=[lambda study, pull: study.stop() if pull.number == 3 else None])
    elif ended_by == "timeout":
        study.optimize(slow, timeout=1.0)
    elif ended_by == "failure":
        with pytest.raises(tt.MeasurementError, match="no space left"):
            study.optimize(slow)
    else:
        for pull in study.asking():
            study.tell(pull, measure(pull.arm))
            if pull.number == 3:
                break
    assert elsewhere.given_up == 3, "otherwise nothing is tested here"
    assert elsewhere.pending == []
    assert elsewhere.ask().number == 6
    assert not study.amid_row


def test_a_pull_is_given_back_by_its_number(tmp_path):
    study, elsewhere, _ = in_rows(tmp_path)
    row = study.ask_block()
    study.give_back(row[1].number)
    assert elsewhere.given_up == len(row)
    assert [pull.arm for pull in elsewhere.ask_block()] == [pull.arm for pull in row], "its order comes next"


@pytest.mark.parametrize("design", ["independent", "blocks"])
def test_threads_share_a_stored_study(tmp_path, design):
    study = tt.create_study(
        3, design=design, storage=f"sqlite:///{tmp_path / 'threads.db'}", max_samples=240, delta=1e-9
    )
    problems = []

    def work(seed):
        noise = random.Random(seed)
        try:
            for pull in study.asking():
                study.tell(pull, pull.index + noise.gauss(0.0, 5.0))
        except BaseException as problem:
            problems.append(repr(problem))

    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    try:
        crew = [threading.Thread(target=work, args=(seed,)) for seed in range(8)]
        for thread in crew:
            thread.start()
        for thread in crew:
            thread.join(120)
    finally:
        sys.setswitchinterval(before)
    assert problems == []
    assert study.verdict.pulls >= 240
    assert study.replay() == ""


@pytest.mark.parametrize(
    "items", [[{"id": k, "level": (k, 0.5)} for k in range(40)], range(40), [(k, "x") for k in range(40)]]
)
def test_items_that_are_plain_data_are_stored_as_they_are(tmp_path, monkeypatch, items):
    monkeypatch.setattr(journal, "EVERY", 10)
    study, elsewhere, _ = in_rows(tmp_path, items=items)
    for pull in study.ask(7):
        study.tell(pull, 1.0)
    study.ask()
    again = tt.load_study("rows", elsewhere.storage)
    for opened in (study, elsewhere, again):
        assert all(pull.item in list(items) and type(pull.item) is type(items[0]) for pull in opened.pending)
        assert len(opened.pending) == 2
        assert opened.replay() == ""
    assert {type(record.item) for record in again.pulls} == {type(items[0])}


def test_items_that_are_no_plain_data_are_not_stored(tmp_path):
    with pytest.raises(tt.InputError, match="items cannot be stored: use text, numbers, or lists, tuples and dicts"):
        in_rows(tmp_path, items=[{"path": tmp_path}])
