"""Designs by themselves: a snapshot goes on bit for bit, lost pulls are read over, results can be brought along."""

import json
import random

import pytest

import toptwo as tt
from toptwo.algorithms import variants
from toptwo.study.designs.base import NextRow
from toptwo.study.designs.blocks import InBlocks
from toptwo.study.designs.independent import Independent
from toptwo.study.question import decoded

MEANS = [0.3, 0.9, 0.5, 0.45]


def design(algorithm="T3C", **options):
    usual = {"delta": 0.1, "epsilon": 0.0, "threshold": "mixture", "family": "gaussian", "sign": 1.0}
    return Independent(4, algorithm=algorithm, **{**usual, "max_samples": 400, "seed": 3, **options})


def play(one, stream, rounds, batch=3):
    """Ask in batches, answer in reverse; return what was chosen and how things stand."""
    seen = []
    for _ in range(rounds):
        numbers = []
        for _ in range(batch):
            choice = None if one.over else one.choose(1)
            if choice is not None:
                one.asked(choice)
                seen.append(choice)
                numbers.append((one.pulls - 1, choice.row[0]))
        for number, arm in reversed(numbers):
            one.told(number, MEANS[arm] + stream.gauss(0.0, 1.0))
    return seen, one.findings()


@pytest.mark.parametrize("name", [name for name in variants() if name not in ("Exp-Gap", "Peace", "SE")])
def test_a_restored_snapshot_goes_on_bit_for_bit(name):
    one = design(name)
    play(one, random.Random(1), 12)
    one.asked(one.choose(1))  # a pull under way
    other = design(name)
    other.restore(json.loads(json.dumps(one.snapshot())))
    assert json.dumps(other.snapshot()) == json.dumps(one.snapshot())
    assert repr(play(one, random.Random(2), 8)) == repr(play(other, random.Random(2), 8))


@pytest.mark.parametrize("algorithm", ["TTUCB", "T3C"])
def test_another_process_that_chooses_and_is_told_of_choices_stays_the_same(algorithm):
    """Trackers, random ties and draws: both are the same after it, whoever chose."""
    one, other, stream = design(algorithm), design(algorithm), random.Random(5)
    for turn in range(40):
        choice = NextRow(*json.loads(json.dumps(one.choose(1))))
        one.asked(choice)
        assert tuple(other.choose(1)[:3]) == (tuple(choice.row), 1, None)
        other.asked(choice)
        if turn % 4 == 3:
            for number in range(turn, turn - 4, -1):
                value = stream.gauss(0.0, 1.0)
                one.told(number, value)
                other.told(number, value)
    assert one.snapshot() == other.snapshot()
    assert one.choose(1) == other.choose(1)


def test_dropped_pulls_are_read_over():
    """As if they had not been asked: the findings are those of the pulls that are left."""
    whole, holed = design("uniform", max_samples=None), design("uniform", max_samples=None)
    for number in range(24):
        choice = NextRow((number % 4,), 1, None, (-1, -1, 0.0, 1))
        holed.asked(choice)
        if number % 3:
            whole.asked(choice)
    for number in reversed(range(24)):
        if number % 3 == 0:
            holed.dropped(number)
        else:
            holed.told(number, 0.1 * number)
    for place, number in enumerate(number for number in range(24) if number % 3):
        whole.told(place, 0.1 * number)
    assert holed.findings() == whole.findings()
    assert holed.findings().pulls == 16


def test_an_arm_whose_first_pull_was_dropped_is_asked_again():
    one, rows = design("uniform"), []
    for number in range(5):
        choice = one.choose(1)
        one.asked(choice)
        rows.append(choice.row[0])
        one.dropped(number) if number == 2 else one.told(number, 1.0)
        assert (one.now is None) == (number < 4)
    assert rows == [0, 1, 2, 2, 3]


def test_results_brought_along_count_as_pulls_that_nobody_chose():
    one = design("TTUCB")
    one.add_results(1, [2.0, 3.0])
    assert [one.choose(1).row[0]] == [0]
    for _ in range(3):
        one.asked(one.choose(1))
        one.told(one.pulls - 1, 0.0)
    found = one.findings()
    assert found.counts == (1, 2, 1, 1)
    assert found.means[1] == 2.5


def test_a_dropped_end_of_the_budget_ends_the_study():
    study = design(max_samples=4)
    for number in range(4):
        study.asked(study.choose(1))
        study.dropped(number) if number == 3 else study.told(number, 0.0)
    assert study.over
    assert study.findings().status == "undecided"


def test_snapshots_of_compiled_steps_are_plain(monkeypatch):
    monkeypatch.setattr("toptwo.study.designs.independent.SCANNED", 20)
    monkeypatch.setattr("toptwo.study.designs.independent.MANY_ARMS", 2)
    one = design("TTUCB")
    play(one, random.Random(1), 12)
    other = design("TTUCB")
    other.restore(json.loads(json.dumps(one.snapshot())))
    assert repr(play(one, random.Random(2), 8)) == repr(play(other, random.Random(2), 8))


def test_studies_without_further_words_use_the_defaults():
    study = tt.create_study(3)
    assert study.verdict.threshold == "betting"
    assert study.design.setup.algorithm == tt.TTUCB("ids", ties="closest")
    assert study.verdict.assumption == tt.GaussianUnknownVariance().assumption()


class Sparing(tt.Bernoulli):
    """A law that proves no betting and cannot balance two arms."""

    def levels(self):
        return {"mixture": super().levels()["mixture"]}

    def refuses(self):
        return {"leader_share": "nobody worked it out"}


def test_defaults_leave_out_what_a_family_or_an_algorithm_has_no_use_for():
    sparing = tt.create_study(3, family=Sparing())
    assert sparing.verdict.threshold == "mixture"
    assert sparing.design.setup.algorithm == tt.TTUCB(ties="closest")
    for own in ("UGapE", "lilUCB"):  # their confidence on the way needs a rule that keeps nothing
        assert tt.create_study(3, family=tt.Gaussian(1.0), algorithm=own).verdict.threshold == "mixture"


def test_rows_that_were_kept_with_former_defaults_go_on():
    study = tt.create_study(3, design="blocks")
    former = study._journal.question._replace(algorithm=tt.TTUCB(ties="closest"), threshold="mixture")
    assert InBlocks.answering(decoded(former.encoded())).parts()
