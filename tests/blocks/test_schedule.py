"""Who is measured next, and what is said: choices of blocks, answers, forecasts, refusals."""

import collections
import math
import random

import pytest

from toptwo.blocks import Blocks, make_comparison
from toptwo.blocks.answers import answer_at, contenders, level_of
from toptwo.blocks.evidence import PairwiseEvidence
from toptwo.blocks.schedule import Standings, leader, next_row, shuffled, shuffled_in_couples
from toptwo.errors import InputError, StudyError


def standings(arms=10, **changes):
    evidence = PairwiseEvidence(arms, make_comparison())
    usual = {
        "places": [-float(arm) for arm in range(arms)],
        "contenders": range(arms),
        "counts": [5] * arms,
        "planned": [0] * arms,
        "costs": [1.0] * arms,
    }
    return Standings(evidence, **(usual | changes))


def test_few_contenders_are_all_measured():
    assert next_row(standings(contenders=[1, 4, 7]), 6) == [1, 4, 7]


def test_the_leader_meets_those_least_settled_against_it():
    now = standings()
    for arm in range(1, 10):
        now.evidence.beats[0, arm] = (arm * 7) % 10
    assert leader(now) == 0
    assert next_row(now, 4) == sorted([0, *sorted(range(1, 10), key=lambda arm: (arm * 7) % 10)[:3]])


def test_unseen_arms_come_first_and_lead_nothing():
    counts = [5] * 8 + [0, 0]
    now = standings(counts=counts, places=[-10.0] * 8 + [5.0, 5.0])
    row = next_row(now, 3)
    assert {8, 9} < set(row)
    assert leader(now) not in (8, 9)


def test_arms_that_are_under_way_wait_for_others():
    assert next_row(standings(planned=[0, 1, 1, 1, 1, 1, 1, 0, 0, 0]), 4) == [0, 7, 8, 9]


def test_slow_challengers_need_to_be_less_settled():
    costs = [1.0, 9.0, 9.0, 9.0] + [1.0] * 6
    now = standings(costs=costs)
    for arm in range(1, 10):
        now.evidence.beats[0, arm] = 1.0
    assert not {1, 2, 3} & set(next_row(now, 6))
    for arm in range(4, 10):
        now.evidence.beats[0, arm] = 20.0
    assert {1, 2, 3} < set(next_row(now, 6))


def test_orders_inside_blocks_are_uniform():
    orders = collections.Counter(tuple(shuffled([4, 6, 9], 1, block)) for block in range(6000))
    assert len(orders) == 6
    assert all(abs(number - 1000) < 150 for number in orders.values())
    assert shuffled(range(9), 1, 0) != shuffled(range(9), 2, 0)


def test_every_second_block_turns_the_order_round_whoever_has_left():
    orders = [shuffled_in_couples(row, 1, block) for row, block in ((range(9), 40), ([1, 2, 5, 8], 41))]
    assert [arm for arm in orders[0] if arm in (1, 2, 5, 8)] == orders[1][::-1]
    firsts = collections.Counter(shuffled_in_couples([4, 6, 9], 1, block)[0] for block in range(6000))
    assert all(abs(number - 2000) < 220 for number in firsts.values())


@pytest.mark.parametrize(
    ("options", "turned"), [({}, 300), ({"compare": "log"}, 300), ({"compare": "wins"}, 150), ({"bounds": (0, 1)}, 150)]
)
def test_orders_are_drawn_for_each_block_where_the_proof_needs_it(options, turned):
    race = Blocks(2, **options)
    found = sum(race.ordered((0, 1), 2 * k) != race.ordered((0, 1), 2 * k + 1) for k in range(300))
    assert abs(found - turned) < 45 * (turned < 300) + 1


def test_each_block_holds_contenders_only_and_whoever_leads_wrongly_falls():
    """The best arm starts with three bad values, so that a wrong one leads: it is found all the same."""
    rng, race = random.Random(2), Blocks(12, delta=0.05, largest=6, seed=3)
    bad = 3
    while not race.over:
        block = race.next_block()
        assert len(block.arms) <= 6
        assert set(block.arms) <= set(contenders(race.evidence, race.level))
        values = [rng.gauss(-0.1 * arm, 0.4) for arm in block.arms]
        for place, arm in enumerate(block.arms):
            if arm == 0 and bad:
                bad, values[place] = bad - 1, -1.0
        race.tell_block(block, values)
    assert race.standing().arm == 0
    assert not bad


def test_costs_are_learnt_and_guessed_for_arms_without():
    race = Blocks(3)
    race.tell_block(race.asked([0, 1]), [1.0, 2.0], [4.0, 8.0])
    race.tell_block(race.asked([0, 1]), [1.0, 2.0], [6.0, None])
    assert race.costs() == [5.0, 8.0, 6.5]


@pytest.mark.parametrize(("compare", "turned"), [("mean", lambda x: x), ("log", math.exp)])
def test_means_are_those_of_the_same_blocks(compare, turned):
    """An arm that was only in the blocks with high values is not better for that."""
    race = Blocks(3, delta=1e-9, compare=compare)
    for number in range(40):
        load = 5.0 * (number % 2)
        row = [0, 1, 2] if number % 2 else [0, 1]
        race.tell_block(race.asked(row), [turned(load - arm) for arm in row])
    assert race.standing().means == pytest.approx([turned(mean) for mean in (3.0, 2.0, 1.0)], rel=1e-3)


def answered(ruled_out, close=(), margin=0.1):
    evidence = PairwiseEvidence(len(ruled_out), make_comparison(margin=margin))
    evidence.ruled_out = list(ruled_out)
    evidence.close = dict(close)
    return evidence


def test_answers():
    one = answered([0.0, 5.0, 4.0])
    assert contenders(one, 4.5) == [0, 2]
    assert contenders(one, 3.0) == [0]
    assert [level_of(one, arm) for arm in range(3)] == [4.0, 0.0, 0.0]
    assert contenders(answered([6.0, 5.0, 7.0]), 4.5) == [1]  # all ruled out: the least, and it is named
    both = {(0, 2): 5.0, (2, 0): 4.5}
    tie = answered([0.0, 5.0, 1.0], both)
    assert [level_of(tie, arm) for arm in range(3)] == [4.5, 0.0, 4.5]
    assert level_of(answered([0.0, 4.0, 1.0], both), 2) == 4.0  # the third is ruled out at 4 only
    for no_tie in (answered([0.0, 5.0, 1.0], {(0, 2): 5.0}), answered([0.0, 5.0, 1.0], both, margin=0.0)):
        assert [level_of(no_tie, arm) for arm in range(3)] == [1.0, 0.0, 0.0]  # close in one direction is not enough


def test_who_is_ruled_out_is_not_called_tied():
    """A tie may be surer than a winner; the answer at the level that was asked for says more."""
    evidence = answered([0.0, 5.0, 3.5], {(0, 2): 5.0, (2, 0): 4.5})
    assert level_of(evidence, 0) == level_of(evidence, 2) == 4.5
    assert answer_at(evidence, 3.0) == ((0,), 3.5)
    assert answer_at(evidence, 4.0) == ((0, 2), 4.5)
    assert answer_at(evidence, 4.6) is None


def test_forecasts_come_true():
    """What is forecast halfway, all averages staying as they are, is half of what it takes."""
    values = [0.0, 0.4, 1.0, 0.4, -0.3, 0.4]
    race = Blocks(2, delta=1e-9)
    forecasts = []
    while not race.over:
        block = race.next_block()
        gap = values[block.number % 6]
        race.tell_block(block, [gap * (arm == 1) for arm in block.arms])
        forecasts.append(race.standing().remaining)
    for read in range(12, len(forecasts), 6):
        assert read + forecasts[read - 1].blocks == pytest.approx(len(forecasts), rel=0.15)
    assert forecasts[-1] == (0.0, 0.0, 0.0)
    assert math.isinf(forecasts[0].measurements)


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"compare": "median"}, "compare 'median' is unknown"),
        ({"compare": "wins", "margin": 0.5}, "a share of blocks below 0.5"),
        ({"compare": "log", "bounds": (0, 1)}, "bounds are for"),
        ({"bounds": (1, 0)}, "the lower one first"),
        ({"bounds": 3}, "two finite numbers"),
        ({"bounds": (0, 1), "margin": 1.0}, "smaller than the distance"),
        ({"bounds": (0, 1), "margin": 0.1, "relative": True}, "leave relative out"),
        ({"margin": -1.0}, "margin must be"),
        ({"delta": 0.0}, "delta must be"),
        ({"largest": 1}, "largest must be"),
        ({"arms": 1}, "arms must be"),
    ],
)
def test_what_makes_no_sense_is_refused(options, sentence):
    with pytest.raises(InputError, match=sentence):
        Blocks(**{"arms": 3} | options)


@pytest.mark.parametrize(
    ("options", "value", "sentence"),
    [
        ({}, math.nan, "must be a finite number"),
        ({}, math.inf, "must be a finite number"),
        ({"compare": "wins"}, math.nan, "must be a finite number"),
        ({"compare": "log"}, 0.0, "must be positive to be compared by its logarithm"),
        ({"relative": True, "margin": 0.1}, -1.0, "for a margin that is a ratio"),
        ({"bounds": (0, 1)}, 1.5, r"must lie in the bounds \[0, 1\]"),
    ],
)
def test_values_that_cannot_be_compared_are_refused_and_change_nothing(options, value, sentence):
    race = Blocks(2, **options)
    block = race.next_block()
    with pytest.raises(InputError, match=sentence):
        race.tell_block(block, [0.5, value])
    assert race.read == 0
    race.tell_block(block, [0.5, 0.25])
    assert race.read == 1


def test_blocks_are_told_once_and_only_if_asked():
    race = Blocks(3)
    block = race.next_block()
    with pytest.raises(InputError, match="holds 3 arms"):
        race.tell_block(block, [1.0])
    race.tell_block(block, [1.0, 2.0, 3.0])
    for number in (block, 7):
        with pytest.raises(StudyError, match="not one that waits"):
            race.tell_block(number, [1.0, 2.0, 3.0])
    for row in ([0, 0], [0, 3]):
        with pytest.raises(InputError, match="different arms from 0 to 2"):
            race.asked(row)


def test_nothing_is_asked_or_added_when_the_race_is_over():
    race = Blocks(2, delta=0.5)
    while not race.over:
        race.tell_block(race.asked([0, 1]), [1.0 + 0.1 * (race.read % 2), 0.0])
    for call in (race.next_block, race.add_arm):
        with pytest.raises(StudyError, match="race is over"):
            call()
