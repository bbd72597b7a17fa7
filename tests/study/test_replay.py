"""The journal decides everything: replayed, reloaded or pickled, a study is the same study, bit for bit."""

import pickle
import random

import pytest

import toptwo as tt
from toptwo.study.fold import Fold
from toptwo.study.operations import Asked, Told
from toptwo.study.replay import first_difference

MEANS = {"a": 0.0, "b": 0.5, "c": 0.3, "d": 0.45}


def measured_in_reverse(study, seed, rounds=40, batch=4):
    """Ask in batches and tell the answers in reverse."""
    noise = random.Random(seed)
    for _ in range(rounds):
        if not study.running:
            break
        for pull in reversed(study.ask(batch)):
            study.tell(pull, MEANS[pull.arm] + noise.gauss(0.0, 1.0))
    return study


def entries_of(study):
    return study.storage.read(study._key)


@pytest.mark.parametrize("name", ["T3C", "TTUCB", "TTTS", "EB-TCI", "LUCB", "lilUCB", "TaS"])
def test_batches_told_in_reverse_replay_bit_for_bit(name, seed):
    for turn in range(20 if name == "T3C" else 4):
        study = tt.create_study(list(MEANS), algorithm=name, seed=seed + turn, delta=0.1, family=tt.Gaussian(1.0))
        measured_in_reverse(study, seed + turn)
        assert first_difference(entries_of(study), study._journal.question) == ""


def test_the_log_in_ask_order_would_not_do():
    """Negative control: pulls and values in ask order, which is no journal, decide otherwise in nearly every study."""
    diverged = 0
    for seed in range(20):
        study = tt.create_study(list(MEANS), algorithm="T3C", seed=seed, delta=0.1, family=tt.Gaussian(1.0))
        measured_in_reverse(study, seed)
        entries = list(entries_of(study))
        values = {entry.operation.pull: entry for entry in entries if isinstance(entry.operation, Told)}
        log, asked = entries[:1], 0
        for entry in entries[1:]:
            if isinstance(entry.operation, Asked):
                log += [entry, values[asked]]
                asked += 1
        diverged += first_difference(log, study._journal.question) != ""
    assert diverged == 20


def test_a_changed_decision_is_found():
    study = measured_in_reverse(tt.create_study(list(MEANS), algorithm="T3C", delta=0.1, family=tt.Gaussian(1.0)), 1)
    entries = list(entries_of(study))
    place = next(i for i, entry in enumerate(entries) if isinstance(entry.operation, Asked) and i > 60)
    operation = entries[place].operation
    entries[place] = entries[place]._replace(operation=operation._replace(row=((operation.row[0] + 1) % 4,)))
    assert first_difference(entries, study._journal.question).startswith(f"operation {place} asked for")


def test_a_pickled_study_goes_on_alone():
    study = measured_in_reverse(
        tt.create_study(list(MEANS), algorithm="T3C", delta=0.1, family=tt.Gaussian(1.0)), 1, rounds=10
    )
    study.ask(3)
    other = pickle.loads(pickle.dumps(study))
    assert repr(other.verdict) == repr(study.verdict)
    assert other.pending == study.pending
    for pull in study.pending:
        other.tell(pull, 0.0)
    assert len(other.pending) == 0
    assert len(study.pending) == 3
    for pull in study.pending:
        study.tell(pull, 0.0)
    assert measured_in_reverse(other, 2).verdict == measured_in_reverse(study, 2).verdict


def test_a_snapshot_of_the_fold_is_the_fold():
    study = measured_in_reverse(
        tt.create_study(list(MEANS), algorithm="T3C", delta=1e-9, family=tt.Gaussian(1.0)), 1, rounds=10
    )
    study.ask(3)
    fold = study._journal.fold
    other = Fold(study._journal.question)
    assert other.restore(fold.snapshot({}), {})
    assert other.snapshot({}) == fold.snapshot({})
    assert not Fold(study._journal.question).restore(fold.snapshot({"3.11": "of other code"}), {})
