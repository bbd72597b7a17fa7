"""Answers that come late for a reason: which reading of them keeps the guarantee (docs/mixture.md, "Late answers")."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from scipy.stats import binom

import toptwo as tt
from toptwo.families.gaussian import LOG_WEIGHTS, PRECISIONS
from toptwo.state import add_reward, state_of

FALSE_ALARM = 1e-6
ENTROPY = -sum(weight * math.exp(weight) for weight in LOG_WEIGHTS)


# --- an exact counterexample ------------------------------------------------------------------------------------------
# Two fair coins, tossed in turn. Betting on heads doubles a coin's capital and a tail ruins it: the product of the two
# capitals is a martingale that starts at 1, so by Ville it reaches 2^k with probability at most 2^-k. Heads answer
# at once, tails after the decision: a delay that depends on nothing but the toss itself.
def product(coins):
    """Return the capital won on the tosses read of each coin."""
    return math.prod(2 if head else 0 for coin in coins for head in coin)


def in_ask_order(tosses, answered):
    """Read all tosses up to the first unanswered one."""
    coins = ([], [])
    for number in range(len(tosses)):
        if not answered[number]:
            break
        coins[number % 2].append(tosses[number])
    return coins


def coin_by_coin(tosses, answered):
    """Read each coin up to its own first unanswered toss."""
    return [
        [tosses[number] for number in itertools.takewhile(lambda i: answered[i], range(coin, len(tosses), 2))]
        for coin in (0, 1)
    ]


def chance_to_reach(level, reading):
    """Return the exact probability that the product read at some time is 2^level or more."""
    reached = 0
    for tosses in itertools.product((True, False), repeat=2 * level):
        times = range(1, 2 * level + 1)
        reached += any(product(reading(tosses[:time], answered=tosses[:time])) >= 2**level for time in times)
    return Fraction(reached, 4**level)


@pytest.mark.parametrize("level", [1, 2, 3, 4, 5])
def test_read_in_ask_order_late_tails_change_nothing(level):
    assert chance_to_reach(level, in_ask_order) == Fraction(1, 2**level)


@pytest.mark.parametrize("level", [1, 2, 3, 4, 5])
def test_read_coin_by_coin_late_tails_break_ville(level):
    chance = chance_to_reach(level, coin_by_coin)
    assert chance == Fraction(2 + level, 2) / 2**level > Fraction(1, 2**level)
    x = level * math.log(2.0)
    assert chance <= (1.0 + x) * math.exp(-x)


# --- the Gaussian mixture ---------------------------------------------------------------------------------------------
PULLS = np.unique(np.geomspace(1.0, 1e5, 60).astype(int))
"""Numbers of pulls at which an arm is looked at."""


def capitals(rng, runs):
    """Return M_g at the true mean after so many pulls: (runs, pulls, grid)."""
    steps = np.sqrt(np.diff(PULLS, prepend=0))
    sums = (steps * rng.normal(size=(runs, len(PULLS)))).cumsum(axis=1)[..., None]
    pulls = PULLS[:, None]
    return np.exp(sums**2 / (2.0 * (pulls + PRECISIONS))) / np.sqrt(1.0 + pulls / PRECISIONS)


def test_pairs_of_prefixes_exceed_ville_but_not_independent_suprema(seed):
    rng, weights, x, runs = np.random.default_rng(seed), np.exp(LOG_WEIGHTS), 2.0, 10_000
    on_path = on_pairs = 0
    for _ in range(runs // 500):
        a, b = capitals(rng, 500), capitals(rng, 500)
        on_path += ((a * b @ weights).max(axis=1) >= math.exp(x)).sum()
        # Late answers can hold each arm at any of its prefixes, whatever the other arm shows.
        on_pairs += (np.einsum("rmg,rng->rmn", a * weights, b).max(axis=(1, 2)) >= math.exp(x)).sum()
    assert binom.sf(on_path - 1, runs, math.exp(-x)) >= FALSE_ALARM
    assert binom.sf(on_pairs - 1, runs, math.exp(-x)) < FALSE_ALARM
    assert binom.sf(on_pairs - 1, runs, (1.0 + x + ENTROPY) * math.exp(-x)) >= FALSE_ALARM


# --- a study ----------------------------------------------------------------------------------------------------------
class Unfair:
    """Measurements of two arms level but for a hair; what speaks against arm 0, the wrong one, takes very long."""

    means, delta, budget, side_by_side = (0.0, 0.001), 0.1, 150, 16

    def __init__(self, rng):
        self.rng = rng

    def measure(self, arm):
        """Return a value and its delay."""
        noise = self.rng.normal()
        return self.means[arm] + noise, 1000 if (noise < 0.0) == (arm == 0) else 0


def wrong_study(rng):
    """Return whether a study with many pulls under way decides for the wrong arm."""
    source, asked, waiting = Unfair(rng), 0, []
    study = tt.create_study(2, delta=source.delta, max_samples=source.budget)
    while study.running:
        while len(waiting) < source.side_by_side and asked < source.budget:
            pull = study.ask()
            value, delay = source.measure(pull.index)
            waiting.append((asked + delay, pull, value))
            asked += 1
        soonest = min(waiting, key=lambda item: item[0])
        waiting.remove(soonest)
        study.tell(soonest[1], soonest[2])
    return study.verdict.status == "winner" and study.verdict.arm == 0


def wrong_first_come(rng):
    """Return whether the same evidence decides for the wrong arm when it reads answers as they come."""
    source, state = Unfair(rng), state_of(tt.Gaussian(), 2)
    for now in range(source.budget):
        value, delay = source.measure(now % 2)
        if delay == 0:
            add_reward(now % 2, value, state)
        if tt.Gaussian().evidence(0, 1, 0.0, state) >= math.log(1.0 / source.delta):
            return True
    return False


def test_a_study_stays_delta_correct_when_bad_news_comes_late(seed):
    rng = np.random.default_rng(seed)
    wrong = sum(wrong_study(rng) for _ in range(400))
    assert binom.sf(wrong - 1, 400, Unfair.delta) >= FALSE_ALARM


def test_reading_answers_as_they_come_does_not(seed):
    rng = np.random.default_rng(seed)
    wrong = sum(wrong_first_come(rng) for _ in range(400))
    assert binom.sf(wrong - 1, 400, Unfair.delta) < FALSE_ALARM
