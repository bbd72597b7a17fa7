"""The contract of a family, checked by asking it everything that rules ask."""

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from toptwo.engine.simulation import simulate
from toptwo.families import make_family
from toptwo.families.base import (
    accepts,
    check_means,
    for_arms,
    mean_range,
    mirrored,
    refusal,
    separation_surely_above,
    with_counts,
)
from toptwo.rules.thresholds import stopping_rule
from toptwo.state import State, state_of
from toptwo.streams import Random, fork, mix

DRAWS = 20_000
"""Rewards drawn to check the law."""

DEVIATIONS = 6.0
"""Standard errors allowed to averages of many draws: a false alarm of about 2e-9."""

MEANS = (0.3, 0.55, 0.4)
"""Means that any family on the unit interval or the half-line has; the best arm is not the first."""


def check_family(family: Any, *, means: Sequence[float] = MEANS, compiled: bool = True) -> None:
    """Put a family through the contract; raise AssertionError at the first breach.

    Rewards have the mean asked for and lie in the support; statistics add up; costs, bounds, shares and evidence agree
    with each other and with a search over u; the thresholds it proves increase as δ falls; the mirrored family mirrors;
    TTUCB runs the same compiled as interpreted.

    Examples
    --------
    >>> import toptwo as tt
    >>> check_family(tt.Bernoulli(), compiled=False)
    """
    law = for_arms(make_family(family), len(means))
    check_means(law, np.array(means))
    _check_rewards(law, means)
    state = state_after(law, means, (40, 60, 25))
    _check_costs(law, state)
    _check_bounds(law, state)
    if not refusal(law, "posterior_draw"):
        _check_posterior(law, state)
    _check_levels(law)
    _check_other_counts(law, state)
    _check_mirror(law, means, state)
    options: dict[str, Any] = {"family": family, "runs": 3, "seed": 2, "max_samples": 300, "progress": False}
    plain = simulate("TTUCB", means, engine="python", **options)
    assert (plain.counts.sum(axis=1) == plain.stopping_times).all(), "counts must add up to the samples taken"
    if compiled:
        fast = simulate("TTUCB", means, **options)
        assert np.array_equal(plain.counts, fast.counts), "compiled must equal interpreted"


def state_after(family: Any, means: Sequence[float], counts: Sequence[int], seed: int = 7) -> State:
    """Return the state after so many rewards of each arm."""
    state = state_of(family, len(means))
    for arm, (mean, count) in enumerate(zip(means, counts, strict=True)):
        for s in range(count):
            family.observe(arm, float(family.reward(arm, mean, mix(fork(fork(seed, arm), s)))), state)
    return state


def _check_rewards(family: Any, means: Sequence[float]) -> None:
    for arm, mean in enumerate(means):
        rewards = np.array([float(family.reward(arm, mean, mix(fork(arm, s)))) for s in range(DRAWS)])
        assert all(accepts(family, float(value)) for value in rewards), "rewards must lie in the support"
        error = max(rewards.std(), 1e-12) / math.sqrt(DRAWS)
        assert abs(rewards.mean() - mean) < DEVIATIONS * error, f"rewards of mean {mean} average {rewards.mean():.4f}"
    assert family.reward(0, means[0], 12345) == family.reward(0, means[0], 12345), "a reward is a function of its bits"


def _least(cost: Callable[[float], float], low: float, high: float) -> float:
    """Return the least cost on an interval, by a fine grid and a golden section."""
    grid = np.linspace(low, high, 2001)
    best = int(np.argmin([cost(float(u)) for u in grid]))
    a, b = float(grid[max(0, best - 1)]), float(grid[min(2000, best + 1)])
    for _ in range(100):
        left, right = a + 0.382 * (b - a), b - 0.382 * (b - a)
        a, b = (a, right) if cost(left) <= cost(right) else (left, b)
    return cost(0.5 * (a + b))


def _check_costs(family: Any, state: State) -> None:
    """Separation is an infimum over u of deviations; evidence is below it; shares are shares."""
    for a, b in ((1, 0), (1, 2), (2, 0)):
        for epsilon in (0.0, 0.05):
            low = min(state.means[a], state.means[b] - epsilon)
            high = max(state.means[a], state.means[b] - epsilon)
            found = family.separation(a, b, epsilon, state)

            def cost(u: float, a: int = a, b: int = b, epsilon: float = epsilon) -> float:
                return float(family.deviation(a, u, state) + family.deviation(b, u + epsilon, state))

            expected = _least(cost, low, high)
            assert abs(found - expected) <= 1e-6 * (1.0 + expected), f"separation {found}, by search {expected}"
            evidence = family.evidence(a, b, epsilon, state)
            assert 0.0 <= evidence <= found + 1e-9, "evidence lies between 0 and the separation"
            above = separation_surely_above(family, a, b, epsilon, 1.000001 * found, state)
            assert not above, "a quick bound was too high"
        assert 0.0 <= family.leader_share(a, b, state) <= 1.0, "a share lies between 0 and 1"


def _check_bounds(family: Any, state: State) -> None:
    span = mean_range(family)
    for arm in range(len(state.means)):
        assert abs(family.deviation(arm, state.means[arm], state)) < 1e-9, "no cost to believe the empirical mean"
        for width in (0.5, 2.0, 5.0):
            low, high = family.lower_bound(arm, width, state), family.upper_bound(arm, width, state)
            assert span.low <= low <= state.means[arm] <= high <= span.high, "bounds enclose the mean, within the range"
            for bound in (low, high):
                if span.low < bound < span.high:
                    cost = family.deviation(arm, bound, state)
                    assert abs(cost - 0.5 * width * width) <= 1e-7 * (1.0 + cost), f"deviation {cost} at width {width}"


def _check_posterior(family: Any, state: State) -> None:
    random = Random([99])
    draws = [float(family.posterior_draw(1, state, random)) for _ in range(2000)]
    span = mean_range(family)
    assert all(span.low <= draw <= span.high for draw in draws), "posterior draws lie in the range of means"
    spread = max(float(np.std(draws)), 1e-9)
    assert abs(float(np.mean(draws)) - state.means[1]) < spread, "the posterior surrounds the empirical mean"
    assert all(family.resample(1, state, random) != 1 for _ in range(20)), "resampling leaves the leader out"


def _check_levels(family: Any) -> None:
    levels = family.levels()
    assert levels.keys() <= {"proven", "mixture", "betting"}, "levels are called proven, mixture and betting"
    for name in levels:
        strict, loose = (stopping_rule(name, delta, 4, family) for delta in (0.01, 0.1))
        pair = [rule.level.at(100) if name == "proven" else rule.level for rule in (strict, loose)]  # type: ignore[attr-defined]
        assert pair[0] > pair[1] > 0.0, f"the level of {name} must rise as δ falls"


def _check_other_counts(family: Any, state: State) -> None:
    """With all counts doubled and nothing else changed, costs double."""
    doubled = with_counts(family, [2.0 * count for count in state.counts], state)
    one, two = family.separation(1, 0, 0.0, state), family.separation(1, 0, 0.0, doubled)
    assert abs(two - 2.0 * one) <= 0.05 * two, f"twice the counts cost {two}, not twice {one}"
    assert doubled.means == state.means, "means do not change with the counts"


def _check_mirror(family: Any, means: Sequence[float], state: State) -> None:
    mirror = mirrored(family)
    seen = state_of(mirror, len(means))
    for arm, mean in enumerate(means):
        for s in range(int(state.counts[arm])):
            mirror.observe(arm, -float(family.reward(arm, mean, mix(fork(fork(7, arm), s)))), seen)
    for arm in range(len(means)):
        assert abs(seen.means[arm] + state.means[arm]) < 1e-12, "the mirror negates means"
        high, low = mirror.upper_bound(arm, 2.0, seen), family.lower_bound(arm, 2.0, state)
        assert abs(high + low) < 1e-9, "the mirror exchanges bounds"
    one, two = mirror.evidence(0, 1, 0.02, seen), family.evidence(1, 0, 0.02, state)
    assert abs(one - two) < 1e-9, "the mirror exchanges arms"
