"""Arms that come while pulls are under way: those pulls are read as if nobody had thought of a new arm yet."""

import json
import random

import pytest

import toptwo as tt
from toptwo.study.designs.added import share_of_delta
from toptwo.study.designs.base import NextRow
from toptwo.study.designs.independent import Independent
from toptwo.study.journal import Journal

MEANS = (0.0, 0.6, 0.3, 0.8, 0.1, 0.7)
ADDED = (3, 30, 30, 44)
"""Pulls asked for when an arm came: before each of the first ones has a value, two at once, and one more."""


def design(law="gaussian", threshold="betting", **options):
    asked = {"delta": 1e-9, "epsilon": 0.0, "algorithm": "TTUCB", "sign": 1.0, "max_samples": None, "seed": 3}
    return Independent(2, family=law, threshold=threshold, more_arms=True, **{**asked, **options})


def pulls_and_arms(steps=70):
    """Return what happens in the order of asking: pulls of an arm, and arms that come; each is pulled soon."""
    stream, arms, asked, done = random.Random(4), 2, 0, []
    fresh = [0, 1]
    while asked < steps:
        while arms - 2 < len(ADDED) and ADDED[arms - 2] == asked:
            done.append("arm")
            fresh.append(arms)
            arms += 1
        done.append(fresh.pop(0) if fresh else stream.choice((1, 1, stream.randrange(arms))))
        asked += 1
    return done


def played(one, values, patience, kept_on_the_way=False):
    """Ask and add as `pulls_and_arms` says; tell at once, or at random with so many pulls under way."""
    stream, waiting = random.Random(patience), []
    place = int(one._random.position[0])
    for step in pulls_and_arms():
        if step == "arm":
            one.add_arm()
        else:
            one.asked(NextRow((step,), 1, None, (-1, -1, 0.0, place)))
            waiting.append(one.pulls - 1)
        while len(waiting) > patience:
            pull = waiting.pop(stream.randrange(len(waiting)))
            one.told(pull, values[pull])
        if kept_on_the_way:
            other = design(one._fitted.keywords["family"], one._threshold)
            for _ in range(one.added):
                other.add_arm()
            other.restore(json.loads(json.dumps(one.snapshot())))
            assert other.snapshot() == one.snapshot()
            assert repr(other.findings()) == repr(one.findings())
            one = other
    stream.shuffle(waiting)
    for pull in waiting:
        one.told(pull, values[pull])
    return one


@pytest.mark.parametrize("threshold", ["betting", "mixture"])
@pytest.mark.parametrize("law", ["gaussian", "bernoulli", "unknown-variance"])
def test_late_answers_are_read_as_prompt_ones_are_whatever_arms_came_meanwhile(law, threshold):
    noise, pulls = random.Random(1), [step for step in pulls_and_arms() if step != "arm"]
    draw = (lambda mean: float(noise.random() < mean)) if law == "bernoulli" else lambda mean: noise.gauss(mean, 1.0)
    values = [draw(MEANS[arm]) for arm in pulls]
    prompt = played(design(law, threshold), values, 0)
    for patience in (1, 5, 20, 100):
        late = played(design(law, threshold), values, patience, kept_on_the_way=patience == 20)
        assert late.settled == prompt.settled
        assert (late.standing, late._share, late.origin) == (prompt.standing, prompt._share, prompt.origin)
        assert late.setup.stopping == prompt.setup.stopping
        assert repr(late.findings()) == repr(prompt.findings())
    assert prompt._share == share_of_delta(len(ADDED))


def test_in_the_old_way_what_was_under_way_was_read_otherwise(monkeypatch):
    """Negative control: the same comparison fails if the verdict knows new arms at once."""
    noise = random.Random(1)
    values = [noise.gauss(MEANS[arm], 1.0) for arm in pulls_and_arms() if arm != "arm"]
    prompt = played(design(), values, 0)
    in_turn = Independent.add_arm
    monkeypatch.setattr(Independent, "add_arm", lambda one: in_turn(one, in_turn=False))
    assert played(design(), values, 0).settled == prompt.settled
    assert played(design(), values, 20).settled != prompt.settled


def test_nothing_is_concluded_between_the_adding_of_an_arm_and_its_first_value():
    one = design(threshold="mixture", delta=0.2)
    for pull in range(20):
        one.asked(NextRow((pull % 2,), 1, None, one.choose(1).note))
    one.add_arm()
    for pull in range(20):
        one.told(pull, 5.0 * (pull % 2))
        found = one.findings()
        assert (found.status, found.confidence, found.bounds) == ("running", 0.0, None)
        assert found.counts == ((pull + 2) // 2, (pull + 1) // 2, 0)
    assert one._share == share_of_delta(1)
    assert one.choose(1).row == (2,)
    one.asked(one.choose(1))
    one.dropped(20)
    assert not one.over
    assert one.choose(1).row == (2,)
    one.asked(one.choose(1))
    one.told(21, -20.0)
    assert one.over
    assert (one.findings().status, one.findings().arm) == ("winner", 1)


def test_a_budget_that_was_asked_for_before_an_arm_came_ends_undecided():
    one = design(max_samples=20)
    one.asked(NextRow((0,), 20, None, one.choose(1).note))
    one.add_arm()
    for pull in range(20):
        one.told(pull, 1.0)
    assert one.findings().status == "undecided"
    assert one.findings().counts == (20, 0, 0)


def test_compiled_steps_end_where_an_arm_comes_and_begin_again(monkeypatch):
    def decided(many):
        monkeypatch.setattr("toptwo.study.designs.independent.MANY_ARMS", many)
        monkeypatch.setattr("toptwo.study.designs.independent.SCANNED", 60)
        one, noise, waiting = design(threshold="mixture"), random.Random(2), []
        for step in range(60):
            choice = one.choose(1)
            one.asked(choice)
            waiting.append((one.pulls - 1, MEANS[choice.row[0]] + noise.gauss(0.0, 1.0)))
            if step == 40:
                one.add_arm()
            while len(waiting) > 5:
                one.told(*waiting.pop(0))
        kept = one.snapshot()
        return type(one.steps).__name__, {key: kept[key] for key in ("settled", "known", "standing", "draws")}

    compiled, plain = decided(2), decided(10)
    assert (compiled[0], plain[0]) == ("CompiledSteps", "Steps")
    assert compiled[1] == plain[1]


def test_a_stored_study_with_pulls_under_way_replays_and_goes_on_from_snapshots(tmp_path, monkeypatch):
    monkeypatch.setattr("toptwo.study.journal.EVERY", 1)
    monkeypatch.setattr("toptwo.study.journal.COSTLY", 10**9)
    storage, noise = f"sqlite:///{tmp_path / 'studies.db'}", random.Random(5)
    study = tt.create_study(
        3, delta=0.1, family=tt.Gaussian(1.0), more_arms=True, storage=storage, study_name="late", max_samples=120
    )
    while study.running:
        pulls = study.ask(8)
        if study.pulls[-1].number in (15, 31):
            study.add_arm(f"new {pulls[0].number}")
        for pull in reversed(pulls):
            again = tt.load_study("late", storage)
            if again.running:
                again.tell(pull, MEANS[pull.index] + noise.gauss(0.0, 1.0))
                assert again.verdict == study.verdict
    assert study.verdict.arm == "new 8"
    assert study.replay() == ""
    assert Journal(study.storage, study._key).fold.design.added == 2
