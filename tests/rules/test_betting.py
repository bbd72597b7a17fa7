"""The betting rule against a naive twin, exact sums over trees of rewards, and searches; docs/betting.md in numbers."""

import copy
import itertools
import math
import random

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.optimize import minimize_scalar
from scipy.special import log_ndtr, logsumexp
from states import round_of

import toptwo as tt
from toptwo.engine.question import make_setup
from toptwo.engine.rounds import Decision, absorb, first_pull, knowledge, look
from toptwo.errors import InputError
from toptwo.families.base import mirrored
from toptwo.families.numerics.wealth import (
    ALL_SIDES,
    CANDIDATE_PRECISIONS,
    COUPLING,
    FLOOR,
    LEADER_PRECISIONS,
    LOG_WEIGHTS,
    ROOM,
    Wager,
    fading,
    half_normal,
)
from toptwo.rules.betting import Betting, least_wealth, mean_of_leaders, wager_against
from toptwo.rules.stopping import evidence_now, pulls_left

LAWS = {
    "gaussian": (tt.Gaussian(), (0.1, 0.9, 0.5)),
    "one σ per arm": (tt.Gaussian(sigma=(1.0, 0.5, 2.0)), (0.1, 0.9, 0.5)),
    "bernoulli": (tt.Bernoulli(), (0.3, 0.6, 0.45)),
    "poisson": (tt.Poisson(), (1.0, 2.0, 1.5)),
    "exponential": (tt.Exponential(), (1.0, 2.0, 1.5)),
}
SIDES = {"highest": 1.0, "lowest": -1.0}


def setup_of(law, side="highest", epsilon=0.0, delta=0.1):
    family = LAWS[law][0] if side == "highest" else mirrored(LAWS[law][0].for_arms(3) if "σ" in law else LAWS[law][0])
    return make_setup("uniform", 3, delta=delta, threshold="betting", family=family, epsilon=epsilon, max_samples=None)


def played(setup, pulls, seed, side="highest", law="gaussian"):
    """Return what is known after some pulls in turn, and the last round."""
    noise, known = random.Random(seed), knowledge(setup, 3)
    means = [SIDES[side] * mean for mean in LAWS[law][1]]
    now = None
    for pull in range(pulls):
        arm = pull % 3
        decision = first_pull(arm) if now is None else Decision(-1, arm, 1, now.best, now.cost)
        absorb(decision, float(setup.family.reward(arm, means[arm], noise.getrandbits(64))), setup, known)
        if pull >= 2:
            best = max(range(3), key=lambda i: known.state.means[i])
            now = look(pull + 1, best, setup, known).by(known.stopping)
    return now


# --- a twin in plain NumPy --------------------------------------------------------------------------------------------
def naive_half_normal(total, count, precision):
    z = total / np.sqrt(count + precision)
    return 0.5 * np.log(precision / (count + precision)) + 0.5 * z**2 + np.log(2.0) + log_ndtr(z)


class Naive:
    """The rule for Gaussian rewards as docs/betting.md states it: no shortcuts, a brute search for the least wealth."""

    def __init__(self, arms, sigma, epsilon):
        self.pulls, self.arms, self.sigma, self.epsilon = [], arms, sigma, epsilon
        self.order = []

    def of(self, arm, marked=False, since=None):
        values = [
            value
            for number, (i, value, mark) in enumerate(self.pulls)
            if i == arm and (mark or not marked) and number >= (since or 0)
        ]
        return len(values), sum(values)

    def look(self):
        """The recommended arm and its likelihood ratio against the closest rival."""
        mean = [self.of(i)[1] / self.of(i)[0] for i in range(self.arms)]
        best = int(np.argmax(mean))
        costs = [
            (mean[best] - mean[i] + self.epsilon) ** 2
            / (2.0 * self.sigma**2 * (1.0 / self.of(best)[0] + 1.0 / self.of(i)[0]))
            for i in range(self.arms)
            if i != best
        ]
        return best, min(costs)

    def add(self, arm, value):
        mark = self.arms == 2
        if len(self.pulls) >= self.arms and not mark:
            best, cost = self.look()
            mark = arm == best and cost >= 0.35
        if mark and arm not in [i for i, _ in self.order]:
            self.order.append((arm, len(self.pulls)))
        self.pulls.append((arm, value, mark))

    def log_wealth(self, a, b, u):
        leaders = [j for j in range(self.arms) if j != b]
        count = sum(self.of(j, True)[0] for j in leaders)
        gain = sum(self.of(j, True)[1] - self.of(j, True)[0] * (u - (self.epsilon if j == a else 0.0)) for j in leaders)
        number, total = self.of(b)
        bet = naive_half_normal((u * number - total) / self.sigma, number, np.array(CANDIDATE_PRECISIONS))
        product = bet + naive_half_normal(gain / self.sigma, count, np.array(LEADER_PRECISIONS))
        terms = [np.array(LOG_WEIGHTS) + product]
        if self.epsilon > 0.0 and self.arms > 2:
            terms[0] = terms[0] + math.log(0.5)
            for k, (arm, since) in enumerate(self.order, 1):
                if arm == a:
                    number, total = self.of(a, since=since)
                    own = (total - number * (u - self.epsilon)) / self.sigma
                    account = bet + naive_half_normal(own, number, np.array(LEADER_PRECISIONS))
                    terms.append(np.array(LOG_WEIGHTS) + account + math.log(0.5 / (k * (k + 1))))
        return float(logsumexp(np.concatenate(terms)))

    def evidence(self, a):
        least = []
        for b in range(self.arms):
            if b != a:

                def value(u, b=b):
                    return self.log_wealth(a, b, u)

                grid = np.linspace(-4.0, 4.0, 400)
                best = min(grid, key=value)
                around = best - 0.05, best + 0.05
                found = minimize_scalar(value, bounds=around, method="bounded", options={"xatol": 1e-10})
                least.append(found.fun)
        return min(least)


@pytest.mark.parametrize(("means", "epsilon"), [((0.0, 1.5), 0.0), ((0.0, 1.2, 0.4), 0.0), ((0.3, 1.2, 0.9), 0.4)])
def test_a_study_stops_where_the_twin_does(means, epsilon, seed):
    noise, sigma = random.Random(seed), 0.8
    study = tt.create_study(
        len(means), delta=0.2, epsilon=epsilon, threshold="betting", family=tt.Gaussian(sigma), seed=seed
    )
    twin, compared = Naive(len(means), sigma, epsilon), 0
    while study.running:
        pull = study.ask()
        value = means[pull.index] + noise.gauss(0.0, sigma)
        twin.add(pull.index, value)
        study.tell(pull, value)
        if study._read >= len(means) and (study._read % 5 == 0 or not study.running):
            now = study._now
            mine, others = evidence_now(Betting(1.0), now), twin.evidence(now.best)
            if others > 0.0:
                compared += 1
                assert mine == pytest.approx(others, abs=1e-6)
            assert mine <= others + 1e-9 or others <= 0.0
    assert compared > 0
    assert twin.evidence(study._best) >= math.log(5.0)
    assert study.verdict.confidence >= 0.8


# --- one bet ----------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("total", [-400.0, -30.0, -3.0, 0.0, 2.0, 25.0])
@pytest.mark.parametrize("precision", [1.0, 40.0])
def test_the_half_normal_bet_is_its_integral(total, precision):
    count = 60.0
    value, slope = half_normal(total, count, precision)
    peak = max(0.0, total / (count + precision))

    def log_density(theta):
        return theta * total - 0.5 * theta**2 * (count + precision) + 0.5 * math.log(2.0 * precision / math.pi)

    scale = log_density(peak)
    wide = peak + 40.0 / math.sqrt(count + precision)
    points = [peak, peak + 1.0 / max(1.0, abs(total))]
    integral = quad(lambda theta: math.exp(log_density(theta) - scale), 0.0, wide, points=points, epsabs=0.0, limit=500)
    assert value == pytest.approx(scale + math.log(integral[0]), abs=1e-9)
    step = 1e-4
    up, down = (half_normal(total + s, count, precision)[0] for s in (step, -step))
    assert slope == pytest.approx((up - down) / (2.0 * step), rel=1e-6, abs=1e-9)


def test_the_weights_of_the_lattice_sum_to_at_most_one():
    far = 2000
    fade = np.array([fading(k) for k in range(far)])
    rest = 2.0 / (far - 4.0)  # ∑ of 1/(1 + ½(k − 3.5)²) beyond
    assert fade.sum() <= ALL_SIDES <= fade.sum() + rest
    total = 0.0
    for candidate in range(far):
        weights = FLOOR * fade
        low, high = max(0, candidate - 1), min(far, candidate + 7)
        weights = weights.copy()
        weights[low:high] = [COUPLING[k - candidate + 1] for k in range(low, high)]
        total += fade[candidate] * weights.sum()
    bound = ALL_SIDES * (sum(COUPLING) + FLOOR * ALL_SIDES)
    assert 0.95 * bound < total <= bound


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("epsilon", [0.0, 0.15])
def test_wealth_is_convex_and_its_slope_is_its_slope(law, side, epsilon, seed):
    setup = setup_of(law, side, epsilon)
    now = played(setup, 120, seed, side, law)
    family = setup.family
    sign = 1.0
    lowest = min(range(3), key=lambda i: now.state.means[i])

    wager = wager_against(lowest, now)
    middle, reach = family.bet_start(wager.pulls_mean, mean_of_leaders(wager), sign)
    assert reach > 0.0
    room = [0.0] * ROOM
    places = np.linspace(middle - reach, middle + reach, 41)
    values = np.array([family.log_wealth(place, sign, wager, room) for place in places])
    assert (np.diff(values[:, 1]) > 0.0).all()
    step = 1e-4 * reach
    for place, (_, slope) in zip(places, values, strict=True):
        up, down = (family.log_wealth(place + s, sign, wager, room)[0] for s in (step, -step))
        assert slope == pytest.approx((up - down) / (2.0 * step), rel=1e-5, abs=1e-5)


def searched(family, wager):
    """Return the least ln wealth by a search without derivatives, and the interval that was searched."""
    low, high = family.bet_range(wager.margin, 1.0)
    middle, reach = family.bet_start(wager.pulls_mean, mean_of_leaders(wager), 1.0)
    ends = max(low, middle - 20.0 * reach), min(high, middle + 20.0 * reach)
    room = [0.0] * ROOM

    def value(place):
        return family.log_wealth(place, 1.0, wager, room)[0]

    grid = np.linspace(*ends, 401)
    best = grid[np.argmin([value(place) for place in grid])]
    cell = grid[1] - grid[0]
    around = max(low, best - cell), min(high, best + cell)
    found = minimize_scalar(value, bounds=around, method="bounded", options={"xatol": 1e-9 * cell})
    return min(found.fun, value(best)), ends


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("epsilon", [0.0, 0.15])
def test_the_minimum_is_never_overstated(law, side, epsilon, seed):
    """However the search starts and whatever it looks for, it stays on its side of a search without derivatives."""
    setup, noise = setup_of(law, side, epsilon), random.Random(seed)
    checked = 0
    for turn in range(12):
        now = played(setup, 30 + 20 * turn, seed * 100 + turn, side, law)
        family = setup.family

        for arm in range(3):
            if arm == now.best:
                continue
            wager = wager_against(arm, now)
            least = least_wealth(arm, math.inf, now)
            if least.lower == -math.inf:
                continue
            true, ends = searched(family, wager)
            assert least.lower <= true + 1e-9
            if least.upper < 0.0:  # no evidence; the least may lie far away
                continue
            assert true <= least.upper + 1e-6
            assert least.upper - least.lower <= 1e-8
            for wanted in (true - 1e-3, true + 1e-3, noise.uniform(-1.0, 5.0)):
                now.mine.place[arm] = noise.choice([0.0, noise.uniform(*ends)])
                found = least_wealth(arm, wanted, now)
                assert found.lower <= true + 1e-9
                assert found.upper >= true - 1e-6
                assert (found.lower >= wanted) == (true >= wanted)
            checked += 1
    assert checked > 5


# --- the martingale, over the whole tree of rewards -------------------------------------------------------------------
def expected_wealth(marks, depth=9):
    """Return the mean wealth against arm 0 at the true means over all rewards of three fair coins.

    `marks(rewards, pull, value)` says whether a pull of arm 1 or 2 counts.
    """
    family, room, total = tt.Bernoulli(), [0.0] * ROOM, 0.0
    for rewards in itertools.product((0.0, 1.0), repeat=depth):
        counts, sums = [0.0, 0.0], [0.0, 0.0]  # candidate, leaders
        for pull, value in enumerate(rewards):
            arm = pull % 3 if pull < 6 else (1 if sum(rewards[:pull]) > 0.5 * pull else 0)  # sampling looks back
            if arm == 0:
                counts[0] += 1.0
                sums[0] += value
            elif marks(rewards, pull, value):
                counts[1] += 1.0
                sums[1] += value
        means = [s / n if n else 0.0 for s, n in zip(sums, counts, strict=True)]
        wager = Wager(0.0, 0.0, counts[1], means[1], 0.0, 0.0, 0.0, -math.inf, counts[0], means[0], 0.0)
        total += math.exp(family.log_wealth(0.5, 1.0, wager, room)[0])
    return total / 2.0**depth


def test_wealth_at_the_true_means_is_at_most_one_on_average_if_marks_come_before_rewards():
    assert 0.3 < expected_wealth(lambda rewards, pull, value: True) <= 1.0
    assert expected_wealth(lambda rewards, pull, value: sum(rewards[:pull]) >= 0.5 * pull) <= 1.0


def test_it_is_not_if_a_pull_is_marked_after_its_reward_is_seen():
    assert expected_wealth(lambda rewards, pull, value: value == 1.0) > 1.2


# --- the rule in its surroundings -------------------------------------------------------------------------------------
@pytest.mark.parametrize("law", ["gaussian", "bernoulli"])
@pytest.mark.parametrize("epsilon", [0.0, 0.2])
def test_compiled_interpreted_and_asked_one_by_one_are_the_same(law, epsilon, seed):
    family, means = LAWS[law]
    options = {"delta": 0.1, "epsilon": epsilon, "threshold": "betting", "family": family, "seed": seed}
    runs = [
        tt.simulate("TTUCB", means, runs=runs, engine=engine, **options)
        for engine, runs in (("python", 4), ("cpu", 100))
    ]
    np.testing.assert_array_equal(runs[0].counts, runs[1].counts[:4])
    assert (runs[1].decided).all()


def test_late_answers_are_marked_as_those_see_them_who_read_in_the_order_of_asking(seed):
    """The same values in the same places give the same evidence, however late they come."""

    def standing(late):
        noise = random.Random(seed)
        study = tt.create_study(3, delta=1e-6, threshold="betting", seed=seed, algorithm="uniform")
        waiting = []
        for _ in range(60):
            waiting += [(pull, (0.0, 1.0, 0.3)[pull.index] + noise.gauss(0.0, 1.0)) for pull in study.ask(4)]
            random.Random(len(waiting)).shuffle(waiting)
            while len(waiting) > late:
                study.tell(*waiting.pop())
        for pull, value in waiting:
            study.tell(pull, value)
        return study

    prompt, slow = standing(0), standing(9)
    assert prompt._settled.stopping[:6] == slow._settled.stopping[:6]
    assert prompt.verdict.confidence == slow.verdict.confidence > 0.0


def test_asking_for_the_verdict_changes_nothing(seed):
    def times(ask):
        noise, study = random.Random(seed), tt.create_study(3, delta=0.05, threshold="betting", seed=seed)
        while study.running:
            pull = study.ask()
            study.tell(pull, (0.0, 1.0, 0.5)[pull.index] + noise.gauss(0.0, 1.0))
            if ask:
                before = copy.deepcopy(study._settled)
                assert 0.0 <= study.verdict.confidence < 1.0
                assert study._settled == before
        return study.verdict.pulls

    assert times(True) == times(False)


def test_a_decision_does_not_depend_on_how_often_it_is_asked_for(seed):
    setup = setup_of("gaussian", delta=0.3)
    asked_once, asked_twice = [], []
    for pulls in range(3, 90):
        for answers, times in ((asked_once, 1), (asked_twice, 3)):
            now = played(setup, pulls, seed)
            given = [setup.stopping.stops(now) for _ in range(times)]
            assert len(set(given)) == 1
            answers.append(given[-1])
    assert asked_once == asked_twice
    assert any(asked_once)


def test_confidence_is_what_theorem_one_gives_and_the_forecast_ends_at_zero(seed):
    noise, study = random.Random(seed), tt.create_study(3, delta=0.05, threshold="betting", seed=seed)
    forecasts = []
    while study.running:
        pull = study.ask()
        study.tell(pull, (0.0, 1.0, 0.5)[pull.index] + noise.gauss(0.0, 1.0))
        if study._read >= 3:
            now = study._now
            evidence = evidence_now(study._setup.stopping, now)
            assert study.verdict.confidence == pytest.approx(max(0.0, -math.expm1(-evidence)), abs=1e-9)
            forecasts.append(pulls_left(study._setup.stopping, now))
    assert study.verdict.remaining == forecasts[-1] == 0.0
    assert all(forecast > 0.0 for forecast in forecasts[:3])


def test_a_family_that_cannot_be_bet_on_says_what_it_has():
    for family in (tt.GaussianUnknownVariance(), tt.Bounded()):
        with pytest.raises(InputError, match=r"'betting' has no proof .* use threshold='.*mixture'"):
            tt.simulate("TTUCB", [0.2, 0.5], delta=0.1, threshold="betting", family=family, runs=1)


def test_an_arm_without_evidence_never_stops():
    now = round_of([0.0, 5.0, 1.0], [9, 9, 9], rule=Betting(2.0))
    assert not Betting(2.0).stops(now)  # nothing is marked
    assert evidence_now(Betting(2.0), now) == -math.inf


def test_a_margin_as_wide_as_the_range_makes_every_arm_right():
    options = {"epsilon": 1.5, "threshold": "betting", "family": "bernoulli", "engine": "python"}
    result = tt.simulate("TTUCB", [0.2, 0.5, 0.4], delta=0.1, runs=5, seed=1, **options)
    assert result.stopping_times.max() < 20
