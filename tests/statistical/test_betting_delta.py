"""The betting rule at near ties, by exact binomial tests: what is wrong by 1e-9 is returned with probability at most δ.

Gaps are so small that both arms are returned about equally often, and wrong answers are counted. Marking a pull after
its reward was seen, and choosing the pair to compare in hindsight, fail the same tests.
"""

import math
import random
from typing import NamedTuple

import pytest
from scipy.stats import binom
from test_delta_correct import FALSE_ALARM, surprise

import toptwo as tt
from toptwo.families.base import mirrored
from toptwo.rules.betting import Betting, Marked, least_wealth
from toptwo.streams import unit

GAP = 1e-9


class Grades(tt.Bounded):
    """Rewards 0, .4 and 1: a law that is no coin, with few enough values to be quick."""

    def reward(self, arm, mean, bits):
        chance = unit(bits)
        return 1.0 if chance < mean - 0.2 else (0.4 if chance < mean + 0.3 else 0.0)


LAWS = {
    "gaussian": (tt.Gaussian(), 0.0),
    "one σ per arm": (tt.Gaussian(sigma=(1.0, 0.5, 2.0)), 0.0),
    "bernoulli": (tt.Bernoulli(), 0.3),
    "poisson": (tt.Poisson(), 1.0),
    "exponential": (tt.Exponential(), 1.0),
    "gamma": (tt.Gamma(shape=3.0), 1.0),
    "bounded": (Grades(), 0.3),
    "unknown variance": (tt.GaussianUnknownVariance(), 0.0),
    "bernoulli, lowest": (mirrored(tt.Bernoulli()), -0.3),
    "exponential, lowest": (mirrored(tt.Exponential()), -1.0),
}
SIZES = (2, 3, 10)
QUICK = [law for law in LAWS if law != "bernoulli, lowest"]
CAP = 2000
RUNS = 400
FEWER = {"bounded": 100}
"""Runs where a round takes a hundred times as long."""


def near_tie(law, arms, delta, runs, seed, threshold="betting", cap=CAP, epsilon=0.0):
    """Return runs on arms that all but tie, or all but make the margin; the best is not the first."""
    family, level = LAWS[law]
    means = [level] * arms
    means[1] = level + (epsilon + GAP)
    return tt.simulate(
        "TTUCB",
        means,
        delta=delta,
        epsilon=epsilon,
        threshold=threshold,
        family=family,
        runs=runs,
        seed=seed,
        max_samples=cap,
    )


def sizes_of(law):
    return (3,) if law == "one σ per arm" else SIZES


@pytest.mark.parametrize("law", QUICK)
@pytest.mark.parametrize("delta", [0.1, 0.01])
def test_near_ties_err_at_most_as_often_as_allowed(law, delta, seed):
    wrong = 0
    for arms in sizes_of(law):
        result = near_tie(law, arms, delta, FEWER.get(law, RUNS), seed)
        assert surprise(result, delta) >= FALSE_ALARM, f"K = {arms}: {result}"
        wrong += int(result.wrong.sum())
    assert wrong > 0 or delta < 0.1


@pytest.mark.parametrize("law", ["gaussian", "bernoulli", "unknown variance"])
def test_a_margin_missed_by_a_hair_counts_as_wrong_at_most_as_often_as_allowed(law, seed):
    wrong = 0
    for arms in SIZES:
        result = near_tie(law, arms, 0.1, RUNS, seed, epsilon=0.1)
        assert surprise(result, 0.1) >= FALSE_ALARM, f"K = {arms}: {result}"
        wrong += int(result.wrong.sum())
    assert wrong > 0


@pytest.mark.slow
@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("epsilon", [0.0, 0.1])
def test_they_do_so_over_many_and_long_runs(law, epsilon, seed):
    for arms in sizes_of(law):
        for delta in (0.1, 0.01):
            runs, cap = (500, 10_000) if law in FEWER else (5000, 50_000)
            result = near_tie(law, arms, delta, runs, seed, cap=cap, epsilon=epsilon)
            assert surprise(result, delta) >= FALSE_ALARM, f"K = {arms}: {result}"


# --- answers that come late, by how much depending on their value ----------------------------------------------------
BUDGET, SIDE_BY_SIDE = 120, 12
DELAYED = ("gaussian", "bernoulli", "bounded", "unknown variance")


def misled(law, arms, delta, seed, epsilon=0.0):
    """Return whether a study decides for a wrong arm if what speaks against wrong arms, or for the best, takes long."""
    family, level = LAWS[law]
    means, noise, waiting, asked = [level] * arms, random.Random(seed), [], 0
    means[1] += epsilon + GAP
    options = {"delta": delta, "epsilon": epsilon, "threshold": "betting", "family": family, "seed": seed}
    study = tt.create_study(arms, algorithm="uniform", max_samples=BUDGET, **options)
    while study.running:
        while len(waiting) < SIDE_BY_SIDE and asked < BUDGET:
            pull = study.ask()
            value = float(study.design.setup.family.reward(pull.index, means[pull.index], noise.getrandbits(64)))
            late = (value < level) == (pull.index != 1)
            waiting.append((asked + (1000 if late else 0), pull.number, pull, value))
            asked += 1
        soonest = min(waiting)
        waiting.remove(soonest)
        study.tell(soonest[2], soonest[3])
    return study.verdict.status == "winner" and study.verdict.arm != 1


def decided_too_early(law, arms, delta, runs, seed, epsilon=0.0):
    """Return the probability of as many wrong studies if each were wrong with probability δ."""
    wrong = sum(misled(law, arms, delta, 10_000 * seed + run, epsilon) for run in range(runs))
    return binom.sf(wrong - 1, runs, delta)


@pytest.mark.parametrize("law", DELAYED)
def test_delays_that_depend_on_the_value_do_not_mislead(law, seed):
    assert decided_too_early(law, 3, 0.3, 20, seed) >= FALSE_ALARM


@pytest.mark.slow
@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("arms", SIZES)
@pytest.mark.parametrize("epsilon", [0.0, 0.1])
def test_they_do_not_over_many_studies(law, arms, epsilon, seed):
    if law == "one σ per arm":
        arms = 3
    assert decided_too_early(law, arms, 0.1, 300, seed, epsilon) >= FALSE_ALARM


# --- what must not be done --------------------------------------------------------------------------------------------
HONEST, AFTERWARDS, HINDSIGHT = 0, 1, 2


class Flawed(NamedTuple):
    """The rule, or one that marks pulls whose reward is above their mean, or one that picks its leader late."""

    honest: Betting
    flaw: int
    against_best: bool = False
    """Stop as soon as the wealth against arm 1, the best, is large enough: an error, whoever leads."""

    def memory(self) -> Marked:
        return Marked()

    def learn(self, seen):
        kept, arm = seen.mine, seen.arm
        if self.flaw != AFTERWARDS:
            self.honest.learn(seen)
        elif seen.value > seen.state.means[arm]:
            kept.marked[arm] += 1.0
            kept.marked_gain[arm] += seen.value

    def stops(self, now):
        kept = now.mine
        if self.flaw == HINDSIGHT:  # as if it had been known from the start who leads now
            for i in range(len(now.state.means)):
                kept.marked[i] = 0.0
            kept.marked[now.best] = now.state.counts[now.best]
            kept.anchor[now.best], kept.marked_gain[now.best] = now.state.means[now.best], 0.0
        if not self.against_best:
            return self.honest.stops(now)
        return now.best != 1 and least_wealth(1, self.honest.level, now).lower >= self.honest.level


def flawed(flaw, against_best=False):
    """Return the rule as a `threshold=`."""
    return lambda delta, arms: Flawed(Betting(-math.log(delta)), flaw, against_best)


@pytest.mark.parametrize("arms", [2, 3])
def test_marking_a_pull_after_its_reward_was_seen_fails_the_same_test(arms, seed):
    result = near_tie("gaussian", arms, 0.1, 1000, seed, flawed(AFTERWARDS), cap=20_000)
    assert surprise(result, 0.1) < FALSE_ALARM, str(result)


def rejections(flaw, seed):
    """Return runs on 30 arms that all but tie, pulled in turn, in which stopping means that the best is rejected."""
    means = [0.0] * 30
    means[1] = GAP
    options = {"delta": 0.1, "threshold": flawed(flaw, True), "max_samples": 6000, "runs": 1000, "seed": seed}
    return tt.simulate("uniform", means, **options)


def test_the_best_arm_is_rejected_at_most_as_often_as_allowed(seed):
    result = rejections(HONEST, seed)
    assert result.wrong.any()
    assert surprise(result, 0.1) >= FALSE_ALARM, str(result)


@pytest.mark.parametrize("flaw", [AFTERWARDS, HINDSIGHT])
def test_it_is_too_often_by_marks_after_the_reward_and_by_the_best_pair_in_hindsight(flaw, seed):
    result = rejections(flaw, seed)
    assert surprise(result, 0.1) < FALSE_ALARM, str(result)
