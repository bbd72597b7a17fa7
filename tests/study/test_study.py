"""The ask/tell study: the same decisions as the engine, whatever the order of the answers."""

import math
import os
import random
import signal
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import toptwo as tt
from toptwo.algorithms import variants
from toptwo.streams import fork, next_word, normal

MEANS = [0.3, 0.9, 0.5, 0.45]


def rewards(seed, means, sigma=1.0):
    """Return a function that deals the rewards of run 0 of the engine."""
    root = fork(seed, 0)
    positions = [fork(root, arm) for arm in range(len(means))]
    return lambda arm: means[arm] + sigma * normal(next_word(positions, arm))


def finish(study, measure):
    while study.running:
        pull = study.ask()
        study.tell(pull, measure(pull.index))
    return study.verdict


class OneByOne(tt.Gaussian):
    """Gaussian rewards of which a phased method draws every single one, as in a study."""

    draw_batch = None


@pytest.mark.parametrize("name", variants())
def test_one_by_one_is_the_engine(name, seed):
    """Told at once, a study makes exactly the pulls of the interpreted engine."""
    options = {"delta": 0.1, "seed": seed, "max_samples": 1500, "family": OneByOne()}
    engine = tt.simulate(name, MEANS, runs=1, engine="python", **options)
    study = tt.create_study(4, algorithm=name, **options)
    verdict = finish(study, rewards(seed, MEANS))
    assert verdict.pulls == engine.stopping_times[0]
    assert verdict.arm == engine.recommended[0]
    assert verdict.decided == engine.decided[0]
    assert [report.pulls for report in verdict.arms] == engine.counts[0].tolist()


def test_minimize_mirrors_maximize(seed):
    up = finish(tt.create_study(4, delta=0.1), rewards(seed, MEANS))
    deal = rewards(seed, MEANS)
    down = finish(tt.create_study(4, delta=0.1, direction="minimize"), lambda arm: -deal(arm))
    assert (up.arm, up.pulls) == (down.arm, down.pulls)
    assert [r.mean for r in up.arms] == [-r.mean for r in down.arms]


@given(data=st.data())
def test_verdict_does_not_depend_on_the_order_of_answers(data):
    """Fix which arms are pulled (round robin); then any permutation of the answers ends in the same verdict."""
    batch = 60
    deal = rewards(1, MEANS)
    values = [4.0 * deal(i % 4) for i in range(batch)]

    def told_in(order):
        study = tt.create_study(4, delta=0.1, algorithm="uniform")
        pulls = study.ask(batch)
        assert [pull.index for pull in pulls] == [i % 4 for i in range(batch)]
        for i in order:
            study.tell(pulls[i], values[i])
        return study.verdict

    order = data.draw(st.permutations(range(batch)))
    assert told_in(order) == told_in(range(batch))


def test_verdict_reads_the_prefix_in_ask_order():
    """A slow pull holds back what was asked after it, for every arm."""
    study = tt.create_study(["a", "b"], delta=0.1, family=tt.Gaussian())
    pulls = study.ask(200)
    for pull in pulls[1:]:
        study.tell(pull, 5.0 if pull.arm == "b" else 0.0)
    assert study.running
    assert study.verdict.pulls == 0
    assert study.pending == [pulls[0]]
    study.tell(pulls[0], 0.0)
    assert study.verdict.arm == "b"
    assert study.verdict.pulls < 20  # decided at the earliest prefix that suffices, not with all that had arrived


def test_verdict_is_final():
    study = tt.create_study(["a", "b"], delta=0.1, family=tt.Gaussian())
    pulls = study.ask(100)
    for pull in pulls[:50]:
        study.tell(pull, 5.0 if pull.arm == "b" else 0.0)
    verdict = study.verdict
    assert verdict.status == "winner"
    for pull in pulls[50:]:
        study.tell(pull, 50.0 if pull.arm == "a" else 0.0)
    assert study.verdict is verdict
    with pytest.raises(tt.StudyError, match="over"):
        study.ask()


def test_batches_spread_over_arms_and_find_the_best():
    study = tt.create_study(4, delta=0.05)
    deal = rewards(3, [0.0, 1.0, 0.5, 0.2])
    while study.running:
        pulls = study.ask(16)
        random.Random(len(study.pending)).shuffle(pulls)
        for pull in pulls:
            study.tell(pull, deal(pull.index))
    assert study.verdict.arm == 1
    one_by_one = finish(tt.create_study(4, delta=0.05), rewards(3, [0.0, 1.0, 0.5, 0.2]))
    assert study.verdict.pulls < 3 * one_by_one.pulls


def test_tell_is_idempotent_and_refuses_contradictions():
    study = tt.create_study(2)
    first, second = study.ask(2)
    study.tell(first, 1.0)
    study.tell(first, 1.0)
    study.tell(first.number, 1.0)
    with pytest.raises(tt.StudyError, match="told 1 before"):
        study.tell(first, 2.0)
    study.tell(second, np.float32(0.5))
    assert study.verdict.pulls == 2


@pytest.mark.parametrize("value", [math.nan, math.inf, None, "fast", 1j, 10**400, np.array([1.0, 2.0])])
def test_bad_values_change_nothing(value):
    study = tt.create_study(2)
    pull = study.ask()
    before = repr(study.verdict)
    with pytest.raises(tt.InputError, match="value for arm 0"):
        study.tell(pull, value)
    assert repr(study.verdict) == before
    assert study.pending == [pull]


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda study, pull: study.add("a", 3.0), "values must be a list of numbers"),
        (lambda study, pull: study.add("a", "12"), "values must be a list of numbers"),
        (lambda study, pull: study.add(["a"], [1.0]), "not one of this study's"),
        (lambda study, pull: study.tell_many([1, 2]), "pairs of a pull and its value"),
        (lambda study, pull: study.tell(0, "text"), "value for pull 0"),
        (lambda study, pull: study.tell(pull, 1.0, cost=-1.0), "cost"),
        (lambda study, pull: study.tell(pull, successes=3), "trials"),
        (lambda study, pull: study.tell(True, 1.0), "one that this study has asked for"),
        (lambda study, pull: study.tell(1.0, 1.0), "one that this study has asked for"),
        (lambda study, pull: study.add("a", [1.0, 2.0], trials=2), "value for arm 'a' must be a number"),
    ],
)
def test_bad_calls_say_what_they_want_and_change_nothing(call, words):
    study = tt.create_study(["a", "b"], family=tt.Gaussian(1.0))
    study.tell(study.ask(), 1.0)
    pull = study.ask()
    before = study._journal.fold.length
    with pytest.raises(tt.InputError, match=words):
        call(study, pull)
    assert study._journal.catch_up().length == before


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"failures": "worst", "worst": float("nan")}, "worst must be a finite number"),
        ({"failures": "worst", "worst": 2.0, "family": tt.Bounded(0, 1)}, "worst must be a value that could"),
        ({"more_arms": 1}, "more_arms must be True or False"),
        ({"design": "blocks", "family": tt.Gaussian(1.0)}, "knows no Gaussian"),
        ({"design": "blocks", "algorithm": "T3C"}, "leave algorithm out"),
        ({"design": "blocks", "threshold": "heuristic"}, "leave threshold out"),
    ],
)
def test_questions_that_make_no_sense_are_refused(options, words):
    """A Gaussian of σ = 1 has the fields of one of unknown variance, and is another law."""
    with pytest.raises(tt.InputError, match=words):
        tt.create_study(2, **options)


@pytest.mark.parametrize("arms", [{"rye", "spelt"}, frozenset({"rye", "spelt"})])
def test_a_set_of_arms_is_refused_since_its_order_is_another_in_each_process(arms):
    with pytest.raises(tt.InputError, match=r"an order, which a set has anew in each process: write a list, or sorted"):
        tt.create_study(arms)


def test_numbers_of_any_kind_name_pulls_and_are_values():
    study = tt.create_study(2)
    study.ask(3)
    study.tell(np.int64(0), Decimal("1.5"))
    study.tell(np.uint8(1), Fraction(1, 4))
    study.give_back(np.int32(2))
    assert [record.value for record in study.pulls] == [1.5, 0.25, None]
    assert study.ask().number == 2


def test_foreign_pulls_are_refused():
    study, other = tt.create_study(["a", "b"]), tt.create_study(["a", "b"])
    pull = other.ask()
    with pytest.raises(tt.InputError, match="asked for"):
        study.tell(pull.number, 1.0)
    study.ask()
    with pytest.raises(tt.InputError, match="another study"):
        study.tell(pull, 1.0)


def test_budget_ends_undecided():
    verdict = finish(tt.create_study(2, max_samples=10), lambda arm: 0.0)
    assert (verdict.status, verdict.pulls) == ("undecided", 10)
    assert "Undecided" in str(verdict)


def test_margin_makes_equal_arms_answerable():
    deal = rewards(2, [0.5, 0.5, 0.0])
    verdict = finish(tt.create_study(3, delta=0.1, epsilon=0.3), deal)
    assert verdict.decided
    assert verdict.arm in (0, 1)


def test_confidence_at_the_stop_is_at_least_what_was_asked_for(seed):
    for threshold in ("mixture", "proven", "heuristic"):
        verdict = finish(tt.create_study(4, delta=0.1, threshold=threshold, family=tt.Gaussian()), rewards(seed, MEANS))
        assert verdict.confidence >= 0.9 - 1e-9
        assert verdict.remaining == 0
        assert verdict.proven == (threshold != "heuristic")
        assert ("without proof" in str(verdict)) == (threshold == "heuristic")


@pytest.mark.parametrize("threshold", ["mixture", "proven", "heuristic"])
@pytest.mark.parametrize("epsilon", [0.0, 0.2])
def test_remaining_is_where_the_rule_would_fire(threshold, epsilon):
    """With means and proportions frozen, the study stops after as many more pulls as forecast, within 0.5 %."""
    values = {0: 0.0, 1: 0.4, 2: 0.1}

    def study_of(rounds):
        options = {"epsilon": epsilon, "threshold": threshold, "family": tt.Gaussian()}
        study = tt.create_study(3, delta=0.05, algorithm="uniform", **options)
        while study.running and study.verdict.pulls < 3 * rounds:
            for pull in study.ask(3):
                study.tell(pull, values[pull.index])
        return study

    early = study_of(4).verdict
    total = study_of(10_000).verdict
    assert total.decided
    assert early.pulls + early.remaining == pytest.approx(total.pulls, rel=5e-3, abs=3)


def test_batches_end_with_the_budget():
    study = tt.create_study(2, max_samples=5, delta=1e-9)
    pulls = study.ask(8)
    assert len(pulls) == 5
    with pytest.raises(tt.StudyError, match="under way"):
        study.ask()
    for pull in pulls:
        study.tell(pull, 0.0)
    assert study.verdict.status == "undecided"


def test_waiting_answers_are_reported():
    study = tt.create_study(2)
    pulls = study.ask(6)
    for pull in pulls[1:]:
        study.tell(pull, 1.0)
    assert study.verdict.waiting == 5
    assert "Nothing is known yet: 5 answers wait" in str(study.verdict)
    study = tt.create_study(2, delta=1e-9)
    pulls = study.ask(6)
    for pull in (*pulls[:3], *pulls[4:]):
        study.tell(pull, 1.0)
    assert "2 more answers wait" in str(study.verdict)


def test_verdicts_show_the_best_arms_first_and_cut_long_lists():
    verdict = finish(tt.create_study(30, delta=0.1, family=tt.Gaussian(0.01)), lambda arm: float(arm))
    lines = str(verdict).splitlines()
    assert lines[1].split()[0] == "29"
    assert lines[21] == "  and 10 more"


def test_identify_holds_an_interrupt_until_the_books_are_in_order(monkeypatch):
    """SIGINT in the middle of the bookkeeping takes effect at the next measurement, with the value kept."""
    tell = tt.Study.tell

    def interrupted(self, pull, value):
        if pull.number == 7:
            os.kill(os.getpid(), signal.SIGINT)
        tell(self, pull, value)

    monkeypatch.setattr(tt.Study, "tell", interrupted)
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        verdict = tt.identify(lambda arm: 0.1 * arm, 3)
    finally:
        signal.signal(signal.SIGINT, before)
    assert (verdict.status, verdict.pulls) == ("running", 8)


def test_identify_decides_and_reports():
    noise = random.Random(4)
    verdict = tt.identify(
        lambda arm: {"x": 1.0, "y": 2.0}[arm] + noise.gauss(0, 0.5), ["x", "y"], family=tt.Gaussian(0.5)
    )
    assert verdict.arm == "y"
    assert "standard deviation 0.5" in str(verdict)


@pytest.mark.parametrize(
    ("measure", "words"),
    [
        (lambda arm: math.nan, "finite"),
        (lambda arm: None, "must be a number"),
        (lambda arm: {}["missing"], r"measure\(0\) raised KeyError"),
    ],
)
def test_identify_names_the_bad_measurement(measure, words):
    with pytest.raises(tt.MeasurementError, match=words) as caught:
        tt.identify(measure, 3)
    assert isinstance(caught.value.study, tt.Study)


def test_identify_returns_what_it_has_on_interrupt():
    calls = iter(range(100))

    def measure(arm):
        if next(calls) == 7:
            raise KeyboardInterrupt
        return 0.1 * arm

    verdict = tt.identify(measure, 3)
    assert (verdict.status, verdict.pulls) == ("running", 7)


def test_live_view_draws_on_request(capsys, monkeypatch):
    monkeypatch.setattr("toptwo.study.live.INTERVAL", 0.0)
    noise = random.Random(4)
    tt.identify(lambda arm: arm + noise.gauss(0, 1), 3, progress=True)
    shown = capsys.readouterr().err
    assert "mean between" in shown
    assert "confidence" in shown
