"""Evidence of pairs in many digits, and the laws that the proofs use."""

import itertools
import math
import random

import mpmath
import pytest

from toptwo.blocks import Blocks
from toptwo.blocks.bounded import STAKES, log_capital
from toptwo.blocks.comparisons import make_comparison
from toptwo.blocks.student import EFFECTS, WEIGHTS, log_student
from toptwo.blocks.wins import log_wins


def test_student_evidence_is_precise_far_out():
    """Against the same closed form in fifty digits, for up to ten thousand blocks and effects from tiny to huge."""
    for count, effect in itertools.product((2, 3, 10, 100, 10_000), (1e-8, 1e-3, 0.1, 1.0, 30.0, 1e4)):
        with mpmath.workdps(50):
            square = mpmath.mpf(effect) ** 2
            average = mpmath.mpf(0)
            for scale, weight in zip(EFFECTS, WEIGHTS, strict=True):
                share = count * square / ((count + 1 / mpmath.mpf(scale) ** 2) * (1 + square))
                part = mpmath.betainc(mpmath.mpf(count) / 2, 0.5, 0, 1 - share, regularized=True)
                grown = mpmath.exp(-mpmath.mpf(count) / 2 * mpmath.log1p(-share)) / mpmath.sqrt(1 + count * scale**2)
                average += weight * grown * (2 - part)
            expected = float(mpmath.log(average))
        assert log_student(count, effect, float(count)) == pytest.approx(expected, rel=1e-10, abs=1e-7)


def test_floor_is_only_a_short_cut():
    rng = random.Random(1)
    for _ in range(200):
        count, mean, scatter = rng.randrange(2, 50), rng.gauss(0.3, 0.5), rng.expovariate(0.05)
        exact = log_student(count, mean, scatter)
        floor = rng.gauss(0.0, 2.0)
        assert max(floor, log_student(count, mean, scatter, floor)) == max(floor, exact)


def test_equal_differences_count_as_wins_at_most():
    assert log_student(8, 1.0, 0.0) == log_wins(8, 0, 0.5)
    assert log_student(8, 1.0, 1e-6) > log_wins(8, 0, 0.5)
    assert log_student(2, 1.0, 0.0) < 2.0 * math.log(2.0)


@pytest.mark.parametrize("share", [0.5, 0.3, 0.05])
def test_wins_are_a_supermartingale(share):
    """Summed over all paths of twelve blocks, e has expectation one at the null's edge and less inside."""
    for chance in (share, 0.7 * share, 0.0):
        mean = math.fsum(
            math.comb(12, wins)
            * chance**wins
            * (1.0 - chance) ** (12 - wins)
            * math.exp(log_wins(wins, 12 - wins, share))
            for wins in range(13)
        )
        assert mean == pytest.approx(1.0, abs=1e-12) if chance == share else mean < 1.0
    above = 1.2 * share
    assert (
        math.fsum(
            math.comb(12, k) * above**k * (1.0 - above) ** (12 - k) * math.exp(log_wins(k, 12 - k, share))
            for k in range(13)
        )
        > 1.0
    )


def test_capital_is_a_supermartingale_for_any_law_with_that_mean():
    """Over all sequences of a skewed law on three points; a stake above 1 could go broke, and none is."""
    law = {0.0: 0.625, 0.5: 0.125, 1.0: 0.25}
    mean = sum(value * chance for value, chance in law.items())
    total = math.fsum(
        math.prod(law[value] for value in path) * math.exp(log_capital(list(path), mean))
        for path in itertools.product(law, repeat=6)
    )
    assert total == pytest.approx(1.0, abs=1e-12)
    assert max(STAKES) < 1.0


@pytest.mark.parametrize(
    ("compare", "extra"), [("mean", {}), ("log", {}), ("wins", {}), ("mean", {"bounds": (0.0, 4.0)})]
)
def test_pairs_agree_with_their_intervals(compare, extra):
    """An interval at a level leaves out zero exactly if an arm is better at that level, the margin if it is close."""
    rng, margin = random.Random(4), 0.1
    comparison = make_comparison(compare, margin=margin, **extra)
    edge = 2.0 * margin if compare == "wins" else comparison.margin
    for lead in (0.0, 0.5, -1.5):
        pair = comparison.new_pair()
        for _ in range(12):
            pair.add(min(4.0, max(0.0, rng.gauss(2.0 + lead, 0.5))), min(4.0, max(0.0, rng.gauss(2.0, 0.5))))
            if pair.count < 2:
                continue
            for level in (1.0, 3.0):
                low, high = pair.interval(level, level)
                assert (low > 1e-9) <= (pair.beats(True, -math.inf) >= level - 1e-6) <= (low > -1e-9)
                assert (high < -1e-9) <= (pair.beats(False, -math.inf) >= level - 1e-6) <= (high < 1e-9)
                assert (low > 1e-9 - edge) <= (pair.close(True, -math.inf) >= level - 1e-6) <= (low > -1e-9 - edge)
                assert low <= pair.effect() <= high


def test_pairs_see_the_same_from_either_side():
    rng = random.Random(2)
    for compare, extra in (("mean", {}), ("mean", {"relative": True}), ("wins", {}), ("mean", {"bounds": (0.0, 9.0)})):
        comparison = make_comparison(compare, margin=0.05, **extra)
        there, back = comparison.new_pair(), comparison.new_pair()
        for _ in range(30):
            first, second = rng.uniform(1.0, 3.0), rng.uniform(1.0, 2.5)
            there.add(first, second)
            back.add(second, first)
        assert there.beats(True, -math.inf) == pytest.approx(back.beats(False, -math.inf), rel=1e-12)
        assert there.close(False, -math.inf) == pytest.approx(back.close(True, -math.inf), rel=1e-12)
        assert there.effect() == pytest.approx(-back.effect(), rel=1e-12)


def test_four_blocks_are_the_least_that_is_believed():
    """At δ = 5 %, for two arms or more, however clear; and four can be enough for eighteen arms."""
    clearest = [log_student(count, 1.0, 1e-8) for count in (2, 3, 4)]
    assert max(clearest[:2]) < math.log(2 / 0.05)
    assert clearest[2] > math.log(18 / 0.05)


@pytest.mark.parametrize(
    ("arms", "delta", "compare", "least"),
    [(2, 0.05, "mean", 4), (3, 0.1, "mean", 3), (4, 0.1, "mean", 4), (6, 0.2, "log", 3), (7, 0.2, "log", 4),
     (2, 0.45, "mean", 2), (2, 0.05, "wins", 8)],
)  # fmt: skip
def test_the_least_number_of_blocks_follows_from_arms_and_delta(arms, delta, compare, least):
    """Arms as clear as can be, by a hair of noise: equal differences would count as wins at most."""
    race = Blocks(arms, delta=delta, compare=compare)
    while not race.over:
        block = race.next_block()
        race.tell_block(block, [math.exp(10.0 * arm + 1e-4 * (block.number * arm % 7)) for arm in block.arms])
    assert race.read == least
