"""Rows of which a pull was given back or lost: nothing of them counts, and another row takes their place."""

import json
import random

import pytest

import toptwo as tt
from toptwo.study.fold import Fold
from toptwo.study.operations import Asked, GivenBack, Leased, RowGivenUp, Told

ARMS = ("rye", "spelt", "wheat")
LEASE = 100.0


def new(storage, **options):
    return tt.create_study(ARMS, storage=storage, study_name="bread", design="blocks", **options)


def measure(study, row, level=0.0):
    for pull in row:
        study.tell(pull, level + 0.1 * pull.index)


def ahead_by(monkeypatch, study, seconds):
    """Move the storage's clock on."""
    begin = type(study.storage).begin

    def begin_later(storage, key, start=None):
        turn = begin(storage, key, start)
        turn.now += seconds
        return turn

    monkeypatch.setattr(type(study.storage), "begin", begin_later)


def test_a_pull_given_back_gives_its_row_up_and_the_next_row_is_drawn_like_it(opened):
    study = new(opened(), items=["a", "b", "c"], failures="abort")
    first, second = study.ask_block(), study.ask_block()
    study.tell(first[0], 50.0)
    study.give_back(first[1])
    assert study.pending == second
    again = study.ask_block()
    assert [(pull.arm, pull.item) for pull in again] == [(pull.arm, pull.item) for pull in first]
    assert {pull.number for pull in again}.isdisjoint(pull.number for pull in first)
    measure(study, second)
    measure(study, again)
    assert study.verdict.pulls == 6
    third = study.ask_block()
    assert sorted(row[0].item for row in (second, again, third)) == ["a", "b", "c"]
    measure(study, third)
    assert (study.verdict.status, study.verdict.pulls) == ("undecided", 9)
    assert [report.mean for report in study.verdict.arms] == pytest.approx([0.0, 0.1, 0.2])
    assert study.replay() == tt.load_study("bread", opened()).replay() == ""
    states = [record.state for record in study.pulls]
    assert states == ["given up"] * 3 + ["told"] * 9
    assert study.pulls[first[0].number].value == 50.0


def test_late_answers_to_a_row_that_was_given_up_are_welcome_and_count_for_nothing(opened):
    study = new(opened())
    row = study.ask_block()
    study.tell(row[0], 1.0)
    study.give_back(row[2])
    for pull in (*row, row[0].number):
        study.tell(pull, 7.0)
        study.fail(pull, "late")
    study.give_back(row[1])
    study.tell_many([(pull, 8.0) for pull in row])
    with pytest.raises(tt.InputError, match="must be a number"):
        study.tell(row[1], "fast")
    assert study.pending == []
    assert study.verdict.pulls == 0
    assert repr(tt.load_study("bread", opened()).verdict) == repr(study.verdict)


def test_an_expired_lease_gives_the_row_up_once_all_of_it_could_be_measured(opened, monkeypatch):
    study = new(opened(), lease=LEASE)
    row = study.ask_block()
    study.tell(row[0], 1.0)
    with monkeypatch.context() as later:
        ahead_by(later, study, 3 * LEASE - 10.0)
        assert {pull.block for pull in study.ask_block()} == {1}
    ahead_by(monkeypatch, study, 3 * LEASE + 10.0)
    again = study.ask_block()
    assert ({pull.block for pull in again}, [pull.arm for pull in again]) == ({2}, [pull.arm for pull in row])
    study.tell(row[1], 2.0)
    study.tell(row[2], 3.0)
    measure(study, again)
    assert study.verdict.pulls == 0  # the second row is still under way
    assert study.verdict.waiting == 3


def test_a_failed_pull_that_is_measured_again_brings_a_whole_row(opened):
    study = new(opened())
    row = study.ask_block()
    study.tell(row[0], 1.0)
    study.fail(row[1], "no flour")
    study.fail(row[2], "no flour")
    with pytest.raises(tt.StudyError, match="no flour"):
        study.ask_block()
    study.retry()
    again = study.ask_block()
    assert {pull.block for pull in again} == {1}
    measure(study, again)
    assert study.verdict.pulls == 3


def test_a_value_told_by_somebody_who_could_not_know_counts_for_nothing(opened):
    one = new(opened())
    row = one.ask_block()
    other = tt.load_study("bread", opened())
    start = other._journal.fold.length
    one.give_back(row[0])
    assert one.storage.append(one._key, Told(row[1].number, 9.0, None, 1), start) is not None
    assert one.pending == other.pending == []
    measure(one, one.ask_block())
    assert one.verdict.pulls == other.verdict.pulls == 3
    assert one.replay() == ""
    assert (one.pulls[row[1].number].state, one.pulls[row[1].number].value) == ("given up", 9.0)


def test_rows_that_were_given_up_cost_nothing_of_the_budget(opened):
    study = new(opened(), max_samples=6)
    rows = 0
    while study.running:
        row = study.ask_block()
        rows += 1
        if rows % 2:
            study.tell(row[0], 5.0)
            study.give_back(row[1])
        else:
            measure(study, row)
    assert (rows, study.verdict.pulls, study.verdict.status) == (4, 6, "undecided")


def test_one_by_one_the_rest_of_a_row_that_was_given_up_is_not_handed_out(opened):
    study = new(opened())
    pull = study.ask()
    study.give_back(pull)
    assert [study.ask().block for _ in range(3)] == [1, 1, 1]


@pytest.mark.parametrize("policy", ["drop", "worst"])
def test_the_budget_and_the_items_are_read_to_their_end_where_measurements_fail(policy):
    """The last row and lost pulls count, too: otherwise the study would wait for pulls that nobody has."""
    for options in ({"max_samples": 6}, {"items": ["a", "b"]}):
        worst = -1.0 if policy == "worst" else None
        study = tt.create_study(ARMS, design="blocks", failures=policy, worst=worst, **options)
        for number in range(2):
            for pull in study.ask_block():
                study.fail(pull, "lost") if pull.number == 1 else study.tell(pull, float(number))
        assert (study.verdict.status, study.verdict.pulls) == ("undecided", 6 if policy == "worst" else 5)


# --- journals and snapshots of former versions ------------------------------------------------------------------------
def test_journals_in_which_a_pull_of_a_row_was_lent_again_are_read_as_they_were(opened):
    study = new(opened())
    row = study.ask_block()
    study.tell(row[0], 0.0)
    with study._journal as journal:
        journal.do(GivenBack(row[1].number))
        journal.do(Leased(row[1].number, None, "somebody"))
    measure(study, row[1:])
    again = tt.load_study("bread", opened())
    assert again.verdict.pulls == 3
    assert again.replay() == ""
    assert again.ask_block()[0].block == 1


def test_snapshots_without_rows_given_up_are_read(opened):
    study = new(opened())
    measure(study, study.ask_block())
    study.tell(study.ask_block()[0], 4.0)
    kept = json.loads(study._journal.fold.snapshot({}))
    for place, names in (
        (kept, ["given up"]),
        (kept["design"], ["given up"]),
        (kept["design"]["race"], ["given up", "lots", "drawn", "free"]),
    ):
        for name in names:
            del place[name]
    fold = Fold(study._journal.question)
    assert fold.restore(json.dumps(kept), {})
    assert fold.snapshot({}) == study._journal.fold.snapshot({})


# --- anything in any order --------------------------------------------------------------------------------------------
class Rows:
    """What should be true of a study in rows: a list of rows, each with its pulls, values, and whether it counts."""

    def __init__(self, rng):
        self.rng, self.rows = rng, []

    def open_pulls(self):
        return [pull for row, told, lost in self.rows if not lost for pull in row if pull.number not in told]

    def complete_before_the_first_open_one(self):
        found = []
        for row, told, lost in self.rows:
            if not lost and len(told) < len(row):
                break
            if not lost:
                found.append(told)
        return found

    def step(self, study):
        """Do anything to the study."""
        act, rng = self.rng.random(), self.rng
        if act < 0.3 or not self.rows:
            row = study.ask_block()
            self.rows.append([row, {}, False])
            return
        place = rng.randrange(len(self.rows))
        row, told, lost = self.rows[place]
        pull = rng.choice(row)
        if act < 0.9:
            value = told.get(pull.number, rng.gauss(0.0, 1.0))
            study.tell(pull, value)
            if not lost:
                told[pull.number] = value
        else:
            study.give_back(pull)
            self.rows[place][2] = lost or pull.number not in told


def played(opened, steps, seed):
    rng = random.Random(seed)
    model, handles = Rows(rng), [new(opened(), delta=1e-200, lease=1e9)]
    handles.append(tt.load_study("bread", opened()))
    for step in range(steps):
        study = rng.choice(handles)
        model.step(study)
        assert study.pending == model.open_pulls()
        if rng.random() < 0.1:
            handles[rng.randrange(2)] = tt.load_study("bread", opened())
        if step % 5 == 0:
            counted = model.complete_before_the_first_open_one()
            assert [handle.verdict.pulls for handle in handles] == [3 * len(counted)] * 2
            assert study.design.race.standing().blocks == len(counted)
    return model, handles[0]


@pytest.mark.parametrize("snapshots", [False, True])
def test_rows_do_what_the_model_does(opened, monkeypatch, snapshots):
    if snapshots:
        monkeypatch.setattr("toptwo.study.journal.EVERY", 5)
        monkeypatch.setattr("toptwo.study.journal.COSTLY", 10**9)
    model, study = played(opened, 150, f"rows {snapshots}")
    for row, told, lost in model.rows:
        for pull in row:
            study.tell(pull, told.get(pull.number, 0.5))
            told.setdefault(pull.number, 0.5)
        assert lost in (True, False)
    counted = [(row, told) for row, told, lost in model.rows if not lost]
    assert len(counted) < len(model.rows), "otherwise nothing is tested here"
    kept = study.storage.read(study._key)
    assert sum(isinstance(entry.operation, RowGivenUp) for entry in kept) == len(model.rows) - len(counted)
    leads = [told[row[k].number] - told[row[m].number] for row, told in counted for k, m in [places(row)]]
    assert study.design.race.effect(0, 1).lead == pytest.approx(sum(leads) / len(leads))
    assert study.verdict.pulls == 3 * len(counted)
    asked = [entry.operation for entry in kept if isinstance(entry.operation, Asked)]
    assert len(asked) == len(model.rows)
    assert study.replay() == ""


def places(row):
    """The places of the first two arms in a row."""
    indexes = [pull.index for pull in row]
    return indexes.index(0), indexes.index(1)
