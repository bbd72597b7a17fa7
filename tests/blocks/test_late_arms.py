"""Arms that are added while a race runs: the best one is ruled out with probability at most δ, whenever it came."""

import itertools
import math
import random

import pytest
from scipy.stats import binom

import toptwo as tt
from toptwo.blocks import Blocks, evidence
from toptwo.blocks.budget import log_part

FALSE_ALARM = 1e-6
DELTA = 0.5


def spent(start, places):
    """The parts of δ that matter if arms come in this order, the places saying how good they are.

    An error is that an arm is taken for better than another that is the best of those present.
    """
    pairs = set()
    for present in range(start, len(places) + 1):
        best = max(range(present), key=places.__getitem__)
        pairs |= {(other, best) for other in range(present) if other != best}
    return math.fsum(math.exp(log_part(start, *pair)) for pair in pairs)


@pytest.mark.parametrize(("start", "added"), [(2, 0), (2, 4), (4, 2), (3, 3)])
def test_no_order_of_arrival_spends_more_than_delta(start, added):
    orders = [spent(start, places) for places in itertools.permutations(range(start + added))]
    assert max(orders) <= 1.0 + 1e-12
    assert max(orders) >= 1.0 - 1.0 / start  # and hardly anything is given away


@pytest.mark.parametrize(("start", "added"), [(2, 0), (3, 0), (20, 0), (2, 1), (2, 6), (5, 3)])
def test_a_winner_among_equal_arms_spends_no_more_than_delta(start, added):
    """All but one are ruled out then: at most the sum over all arms divided by their number less one."""
    arms = range(start + added)
    spent_on = [math.fsum(math.exp(log_part(start, a, b)) for a in arms if a != b) for b in arms]
    assert math.fsum(spent_on) / (len(arms) - 1) <= 1.0 + 1e-12


def test_delta_lasts_for_any_number_of_arms():
    assert spent(5, list(range(400))) <= 1.0 + 1e-12
    assert spent(5, list(range(400))[::-1]) <= 1.0 + 1e-12


def misled(rng, added, newest_is_best, blocks=40):
    """Whether the best arm is ever ruled out by arms that are worse by a hair, each measured with it alone."""
    race = Blocks(2, delta=DELTA, compare="wins")
    best = 0
    for stage in range(added + 1):
        new = race.add_arm() if stage else 1
        rivals = [new] if stage and not newest_is_best else range(race.arms)
        best = new if stage and newest_is_best else best
        for rival, _ in itertools.product(rivals, range(blocks)):
            if rival == best:
                continue
            race.tell_block(race.asked((best, rival)), [rng.random(), rng.random()])
            if race.over or race.evidence.ruled_out[best] >= race.level:
                return race.evidence.ruled_out[best] >= race.level
    return False


def chance_of(runs, **case):
    """The chance of at least so many errors if each race errs with probability δ, by the exact binomial law."""
    wrong = sum(misled(random.Random(run), **case) for run in range(runs))
    return float(binom.sf(wrong - 1, runs, DELTA))


@pytest.mark.parametrize("newest_is_best", [True, False])
def test_the_best_is_kept_whenever_it_came(newest_is_best):
    assert chance_of(150, added=4, newest_is_best=newest_is_best) >= FALSE_ALARM


def test_one_part_for_each_arm_that_wins_is_not_enough(monkeypatch):
    """Parts that depend on the winner alone add up to δ for a best arm of the start, and to much more for late ones."""

    def by_winner(start, winner, loser):
        added = winner - start + 1
        return -math.log(start) if added <= 0 else -math.log(start * added * (added + 1))

    monkeypatch.setattr(evidence, "log_part", by_winner)
    assert chance_of(200, added=4, newest_is_best=True) < FALSE_ALARM


def test_under_wins_the_condition_for_arms_that_were_added_is_said():
    """Equal arms, one of which is ruled out by chance, and arms that beat all but that one: then δ would not last."""
    study = tt.create_study(2, design="blocks", compare="wins")
    condition = "what beats one of them beats all that are no better than that"
    assert condition not in study.verdict.assumption
    study.add_arm("new")
    assert condition in study.verdict.assumption
    means = tt.create_study(2, design="blocks")
    before = means.verdict.assumption
    means.add_arm("new")
    assert means.verdict.assumption == before


def best_is_no_contender(runs, circle):
    """Races of eight equal arms in which the best is ever ruled out; arms that a loser beats are added, if they may."""
    wrong = 0
    for run in range(runs):
        rng, race = random.Random(run), Blocks(8, delta=0.3, compare="wins", seed=run)
        best = 0
        while not race.over and race.read < 100:
            block = race.next_block()
            race.tell_block(block, [rng.random() for _ in block.arms])
            out = [arm for arm in range(8) if race.evidence.ruled_out[arm] >= race.level]
            if circle and out:  # now somebody adds arms that beat all but this one
                best = out[0]
                break
        wrong += race.evidence.ruled_out[best] >= race.level
    return wrong


def test_under_wins_the_best_of_equal_arms_is_kept_only_if_nobody_adds_a_circle():
    assert binom.sf(best_is_no_contender(70, circle=False) - 1, 70, 0.3) >= FALSE_ALARM
    assert binom.sf(best_is_no_contender(70, circle=True) - 1, 70, 0.3) < FALSE_ALARM


def test_a_late_arm_can_win_and_lose():
    """The parts of late arms are small, but they are parts: what is clear is found."""
    for lead in (-1.0, 1.0):
        rng, race = random.Random(3), Blocks(3, delta=0.05)
        while not race.over:
            if race.read == 5:
                late = race.add_arm()
            block = race.next_block()
            race.tell_block(block, [rng.gauss(lead * (arm == 3), 0.3) + 0.1 * arm for arm in block.arms])
        assert race.standing().arm == (late if lead > 0.0 else 2)
