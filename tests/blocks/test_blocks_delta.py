"""Errors of races in blocks where it is easy to be wrong: drift, ties, margins; races that cheat must fail."""

import math
import random

import pytest
from scipy.stats import binom

from toptwo.blocks import Blocks, evidence

DELTA = 0.3
FALSE_ALARM = 1e-6


class Drift:
    """An AR(1) process that all arms share, moved on by each measurement."""

    def __init__(self, rng, spread):
        self.rng, self.value, self.step = rng, rng.gauss(0.0, spread), spread * math.sqrt(1.0 - 0.995**2)

    def next(self):
        self.value = 0.995 * self.value + self.rng.gauss(0.0, self.step)
        return self.value


NOISES = {
    "gaussian": lambda rng: rng.gauss(0.0, 0.3),
    "skewed": lambda rng: 0.2 * (math.exp(rng.gauss(0.0, 1.0)) - math.exp(0.5)),
    "spikes": lambda rng: 0.1 * rng.gauss(0.0, 1.0) + 5.0 * (rng.random() < 0.02),
}


def play(race, means, rng, limit, noise="gaussian", spread=1.0, row=None, seen=None):
    """Race under a drift until the end or the limit."""
    drift = Drift(rng, spread)
    while not race.over and race.read < limit:
        block = race.next_block() if row is None else race.asked(row)
        values = [means[arm] + drift.next() + NOISES[noise](rng) for arm in block.arms]
        if race.comparison.kind == "log":
            values = [math.exp(0.2 * value) for value in values]
        race.tell_block(block, values if seen is None else seen(block, values))
    return race


def chance(wrong, runs, delta=DELTA):
    """The chance of at least so many errors at probability δ, by the exact binomial law."""
    return float(binom.sf(wrong - 1, runs, delta))


def errors(runs, arms, limit=40, compare="mean", **options):
    """Races of equal arms in which the first one is ruled out, and those with a winner.

    The first one is as much the best as any: that it is ruled out is what the theorem of docs/blocks.md bounds, by
    δ(K − 1)/K. For a winner all but one must be ruled out, which is much rarer for many arms than δ.
    """
    ruled_out = winners = 0
    for run in range(runs):
        race = Blocks(arms, delta=DELTA, compare=compare, seed=run)
        play(race, [0.0] * arms, random.Random(run), limit, **options)
        ruled_out += race.evidence.ruled_out[0] >= race.level
        winners += race.over
    return ruled_out, winners


def none_too_many(runs, arms, **options):
    """Whether both are as rare as they should be."""
    ruled_out, winners = errors(runs, arms, **options)
    allowed = DELTA * (arms - 1) / arms
    return chance(ruled_out, runs, allowed) >= FALSE_ALARM and chance(winners, runs) >= FALSE_ALARM


@pytest.mark.parametrize(
    ("arms", "compare", "noise"),
    [
        (2, "mean", "gaussian"),
        (4, "mean", "gaussian"),
        (8, "mean", "gaussian"),
        (2, "log", "skewed"),
        (2, "wins", "spikes"),
        (8, "wins", "skewed"),
    ],
)
def test_the_best_of_equal_arms_is_ruled_out_no_more_often_than_promised(arms, compare, noise):
    assert none_too_many(100, arms, compare=compare, noise=noise)


@pytest.mark.parametrize("compare", ["mean", "wins"])
def test_the_best_of_equal_arms_is_ruled_out_where_delta_is_not_divided(compare, monkeypatch):
    """The check above can fail; that of winners alone could not, since hardly ever seven of eight are ruled out."""
    monkeypatch.setattr(evidence, "log_part", lambda start, winner, loser: 0.0)
    ruled_out, winners = errors(100, 8, compare=compare)
    assert chance(ruled_out, 100, DELTA * 7 / 8) < FALSE_ALARM
    assert chance(winners, 100) >= FALSE_ALARM


@pytest.mark.slow
@pytest.mark.parametrize(("arms", "compare"), [(2, "mean"), (3, "log"), (3, "wins"), (8, "mean")])
def test_many_races_of_equal_arms(arms, compare):
    assert none_too_many(400, arms, limit=200, compare=compare)


def test_values_of_different_times_are_no_block():
    """The first arm's value comes from fifty blocks earlier: the drift does not cancel, and there are false winners."""

    def late():
        kept = []

        def seen(_, values):
            kept.append(values[0])
            return [kept[max(0, len(kept) - 50)], values[1]]

        return seen

    races = [
        play(Blocks(2, delta=DELTA), [0.0, 0.0], random.Random(run), 40, row=(0, 1), seen=late()) for run in range(40)
    ]
    wrong = sum(race.over for race in races)
    assert chance(wrong, 40) < FALSE_ALARM


def winners_by_place(runs, draw=None):
    """Winners among two equal arms, of which the first one in a block loses by a hundred times the noise; δ = .05."""
    won = 0
    for run in range(runs):
        race, rng = Blocks(2, delta=0.05, seed=run), random.Random(run)
        while not race.over and race.read < 12:
            block = race.next_block() if draw is None else race.asked(draw(rng))
            race.tell_block(block, [place + rng.gauss(0.0, 0.01) for place in (0.0, 1.0)])
        won += race.over
    return won


def test_places_make_no_winners():
    assert chance(winners_by_place(300), 300, 0.05) >= FALSE_ALARM


def test_places_make_winners_where_each_block_draws_its_own_order():
    """Why every second block turns the order round: four blocks of the same order are no rarity, and look certain."""
    assert chance(winners_by_place(600, lambda rng: rng.sample((0, 1), 2)), 600, 0.05) < FALSE_ALARM


def test_a_winner_that_is_not_better_is_rare_when_means_differ():
    wrong = 0
    for run in range(60):
        rng = random.Random(run)
        means = [0.0, 0.1, 0.05, 0.1 - 1e-9]
        race = play(Blocks(4, delta=DELTA, seed=run), means, rng, 60)
        wrong += race.over and race.standing().arm not in (1, 3)
    assert chance(wrong, 60) >= FALSE_ALARM


EDGES = {
    "difference": ({"margin": 0.2}, 0.2),
    "ratio": ({"margin": 0.1, "relative": True}, 0.2),
    "log": ({"margin": math.expm1(0.04), "compare": "log"}, 0.2),
    "bounds": ({"margin": 0.2, "bounds": (-20.0, 24.0)}, 0.2),
}


def false_ties(runs, options, gap, limit=60):
    """Ties, or victories of the worse arm, of two arms whose gap is a hair above the margin."""
    wrong = 0
    for run in range(runs):
        race = Blocks(2, delta=DELTA, seed=run, **options)
        play(race, [2.0, 2.0 + gap], random.Random(run), limit, spread=0.05)
        wrong += race.over and (race.standing().status == "tie" or race.standing().arm == 0)
    return wrong


@pytest.mark.parametrize("edge", EDGES)
def test_arms_at_the_margin_are_rarely_called_tied(edge):
    assert chance(false_ties(150, *EDGES[edge]), 150) >= FALSE_ALARM


def test_arms_beyond_the_margin_are_called_tied_by_a_larger_margin():
    """The check above can fail: a race that is told twice the margin."""
    assert chance(false_ties(150, {"margin": 0.5}, 0.2), 150) < FALSE_ALARM


@pytest.mark.parametrize("compare", ["mean", "log", "wins"])
def test_equal_arms_end_in_a_tie_within_a_margin(compare):
    race = Blocks(3, delta=0.05, compare=compare, margin=0.3, seed=1)
    play(race, [0.0] * 3, random.Random(4), 10_000)
    assert race.standing().status == "tie"
    assert race.standing().contenders == (0, 1, 2)


def test_intervals_hold_the_truth_whenever_one_looks():
    """At K = 2 each end may fail with probability δ/2. Ends that ask for less fail more often."""
    runs, gap, failed, early = 60, 0.1, 0, 0
    for run in range(runs):
        race, rng = Blocks(2, delta=0.05, seed=run), random.Random(run)
        bad = hasty = False
        for look in range(1, 25):
            shared = rng.gauss(0.0, 1.0)
            race.evidence.take_in([(arm, shared + gap * arm + rng.gauss(0.0, 0.3)) for arm in (0, 1)])
            if look % 8 == 0:
                bad |= race.effect(1, 0).low > gap
                hasty |= -race.evidence.pairs[0, 1].interval(0.2, 0.2)[1] > gap
        failed, early = failed + bad, early + hasty
    assert chance(failed, runs, 0.025) >= FALSE_ALARM
    assert chance(early, runs, 0.025) < FALSE_ALARM
