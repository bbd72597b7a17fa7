"""The betting rule at near ties, by exact binomial tests: what is wrong by 1e-9 is returned with probability at most δ.

Gaps are so small that both arms are returned about equally often, and wrong answers are counted. Marking a pull after
its reward was seen, and choosing the pair to compare in hindsight, fail the same tests.
"""

import math
from typing import NamedTuple

import pytest
from test_delta_correct import FALSE_ALARM, surprise

import toptwo as tt
from toptwo.families.base import mirrored
from toptwo.rules.betting import Betting, Marked, least_wealth

GAP = 1e-9
LAWS = {
    "gaussian": (tt.Gaussian(), 0.0),
    "one σ per arm": (tt.Gaussian(sigma=(1.0, 0.5, 2.0)), 0.0),
    "bernoulli": (tt.Bernoulli(), 0.3),
    "poisson": (tt.Poisson(), 1.0),
    "exponential": (tt.Exponential(), 1.0),
    "bernoulli, lowest": (mirrored(tt.Bernoulli()), -0.3),
    "exponential, lowest": (mirrored(tt.Exponential()), -1.0),
}
SIZES = (2, 3, 10)
CAP = 5000


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


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("delta", [0.1, 0.01])
def test_near_ties_err_at_most_as_often_as_allowed(law, delta, seed):
    wrong = 0
    for arms in sizes_of(law):
        result = near_tie(law, arms, delta, 1000, seed)
        assert surprise(result, delta) >= FALSE_ALARM, f"K = {arms}: {result}"
        wrong += int(result.wrong.sum())
    assert wrong > 0 or delta < 0.1


@pytest.mark.parametrize("law", ["gaussian", "bernoulli", "exponential"])
def test_a_margin_missed_by_a_hair_counts_as_wrong_at_most_as_often_as_allowed(law, seed):
    wrong = 0
    for arms in SIZES:
        result = near_tie(law, arms, 0.1, 1000, seed, epsilon=0.1)
        assert surprise(result, 0.1) >= FALSE_ALARM, f"K = {arms}: {result}"
        wrong += int(result.wrong.sum())
    assert wrong > 0


@pytest.mark.slow
@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("epsilon", [0.0, 0.1])
def test_they_do_so_over_many_and_long_runs(law, epsilon, seed):
    for arms in sizes_of(law):
        for delta in (0.1, 0.01):
            result = near_tie(law, arms, delta, 5000, seed, cap=50_000, epsilon=epsilon)
            assert surprise(result, delta) >= FALSE_ALARM, f"K = {arms}: {result}"


# --- what must not be done --------------------------------------------------------------------------------------------
class MarkedAfterwards(NamedTuple):
    """Marks a pull if its reward is above the mean of its arm."""

    honest: Betting

    def memory(self) -> Marked:
        return Marked()

    def learn(self, seen):
        kept, arm = seen.mine, seen.arm
        if seen.value > seen.state.means[arm]:
            kept.marked[arm] += 1.0
            kept.marked_mean[arm] += (seen.value - kept.marked_mean[arm]) / kept.marked[arm]

    def stops(self, now):
        return self.honest.stops(now)


class AgainstTheBest(NamedTuple):
    """Stops as soon as the wealth against the best arm is large enough, which is an error whoever leads."""

    honest: Betting
    hindsight: bool
    """Bet on all pulls of whoever leads by now, as if that had been known from the start."""

    def memory(self) -> Marked:
        return Marked()

    def learn(self, seen):
        self.honest.learn(seen)

    def stops(self, now):
        if now.best == 1:
            return False
        if self.hindsight:
            for i in range(len(now.state.means)):
                now.mine.marked[i] = 0.0
            now.mine.marked[now.best] = now.state.counts[now.best]
            now.mine.marked_mean[now.best] = now.state.means[now.best]
        return least_wealth(1, self.honest.level, now).lower >= self.honest.level


def marked_afterwards(delta, arms):
    return MarkedAfterwards(Betting(-math.log(delta)))


def against_the_best(delta, arms):
    return AgainstTheBest(Betting(-math.log(delta)), False)


def pair_in_hindsight(delta, arms):
    return AgainstTheBest(Betting(-math.log(delta)), True)


@pytest.mark.parametrize("law", ["gaussian", "bernoulli"])
def test_marking_a_pull_after_its_reward_was_seen_fails_the_same_test(law, seed):
    for arms in SIZES:
        result = near_tie(law, arms, 0.01, 1000, seed, marked_afterwards)
        assert surprise(result, 0.01) < FALSE_ALARM, f"K = {arms}: {result}"


def in_turn(threshold, seed):
    """Return runs on 30 arms that all but tie, pulled in turn, in which every stop is an error."""
    means = [0.0] * 30
    means[1] = GAP
    options = {"delta": 0.1, "threshold": threshold, "max_samples": 6000, "runs": 1000, "seed": seed}
    return tt.simulate("uniform", means, **options)


def test_the_best_arm_is_rejected_at_most_as_often_as_allowed(seed):
    result = in_turn(against_the_best, seed)
    assert surprise(result, 0.1) >= FALSE_ALARM, str(result)


def test_the_best_pair_chosen_in_hindsight_fails_the_same_test(seed):
    result = in_turn(pair_in_hindsight, seed)
    assert surprise(result, 0.1) < FALSE_ALARM, str(result)
