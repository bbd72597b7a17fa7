"""Studies on every storage: leases, late answers, failures, verdicts that stay, questions that must be the same."""

import pickle
import random
from typing import NamedTuple

import pytest

import toptwo as tt
from toptwo.algorithms.uniform import RoundRobin
from toptwo.study.operations import Asked, Concluded, Told
from toptwo.study.replay import first_difference
from toptwo.study.storages import MemoryStorage
from toptwo.study.study import Study

ARMS = ("rye", "spelt", "wheat")
MEANS = {"rye": 0.0, "spelt": 0.8, "wheat": 0.3}


def new(storage, name="bread", **options):
    return tt.create_study(
        ARMS, storage=storage, study_name=name, **{"delta": 0.1, "family": tt.Gaussian(1.0), **options}
    )


def run(study, seed=1, pulls=10**6):
    noise = random.Random(seed)
    while study.running and pulls > 0:
        pull = study.ask()
        study.tell(pull, MEANS[pull.arm] + noise.gauss(0.0, 1.0))
        pulls -= 1
    return study.verdict


def operations(study, kind):
    found = [entry.operation for entry in study.storage.read(study._key)]
    return [operation for operation in found if isinstance(operation, kind)]


class Clock:
    """Moves a storage's clock on."""

    def __init__(self, monkeypatch, study):
        self.ahead, begin = 0.0, type(study.storage).begin

        def begin_later(storage, key, start=None):
            turn = begin(storage, key, start)
            turn.now += self.ahead
            return turn

        monkeypatch.setattr(type(study.storage), "begin", begin_later)


def test_a_stored_study_is_the_one_in_memory(opened):
    alone, stored = tt.create_study(ARMS, delta=0.1, family=tt.Gaussian(1.0)), new(opened())
    assert run(alone) == run(stored)
    assert len(operations(stored, Concluded)) == 1
    assert first_difference(stored.storage.read(stored._key), stored._journal.question) == ""


def test_two_processes_share_a_study(opened):
    one = new(opened())
    other = tt.load_study("bread", opened())
    first, second = one.ask(), other.ask()
    assert (first.number, second.number) == (0, 1)
    one.tell(second, 1.0)
    other.tell(first, 0.0)
    assert one.verdict == other.verdict
    assert one.pending == other.pending == []
    run(one)
    assert other.verdict == one.verdict
    assert not other.running
    with pytest.raises(tt.StudyError, match="is over"):
        other.ask()


def test_an_expired_lease_is_handed_out_again_and_both_answers_are_welcome_once(opened, monkeypatch):
    study = new(opened(), lease=10.0)
    clock = Clock(monkeypatch, study)
    slow = study.ask()
    assert study.ask().number == 1
    clock.ahead = 11.0
    again = study.ask()
    assert (again.number, again.arm) == (slow.number, slow.arm)
    assert again.token != slow.token
    assert study.ask().number == 1
    assert study.ask().number == 2
    study.tell(slow, 1.5)  # late, and first
    study.tell(again, 2.0)  # whoever measured it as well was not wrong, but second
    study.fail(again, "too slow")
    with pytest.raises(tt.StudyError, match=r"told 1\.5 before"):
        study.tell(again.number, 2.0)
    assert [told.value for told in operations(study, Told)] == [1.5]


def test_without_leases_memory_never_asks_twice_and_databases_do_after_an_hour(opened, monkeypatch):
    study = new(opened())
    clock = Clock(monkeypatch, study)
    study.ask()
    clock.ahead = 3599.0
    assert study.ask().number == 1
    clock.ahead = 3601.0
    assert study.ask().number == (2 if isinstance(study.storage, MemoryStorage) else 0)


def test_a_pull_given_back_is_handed_out_next(opened):
    study = new(opened())
    first, second = study.ask(2)
    study.give_back(first)
    assert study.ask().number == first.number
    study.give_back(first)  # by now somebody else's
    assert study.ask().number == 2
    study.tell(second, 0.0)


def test_answers_are_all_taken_or_none(opened):
    study = new(opened())
    pulls = study.ask(3)
    with pytest.raises(tt.InputError, match="must be finite"):
        study.tell_many([(pulls[0], 1.0), (pulls[1], float("nan"))])
    with pytest.raises(tt.StudyError, match="told 1 before"):
        study.tell_many([(pulls[0], 1.0), (pulls[0], 2.0)])
    assert study.pending == pulls
    study.tell_many([(pull, 1.0) for pull in pulls])
    study.tell_many([(pull, 1.0) for pull in pulls])
    assert study.pending == []
    assert len(operations(study, Told)) == 3


def test_the_verdict_is_written_once_and_late_answers_never_change_it(opened):
    study = new(opened())
    pulls = study.ask(100)
    for pull in pulls[:60]:
        study.tell(pull, 5.0 if pull.arm == "spelt" else 0.0)
    verdict = study.verdict
    assert verdict.decided
    kept = operations(study, Concluded)
    for pull in pulls[60:]:
        study.tell(pull, -50.0 if pull.arm == "spelt" else 50.0)
    again = tt.load_study("bread", opened())
    assert again.verdict == verdict
    assert operations(again, Concluded) == kept
    assert (kept[0].delta, kept[0].epsilon, kept[0].threshold) == (0.1, 0.0, verdict.threshold)
    assert kept[0].pulls == verdict.pulls
    assert kept[0].cutoff < len(study.storage.read(study._key))
    assert study.running is False


# --- failures ---------------------------------------------------------------------------------------------------------
def test_abort_asks_for_nothing_until_a_person_decides(opened):
    study = new(opened())
    first, second = study.ask(2)
    study.fail(first, "out of memory")
    other = tt.load_study("bread", opened())
    with pytest.raises(tt.StudyError, match=r"pull 0 of arm 'rye' failed \(out of memory\)"):
        other.ask()
    other.tell(second, 1.0)
    other.retry()
    assert study.ask().number == 0
    study.fail(first, "late word of the one who had it before")
    study.fail(0, "again")
    study.tell(0, 0.5)  # a value fixed beforehand
    assert study.ask().number == 2


def test_worst_counts_the_value_that_was_fixed(opened):
    study = new(opened(), failures="worst", worst=-7.0)
    for _ in range(3):
        pull = study.ask()
        study.fail(pull) if pull.arm == "wheat" else study.tell(pull, 1.0)
    assert {report.arm: report.mean for report in study.verdict.arms} == {"rye": 1.0, "spelt": 1.0, "wheat": -7.0}
    with pytest.raises(tt.StudyError, match="reported as failed"):
        study.tell(2, 1.0)
    with pytest.raises(tt.StudyError, match="did not fail"):
        study.fail(0)
    study.fail(2)
    assert tt.load_study("bread", opened()).verdict == study.verdict


def test_a_dropped_pull_no_longer_blocks_and_the_verdict_says_the_condition(opened):
    study = new(opened(), failures="drop")
    pulls = study.ask(60)
    for pull in pulls:
        study.fail(pull, "lost") if pull.number in (0, 17) else study.tell(pull, MEANS[pull.arm] * 9)
    verdict = study.verdict
    assert verdict.decided
    assert "the 2 measurements that failed would have been like the others" in verdict.assumption
    assert tt.load_study("bread", opened()).verdict == verdict


def test_policies_must_make_sense():
    with pytest.raises(tt.InputError, match="worst must be a number"):
        tt.create_study(ARMS, failures="worst")
    with pytest.raises(tt.InputError, match="worst must be a number"):
        tt.create_study(ARMS, worst=3.0)
    with pytest.raises(tt.InputError, match="did you mean 'abort'"):
        tt.create_study(ARMS, failures="abrot")
    with pytest.raises(tt.InputError, match="phased"):
        tt.create_study(ARMS, failures="drop", algorithm="Exp-Gap", family=tt.Gaussian(1.0))
    with pytest.raises(tt.InputError, match="could be measured"):
        tt.create_study(ARMS, failures="worst", worst=3.0, family="bernoulli")


# --- results that exist already ---------------------------------------------------------------------------------------
def test_results_brought_along_count_and_survive(opened):
    study = new(opened(), max_samples=1000)
    study.add("spelt", [1.0, 0.5, 0.9])
    study.add("spelt", [])
    pull = study.ask()
    assert pull.arm == "rye"
    study.tell(pull, 0.1)
    with pytest.raises(tt.InputError, match="'oats' is not one of"):
        study.add("oats", [1.0])
    with pytest.raises(tt.InputError, match="must be a number"):
        study.add("rye", [0.1, "fast"])
    with pytest.raises(tt.InputError, match="budget"):
        study.add("rye", [0.0] * 1000)
    assert [record.state for record in study.pulls] == ["brought along"] * 3 + ["told"]
    run(study)
    assert tt.load_study("bread", opened()).verdict == study.verdict
    assert first_difference(study.storage.read(study._key), study._journal.question) == ""


# --- the question -----------------------------------------------------------------------------------------------------
def test_load_if_exists_wants_the_same_question(opened):
    study = new(opened(), family=tt.Gaussian(2.0))
    study.tell(study.ask(), 1.0)
    again = new(opened(), family=tt.Gaussian(2.0), load_if_exists=True)
    assert again.ask().number == 1
    for other in ({"delta": 0.2}, {"family": tt.Gaussian(1.0)}, {"epsilon": 0.1}, {"algorithm": "T3C"}):
        with pytest.raises(tt.InputError, match=f"{next(iter(other))} differ"):
            new(opened(), **{"family": tt.Gaussian(2.0), "load_if_exists": True, **other})
    with pytest.raises(tt.InputError, match="taken"):
        new(opened(), family=tt.Gaussian(2.0))


def test_names_are_listed_and_deleted(opened):
    storage = opened()
    new(storage, "b")
    new(storage, "a")
    assert tt.get_all_study_names(storage) == ["a", "b"]
    study = tt.load_study("a", storage)
    tt.delete_study("a", storage)
    assert tt.get_all_study_names(storage) == ["b"]
    with pytest.raises(tt.StudyError, match="deleted"):
        study.ask()
    with pytest.raises(tt.InputError, match="'a' is unknown"):
        tt.load_study("a", storage)


def test_a_stored_study_is_pickled_as_its_address(opened):
    study = new(opened())
    study.ask()
    other = pickle.loads(pickle.dumps(study))
    assert other.ask().number == 1
    if not isinstance(study.storage, MemoryStorage):
        assert study.ask().number == 2


class Third(NamedTuple):
    """A rule of one's own: round robin that skips some."""

    step: int = 1
    inner: RoundRobin = RoundRobin()

    def next_pull(self, now, random):
        return -1, (now.number * self.step) % len(now.state.means)


def test_a_rule_of_ones_own_is_stored_with_its_fields(opened):
    study = new(opened(), algorithm=Third(2), threshold="mixture", family=tt.Gaussian([1.0, 2.0, 3.0]), max_samples=30)
    run(study)
    again = tt.load_study("bread", opened())
    assert again.verdict == study.verdict
    assert [asked.row for asked in operations(again, Asked)][3:6] == [((4 * 2) % 3,), ((5 * 2) % 3,), ((6 * 2) % 3,)]


def test_a_changed_rule_says_so_instead_of_going_on(opened, monkeypatch):
    if isinstance(opened(), MemoryStorage):
        return  # lives no longer than the code
    study = new(opened(), algorithm=Third(2))
    for _ in range(4):
        study.tell(study.ask(), 0.0)

    def next_pull(self, now, random):
        return -1, (now.number * self.step + 1) % len(now.state.means)

    monkeypatch.setattr(Third, "next_pull", next_pull)
    changed = tt.load_study("bread", opened())
    assert changed.verdict.pulls == 4
    with pytest.raises(tt.StudyError, match="rule of this study has changed"):
        changed.ask()
    monkeypatch.undo()
    assert tt.load_study("bread", opened()).ask().number == 4


def test_what_cannot_be_stored_is_said_before_anything_is(tmp_path):
    class Local(NamedTuple):
        def next_pull(self, now, random):
            return -1, 0

    url = f"sqlite:///{tmp_path / 'studies.db'}"
    with pytest.raises(tt.InputError, match="top level of a module"):
        tt.create_study(2, storage=url, algorithm=Local())
    with pytest.raises(tt.InputError, match="arms cannot be stored"):
        tt.create_study([object(), object()], storage=url)
    study = tt.create_study([("a", 1), ("a", 2.5), None], storage=url, study_name="tuples")
    assert tt.load_study("tuples", url).arms == study.arms == (("a", 1), ("a", 2.5), None)


def test_snapshots_load_to_the_same_study(opened, monkeypatch):
    monkeypatch.setattr("toptwo.study.journal.EVERY", 50)
    monkeypatch.setattr("toptwo.study.journal.COSTLY", 10**9)
    study = new(opened(), algorithm="T3C", delta=1e-12)
    run(study, pulls=150)
    taken = study.storage.snapshot(study._key)
    assert (taken is None) == isinstance(study.storage, MemoryStorage)
    again = tt.load_study("bread", opened())
    assert repr(again.verdict) == repr(study.verdict)
    first = again.ask()
    assert first == study.pending[0]
    with pytest.raises(tt.StudyError, match="before, and"):
        again.tell(3, 123.0)  # told before the snapshot: the journal remembers
    again.tell(3, next(told.value for told in operations(again, Told) if told.pull == 3))
    assert first_difference(study.storage.read(study._key), study._journal.question) == ""


class Overtaken(Study):
    """Somebody else tells the last answer between `running` and `ask`."""

    def ask(self, n=None):
        run(tt.load_study(self.name, self.storage))
        return super().ask(n)


@pytest.mark.parametrize("loop", [lambda study: list(study.asking()), lambda study: study.optimize(len).pulls])
def test_a_loop_ends_when_others_end_the_study(opened, loop):
    study = new(opened())
    overtaken = Overtaken(study.storage, study._key, study.name)
    assert loop(overtaken) in ([], study.verdict.pulls)
    assert not study.running
    with pytest.raises(tt.StudyError, match="over"):
        overtaken.ask()


def test_whoever_comes_after_the_last_answer_writes_the_verdict(opened):
    """The process that told it was killed before it could."""
    killed, other = new(opened(), max_samples=4), tt.load_study("bread", opened())
    for pull in killed.ask(4):
        last = Told(pull.number, 1.0, None, 1)
        assert killed.storage.append(killed._key, last, 0) is not None
    assert operations(other, Concluded) == []
    with pytest.raises(tt.StudyError, match="over"):
        other.ask()
    assert len(operations(other, Concluded)) == 1
    assert killed.verdict == other.verdict
    assert other.replay() == ""
