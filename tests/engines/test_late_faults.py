"""What a rule does wrong after thousands of rounds is said as what it does wrong at once: rule, line and cause."""

import math
import subprocess
import sys
from typing import NamedTuple

import pytest

import toptwo as tt
from toptwo.memory import numbers, per_pair
from toptwo.study.designs import independent
from toptwo.testing import check_algorithm

LATE = 4500
"""Rounds after which a rule goes wrong: more than a rehearsal plays, and more than a slice."""


class LateShare(NamedTuple):
    def adaptive(self):
        return False

    def share(self, leader, challenger, now):
        return 0.5 if now.number < LATE else math.nan


class LateArm(NamedTuple):
    def lead(self, now, random):
        return now.best if now.number < LATE else 77


class LateLeader(NamedTuple):
    def challenge(self, leader, now, random):
        return 1 - leader if now.number < LATE else leader


class Kept(NamedTuple):
    seen: list = numbers(4)
    pairs: list = per_pair()


class LateIndex(NamedTuple):
    place: int

    def memory(self):
        return Kept()

    def learn(self, seen):
        if seen.state.counts[0] + seen.state.counts[1] > LATE:
            seen.mine.seen[self.place] += 1.0

    def lead(self, now, random):
        return now.best


class LatePair(NamedTuple):
    place: int

    def memory(self):
        return Kept()

    def lead(self, now, random):
        return now.best + int(now.mine.pairs[1][self.place] if now.number > LATE else 0.0)


def far(row, place):
    return row[place]


class LateHelper(NamedTuple):
    def lead(self, now, random):
        return now.best + int(far(now.state.means, 100_000) if now.number > LATE else 0.0)


class LateNothing(NamedTuple):
    def lead(self, now, random):
        return now.best if now.number < LATE else None


class LateFloat(NamedTuple):
    def lead(self, now, random):
        return now.best if now.number < LATE else 1.5


class LateAttribute(NamedTuple):
    def lead(self, now, random):
        return now.best if now.number < LATE else now.stata


class NotBetween(NamedTuple):
    """A threshold that is no number for some time, between two at which it is looked at beforehand."""

    delta: float
    arms: int

    def at(self, n):
        return math.nan if 5000 < n < 9000 else 1e9


def line_of(text):
    with open(__file__, encoding="utf-8") as file:
        return next(number for number, line in enumerate(file, 1) if text in line)


FAULTS = {
    "no share": (tt.TopTwo(proportion=LateShare()), r"LateShare.share \(.*, line \d+\) returned nan"),
    "no arm": (tt.TopTwo(leader=LateArm()), r"LateArm.lead \(.*, line \d+\) returned 77"),
    "the leader": (tt.TopTwo(challenger=LateLeader()), r"LateLeader.challenge \(.*other than the leader"),
    "an index": (tt.TopTwo(leader=LateIndex(100_000)), r"LateIndex.learn \(.*, line \d+\) fails: IndexError"),
    "a negative index": (tt.TopTwo(leader=LateIndex(-100_000)), r"LateIndex.learn \(.*, line \d+\) fails: IndexError"),
    "an index of a row": (tt.TopTwo(leader=LatePair(-9)), r"LatePair.lead \(.*, line \d+\) fails: IndexError"),
    "an index in a helper": (tt.TopTwo(leader=LateHelper()), r"far \(.*, line \d+\) fails: IndexError"),
}

INTERPRETED = {
    "None": (tt.TopTwo(leader=LateNothing()), r"LateNothing.lead \(.*, line \d+\) returned None"),
    "a float": (tt.TopTwo(leader=LateFloat()), r"LateFloat.lead \(.*, line \d+\) returned 1.5"),
    "an attribute": (tt.TopTwo(leader=LateAttribute()), r"LateAttribute.lead \(.*fails: AttributeError: .*'stata'"),
}


def simulated(algorithm, engine, **options):
    options = {"runs": 2, "max_samples": 6000, "seed": 1, **options}
    return tt.simulate(algorithm, [0.1, 0.1001], engine=engine, **options)


def studied(algorithm, **options):
    study = tt.create_study(2, algorithm=algorithm, family=tt.Gaussian(1.0), max_samples=10_000, delta=1e-9, **options)
    place = 0
    while study.running:
        place += 1
        study.tell(study.ask(), math.sin(place))


DOORS = {
    "simulate": lambda algorithm: simulated(algorithm, "python"),
    "study": studied,
    "check_algorithm": lambda algorithm: check_algorithm(algorithm, compiled=False, max_samples=6000),
}


@pytest.mark.parametrize("fault", FAULTS | INTERPRETED)
@pytest.mark.parametrize("door", DOORS)
def test_a_late_fault_is_named_where_rules_are_interpreted(fault, door):
    algorithm, sentence = (FAULTS | INTERPRETED)[fault]
    with pytest.raises(tt.InputError, match=sentence) as caught:
        DOORS[door](algorithm)
    assert "test_late_faults.py" in str(caught.value)


@pytest.mark.parametrize("fault", FAULTS)
def test_a_late_fault_is_named_where_rules_are_compiled(fault):
    algorithm, sentence = FAULTS[fault]
    with pytest.raises(tt.InputError, match=sentence):
        simulated(algorithm, "cpu")


@pytest.mark.parametrize("place", [100_000, 10**12, -100_000])
def test_an_index_out_of_range_ends_no_process(place, tmp_path):
    code = f"""
import toptwo as tt, sys
sys.path.insert(0, {str(__file__).rpartition("/")[0]!r})
from test_late_faults import LateIndex
try:
    tt.simulate(tt.TopTwo(leader=LateIndex({place})), [0.1, 0.1001], runs=3, max_samples=6000, threads=1)
except tt.InputError as problem:
    print(problem)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    line = line_of("seen.mine.seen[self.place] += 1.0")
    assert f"LateIndex.learn (test_late_faults.py, line {line}) fails: IndexError" in done.stdout


def test_a_fault_after_a_million_samples_is_found_in_seconds():
    class Never(NamedTuple):
        def memory(self):
            return Kept()

        def learn(self, seen):
            if seen.state.counts[0] + seen.state.counts[1] > 1_000_000:
                seen.mine.seen[4] += 1.0

        def lead(self, now, random):
            return now.best

    class Late(NamedTuple):
        def lead(self, now, random):
            return now.best if now.number < 1_000_000 else -1

    for leader, sentence in ((Never(), "Never.learn .* IndexError"), (Late(), "Late.lead .* returned -1")):
        with pytest.raises(tt.InputError, match=sentence):
            simulated(tt.TopTwo(leader=leader), "cpu", max_samples=2_000_000, runs=1, delta=1e-300)


@pytest.mark.parametrize("engine", ["cpu", "python"])
def test_a_threshold_that_is_no_number_for_a_while_is_found(engine):
    with pytest.raises(tt.InputError, match=r"NotBetween.at \(test_late_faults.py, line \d+\) returned nan"):
        simulated("TTUCB", engine, threshold=NotBetween)
    with pytest.raises(tt.InputError, match=r"NotBetween.at \(.*\) returned nan"):
        studied("TTUCB", threshold=NotBetween)


def test_compiled_steps_of_a_study_name_the_rule_too(monkeypatch):
    monkeypatch.setattr(independent, "MANY_ARMS", 2)
    monkeypatch.setattr(independent, "SCANNED", 1000)
    for fault in ("no share", "no arm", "an index", "an index of a row"):
        algorithm, sentence = FAULTS[fault]
        with pytest.raises(tt.InputError, match=sentence):
            studied(algorithm)


def test_a_watched_rule_draws_as_it_would_unwatched():
    algorithm = tt.TopTwo(leader=LateIndex(1))
    tables = [simulated(algorithm, engine, max_samples=5500) for engine in ("cpu", "python")]
    assert (tables[0].counts == tables[1].counts).all()
