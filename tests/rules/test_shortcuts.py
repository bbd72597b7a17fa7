"""What families and rules leave out to be fast changes nothing: every shortcut agrees with the loop over all arms."""

import math
import random

import pytest
from states import Forbidden

import toptwo as tt
from toptwo.families.base import clear_leader, closest_arm
from toptwo.rules.challengers import TransportationCost
from toptwo.rules.leaders import UpperConfidenceBound
from toptwo.rules.round import highest, survey
from toptwo.state import state_of

FAMILIES = [tt.Gaussian(0.7), tt.GaussianUnknownVariance(), tt.Bernoulli()]
MARGINS = [0.0, 0.3]


def states(family, seed):
    """States of five arms after a few rewards, some of which are equal: ties, arms without a variance, tiny ones."""
    rng, scale = random.Random(seed), 10.0 ** (seed % 7 - 3)
    law = family.for_arms(5) if hasattr(family, "for_arms") else family
    state = state_of(law, 5)
    for arm in range(5):
        for _ in range(rng.choice([1, 2, 2, 3, 8, 40])):
            reward = float(rng.random() < 0.5) if family == tt.Bernoulli() else rng.choice([0.0, 1.0, rng.gauss(0, 1)])
            law.observe(arm, reward if family == tt.Bernoulli() else scale * reward, state)
    return law, state, scale


def costs(law, best, epsilon, state):
    return {i: law.separation(best, i, epsilon, state) for i in range(5) if i != best}


@pytest.mark.parametrize("epsilon", MARGINS)
@pytest.mark.parametrize("family", FAMILIES, ids=repr)
def test_the_closest_arm_is_the_first_of_least_separation(family, epsilon):
    ties = 0
    for seed in range(700):
        law, state, scale = states(family, seed)
        best = max(range(5), key=state.means.__getitem__)
        margin = epsilon * (1.0 if family == tt.Bernoulli() else scale)
        all_of_them = costs(law, best, margin, state)
        least = min(all_of_them.values())
        level = [i for i, cost in all_of_them.items() if cost == least]
        assert closest_arm(law, best, margin, state) == (level[0], least, len(level))
        ties += len(level) > 1
    assert ties > 20, "otherwise ties are not tested here"


@pytest.mark.parametrize("family", FAMILIES, ids=repr)
def test_the_clear_leader_has_the_highest_bound_alone(family):
    shared = 0
    for seed in range(700):
        law, state, _ = states(family, seed)
        bounds = [law.upper_bound(i, 1.0 + seed % 3, state) for i in range(5)]
        level = [i for i, bound in enumerate(bounds) if bound == max(bounds)]
        found = clear_leader(law, 1.0 + seed % 3, state)
        assert found in ((level[0], -1) if len(level) == 1 else (-1,))
        shared += len(level) > 1
    assert shared > 20, "otherwise ties are not tested here"


@pytest.mark.parametrize("epsilon", MARGINS)
@pytest.mark.parametrize("family", FAMILIES, ids=repr)
def test_the_challenger_is_the_one_of_highest_score(family, epsilon):
    rule, above = TransportationCost(random_ties=False), 0
    for seed in range(500):
        law, state, scale = states(family, seed)
        best = max(range(5), key=state.means.__getitem__)
        now = survey(50, best, epsilon * (1.0 if family == tt.Bernoulli() else scale), state, law)
        for leader in range(5):
            scores = {i: rule.score(i, leader, 0.0, now) for i in range(5) if i != leader}
            top = max(scores.values())
            first = next(i for i, score in scores.items() if score == top)
            if leader == best and now.ties == 1:
                first = now.rival
            assert rule.challenge(leader, now, Forbidden()) == first
            above += top > 0.0 and leader != best
    assert above > 100


def test_a_leader_by_bounds_needs_no_draw_where_one_is_clear():
    law, state, _ = states(tt.Gaussian(1.0), 3)
    now = survey(50, max(range(5), key=state.means.__getitem__), 0.0, state, law)
    rule = UpperConfidenceBound()
    width = rule.bonus.at(now.number)
    assert rule.lead(now, Forbidden()) == highest(rule, -1, width, now, Forbidden())
    assert math.isfinite(width)
