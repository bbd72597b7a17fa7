"""The resampling challenger at bounded cost has the law of plain redraws, also where redraws would never end."""

import math

import naive
import pytest
from states import Counting, chi_square, chi_square_two, data_of, round_of

from toptwo.rules import Resampling
from toptwo.streams import Random, fork

CONDITIONAL = Resampling(redraws=0)
"""Karp and Luby's scheme from the first draw."""

# means, counts, leader, σ; asymmetric, the leader not always the empirical best.
MODERATE = {
    "leader ahead": ([0.1, 0.5, 0.3, 0.42, 0.2], [6, 14, 5, 9, 3], 1, 1.0),
    "leader behind": ([0.2, 0.5, 0.3, 0.42], [6, 14, 25, 9], 2, 0.5),
    "one rarely pulled": ([-0.6, 0.9, 0.3, 0.28, 0.32], [1, 2, 40, 45, 50], 1, 1.0),
}
# The leader is best but for a probability of 2e-9 and 2e-80.
CONCENTRATED = {
    "four rivals": ([-0.6, 1.0, 0.345, 0.365, 0.332], [20, 200, 150, 170, 140], 1, 1.0),
    "three rivals": ([1.312, -0.69, 3.0, 1.335], [260, 30, 250, 270], 2, 1.0),
}


def exact_law(means, counts, leader, sigma):
    """P(argmax θ = j | argmax θ ≠ leader), by quadrature."""
    logs = naive.log_probabilities_best(data_of(means, counts, sigma))
    top = max(value for j, value in enumerate(logs) if j != leader)
    weights = [0.0 if j == leader else math.exp(value - top) for j, value in enumerate(logs)]
    return [weight / sum(weights) for weight in weights]


def sample(challenge, means, counts, leader, sigma, stream, draws):
    now, random = round_of(means, counts, sigma), Random([stream])
    tally = [0] * len(means)
    for _ in range(draws):
        tally[challenge(leader, now, random)] += 1
    return tally


def plain_redraws(leader, now, random):
    """The definition: redraw θ until its argmax is not the leader."""
    state, sigma = now.state, now.family.sigma
    while True:
        theta = [
            mean + sigma * random.normal() / math.sqrt(count)
            for mean, count in zip(state.means, state.counts, strict=True)
        ]
        if theta.index(max(theta)) != leader:
            return theta.index(max(theta))


def without_acceptance(leader, now, random):
    """Negative control: forget to accept with probability one over the number of arms above the leader."""
    means, counts = now.state.means, [int(count) for count in now.state.counts]
    theta = naive.Resampling().overtaken(leader, data_of(means, counts, now.family.sigma), random)
    return theta.index(max(theta))


def second_best(leader, now, random):
    """Negative control: the best of the other means, always."""
    means = now.state.means
    return max((j for j in range(len(means)) if j != leader), key=lambda j: means[j])


@pytest.mark.parametrize("case", MODERATE)
def test_law_of_plain_redraws(case, seed):
    means, counts, leader, sigma = MODERATE[case]
    redrawn = sample(plain_redraws, means, counts, leader, sigma, fork(seed, 1), 15_000)
    for rule, stream in ((CONDITIONAL, 2), (Resampling(), 3)):
        tally = sample(rule.challenge, means, counts, leader, sigma, fork(seed, stream), 15_000)
        assert tally[leader] == 0
        statistic, critical = chi_square_two(tally, redrawn)
        assert statistic <= critical


@pytest.mark.parametrize("case", MODERATE | CONCENTRATED)
def test_exact_law(case, seed):
    means, counts, leader, sigma = (MODERATE | CONCENTRATED)[case]
    tally = sample(CONDITIONAL.challenge, means, counts, leader, sigma, fork(seed, 4), 25_000)
    statistic, critical = chi_square(tally, exact_law(means, counts, leader, sigma))
    assert statistic <= critical


@pytest.mark.parametrize("case", CONCENTRATED)
def test_concentrated_cases_are_out_of_reach_of_redraws(case):
    means, counts, leader, sigma = CONCENTRATED[case]
    others = [p for j, p in enumerate(naive.log_probabilities_best(data_of(means, counts, sigma))) if j != leader]
    assert max(others) < math.log(1e-8)


def test_control_acceptance_matters(seed):
    means, counts, leader, sigma = MODERATE["one rarely pulled"]
    tally = sample(without_acceptance, means, counts, leader, sigma, fork(seed, 5), 40_000)
    statistic, critical = chi_square(tally, exact_law(means, counts, leader, sigma))
    assert statistic > critical


@pytest.mark.parametrize("case", ["leader ahead", *CONCENTRATED])
def test_control_second_best_is_another_law(case, seed):
    means, counts, leader, sigma = (MODERATE | CONCENTRATED)[case]
    tally = sample(second_best, means, counts, leader, sigma, fork(seed, 6), 15_000)
    statistic, critical = chi_square(tally, exact_law(means, counts, leader, sigma))
    assert statistic > critical


def test_two_arms_leave_no_choice(seed):
    assert sample(CONDITIONAL.challenge, [0.2, 0.9], [3, 8], 1, 1.5, fork(seed, 8), 200) == [200, 0]


@pytest.mark.parametrize("scale", [1, 100, 10_000, 1_000_000])
def test_cost_does_not_grow_with_concentration(scale, seed):
    """Draws per challenge, at most a few times K, for a leader best but for exp(−25) to exp(−25 million)."""
    means, counts = [0.0, 1.0, 0.3, 0.25, -2.0], [scale * n for n in (100, 250, 120, 150, 90)]
    now, random = round_of(means, counts), Counting(fork(seed, 7))
    for _ in range(200):
        assert Resampling().challenge(1, now, random) != 1
    assert random.draws / 200 < 8 * len(means)
