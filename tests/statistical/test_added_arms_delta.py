"""Arms added by someone who knows values that are measured and not yet told: theorem 1 of docs/betting.md holds.

Arm 0 is the best by a hair and arm 1 is wrong. Once arm 0 was unlucky it is never pulled again, and chunks of arm 1 are
asked for. If a chunk that would be bet on turns out bad, a hopeless arm is added before it is told. A verdict that knew
the new arm at once would wait for its first value, and bet on nobody in what it reads meanwhile: bets on arm 1 would be
called off after they were lost. Theorem 1 has no K: the wealth against arm 0 ever reaches e^y with probability e^−y at
most, however many arms came.
"""

import math
import random

import pytest
from scipy.stats import binom

import toptwo as tt
from toptwo.study.designs.base import NextRow
from toptwo.study.designs.independent import Independent

FALSE_ALARM = 1e-6
GAP, HOPELESS = 1e-9, -50.0
FEWEST, MOST, UNLUCKY = 80, 600, 1.4
"""Pulls of the best arm until it is that many standard errors below its mean."""
CHUNKS, CHUNK = 120, 4


class Adversary:
    """A design with pulls under way, whose values are known to whoever adds arms."""

    def __init__(self, seed, in_turn):
        self.noise, self.in_turn = random.Random(seed), in_turn
        self.design = Independent(
            3,
            delta=1e-12,
            epsilon=0.0,
            algorithm="uniform",
            threshold="betting",
            family=tt.Gaussian(1.0),
            sign=1.0,
            max_samples=None,
            seed=seed,
            more_arms=True,
        )

    def ask(self, arm, times=1):
        """Ask for pulls of an arm and return their values, which are not told."""
        note = (-1, -1, 0.0, int(self.design._random.position[0]))
        self.design.asked(NextRow((arm,), times, None, note))
        level = (GAP, 0.0)[arm] if arm < 2 else HOPELESS
        return [self.noise.gauss(level, 1.0) for _ in range(times)]

    def tell(self, values):
        """Tell the values of the last pulls asked for."""
        first = self.design.pulls - len(values)
        for place, value in enumerate(values):
            self.design.told(first + place, value)

    def is_bet_on(self):
        """Return whether arm 1 leads so clearly that its pulls are marked."""
        standing, rule = self.design.standing, self.design.setup.stopping
        clear = min(rule.early * self.design.arms, rule.late * math.sqrt(self.design.arms / standing.samples))
        return standing.best == 1 and standing.cost >= clear

    def wealth_against_the_best(self):
        """Return ln of the wealth against arm 0, if arm 1 leads."""
        now = self.design.now
        if now is None or now.best != 1:
            return -math.inf
        return self.design.setup.stopping.least_wealth(0, math.inf, now).lower

    def is_unlucky(self):
        """Pull the best arm until it is far below its mean; False if it never is."""
        self.tell(self.ask(2))
        self.tell(self.ask(1))
        total = 0.0
        for pulls in range(1, MOST + 1):
            values = self.ask(0)
            self.tell(values)
            total += values[0]
            if pulls >= FEWEST and total < -UNLUCKY * math.sqrt(pulls):
                return True
        return False


def misled(seed, level, in_turn):
    """Return whether the wealth against the best arm ever comes to a level."""
    play = Adversary(seed, in_turn)
    if not play.is_unlucky():
        return False
    for _ in range(CHUNKS):
        bet_on, values = play.is_bet_on(), play.ask(1, CHUNK)
        if add := bet_on and sum(values) < 0.0:
            play.design.add_arm(in_turn)
        play.tell(values)
        if add:
            play.tell(play.ask(play.design.arms - 1))
        if play.wealth_against_the_best() >= math.log(level):
            return True
    return False


def surprise(runs, level, seed, in_turn):
    """Return the probability of so many misled designs, or more, if each were with probability 1/level."""
    wrong = sum(misled(1_000_000 * seed + run, level, in_turn) for run in range(runs))
    return binom.sf(wrong - 1, runs, 1.0 / level)


def test_arms_added_for_values_that_are_not_yet_told_mislead_nobody(seed):
    assert surprise(100, 100.0, seed, in_turn=True) >= FALSE_ALARM


def test_they_do_if_the_verdict_knows_them_at_once(seed):
    assert surprise(100, 100.0, seed, in_turn=False) < FALSE_ALARM


@pytest.mark.slow
@pytest.mark.parametrize("level", [10.0, 100.0, 1000.0])
def test_they_mislead_nobody_in_many_designs(level, seed):
    assert surprise(3000, level, seed, in_turn=True) >= FALSE_ALARM
