"""What must not change a race: names, units, shared load, the order of answers, a break in the middle."""

import json
import math
import random

import pytest

from toptwo.blocks import Blocks
from toptwo.blocks.answers import level_of

WAYS = {
    "mean": {"compare": "mean", "margin": 0.25},
    "ratio": {"compare": "mean", "margin": 0.25, "relative": True},
    "log": {"compare": "log", "margin": 0.05},
    "wins": {"compare": "wins", "margin": 0.1},
    "bounds": {"compare": "mean", "margin": 0.25, "bounds": (0.0, 16.0)},
}


def blocks(seed=1, number=25):
    """Rows of four arms and their values."""
    rng = random.Random(seed)
    for _ in range(number):
        row = rng.sample(range(4), rng.choice((2, 3, 4)))
        yield row, [min(15.0, max(0.5, 4.0 + 0.5 * arm + rng.gauss(0.0, 0.8))) for arm in row]


def told(rows, **options):
    """How a race stands after each of these blocks."""
    race = Blocks(4, delta=0.01, **options)
    found = []
    for row, values in rows:
        if not race.over:
            race.tell_block(race.asked(row), values)
            standing = race.standing()
            found.append((standing.status, standing.contenders, standing.confidence, race.effect(0, 3)[:3]))
    return found


def same(ones, others, scale=1.0, rel=1e-9):
    assert len(ones) == len(others)
    for (status, left, confidence, effect), (status_2, left_2, confidence_2, effect_2) in zip(
        ones, others, strict=True
    ):
        assert (status, left) == (status_2, left_2)
        assert confidence_2 == pytest.approx(confidence, rel=rel)
        assert effect_2 == pytest.approx([scale * end for end in effect], rel=1e-6, abs=1e-9, nan_ok=True)


@pytest.mark.parametrize("way", WAYS)
def test_names_of_arms_mean_nothing(way):
    new = [2, 0, 3, 1]
    race, other = (Blocks(4, delta=0.01, **WAYS[way]) for _ in range(2))
    for row, values in blocks():
        if not race.over:
            race.tell_block(race.asked(row), values)
            other.tell_block(other.asked([new[arm] for arm in row]), values)
            one, two = race.standing(), other.standing()
            assert one.status == two.status
            assert sorted(new[arm] for arm in one.contenders) == sorted(two.contenders)
            assert two.confidence == pytest.approx(one.confidence, rel=1e-9)
            for first, second in ((0, 1), (3, 1)):
                there, back = race.effect(first, second), other.effect(new[second], new[first])
                turned = (-back.lead, -back.high, -back.low)
                assert turned == pytest.approx(there[:3], rel=1e-6, abs=1e-9, nan_ok=True)


@pytest.mark.parametrize("way", ["mean", "bounds", "wins"])
def test_what_is_added_to_a_whole_block_cancels(way):
    options = WAYS[way] | ({"bounds": (0.0, 32.0)} if way == "bounds" else {})
    loaded = [(row, [value + number % 7 for value in values]) for number, (row, values) in enumerate(blocks())]
    same(told(blocks(), **options), told(loaded, **options))


@pytest.mark.parametrize("way", ["log", "wins"])
def test_what_multiplies_a_whole_block_cancels(way):
    loaded = [(row, [value * (1 + number % 7) for value in values]) for number, (row, values) in enumerate(blocks())]
    same(told(blocks(), **WAYS[way]), told(loaded, **WAYS[way]))


@pytest.mark.parametrize("way", ["mean", "ratio", "bounds"])
def test_units_mean_nothing(way):
    kept, options = told(blocks(), **WAYS[way]), dict(WAYS[way])
    if way != "ratio":
        options["margin"] *= 1e3
    if way == "bounds":
        options["bounds"] = (0.0, 16e3)
    same(kept, told([(row, [1e3 * value for value in values]) for row, values in blocks()], **options), scale=1e3)


@pytest.mark.parametrize("way", ["mean", "wins"])
def test_lowest_is_highest_of_the_opposite(way):
    turned = [(row, [-value for value in values]) for row, values in blocks()]
    assert repr(told(blocks(), **WAYS[way])) == repr(told(turned, direction="minimize", **WAYS[way]))


def test_a_change_of_scale_within_blocks_means_nothing_where_wins_count():
    bent = [(row, [math.exp(value) - 3.0 for value in values]) for row, values in blocks()]
    assert repr(told(blocks(), **WAYS["wins"])) == repr(told(bent, **WAYS["wins"]))


@pytest.mark.parametrize("way", WAYS)
def test_answers_may_come_in_any_order_and_a_break_changes_nothing(way):
    """Blocks told out of order, and a race that goes on from a snapshot in between, with an arm that came late."""
    rows = list(blocks(number=12))
    straight, mixed = (Blocks(3, delta=1e-6, seed=5, **WAYS[way]) for _ in range(2))
    for race in (straight, mixed):
        race.add_arm()
    for row, values in rows:
        straight.tell_block(straight.asked(row), values)
    asked = [mixed.asked(row) for row, _ in rows]
    for number in (3, 1, 0, 2, 9, 8):
        mixed.tell_block(asked[number], rows[number][1])
    assert (mixed.read, mixed.waiting) == (4, sum(len(rows[number][0]) for number in (8, 9)))
    resumed = Blocks(3, delta=1e-6, seed=5, **WAYS[way])
    resumed.restore(json.loads(json.dumps(mixed.snapshot())))
    for number in (11, 10, 7, 6, 5, 4):
        resumed.tell_block(number, rows[number][1])
    assert json.dumps(resumed.snapshot()) == json.dumps(straight.snapshot())
    assert resumed.choose() == straight.choose()
    assert repr(resumed.standing()) == repr(straight.standing())


@pytest.mark.parametrize("way", WAYS)
def test_what_was_shown_stays_shown(way):
    race, highest, left = Blocks(4, delta=0.01, **WAYS[way]), 0.0, range(4)
    for row, values in blocks(number=60):
        if race.over:
            break
        race.tell_block(race.asked(row), values)
        now = max(level_of(race.evidence, arm) for arm in range(4))
        assert now >= highest
        assert set(race.standing().contenders) <= set(left)
        highest, left = now, race.standing().contenders
