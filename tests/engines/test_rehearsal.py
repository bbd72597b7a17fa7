"""What is wrong with a user's rule is said in one sentence, the same by every door: rule, line and cause."""

import math
import re
from typing import NamedTuple

import pytest

import toptwo as tt
from toptwo.memory import per_arm
from toptwo.testing import check_algorithm


class Misspelt(NamedTuple):
    def lead(self, now, random):
        return int(now.state.meens[0])


class Ordinary:
    def lead(self, now, random):
        return 0


class ReturnsNothing(NamedTuple):
    def lead(self, now, random):
        pass


class ReturnsAFloat(NamedTuple):
    def lead(self, now, random):
        return 1.0


class ForgetsRandom(NamedTuple):
    def lead(self, now):
        return now.best


class ImportsInside(NamedTuple):
    def lead(self, now, random):
        import math as m

        return m.floor(now.best)


class ChallengesItself(NamedTuple):
    def challenge(self, leader, now, random):
        return leader


class MoreThanAll(NamedTuple):
    def adaptive(self):
        return False

    def share(self, leader, challenger, now):
        return 1.5


class NoShare(NamedTuple):
    def adaptive(self):
        return False

    def share(self, leader, challenger, now):
        return math.nan


class NoThreshold(NamedTuple):
    delta: float
    arms: int

    def at(self, n):
        return math.nan


class KeepsANumber(NamedTuple):
    def memory(self):
        return 3.0

    def lead(self, now, random):
        return now.best


class Kept(NamedTuple):
    seen: list = per_arm()


class MisspeltRow(NamedTuple):
    def memory(self):
        return Kept()

    def lead(self, now, random):
        return int(now.mine.sen[0])


def lines_of(name):
    with open(__file__, encoding="utf-8") as file:
        return next(number for number, line in enumerate(file, 1) if line.startswith(f"class {name}"))


FAULTS = {
    "a misspelt attribute": ({"leader": Misspelt()}, r"Misspelt.lead \(.*line {1}\) fails: AttributeError: .*'meens'"),
    "an ordinary class": ({"leader": Ordinary()}, r"Ordinary must be a NamedTuple \(class Ordinary\(NamedTuple\)"),
    "None returned": (
        {"leader": ReturnsNothing()},
        r"ReturnsNothing.lead \(.*\) returned None: it must return",
    ),
    "a float returned": ({"leader": ReturnsAFloat()}, r"ReturnsAFloat.lead .* returned 1.0: it must return the number"),
    "a wrong signature": ({"leader": ForgetsRandom()}, r"takes \(now\) but is called with \(now, random\)"),
    "an import inside": ({"leader": ImportsInside()}, r"ImportsInside imports math inside lead \(.*line {1}\)"),
    "the leader itself": (
        {"challenger": ChallengesItself()},
        r"must return the number of an arm other than the leader",
    ),
    "a share above 1": (
        {"proportion": MoreThanAll()},
        r"MoreThanAll.share .* returned 1.5: .* between 0 and 1",
    ),
    "a share that is none": ({"proportion": NoShare()}, r"NoShare.share .* returned nan"),
    "a number as memory": ({"leader": KeepsANumber()}, r"KeepsANumber.memory\(\) must return a NamedTuple .* not 3.0"),
    "a misspelt row": ({"leader": MisspeltRow()}, r"MisspeltRow.lead \(.*fails: AttributeError: .*'sen'"),
}

DOORS = {
    "simulate": lambda rule: tt.simulate(rule, [0.1, 0.5, 0.3], runs=2),
    "simulate, interpreted": lambda rule: tt.simulate(rule, [0.1, 0.5, 0.3], runs=2, engine="python"),
    "create_study": lambda rule: tt.create_study(3, algorithm=rule),
    "check_algorithm": check_algorithm,
}


def words_at(pattern, name):
    """The pattern, with {n} standing for the n-th line of the body of a class."""
    line = lines_of(name)
    return re.sub(r"\{(\d)\}", lambda found: str(line + 1 + int(found[1])), pattern)


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_is_named_by_every_door(fault, door):
    parts, pattern = FAULTS[fault]
    name = type(next(iter(parts.values()))).__name__
    with pytest.raises(tt.InputError, match=words_at(pattern, name)) as caught:
        DOORS[door](tt.TopTwo(**parts))
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("engine", ["cpu", "python"])
def test_a_threshold_that_is_no_number_is_named(engine):
    with pytest.raises(tt.InputError, match=r"NoThreshold.at \(.*\) returned nan: it must return a number"):
        tt.simulate("TTUCB", [0.1, 0.5], threshold=NoThreshold, runs=2, engine=engine)
    with pytest.raises(tt.InputError, match=r"NoThreshold.at"):
        tt.create_study(2, threshold=NoThreshold)


class LateTrouble(NamedTuple):
    """A share that goes wrong when a rehearsal is over."""

    def adaptive(self):
        return False

    def share(self, leader, challenger, now):
        return 0.5 if now.number < 5000 else 2.0


@pytest.mark.parametrize("engine", ["cpu", "python"])
def test_a_share_that_goes_wrong_late_is_said(engine):
    with pytest.raises(tt.InputError, match=r"LateTrouble.share \(test_rehearsal.py, line \d+\) returned 2.0"):
        tt.simulate(tt.TopTwo(proportion=LateTrouble()), [0.1, 0.1001], runs=1, max_samples=6000, engine=engine)


class UsesADictionary(NamedTuple):
    def lead(self, now, random):
        table = {0: 1, 1: 0}
        return table[now.best % 2]


def test_what_cannot_be_compiled_is_named_and_runs_interpreted():
    algorithm = tt.TopTwo(leader=UsesADictionary())
    with pytest.raises(tt.InputError, match=r"cannot be compiled \(UsesADictionary, test_rehearsal.py, line \d+\)"):
        tt.simulate(algorithm, [0.1, 0.5], runs=1)
    assert tt.simulate(algorithm, [0.1, 0.5], runs=1, max_samples=50, engine="python").runs == 1


def test_good_rules_pass_in_silence():
    check_algorithm(tt.TTUCB(), compiled=False)
