"""Anything that may happen to a study, in any order, against a model that is a list and two dictionaries.

Two handles on one study, as two processes have them: they ask, tell, tell late, twice and wrongly, fail, give back, let
leases expire, crash in the middle of a turn, and are opened anew.
"""

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

import toptwo as tt
from toptwo.study.asking import handed_out
from toptwo.study.operations import Asked, Told
from toptwo.study.replay import first_difference

LEASE = 100.0


class Crash(Exception):
    """Stands for a process that ends in the middle of a turn."""


class Machine(RuleBasedStateMachine):
    """One study, two handles, and what should be true of it."""

    def __init__(self, open_storage, count):
        super().__init__()
        self.open_storage = open_storage
        self.name = f"study {next(count)}"

    @initialize(algorithm=st.sampled_from(["TTUCB", "T3C"]), policy=st.sampled_from(["abort", "worst", "drop"]))
    def create(self, algorithm, policy):
        """Create the study and open it twice."""
        options = {"failures": policy, "worst": -3.0 if policy == "worst" else None, "lease": LEASE}
        arms = ["a", "b", "c"]
        storage = self.clocked(self.open_storage())
        study = tt.create_study(
            arms, storage=storage, study_name=self.name, algorithm=algorithm, delta=1e-200, max_samples=60, **options
        )
        self.handles = [study, tt.load_study(self.name, self.clocked(self.open_storage()))]
        self.policy = policy
        self.ahead = 0.0
        self.pulls = []  # arm of each pull
        self.values = {}  # what a pull counts as
        self.failed = {}  # pulls that wait for a decision ("abort")
        self.gone = set()  # pulls that failed for good ("worst", "drop")
        self.deadlines = {}  # of pulls that are lent: when they may be lent again, by how far the clock was moved on
        self.lent = []  # every Pull that was ever handed out

    def clocked(self, storage):
        """Make the clock of a storage run as this test wants it."""
        kind, machine = getattr(storage, "unclocked", type(storage)), self

        class Clocked(kind):
            unclocked = kind

            def begin(self, key, start=None):
                turn = super().begin(key, start)
                turn.now = 1000.0 + machine.ahead
                return turn

        storage.__class__ = Clocked
        return storage

    @property
    def over(self):
        return len(self.values) + len(self.gone - set(self.values)) >= 60

    def lent_again(self, number):
        return sum(pull.number == number for pull in self.lent) > 1

    def open_pulls(self):
        return [n for n in range(len(self.pulls)) if n not in self.values and n not in self.gone]

    @rule(which=st.integers(0, 1), n=st.integers(1, 5))
    def ask(self, which, n):
        """Ask: overdue pulls first, then new ones, unless a failure waits for a decision."""
        study = self.handles[which]
        overdue = {m for m in self.open_pulls() if self.deadlines[m] <= self.ahead and m not in self.failed}
        room = 60 - len(self.pulls)
        if self.over or self.failed or not (overdue or room):
            with pytest.raises(tt.StudyError):
                study.ask(n)
            return
        pulls = study.ask(n)
        assert len(pulls) == min(n, len(overdue) + room)
        again, new = pulls[: len(overdue)], pulls[len(overdue) :]
        assert {pull.number for pull in again} <= overdue
        assert [pull.number for pull in new] == list(range(len(self.pulls), len(self.pulls) + len(new)))
        self.pulls += [pull.arm for pull in new]
        for pull in pulls:
            assert self.pulls[pull.number] == pull.arm
            self.deadlines[pull.number] = self.ahead + LEASE
        self.lent += pulls

    @precondition(lambda self: self.lent)
    @rule(which=st.integers(0, 1), place=st.integers(0, 10**6), value=st.integers(-3, 3))
    def tell(self, which, place, value):
        """Tell: in time, late, twice; once only, and first come first served where a pull was lent again."""
        pull, study = self.lent[place % len(self.lent)], self.handles[which]
        number = pull.number
        if number in self.gone or self.values.get(number, value) != value:
            if self.lent_again(number):
                study.tell(pull, value)
                return
            with pytest.raises(tt.StudyError, match=r"before"):
                study.tell(pull, value)
            return
        study.tell(pull, value)
        self.values[number] = value
        self.failed.pop(number, None)

    @precondition(lambda self: self.lent)
    @rule(which=st.integers(0, 1), place=st.integers(0, 10**6), bad=st.sampled_from([float("nan"), "fast", None]))
    def tell_nonsense(self, which, place, bad):
        """Tell what is no number: refused, nothing changes."""
        with pytest.raises(tt.InputError):
            self.handles[which].tell(self.lent[place % len(self.lent)], bad)

    @precondition(lambda self: self.lent)
    @rule(which=st.integers(0, 1), place=st.integers(0, 10**6))
    def fail(self, which, place):
        """Fail: by the policy; of no effect from somebody who does not have the pull any more."""
        pull, study = self.lent[place % len(self.lent)], self.handles[which]
        number = pull.number
        latest = [other for other in self.lent if other.number == number][-1]
        if number in self.values and number not in self.gone and not self.lent_again(number):
            with pytest.raises(tt.StudyError, match="did not fail"):
                study.fail(pull)
            return
        study.fail(pull, "bad luck")
        if number in self.gone or number in self.values or number in self.failed or pull.token != latest.token:
            return
        if self.policy == "abort":
            self.failed[number] = "bad luck"
        else:
            self.gone.add(number)

    @precondition(lambda self: self.lent)
    @rule(which=st.integers(0, 1), place=st.integers(0, 10**6))
    def give_back(self, which, place):
        """Give back: handed out again at once."""
        pull = self.lent[place % len(self.lent)]
        number = pull.number
        latest = [other for other in self.lent if other.number == number][-1]
        self.handles[which].give_back(pull)
        if number in self.open_pulls() and number not in self.failed and pull.token == latest.token:
            self.deadlines[number] = -1.0

    @rule(which=st.integers(0, 1))
    def retry(self, which):
        """Hand out again what failed."""
        self.handles[which].retry()
        self.deadlines |= dict.fromkeys(self.failed, -1.0)
        self.failed.clear()

    @rule(seconds=st.sampled_from([1.0, 50.0, 101.0]))
    def wait(self, seconds):
        """Let time pass; leases expire."""
        self.ahead += seconds

    @precondition(lambda self: self.pulls and not self.failed and not self.over)
    @rule(which=st.integers(0, 1))
    def crash_before_the_commit(self, which):
        """End in the middle of a turn that has asked and told: nothing of it is left."""
        with pytest.raises(Crash):
            self.crash(self.handles[which])

    def crash(self, study):
        with study._journal as journal:
            if study._journal.question.budget > journal.fold.pulls:
                handed_out(journal, 1, study._lease, needed=False)
            for number in self.open_pulls()[:1]:
                journal.do(Told(number, 9.0, None, 1))
            raise Crash

    @rule(which=st.integers(0, 1))
    def reload(self, which):
        """Open the study anew."""
        self.handles[which].storage.close()
        self.handles[which] = tt.load_study(self.name, self.clocked(self.open_storage()))

    @invariant()
    def all_agree(self):
        """Both handles know what the model knows."""
        if not hasattr(self, "pulls"):
            return
        for study in self.handles:
            assert [pull.number for pull in study.pending] == self.open_pulls()
            assert study.running == (not self.over)
        assert repr(self.handles[0].verdict) == repr(self.handles[1].verdict)
        prefix = next(iter(self.open_pulls()), len(self.pulls))
        counted = [n for n in range(prefix) if n in self.values or (n in self.gone and self.policy == "worst")]
        verdict = self.handles[0].verdict
        assert verdict.pulls == len(counted)
        for report in verdict.arms:
            mine = [self.values.get(n, -3.0) for n in counted if self.pulls[n] == report.arm]
            assert report.pulls == len(mine)
            if mine:
                assert report.mean == pytest.approx(sum(mine) / len(mine), abs=1e-9)

    def teardown(self):
        """Replay the whole journal."""
        if hasattr(self, "pulls"):
            study = self.handles[0]
            entries = study.storage.read(study._key)
            assert sum(entry.operation.times for entry in entries if isinstance(entry.operation, Asked)) == len(
                self.pulls
            )
            assert sum(isinstance(entry.operation, Told) for entry in entries) == len(self.values)
            assert first_difference(entries, study._journal.question) == ""
            for handle in self.handles:
                handle.storage.close()


def run_machine(opened, examples, steps):
    count = iter(range(10**9))
    run_state_machine_as_test(
        lambda: Machine(opened, count),
        settings=settings(max_examples=examples, stateful_step_count=steps, deadline=None),
    )


def test_a_study_does_what_the_model_does(opened, request):
    run_machine(opened, 25 if "memory" in request.node.name else 4, 30)


@pytest.mark.slow
def test_a_study_does_what_the_model_does_for_long(opened, request):
    run_machine(opened, 300 if "memory" in request.node.name else 40, 60)
