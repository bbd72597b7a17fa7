"""Bets on values in an interval of any law: wealth from the values themselves, trees of rewards, averages."""

import itertools
import math
import random

import numpy as np
import pytest
from scipy.special import logsumexp
from wagers import played, setup_of, wagered

import toptwo as tt
from toptwo.engine.rounds import Decision, absorb, first_pull, knowledge, look
from toptwo.families.numerics.value_wealth import ACCOUNT, CANDIDATE, OWN, ROOM_FOR_VALUES, add_gains, prepare_window
from toptwo.families.numerics.wealth import ALL_SIDES, COUPLING, FLOOR, WINDOW, Wager, fading
from toptwo.families.numerics.weighted_values import add_average, add_value
from toptwo.state import add_reward, state_of

FAMILY = tt.Bounded()
VALUES, CHANCES = (0.0, 0.4, 1.0), (0.5, 0.25, 0.25)
MEAN = 0.35


def seen(values, atoms=32):
    """Return a state in which arm 0 has given these values."""
    state = state_of(FAMILY, 1)
    for value in values:
        add_reward(0, value, state)
        add_value(0, value, atoms, state)
    return state


def log_wealth(u, own, candidate, first=0):
    """Return ln wealth at u from the values of one leader and of the candidate."""
    room = [0.0] * ROOM_FOR_VALUES
    prepare_window(4.0 * 0.5 ** (first + 1), room)
    if own:
        add_gains(OWN, 1.0, 0, seen(own), room)
    if candidate:
        add_gains(CANDIDATE, -1.0, 0, seen(candidate), room)
    wager = Wager(0.0, 0.0, float(len(own)), 0.0, 0.0, 0.0, 0.0, -math.inf, float(len(candidate)), 0.0, 0.0)
    return FAMILY.log_wealth(u, 1.0, wager, room)[0]


def naive(u, own, candidate, first=0):
    """The same by docs/betting.md, section 1, and docs/families/bounded.md, section 4."""
    terms, all_weights = [], ALL_SIDES * (sum(COUPLING) + FLOOR * ALL_SIDES)
    for k, j in itertools.product(range(first, first + WINDOW), repeat=2):
        weight = fading(j) * (COUPLING[k - j + 1] if -1 <= k - j <= 6 else FLOOR * fading(k))
        rise, fall = math.exp(4.0 * 0.5**k), math.exp(-4.0 * 0.5**j)
        bets = [math.log((1.0 - y + y * rise) / (1.0 - u + u * rise)) for y in own]
        bets += [math.log((1.0 - y + y * fall) / (1.0 - u + u * fall)) for y in candidate]
        terms.append(math.log(weight / all_weights) + sum(bets))
    return float(logsumexp(terms))


@pytest.mark.parametrize("first", [0, 3])
def test_wealth_is_that_of_the_bets_one_by_one(first, seed):
    noise = random.Random(seed)
    own = [noise.choice((0.0, 0.2, 0.7, 1.0)) for _ in range(60)]
    candidate = [noise.choice((0.0, 0.1, 0.6)) for _ in range(25)]
    for u in (0.05, 0.3, 0.5, 0.9):
        assert log_wealth(u, own, candidate, first) == pytest.approx(naive(u, own, candidate, first), abs=1e-9)


def test_more_values_than_atoms_cost_a_little_and_never_gain(seed):
    noise = random.Random(seed)
    own, candidate = [noise.betavariate(3.0, 2.0) for _ in range(300)], [noise.random() ** 2 for _ in range(200)]
    for u in (0.3, 0.45, 0.6):
        kept, full = log_wealth(u, own, candidate), naive(u, own, candidate)
        assert full - 2e-2 * abs(full) <= kept < full + 1e-9


def expected_wealth(marks, depth=8):
    """Return the mean wealth against arm 0 at the true means over all values of three arms of the same law."""
    total = 0.0
    for values in itertools.product(range(3), repeat=depth):
        own, candidate = [], []
        for pull, number in enumerate(values):
            value = VALUES[number]
            before = [VALUES[i] for i in values[:pull]]
            arm = pull % 3 if pull < 5 else (1 if sum(before) > MEAN * pull else 0)  # sampling looks back
            if arm == 0:
                candidate.append(value)
            elif marks(before, value):
                own.append(value)
        chance = math.prod(CHANCES[number] for number in values)
        total += chance * math.exp(log_wealth(MEAN, own, candidate))
    return total


def test_wealth_is_at_most_one_on_average_for_a_law_that_is_no_coin():
    assert 0.3 < expected_wealth(lambda before, value: True, 7) <= 1.0
    assert expected_wealth(lambda before, value: sum(before) >= MEAN * len(before), 7) <= 1.0


def test_it_is_not_if_a_pull_is_marked_after_its_reward_is_seen():
    assert expected_wealth(lambda before, value: value > MEAN, 7) > 1.1


def test_an_average_counts_as_values_as_far_apart_as_can_be(seed):
    """Bets grow with the logarithm: as much wealth as the average would give is never claimed."""
    noise = random.Random(seed)
    values = [noise.random() for _ in range(20)]
    state = state_of(FAMILY, 1)
    FAMILY.observe_average(0, sum(values) / 20.0, 20, state)
    assert state.counts[0] == 20.0
    assert state.means[0] == pytest.approx(sum(values) / 20.0)
    rooms = [[0.0] * ROOM_FOR_VALUES for _ in range(2)]
    for room, arms in zip(rooms, (state, seen(values)), strict=True):
        prepare_window(4.0, room)
        for start, side in ((ACCOUNT, 1.0), (CANDIDATE, -1.0)):
            add_gains(start, side, 0, arms, room)
    assert (np.array(rooms[0][ACCOUNT:]) <= np.array(rooms[1][ACCOUNT:]) + 1e-12).all()
    own = state_of(FAMILY, 1)
    add_average(0, 0.25, 8, own)
    assert (own.kept.masses[0][0], own.kept.masses[1][0]) == (6.0, 2.0)


def test_units_of_the_interval_make_no_difference(seed):
    """Rewards between −1 and 3 and the same rewards between 0 and 1 have the same evidence."""
    setup = setup_of("bounded", epsilon=0.4)
    now = played(setup, 150, seed, law="bounded")
    small = setup._replace(family=tt.Bounded(), epsilon=0.1)
    noise = random.Random(seed)

    known, same = knowledge(small, 3), None
    for pull in range(150):
        arm = pull % 3
        decision = first_pull(arm) if same is None else Decision(-1, arm, 1, same.best, same.cost)
        reward = setup.family.reward(arm, (0.1, 1.4, 0.8)[arm], noise.getrandbits(64))
        absorb(decision, (float(reward) + 1.0) / 4.0, small, known)
        if pull >= 2:
            best = max(range(3), key=lambda i: known.state.means[i])
            same = look(pull + 1, best, small, known).by(known.stopping)
    assert setup.stopping.evidence_now(now) == pytest.approx(small.stopping.evidence_now(same), abs=1e-6)
    assert wagered(0, setup, now)[0].own == wagered(0, small, same)[0].own > 0.0
