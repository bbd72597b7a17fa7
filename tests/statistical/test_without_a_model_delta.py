"""δ-correctness for bounded rewards and unknown variances: skewed against tight arms, where plug-in variances fail."""

from collections.abc import Callable
from typing import Any, NamedTuple

import pytest
from test_delta_correct import FALSE_ALARM, Case, check, peeking, run, surprise

from toptwo.families.bounded import Bounded
from toptwo.families.gaussian import proven_level
from toptwo.families.numerics.weighted_values import mean_of, variance_of_atoms
from toptwo.families.unknown_variance import GaussianUnknownVariance
from toptwo.streams import unit


# --- bounded ----------------------------------------------------------------------------------------------------------
class SkewedAgainstTight(Bounded):
    """Arms of even number hardly vary; the others are now and then 1, and else a little below their mean."""

    def reward(self, arm: int, mean: float, bits: int) -> float:
        if arm % 2 == 0:
            return mean + 0.02 * (unit(bits) - 0.5)
        return 1.0 if unit(bits) < 0.05 else (mean - 0.05) / 0.95


class PlugInSpread(SkewedAgainstTight):
    """The heuristic of many tools: variances estimated from (at least 30) rewards and taken for known."""

    def separation(self, a: int, b: int, epsilon: float, state: Any) -> float:
        if min(state.counts[a], state.counts[b]) < 30.0:
            return 0.0
        gap = mean_of(a, state) - mean_of(b, state) + epsilon
        spread_a, spread_b = variance_of_atoms(a, state), variance_of_atoms(b, state)
        return 0.5 * gap * gap / (spread_a * state.inverse[a] + spread_b * state.inverse[b])

    def separation_surely_above(self, a: int, b: int, epsilon: float, level: float, state: Any) -> bool:
        return False


BOUNDED_CASES = {
    "K = 2": Case((0.5, 0.601), 0.001, epsilon=0.1),
    "K = 3": Case((0.3, 0.5, 0.601), 0.001, epsilon=0.1),
}
"""All of them end: margins are missed by a little only."""

LITTLE = Case((0.52, 0.525), 0.1, max_samples=700)
"""A skewed arm, better by little."""


@pytest.mark.parametrize(("algorithm", "threshold"), [("TTUCB", "mixture"), ("uniform", "proven")])
@pytest.mark.parametrize("name", BOUNDED_CASES)
def test_bounded_is_delta_correct(name, algorithm, threshold, seed):
    check(algorithm, BOUNDED_CASES[name], threshold, 500, seed, Bounded())


@pytest.mark.slow
@pytest.mark.parametrize("threshold", ["proven", "mixture"])
@pytest.mark.parametrize("algorithm", ["TTUCB", "T3C", "uniform"])
@pytest.mark.parametrize("name", BOUNDED_CASES)
def test_bounded_is_delta_correct_over_many_runs(name, algorithm, threshold, seed):
    check(algorithm, BOUNDED_CASES[name], threshold, 10_000, seed, Bounded())


@pytest.mark.parametrize("name", BOUNDED_CASES)
def test_peeking_fails_the_same_test_on_bounded_data(name, seed):
    case = BOUNDED_CASES[name]
    result = run("uniform", case, peeking, 500, seed, Bounded())
    assert surprise(result, case.delta) < FALSE_ALARM, str(result)


def test_skewed_rewards_are_safe_with_bounds_and_not_with_a_plug_in_variance(seed):
    safe = run("uniform", LITTLE, "proven", 500, seed, SkewedAgainstTight())
    assert surprise(safe, LITTLE.delta) >= FALSE_ALARM, str(safe)
    result = run("uniform", LITTLE, "heuristic", 500, seed, PlugInSpread())
    assert result.wrong.mean() > 0.2
    assert surprise(result, LITTLE.delta) < FALSE_ALARM, str(result)


# --- unknown variance -------------------------------------------------------------------------------------------------
class PlugInVariance(GaussianUnknownVariance):
    """Variances estimated from at least two rewards, in the place of known ones."""

    def levels(self) -> dict[str, Callable[[float, int], Any]]:
        return {"proven": proven_level}

    def separation(self, a: int, b: int, epsilon: float, state: Any) -> float:
        if min(state.counts[a], state.counts[b]) < 2.0:
            return 0.0
        gap = state.means[a] - state.means[b] + epsilon
        noise_a = state.kept.squares[a] / (state.counts[a] - 1.0) * state.inverse[a]
        noise_b = state.kept.squares[b] / (state.counts[b] - 1.0) * state.inverse[b]
        return 0.5 * gap * gap / (noise_a + noise_b)

    def separation_surely_above(self, a: int, b: int, epsilon: float, level: float, state: Any) -> bool:
        return False


class Spread(NamedTuple):
    """A case, and the standard deviations of its arms."""

    case: Case
    sigma: tuple[float, ...]


VARIANCE_CASES = {
    "equal variances": Spread(Case((0.0, 0.501), 0.001, epsilon=0.5), (1.0, 1.0)),
    "noisy better arm": Spread(Case((0.0, 0.501), 0.001, epsilon=0.5), (0.1, 3.0)),
    "noisy worse arm": Spread(Case((0.0, 0.501), 0.001, epsilon=0.5), (3.0, 0.1)),
    "K = 3": Spread(Case((-0.1, 0.0, 0.501), 0.001, epsilon=0.5), (0.3, 0.3, 2.0)),
}
"""All of them end: margins are missed by a little only."""


@pytest.mark.parametrize("algorithm", ["TTUCB", "uniform"])
@pytest.mark.parametrize("name", VARIANCE_CASES)
def test_unknown_variance_is_delta_correct(name, algorithm, seed):
    case, sigma = VARIANCE_CASES[name]
    check(algorithm, case, "mixture", 2000, seed, GaussianUnknownVariance(sigma))


@pytest.mark.slow
@pytest.mark.parametrize("algorithm", ["TTUCB", "T3C", "EB-TCI", "uniform"])
@pytest.mark.parametrize("name", VARIANCE_CASES)
def test_unknown_variance_is_delta_correct_over_many_runs(name, algorithm, seed):
    case, sigma = VARIANCE_CASES[name]
    check(algorithm, case, "mixture", 20_000, seed, GaussianUnknownVariance(sigma))


@pytest.mark.parametrize("name", VARIANCE_CASES)
def test_a_plug_in_variance_fails_the_same_test_on_gaussian_data(name, seed):
    case, sigma = VARIANCE_CASES[name]
    result = run("uniform", case, "heuristic", 2000, seed, PlugInVariance(sigma))
    assert surprise(result, case.delta) < FALSE_ALARM, str(result)


@pytest.mark.parametrize("threshold", ["heuristic", "proven"])
def test_a_plug_in_variance_fails_near_ties(threshold, seed):
    """Even with the paper's proven threshold, which is for known variances."""
    case = Case((0.0, 0.02), 0.001, max_samples=100)
    result = run("uniform", case, threshold, 4000, seed, PlugInVariance())
    assert surprise(result, case.delta) < FALSE_ALARM, str(result)
