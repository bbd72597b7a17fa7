"""Evidence and races against their definitions in docs/blocks.md, on random data."""

import math
import random

import naive_blocks as naive
import numpy as np
import pytest

from toptwo.blocks import Blocks
from toptwo.blocks.answers import contenders
from toptwo.blocks.bounded import log_capital
from toptwo.blocks.student import Differences
from toptwo.blocks.wins import log_wins


def differences(rng, number):
    lead = rng.gauss(0.3, 0.5)
    return [lead + rng.gauss(0.0, 1.0) for _ in range(number)]


@pytest.mark.parametrize("number", [1, 2, 3, 7, 20, 60])
def test_student_evidence(number):
    rng = random.Random(number)
    for _ in range(3):
        d, seen = differences(rng, number), Differences()
        for difference in d:
            seen.add(difference)
        for found, twin in (
            (seen.log_evidence(0.0, -math.inf), naive.student(d)),
            (seen.log_evidence_against(0.0, -math.inf), naive.student([-x for x in d])),
            (seen.log_evidence(0.4, -math.inf), naive.student([x + 0.4 for x in d])),
        ):
            assert math.exp(found) == pytest.approx(twin, rel=1e-5)


@pytest.mark.parametrize("share", [0.5, 0.45, 0.1])
def test_evidence_of_wins(share):
    rng = random.Random(2)
    for number in (1, 2, 9, 40):
        d = [rng.choice((-1.0, 0.0, 1.0, 1.0)) for _ in range(number)]
        found = log_wins(sum(x > 0 for x in d), sum(x < 0 for x in d), share)
        assert math.exp(found) == pytest.approx(naive.wins(d, share), rel=1e-9)


def test_capital():
    rng = random.Random(3)
    for number in (1, 5, 80):
        d = [rng.uniform(-1.0, 2.0) for _ in range(number)]
        for mean in (0.5, 0.47):
            units = [0.5 + 0.25 * x for x in d]
            assert math.exp(log_capital(units, mean)) == pytest.approx(naive.bounded(d, 2.0, mean), rel=1e-12)


def shifted(margin):
    return lambda ours, theirs: naive.student(np.subtract(ours, theirs) + margin)


def stretched(ours, theirs):
    return naive.student(1.3 * np.array(ours) - theirs)


WAYS = {
    "mean": ({}, shifted(0.0), shifted(0.3)),
    "log": ({"compare": "log"}, shifted(0.0), shifted(math.log1p(0.3))),
    "ratio": (
        {"relative": True},
        lambda ours, theirs: min(naive.student(np.subtract(ours, theirs)), stretched(ours, theirs)),
        stretched,
    ),
    "wins": (
        {"compare": "wins"},
        lambda ours, theirs: naive.wins(np.subtract(ours, theirs)),
        lambda ours, theirs: naive.wins(np.subtract(ours, theirs), 0.2),
    ),
    "bounds": (
        {"bounds": (0.0, 6.0)},
        lambda ours, theirs: naive.bounded(np.subtract(ours, theirs), 6.0),
        lambda ours, theirs: naive.bounded(np.subtract(ours, theirs), 6.0, 0.5 - 0.3 / 12.0),
    ),
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("gap", [0.0, 0.1, 0.4])
def test_races(way, gap):
    """Contenders and the answer after each block, with lost values and an arm that comes late."""
    options, better, close = WAYS[way]
    rng, delta = random.Random(f"{way} {gap}"), 0.25
    race, twin = Blocks(2, delta=delta, margin=0.3, **options), naive.Race(2, better, close)
    for turn in range(16):
        if turn == 1:
            race.add_arm()
            twin.arms += 1
        row = rng.sample(range(race.arms), 2 + (turn % 4 > 0 and race.arms > 2))
        values = [min(6.0, max(0.1, 2.0 + gap * (arm == 1) + rng.gauss(0.0, 0.1))) for arm in row]
        if turn == 3:
            values[0] = None
        told = {arm: value for arm, value in zip(row, values, strict=True) if value is not None}
        twin.read({arm: math.log(value) if way == "log" else value for arm, value in told.items()})
        race.tell_block(race.asked(row), values)
        left, over = twin.answer(delta)
        assert contenders(race.evidence, race.level) == left
        assert race.over == over
        if over:
            assert race.standing().contenders == tuple(left)
            assert race.standing().status == ("winner" if len(left) == 1 else "tie")
            break
