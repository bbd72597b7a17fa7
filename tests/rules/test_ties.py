"""Ties: uniform over the tied arms, or decided without any draw."""

from typing import NamedTuple

import naive
import pytest
from hypothesis import given
from hypothesis import strategies as st
from states import Counting, Forbidden, chi_square, data_of, round_of, state_of

import toptwo as tt
from toptwo.rules import (
    MinimaxOptimal,
    TransportationCost,
    TransportationCostImproved,
    UpperConfidenceBound,
)
from toptwo.rules.round import recommend
from toptwo.streams import Random, fork


class WithoutDraws(NamedTuple):
    """An algorithm that is given no randomness."""

    inner: tt.TopTwo

    def next_pull(self, now, random):
        return self.inner.next_pull(now, Forbidden())

    def memory(self):
        return self.inner.memory()


@pytest.mark.parametrize("beta", [0.5, 0.3, "ids"])
@pytest.mark.parametrize("make", [tt.TTUCB, tt.EBTC, tt.EBTCI])
def test_closest_never_draws(make, beta, seed):
    """With tracking and ties="closest" the algorithm is deterministic."""
    result = tt.simulate(
        WithoutDraws(make(beta, ties="closest", choice="tracking")),
        [[0.2, 0.6, 0.55, 0.4], [0.1, 0.2, 0.3, 1.0]],
        threshold="heuristic",
        seed=seed,
        max_samples=600,
        engine="python",
        threads=1,
    )
    assert result.runs == 2


@pytest.mark.parametrize("algorithm", [tt.TTUCB(), tt.TTUCB(ties="closest", choice="sampling"), tt.T3C()])
def test_control_other_rules_do_draw(algorithm):
    with pytest.raises(AssertionError, match="drew at random"):
        tt.simulate(WithoutDraws(algorithm), [0.2, 0.6, 0.55, 0.4], runs=3, max_samples=600, engine="python", threads=1)


def test_closest_draws_nothing_even_when_all_is_equal():
    algorithm = tt.TTUCB(ties="closest")
    now = round_of([0.5, 0.5, 0.5], [4, 4, 4], best=2, rule=algorithm)
    assert algorithm.next_pull(now, Forbidden()) == (0, 0)
    assert TransportationCost(random_ties=False).challenge(0, now, Forbidden()) == 1
    assert TransportationCostImproved(random_ties=False).challenge(0, now, Forbidden()) == 1


ABOVE = ([0.3, 0.9, 0.1, 0.5, 0.31, 0.7], [5, 4, 30, 9, 7, 6])
"""Against leader 0, the arms 1, 3, 4 and 5 cost nothing; 4 is the closest."""


def tally(choose, arms, draws=12_000):
    counts = [0] * arms
    for _ in range(draws):
        counts[choose()] += 1
    return counts


def is_uniform(counts, tied):
    statistic, critical = chi_square(counts, [1 / len(tied) if arm in tied else 0.0 for arm in range(len(counts))])
    return statistic <= critical


def test_random_ties_are_uniform_over_the_arms_above_the_leader(seed):
    now, random = round_of(*ABOVE), Random([fork(seed, 1)])
    counts = tally(lambda: TransportationCost().challenge(0, now, random), 6)
    assert is_uniform(counts, {1, 3, 4, 5})


def test_control_the_test_of_uniformity_can_fail(seed):
    now, random = round_of(*ABOVE), Random([fork(seed, 2)])
    assert not is_uniform(tally(lambda: TransportationCost(False).challenge(0, now, random), 6), {1, 3, 4, 5})

    def half_as_often():
        arm = TransportationCost().challenge(0, now, random)
        return TransportationCost().challenge(0, now, random) if arm == 5 else arm

    assert not is_uniform(tally(half_as_often, 6), {1, 3, 4, 5})


def test_arms_above_the_leader_cost_one_draw_together(seed):
    now, random = round_of(*ABOVE), Counting(fork(seed, 3))
    TransportationCost().challenge(0, now, random)
    assert random.draws == 1
    assert TransportationCost().challenge(now.best, now, random) == now.rival
    assert random.draws == 1


def test_closest_is_the_nearest_of_the_arms_above():
    now = round_of(*ABOVE)
    assert TransportationCost(random_ties=False).challenge(0, now, Forbidden()) == 4


@given(
    st.lists(st.tuples(st.integers(-9, 9), st.integers(1, 40)), min_size=2, max_size=6),
    st.integers(0, 5),
    st.sampled_from([0.0, 0.5, 2.0]),
)
def test_challengers_are_naive_on_a_grid_full_of_ties(arms, leader, epsilon):
    """Means on a coarse grid tie all the time: the challengers are as cheap as those of the naive twin."""
    means, counts = [mean / 2 for mean, _ in arms], [count for _, count in arms]
    leader %= len(arms)
    now = round_of(means, counts, epsilon=epsilon, best=means.index(max(means)))
    data = data_of(means, counts, epsilon=epsilon)
    for rule, twin in (
        (TransportationCost(True), naive.TransportationCost()),
        (TransportationCost(False), naive.ClosestTransportationCost()),
        (TransportationCostImproved(), naive.TransportationCostImproved()),
    ):
        left, right = Counting(17), Counting(17)
        arm, expected = rule.challenge(leader, now, left), twin.challenge(leader, data, right)
        assert arm != leader
        costs = [twin.cost(leader, i, data) for i in (arm, expected)]
        assert costs[0] == pytest.approx(costs[1], rel=1e-12, abs=1e-12)
        if not isinstance(rule, TransportationCostImproved) and leader != now.best:
            assert arm == expected or costs[0] > 0


@pytest.mark.parametrize("rule", [UpperConfidenceBound(), MinimaxOptimal()])
def test_ties_of_indices_are_uniform(rule, seed):
    now, random = round_of([0.5, 0.2, 0.5, 0.5, 0.1], [3, 9, 3, 3, 9], best=0), Random([fork(seed, 4)])
    assert is_uniform(tally(lambda: rule.lead(now, random), 5), {0, 2, 3})
    alone = rule._replace(random_ties=False)
    assert {alone.lead(now, Forbidden()) for _ in range(5)} == {0}


def test_ties_of_the_recommendation_are_uniform_unless_one_is_recommended_already(seed):
    state, random = state_of([0.1, 0.5, 0.2, 0.5, 0.5], [3] * 5), Random([fork(seed, 5)])
    assert is_uniform(tally(lambda: recommend(-1, state, random), 5), {1, 3, 4})
    assert is_uniform(tally(lambda: recommend(2, state, random), 5), {1, 3, 4})
    assert recommend(3, state, Forbidden()) == 3
