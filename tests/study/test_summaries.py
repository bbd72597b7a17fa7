"""Batches told as counts or averages: the same evidence as one by one, and refused where an average is not enough."""

import random
from typing import NamedTuple

import pytest
from scipy.stats import binom

import toptwo as tt


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
        study = tt.create_study(2, family="bernoulli", delta=0.1, threshold=threshold, max_samples=40)
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
    ],
)
def test_batches_that_make_no_sense_change_nothing(family, told, words):
    study = tt.create_study(2, family=family)
    pull = study.ask()
    with pytest.raises(tt.InputError, match=words):
        study.tell(pull, **told)
    assert study.pending == [pull]
