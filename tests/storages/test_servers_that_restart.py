"""A server that stops and starts in the middle of a loop: nothing that was measured is lost."""

import threading
import time

import pytest

import toptwo as tt
from toptwo.errors import StorageAwayError
from toptwo.study import patience

AWAY = 1.0
"""Seconds for which the server is gone."""


@pytest.fixture(autouse=True)
def short_breaks(monkeypatch):
    """Try again soon."""
    monkeypatch.setattr(patience, "FIRST", 0.05)
    monkeypatch.setattr(patience, "LONGEST", 0.2)


@pytest.fixture
def starts(running_server):
    """Threads that start the server again."""
    under_way = []
    yield under_way
    for thread in under_way:
        thread.join()
    running_server.start()


def restart(server, starts):
    """Stop the server at once; start it a while later."""

    def later():
        time.sleep(AWAY)
        server.start()

    server.stop()
    starts.append(threading.Thread(target=later))
    starts[-1].start()


def new(url):
    return tt.create_study(["a", "b"], storage=url, study_name="bread", family=tt.Gaussian(1.0), delta=1e-9)


@pytest.mark.parametrize("jobs", [1, 3])
def test_a_loop_waits_for_a_server_that_restarts(running_server, postgres, starts, jobs):
    study, measured, lock = new(postgres), [], threading.Lock()

    def measure(arm):
        with lock:
            measured.append(arm)
            if len(measured) == 6:
                restart(running_server, starts)
        return float(len(measured))

    verdict = study.optimize(measure, n_pulls=12, n_jobs=jobs)
    assert verdict.pulls == len(measured) == 12
    assert study.pending == []
    assert study.replay() == ""
    study.storage.close()


def test_whoever_tells_in_a_loop_of_pulls_waits_too(running_server, postgres, starts):
    study = new(postgres)
    for pull in study.asking():
        if pull.number == 4:
            restart(running_server, starts)
        study.tell(pull, 1.0)
        if pull.number == 6:
            break
    assert tt.load_study("bread", postgres).verdict.pulls == 7
    study.storage.close()


@pytest.mark.parametrize("jobs", [1, 3])
def test_what_could_not_be_told_is_on_the_error(running_server, postgres, starts, monkeypatch, jobs):
    monkeypatch.setattr(patience, "ENOUGH", 0.5)
    study, measured, lock = new(postgres), {}, threading.Lock()

    def measure(arm):
        with lock:
            measured[len(measured)] = value = 1.0 + len(measured)
        if jobs == 1 and value == 6.0:
            running_server.stop()
        return value

    def stop_beside_others(study, pull):
        if jobs > 1 and pull.number == 4:
            running_server.stop()

    with pytest.raises(StorageAwayError, match=r"not yet told: pull \d+: \d\.0.*tell_many\(error.untold\)") as caught:
        study.optimize(measure, n_pulls=20, n_jobs=jobs, callbacks=[stop_beside_others])
    running_server.start()
    study.tell_many(caught.value.untold)
    assert sorted(record.value for record in study.pulls if record.state == "told") == sorted(measured.values())
    study.storage.close()


def test_an_interrupt_ends_the_waiting_and_saves_what_was_measured(running_server, postgres, starts, monkeypatch):
    study = new(postgres)

    def interrupted(seconds):
        raise KeyboardInterrupt

    pull = study.ask()
    running_server.stop()
    with study.patience.during(interrupted), pytest.raises(StorageAwayError) as caught:
        study.tell(pull, 2.5)
    assert caught.value.untold == ((pull, 2.5),)
    running_server.start()
    study.storage.close()


def test_by_hand_an_error_comes_at_once(running_server, postgres, starts):
    study = new(postgres)
    pull = study.ask()
    running_server.stop()
    with pytest.raises(StorageAwayError) as caught:
        study.tell(pull, 2.5)
    assert caught.value.untold == ()
    running_server.start()
    study.tell(pull, 2.5)
    assert study.verdict.pulls == 1
    study.storage.close()
