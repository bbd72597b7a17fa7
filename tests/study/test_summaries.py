"""Batches told as counts or averages: the same evidence as one by one, and refused where an average is not enough."""

import random
from typing import NamedTuple

import pytest
from scipy.stats import binom

import toptwo as tt
from toptwo.errors import NothingToAskError
from toptwo.study import journal
from toptwo.study.fold import Fold
from toptwo.study.operations import Asked, Told
from toptwo.study.question import decoded, make_question
from toptwo.study.storages.base import Kept

DEFAULTS = {
    "delta": 0.05,
    "epsilon": 0.0,
    "algorithm": None,
    "threshold": None,
    "family": None,
    "direction": "maximize",
    "max_samples": None,
    "seed": 0,
    "design": "independent",
    "compare": None,
    "items": None,
    "failures": "abort",
    "worst": None,
    "lease": None,
    "more_arms": False,
    "conditions": None,
}


def told_in_batches(family, draw, sizes, together, direction="maximize"):
    """Two arms, told in turn in batches of some sizes: as averages, or value by value."""
    study = tt.create_study(2, family=family, algorithm="uniform", delta=1e-30, direction=direction)
    noise = random.Random(3)
    for size in sizes:
        batches = [[draw(noise, arm) for _ in range(size)] for arm in range(2)]
        if together:
            for pull in study.ask(2):
                batch = batches[pull.index]
                study.tell(pull, sum(batch) / size, trials=size)
        else:
            for arm in range(2):
                study.add(arm, batches[arm])
    return study.verdict


def bernoulli(noise, arm):
    return float(noise.random() < 0.3 + 0.2 * arm)


def gaussian(noise, arm):
    return noise.gauss(0.5 * arm, 1.0)


def poisson(noise, arm):
    return float(sum(noise.random() < 0.3 + 0.2 * arm for _ in range(5)))


@pytest.mark.parametrize("direction", ["maximize", "minimize"])
@pytest.mark.parametrize(
    ("family", "draw"), [(tt.Bernoulli(), bernoulli), (tt.Gaussian(1.0), gaussian), (tt.Poisson(), poisson)]
)
def test_an_average_is_as_good_as_its_values(family, draw, direction):
    sizes = [10, 1, 25, 7]
    batches = told_in_batches(family, draw, sizes, True, direction)
    values = told_in_batches(family, draw, sizes, False, direction)
    assert (batches.arm, batches.pulls) == (values.arm, values.pulls)
    assert batches.confidence == pytest.approx(values.confidence, abs=1e-9)
    for one, other in zip(batches.arms, values.arms, strict=True):
        assert one.pulls == other.pulls == sum(sizes)
        assert one.mean == pytest.approx(other.mean, abs=1e-12)


def test_visitors_and_conversions_find_the_better_page():
    study, visitors = tt.create_study(["old", "new"], family="bernoulli", delta=0.05), random.Random(1)
    while study.running:
        pull = study.ask()
        rate = {"old": 0.05, "new": 0.08}[pull.arm]
        study.tell(pull, successes=sum(visitors.random() < rate for _ in range(1000)), trials=1000)
    assert study.verdict.arm == "new"
    assert study.verdict.pulls == 1000 * len(study.pulls)
    assert study.pulls[0].size == 1000
    assert study.replay() == ""


class Hasty(NamedTuple):
    """A level that is far too low for δ."""

    delta: float
    arms: int

    def at(self, n):
        return 0.3


@pytest.mark.parametrize("threshold", ["mixture", "betting", "proven", Hasty])
def test_batches_are_right_as_often_as_promised(threshold):
    """Two pages 0.05 apart in batches of 20, δ = 0.1; Hasty is the negative control."""
    runs, wrong = 250, 0
    for seed in range(runs):
        visitors = random.Random(seed)
        study = tt.create_study(2, family="bernoulli", delta=0.1, threshold=threshold, max_samples=800)
        while study.running:
            pull = study.ask()
            rate = 0.45 + 0.05 * pull.index
            study.tell(pull, successes=sum(visitors.random() < rate for _ in range(20)), trials=20)
        wrong += study.verdict.decided and study.verdict.arm == 0
    assert (binom.sf(wrong - 1, runs, 0.1) < 1e-6) == (threshold is Hasty)


@pytest.mark.parametrize(
    ("family", "told", "words"),
    [
        ("unknown-variance", {"value": 1.0, "trials": 5}, "needs each, no average"),
        (tt.Bounded(0, 1), {"value": 0.5, "trials": 5}, "needs each, no average"),
        ("bernoulli", {"value": 1.5, "trials": 5}, "lie between 0 and 1"),
        ("bernoulli", {"successes": 6, "trials": 5}, "at most 5"),
        ("bernoulli", {"successes": -1, "trials": 5}, "at least 0"),
        ("bernoulli", {"successes": 2.5, "trials": 5}, "whole number"),
        ("bernoulli", {"successes": 3}, "must come with trials"),
        ("bernoulli", {"trials": 3}, "either successes or a value"),
        ("bernoulli", {"value": 1, "successes": 1, "trials": 3}, "either successes or a value"),
        ("bernoulli", {"value": float("nan"), "trials": 3}, "must be finite"),
        ("bernoulli", {}, "must be a number"),
        (
            "unknown-variance",
            {"successes": 83, "trials": 1000},
            r"tt.Bernoulli\(\) for successes.*tt.Gaussian\(sigma\)",
        ),
        ("bernoulli", {"value": 0.4321, "trials": 10}, "times trials must be a whole number.*4.321"),
        ("poisson", {"value": 2.5, "trials": 3}, "times trials must be a whole number.*7.5"),
    ],
)
def test_batches_that_make_no_sense_change_nothing(family, told, words):
    study = tt.create_study(2, family=family)
    pull = study.ask()
    with pytest.raises(tt.InputError, match=words):
        study.tell(pull, **told)
    assert study.pending == [pull]


def test_an_average_may_be_rounded_in_its_last_digits():
    study = tt.create_study(2, family="bernoulli")
    for successes, trials in [(1, 3), (83, 1000), (2, 7), (123_456, 1_000_003)]:
        study.tell(study.ask(), successes / trials, trials=trials)
    study.tell(study.ask(), 0.083, trials=1000)
    assert study.pending == []


@pytest.mark.parametrize("snapshot", [False, True])
def test_a_batch_told_twice_must_be_of_the_same_size(tmp_path, monkeypatch, snapshot):
    if snapshot:
        monkeypatch.setattr(journal, "EVERY", 1)
    url = f"sqlite:///{tmp_path / 'twice.db'}"
    study = tt.create_study(2, family="bernoulli", storage=url, study_name="twice")
    pull = study.ask()
    study.tell(pull, successes=2, trials=5)
    study.ask(3)
    for opened in (study, tt.load_study("twice", url)):
        opened.tell(pull, successes=2, trials=5)
        opened.tell(pull.number, 0.4, trials=5)
        for size, words in ((10, "told 0.4 of 5 trials before, and 0.4 of 10 trials now"), (1, "and 0.4 now")):
            with pytest.raises(tt.StudyError, match=words):
                opened.tell(pull, 0.4, **({"trials": size} if size > 1 else {}))


def test_results_brought_along_as_counts_are_as_good_as_their_values():
    options = {"family": "bernoulli", "algorithm": "uniform", "threshold": "mixture", "delta": 1e-30}
    counted, listed = (tt.create_study(["old", "new"], **options) for _ in range(2))
    for arm, successes in (("old", 83), ("new", 120)):
        counted.add(arm, successes=successes, trials=1000)
        values = [1.0] * successes + [0.0] * (1000 - successes)
        random.Random(1).shuffle(values)
        listed.add(arm, values)
    assert counted.verdict.confidence == pytest.approx(listed.verdict.confidence, abs=1e-9)
    assert counted.verdict.pulls == listed.verdict.pulls == 2000
    assert [record.size for record in counted.pulls] == [1000, 1000]
    assert len(listed.pulls) == 2000
    assert counted.replay() == ""
    gaussian = tt.create_study(2, family=tt.Gaussian(1.0))
    gaussian.add(0, 2.5, trials=4)
    assert (gaussian.verdict.arms[0].mean, gaussian.verdict.arms[0].pulls) == (2.5, 4)


def test_the_verdict_says_that_results_were_brought_along(tmp_path):
    url = f"sqlite:///{tmp_path / 'along.db'}"
    study = tt.create_study(["a", "b"], family=tt.Gaussian(1.0), storage=url, study_name="along")
    assert "brought along" not in str(study.verdict)
    study.add("a", [0.5])
    assert "and that the 1 result brought along was not chosen by its value." in str(study.verdict)
    study.add("b", [0.1, 0.2])
    fold = study._journal.fold
    study.storage.keep_snapshot(study._key, Kept(fold.length, fold.snapshot(study._journal.created.code)))
    for opened in (study, tt.load_study("along", url)):
        assert "and that the 3 results brought along were not chosen by their values." in str(opened.verdict)


def test_batches_are_told_with_others():
    study = tt.create_study(2, family="bernoulli", algorithm="uniform")
    batch, single, costly = study.ask(3)
    answers = [(batch, {"successes": 3, "trials": 10}), (single, 1.0), (costly, {"value": 1, "cost": 2.0})]
    study.tell_many(answers)
    study.tell_many(answers)
    assert [(record.value, record.size, record.cost) for record in study.pulls] == [
        (0.3, 10, None),
        (1.0, 1, None),
        (1.0, 1, 2.0),
    ]
    other = study.ask()
    with pytest.raises(tt.InputError, match="not 'sucesses'"):
        study.tell_many([(other, {"sucesses": 3, "trials": 10})])
    assert study.pending == [other]


@pytest.mark.parametrize("snapshot", [False, True])
def test_the_budget_counts_measurements_as_the_verdict_does(tmp_path, monkeypatch, snapshot):
    if snapshot:
        monkeypatch.setattr(journal, "EVERY", 1)
    url = f"sqlite:///{tmp_path / 'budget.db'}"
    study = tt.create_study(
        2, family="bernoulli", delta=1e-30, max_samples=100, algorithm="uniform", storage=url, study_name="budget"
    )
    study.add(0, successes=5, trials=20)
    first, second = study.ask(3)[:2]
    study.tell(second, successes=10, trials=30)
    assert len(study.ask(100)) == 48
    study.tell(first, successes=10, trials=30)
    with pytest.raises(NothingToAskError, match="max_samples"):
        tt.load_study("budget", url).ask()
    for pull in study.pending:
        tt.load_study("budget", url).tell(pull, 1.0)
    assert study.verdict.status == "undecided"
    assert study.verdict.pulls == 100
    assert study.replay() == ""


def test_a_study_made_when_a_batch_counted_as_one_goes_on_so():
    question = make_question(2, **(DEFAULTS | {"family": tt.Bernoulli(), "max_samples": 4}))
    kept = {name: value for name, value in question.encoded().items() if name != "budget_in"}
    fold = Fold(decoded(kept))
    for pull in range(3):
        fold.apply(Asked((pull % 2,), 1, None, (-1, -1, 0.0, 0), None, ""), chosen=True)
        fold.apply(Told(pull, 0.5, None, 1000))
    assert fold.room == 1
    assert not fold.over


@pytest.mark.parametrize("size", [1, 30])
def test_uniform_sampling_shares_out_batches_evenly(size):
    """Whoever counts samples modulo K pulls one arm only if batches are a multiple of K."""
    study = tt.create_study(["a", "b", "c"], algorithm="uniform", family=tt.Bernoulli(), delta=1e-9)
    asked = []
    for _ in range(9):
        pull = study.ask()
        asked.append(pull.arm)
        study.tell(pull, successes=0, trials=size)
    assert asked == ["a", "b", "c"] * 3
