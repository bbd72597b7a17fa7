"""One-sided bets of unknown variance: integrals, bounds, means, proven minima; docs/families/unknown-variance.md."""

import math
import random

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import norm, t

from toptwo.families.numerics import one_sided_student
from toptwo.families.numerics.one_sided_student import (
    CANDIDATE_EFFECTS,
    LEADER_EFFECTS,
    LOG_WEIGHTS,
    SLACK,
    Arm,
    least_one_sided,
    log_wealth_of_pair,
    one_sided,
    side_above,
    surely_above,
)


def exact(pulls, spread, effect, distance):
    """Return ln of M · 2F_k(t), by SciPy."""
    c = pulls * effect
    growth = math.log1p(c * distance**2 / ((1.0 + c) * spread + distance**2))
    student = math.copysign(math.sqrt(pulls * math.expm1(growth)), distance)
    return 0.5 * (pulls * growth - math.log1p(c)) + math.log(2.0) + t.logcdf(student, pulls)


def average_of_likelihood_ratios(values, effect):
    """Return the average of f_θ/f_0 over half-normal θ by its definition: two nested integrals."""
    k, mean_square, total = len(values), float(np.dot(values, values)), float(np.sum(values))

    def inner(theta):
        def density(s):
            return s ** (k - 1) * math.exp(-0.5 * s * s * mean_square + theta * s * total - 0.5 * k * theta * theta)

        return quad(density, 0.0, 40.0, limit=200)[0] * 2.0 * norm.pdf(theta, scale=math.sqrt(effect))

    below = quad(lambda s: s ** (k - 1) * math.exp(-0.5 * s * s * mean_square), 0.0, 40.0)[0]
    return quad(inner, 0.0, 12.0 * math.sqrt(effect), limit=200)[0] / below


@pytest.mark.parametrize("effect", [0.5, 3.0])
@pytest.mark.parametrize("distance", [1.3, -0.4])
def test_the_closed_form_is_the_average_of_lemma_3(effect, distance):
    values = np.array([0.3, -0.8, 1.1, 0.2, -0.8])
    values = values - values.mean()
    spread = float(np.mean(values**2))
    value = exact(len(values), spread, effect, distance)
    assert value == pytest.approx(math.log(average_of_likelihood_ratios(values + distance, effect)), abs=1e-6)


@pytest.mark.parametrize("pulls", [1, 2, 3, 7, 30, 1000])
def test_the_bet_is_at_most_the_closed_form_close_to_it_and_rises(pulls):
    for effect in (1.0 / 300.0, 1.0, 4.0):
        distances = np.concatenate([-np.geomspace(1e3, 1e-4, 60), [0.0], np.geomspace(1e-4, 1e3, 60)])
        mine = np.array([one_sided(Arm(pulls, 0.7), effect, float(d)) for d in distances])
        full = np.array([exact(pulls, 0.7, effect, float(d)) for d in distances])
        held = np.isfinite(full)  # SciPy's logarithm underflows far behind
        assert held.sum() > 80
        assert (mine <= full + 1e-9)[held].all()
        assert (np.diff(mine) >= -1e-12).all()
        assert (np.diff(full[held]) >= -1e-9).all()
        ahead = distances >= 0.0
        assert (mine[ahead] >= full[ahead] - 0.3 / pulls).all()


def test_without_halving_the_degrees_it_would_be_too_much():
    """The ½ in (k − ½) is needed: with k the bound is broken."""
    pulls, broken = 5, 0
    for distance in np.geomspace(0.01, 10.0, 30):
        growth = math.log1p(5.0 * distance**2 / (6.0 * 0.7 + distance**2))
        broken += norm.logcdf(math.sqrt(pulls * growth)) > t.logcdf(math.sqrt(pulls * math.expm1(growth)), pulls)
    assert broken > 20


def test_the_average_of_lemma_3_has_mean_one_and_the_bet_no_more(seed):
    noise = np.random.default_rng(seed)
    values = noise.standard_normal((200_000, 6))
    means, spreads = values.mean(axis=1), values.var(axis=1)
    effect = 0.3
    wealth = np.exp([exact(6, v, effect, m) for m, v in zip(means[:20_000], spreads[:20_000], strict=True)])
    assert abs(wealth.mean() - 1.0) < 5.0 * wealth.std() / math.sqrt(len(wealth))
    bets = np.exp([one_sided(Arm(6, v), effect, m) for m, v in zip(means[:20_000], spreads[:20_000], strict=True)])
    assert bets.mean() <= 1.0 + 5.0 * bets.std() / math.sqrt(len(bets))
    known = np.exp(0.5 * 36.0 * effect * means[:20_000] ** 2 / (1.0 + 6.0 * effect))  # without its price
    assert known.mean() > 1.0 + 5.0 * known.std() / math.sqrt(len(known))


def arms(noise):
    """Return two arms some standard errors apart, with deviations up to a thousandfold apart."""
    pulls = [int(10 ** noise.uniform(0.4, 4.0)) for _ in range(2)]
    ratio = 10 ** noise.uniform(-3.0, 3.0)
    gap = noise.uniform(2.0, 8.0) * math.sqrt(ratio**2 / pulls[0] + 1.0 / pulls[1])
    return Arm(pulls[0], (ratio / gap) ** 2), Arm(pulls[1], 1.0 / gap**2)


def searched(leader, candidate):
    """Return the least over many places: near either mean, between and far beyond."""
    near = np.geomspace(1e-7, 1e4, 400)
    places = np.concatenate([-near, near, 1.0 - near, 1.0 + near, np.linspace(-1.0, 2.0, 600)])
    return min(log_wealth_of_pair(leader, float(x), candidate, 1.0 - float(x)) for x in places)


def test_the_least_is_never_overstated(seed):
    noise, found, missed = random.Random(seed), 0, 0
    for _ in range(60):
        leader, candidate = arms(noise)
        lower, upper = least_one_sided(leader, candidate, math.inf)
        true = searched(leader, candidate)
        assert lower <= true
        if lower > -math.inf:
            found += 1
            assert upper - lower == pytest.approx(SLACK)
            assert lower >= true - 2.0 * SLACK
        else:
            missed += true > 1.0
        for wanted in (true - 3.0 * SLACK, true + 0.01):
            known = least_one_sided(leader, candidate, wanted)[0]
            assert (known >= wanted) == (lower >= wanted)
    assert found > 40
    assert missed <= 3


def test_pieces_prove_nothing_that_is_false(seed):
    noise = random.Random(seed)
    for _ in range(20):
        leader, candidate = arms(noise)
        true = searched(leader, candidate)
        for x in (0.0, 0.2, 0.9):
            assert not surely_above(true + 1e-6, x, leader, candidate)
    leader, candidate = Arm(50, 4.0), Arm(50, 4.0)
    least = searched(leader, candidate)
    assert side_above(least - 0.1, 0.5, 1.0, leader, candidate)
    assert side_above(least - 0.1, 0.5, -1.0, leader, candidate)


def test_weights_sum_to_one():
    weights = np.exp(LOG_WEIGHTS)
    assert weights.sum() == pytest.approx(1.0, abs=1e-15)
    assert len(LEADER_EFFECTS) == len(CANDIDATE_EFFECTS) == len(weights)
    assert pytest.approx(-np.sum(weights * np.log(weights))) == one_sided_student.ENTROPY
