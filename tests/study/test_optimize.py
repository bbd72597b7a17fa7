"""`identify` and `optimize`: side by side, for some time, with callbacks, failures by policy, progress in lines."""

import random
import threading
import time

import pytest

import toptwo as tt
from toptwo.study.lines import Lines

MEANS = {"a": 0.0, "b": 1.0, "c": 0.3}


def measuring(seed=1, pause=0.0):
    noise, lock = random.Random(seed), threading.Lock()

    def measure(arm):
        time.sleep(pause)
        with lock:
            return MEANS[arm] + noise.gauss(0.0, 1.0)

    return measure


def test_threads_measure_side_by_side():
    busy, most, lock = [0], [0], threading.Lock()
    inner = measuring(pause=0.005)

    def measure(arm):
        with lock:
            busy[0] += 1
            most[0] = max(most[0], busy[0])
        value = inner(arm)
        with lock:
            busy[0] -= 1
        return value

    verdict = tt.identify(measure, list(MEANS), family=tt.Gaussian(1.0), n_jobs=4)
    assert verdict.arm == "b"
    assert most[0] == 4


def test_one_job_is_ask_and_tell():
    study = tt.create_study(list(MEANS), family=tt.Gaussian(1.0))
    measure = measuring()
    while study.running:
        pull = study.ask()
        study.tell(pull, measure(pull.arm))
    assert tt.identify(measuring(), list(MEANS), family=tt.Gaussian(1.0)) == study.verdict


def test_a_study_goes_on_where_a_limit_ended_it():
    study = tt.create_study(list(MEANS), family=tt.Gaussian(1.0), delta=1e-6)
    assert study.optimize(measuring(), n_pulls=7).pulls == 7
    started = time.monotonic()
    study.optimize(measuring(pause=0.01), timeout=0.1, n_jobs=2)
    assert time.monotonic() - started < 5.0
    assert 7 < study.verdict.pulls < 7 + 60
    assert study.pending == []
    assert study.optimize(measuring()).decided


def test_callbacks_see_each_answer_and_may_stop():
    seen = []

    def watch(study, pull):
        seen.append(pull.number)
        if len(seen) == 5:
            study.stop()

    study = tt.create_study(list(MEANS), family=tt.Gaussian(1.0))
    study.optimize(measuring(), callbacks=[watch])
    assert seen == [0, 1, 2, 3, 4]
    assert study.verdict.pulls == 5
    study.optimize(measuring(), callbacks=[watch], n_pulls=3)
    assert seen == list(range(8))


def test_a_failure_ends_the_loop_and_the_same_call_goes_on_once_its_cause_is_gone():
    study, broken = tt.create_study(list(MEANS), family=tt.Gaussian(1.0)), [True]
    inner = measuring()

    def measure(arm):
        if arm == "c" and broken[0]:
            raise OSError("no space left")
        return inner(arm)

    for jobs in (1, 3):
        with pytest.raises(tt.MeasurementError, match=r"measure\('c'\) raised OSError: no space left") as caught:
            study.optimize(measure, n_jobs=jobs)
        assert caught.value.study is study
    assert study.verdict.waiting + study.verdict.pulls >= 2
    broken[0] = False
    assert study.optimize(measure).arm == "b"


@pytest.mark.parametrize(("policy", "worst"), [("worst", -5.0), ("drop", None)])
def test_failures_that_are_provided_for_do_not_end_the_loop(policy, worst):
    turn, inner = iter(range(10**6)), measuring()

    def measure(arm):
        if next(turn) % 7 == 3:
            return float("nan")
        return inner(arm)

    study = tt.create_study(list(MEANS), family=tt.Gaussian(2.0), failures=policy, worst=worst)
    verdict = study.optimize(measure)
    assert verdict.decided
    assert ("that failed would have been" in verdict.assumption) == (policy == "drop")
    assert {record.state for record in study.pulls} == {"told", "failed"}
    assert "must be finite" in next(record.reason for record in study.pulls if record.state == "failed")


def test_an_interrupt_gives_back_what_was_under_way():
    study, turn = tt.create_study(list(MEANS), family=tt.Gaussian(1.0)), iter(range(10**6))

    def measure(arm):
        if next(turn) == 7:
            raise KeyboardInterrupt
        return MEANS[arm]

    verdict = study.optimize(measure)
    assert (verdict.status, verdict.pulls) == ("running", 7)
    assert study.ask().number == 7


@pytest.mark.parametrize(
    ("options", "words"),
    [({"n_jobs": 0}, "n_jobs"), ({"n_pulls": 0}, "n_pulls"), ({"timeout": -1}, "timeout"), ({"n_jobs": 1.5}, "n_jobs")],
)
def test_limits_must_make_sense(options, words):
    with pytest.raises(tt.InputError, match=words):
        tt.create_study(2).optimize(measuring(), **options)
    with pytest.raises(tt.InputError, match="measure must be a function"):
        tt.create_study(2).optimize(3)


def test_off_a_terminal_a_line_appears_now_and_then(monkeypatch, capsys):
    now = [0.0]
    monkeypatch.setattr("toptwo.study.lines.time.monotonic", lambda: now[0])
    study = tt.create_study(list(MEANS), family=tt.Gaussian(1.0))
    lines, printed = Lines(study), []
    for _ in range(200):
        now[0] += 1.0
        lines.show()
        if err := capsys.readouterr().err:
            printed.append((now[0], err))
    assert [at for at, _ in printed] == [10.0, 30.0, 70.0, 150.0]
    assert printed[0][1] == "Nothing measured yet.\n"


def test_progress_false_is_silent(monkeypatch, capsys):
    monkeypatch.setattr("toptwo.study.lines.FIRST", 0.0)
    tt.identify(measuring(), list(MEANS), family=tt.Gaussian(1.0), progress=False)
    assert capsys.readouterr().err == ""
    tt.identify(measuring(), list(MEANS), family=tt.Gaussian(1.0))
    assert "measurements" in capsys.readouterr().err
