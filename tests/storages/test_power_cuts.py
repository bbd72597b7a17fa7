"""What must last is on disk when the call returns; what may be forgotten is not waited for."""

import os
import time

import pytest

import toptwo as tt
from toptwo.study.storages import sqlite

ARMS = ("rye", "spelt", "wheat")


@pytest.fixture
def flushes(monkeypatch):
    """The inodes of what was flushed to disk, one after the other."""
    seen, flush = [], sqlite.synced

    def note(file):
        seen.append(os.fstat(file).st_ino)
        flush(file)

    monkeypatch.setattr(sqlite, "synced", note)
    return seen


def test_what_must_last_is_on_disk_when_the_call_returns(tmp_path, flushes, monkeypatch):
    """In the log of the file: a power cut costs no answer. What was asked may be forgotten, and is asked again."""
    monkeypatch.setattr(sqlite, "HURRY", 0.0)
    path = tmp_path / "studies.db"
    study = tt.create_study(ARMS, storage=f"sqlite:///{path}", family=tt.Gaussian(1.0), more_arms=True)
    log = os.stat(f"{path}-wal").st_ino

    def flushed(call):
        flushes.clear()
        found = call()
        assert set(flushes) <= {log}
        return found, len(flushes)

    first, flushed_by_asking = flushed(study.ask)
    second, third, fourth = study.ask(3)
    assert flushed_by_asking == 0
    for call in (
        lambda: study.tell(first, 1.0),
        lambda: study.tell_many([(second, 1.0), (third, 0.5)]),
        lambda: study.fail(fourth),
        study.retry,
        lambda: study.give_back(fourth),
        lambda: study.add_arm("oats"),
        lambda: study.add("rye", [1.0, 2.0]),
    ):
        assert flushed(call)[1] == 1
    assert flushed(lambda: study.verdict)[1] == 0
    study.storage.close()


def test_of_quick_answers_some_are_flushed_and_of_slow_ones_all(tmp_path, flushes, monkeypatch):
    study = tt.create_study(ARMS, storage=f"sqlite:///{tmp_path / 'studies.db'}", family=tt.Gaussian(1.0))
    for pause, flushed in ((100.0, 0), (0.02, 6)):
        monkeypatch.setattr(sqlite, "HURRY", pause)
        study.fail(study.ask())  # what is no answer is always flushed
        study.retry()
        pulls = study.ask(6)
        flushes.clear()
        for pull in pulls:
            time.sleep(0.025)
            study.tell(pull, 1.0)
        assert len(flushes) == flushed
        flushes.clear()
        study.tell_many([(pull, 1.0) for pull in study.ask(2)])
        assert len(flushes) == 1
    study.storage.close()


def test_a_log_that_cannot_be_flushed_is_one_sentence_and_the_answer_is_not_lost(tmp_path, monkeypatch):
    study = tt.create_study(ARMS, storage=f"sqlite:///{tmp_path / 'studies.db'}", family=tt.Gaussian(1.0))
    pull = study.ask()
    with monkeypatch.context() as broken:
        broken.setattr(sqlite, "synced", lambda file: os.fsync(10**6))
        with pytest.raises(tt.StudyError, match="failed"):
            study.tell(pull, 1.0)
    study.tell(pull, 1.0)
    assert study.verdict.pulls == 1
    assert study.replay() == ""
