"""What a bettor owns, against a referee that was written from docs/betting.md alone, in extreme states."""

import math

import numpy as np
import pytest
from referee.wealth import Bets, Seen, log_wealth, mean_at, round_of

import toptwo as tt
from toptwo.families.numerics.wealth import ROOM
from toptwo.rules.betting import least_wealth, wager_against

TOLERANCE = 1e-9
ENOUGH = dict.fromkeys(("bernoulli", "poisson", "exponential", "gamma"), 0.1) | {"gaussian": 0.95}
"""The share of states, at least, with half of the wealth. Of the endless lattice twelve tilts are looked at: too few
where the pulls of leaders and candidate are many orders of magnitude apart."""

LAWS = ("gaussian", "bernoulli", "poisson", "exponential", "gamma")


def whole(random, most=9.0):
    """A number of pulls, of any order of magnitude."""
    return float(round(10.0 ** random.uniform(0.0, most)))


def law_of(name, random):
    """A family, the candidate's mean, and what a step of one deviation adds to a mean."""
    scale = 10.0 ** random.uniform(-15.0, 15.0)
    if name == "gaussian":
        place = scale * 10.0 ** random.uniform(-15.0, 3.0) * random.choice([-1.0, 1.0])
        return tt.Gaussian(scale), place, lambda mean, steps: mean + scale * steps
    if name == "bernoulli":
        place = 10.0 ** -random.uniform(0.0, 12.0)
        place = random.choice([0.0, 1.0, place, place, 1.0 - place, 1.0 - place])

        def step(mean, steps):
            return min(max(mean + math.sqrt(mean * (1.0 - mean) + 1e-12) * steps, 0.0), 1.0)

        return tt.Bernoulli(), place, step
    if name == "poisson":
        place = random.choice([0.0, scale, scale, scale])
        return tt.Poisson(), place, lambda mean, steps: max(mean + math.sqrt(mean + 1e-12) * steps, 0.0)
    shape = 1.0 if name == "exponential" else 0.6
    family = tt.Exponential() if name == "exponential" else tt.Gamma(shape=shape)
    return family, scale, lambda mean, steps: mean * math.exp(max(-40.0, min(40.0, steps / math.sqrt(shape))))


def states(name, number, seed):
    """States of all orders of magnitude in which there is something to bet on."""
    random = np.random.default_rng([seed, LAWS.index(name)])
    for _ in range(number):
        family, low, step = law_of(name, random)
        side = int(random.choice([-1, 1]))
        counts = (whole(random), whole(random), whole(random))
        own = float(math.ceil(counts[1] * 10.0 ** -random.uniform(0.0, 3.0)))
        marked = (own, float(random.choice([0.0, math.ceil(counts[2] * 10.0 ** -random.uniform(0.0, 3.0))])))
        near = math.sqrt(1.0 / counts[0] + 1.0 / own)
        lead = 10.0 ** random.uniform(-2.0, 2.0) * near
        means = (low, step(low, side * lead), step(low, side * lead * random.uniform(-1.0, 1.5)))
        held = max(own, counts[1] // 2.0)
        held_gain = held * (step(means[1], random.normal() / math.sqrt(held)) - means[1])
        gap = abs(means[1] - means[0])
        epsilon = float(random.choice([0.0, 0.0, gap * 10.0 ** random.uniform(-12.0, 1.0), abs(low) * 1e-3]))
        seen = Seen(counts, means, marked, (means[1], means[2]), held, held_gain, int(random.integers(1, 4)))
        yield Bets(family, seen, epsilon, side)


def raised(truth):
    """More than the truth by as much as a value may be off."""
    return truth + TOLERANCE * max(1.0, abs(truth))


def complaints(name, number, seed, least_of=least_wealth):
    """Where the least of ln W, or its value at a point, is overstated; how often it says something, and enough."""
    found, said, tight = [], 0, []
    random = np.random.default_rng(seed)
    for bets in states(name, number, seed):
        now = round_of(bets)
        least = least_of(0, math.inf, now)
        if not math.isfinite(least.lower):
            assert least.lower < 0.0 or isinstance(bets.family, tt.Bernoulli)
            continue
        said += 1
        wager, room = wager_against(0, now), [0.0] * ROOM
        low, high = now.family.bet_range(wager.margin, 1.0)
        for place in (least.place, least.place * (1.0 + random.normal() * 10.0 ** random.uniform(-9.0, -1.0))):
            if not low <= place <= high or place in (0.0, math.inf):
                continue
            truth = log_wealth(bets, mean_at(bets, place))
            here = now.family.log_wealth(place, 1.0, wager, room)[0]
            if truth > 1.0:
                tight.append(here > truth - math.log(2.0))
            for what, value in (("least", least.lower), ("wealth", here)):
                if not value <= raised(truth):
                    found.append(f"{what} {value!r} above {truth!r} at {place!r} for {bets}")
    return found, said / number, sum(tight) / max(1, len(tight))


@pytest.mark.parametrize("name", LAWS)
def test_no_bettor_claims_more_than_the_referee_grants(name, seed):
    found, said, tight = complaints(name, 60, seed)
    assert not found, found[0]
    assert said > 0.5
    assert tight > ENOUGH[name]


@pytest.mark.slow
@pytest.mark.parametrize("name", LAWS)
def test_no_bettor_does_in_many_states(name, seed):
    found, said, tight = complaints(name, 4000, 1000 + seed)
    assert not found, found[0]
    assert said > 0.5
    assert tight > ENOUGH[name]


def a_millionth_too_much(arm, wanted, now):
    least = least_wealth(arm, wanted, now)
    return least._replace(lower=least.lower + 1e-6 * max(1.0, abs(least.upper)))


def where_it_looked_first(arm, wanted, now):
    """The wealth in the middle between candidate and leaders, as if it were the least."""
    wager, family = wager_against(arm, now), now.family
    least = least_wealth(arm, wanted, now)
    middle, _ = family.bet_start(wager.pulls_mean, wager.own_mean, 1.0)
    low, high = family.bet_range(wager.margin, 1.0)
    value = family.log_wealth(min(max(middle, low), high), 1.0, wager, [0.0] * ROOM)[0]
    return least._replace(lower=value if math.isfinite(least.lower) else least.lower)


@pytest.mark.parametrize("name", ["gaussian", "poisson"])
@pytest.mark.parametrize("wrong", [a_millionth_too_much, where_it_looked_first])
def test_a_bettor_who_overstates_is_found_out(name, wrong, seed):
    assert complaints(name, 12, seed, wrong)[0]
