"""Upper bounds against naive evaluation of every term and a grid search over the free parameters."""

import json
import math

import numpy as np
import pytest
from scipy.special import zeta

from toptwo import theory
from toptwo.errors import InputError

INSTANCES = [
    np.array([0.2, 0.6, 0.5, 0.1]),
    np.array([1.0, 0.0]),
    np.array([0.0, 0.0, 0.25, 0.0, 0.0]),
    np.array([0.999, 1.0, 0.999, 0.0]),  # "almost dense": one arm needs hardly any samples
    np.array([2.0, 1.0, 0.0, -1.0, -30.0]),
]


def last_integer(holds, start, stop=10**12):
    """Return the largest n ≥ start with holds(n), for a property that ends once and for all; start − 1 if none."""
    if not holds(start):
        return start - 1
    low, high = start, 2 * start
    while holds(high):
        low, high = high, 2 * high
        assert high < stop
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if holds(middle) else (low, middle)
    return low


def naive_terms(means, delta, beta, alpha, s, slack, clipping):
    """Return the four terms of the general theorem as printed in it."""
    arms, best = len(means), int(np.argmax(means))
    weights = np.delete(theory.optimal_allocation(means, beta), best)
    clipped = int((weights < (1.0 - beta) * clipping).sum())
    multiplier = theory.characteristic_time(means, beta) * (1.0 + slack) ** 2 / (beta * (1.0 - clipping) ** clipped)

    def unsettled(n):
        c = theory.threshold_proven(n - 1, delta, arms)
        return n - 1 <= multiplier * (math.sqrt(c) + math.sqrt(alpha * (2.0 + s) * math.log(n))) ** 2

    x = 4.0 * alpha**2 * (1.0 + s) * theory.hardness(means) / beta
    h1 = x * theory.lambert_bar(math.log(x) + (2.0 + arms / beta) / x)
    floor = (1.0 - clipping) ** clipped * max(weights.min(), (1.0 - beta) * clipping)
    return {
        "confidence": last_integer(unsettled, arms + 1, 10**18),
        "hardness": h1**alpha,
        "allocation": (2.0 / (slack * floor) + 1.0) ** (alpha / (alpha - 1.0)),
        "slack": (1.0 / (beta * slack)) ** alpha,
    }


@pytest.mark.parametrize("means", INSTANCES, ids=str)
@pytest.mark.parametrize(("beta", "alpha", "s"), [(0.5, 1.2, 1.2), (0.3, 2.0, 1.5), (0.8, 3.0, 1.1)])
@pytest.mark.parametrize(("slack", "clipping"), [(1.0, 0.0), (0.3, 0.5), (0.05, 1.0)])
def test_terms_of_the_general_theorem(means, beta, alpha, s, slack, clipping):
    arms = means.size
    fixed = clipping / (arms - 1.0) * 0.999  # away from the jumps of the number of clipped arms
    bound = theory.upper_bound(means, 0.05, beta=beta, alpha=alpha, s=s, slack=slack, clipping=fixed)
    expected = naive_terms(means, 0.05, beta, alpha, s, slack, fixed)
    for name, value in expected.items():
        assert bound.terms[name] == pytest.approx(value, rel=1e-9), name
    additive = (2.0 * arms - 1.0) * zeta(s) + 1.0
    assert bound.value == pytest.approx(max(expected.values()) + additive, rel=1e-9)
    assert bound.dominating == max(expected, key=expected.get)


@pytest.mark.parametrize("means", INSTANCES, ids=str)
@pytest.mark.parametrize(
    ("delta", "beta", "alpha", "s"), [(0.05, 0.5, 1.2, 1.2), (1e-6, 0.5, 2.5, 1.2), (1e-30, 0.3, 1.8, 2.0)]
)
def test_no_grid_point_beats_the_infimum(means, delta, beta, alpha, s):
    bound = theory.upper_bound(means, delta, beta=beta, alpha=alpha, s=s)
    decisive = max(bound.terms[name] for name in ("confidence", "allocation", "slack"))
    weights = np.delete(theory.optimal_allocation(means, beta), int(np.argmax(means))) / (1.0 - beta)
    limit = 1.0 / (means.size - 1.0)
    around = np.clip(np.append(weights, bound.parameters["clipping"]), 0.0, limit) * (1.0 - 1e-13)
    for clipping in np.concatenate([np.linspace(0.0, limit, 6), around]):
        for slack in (*np.geomspace(1e-3, 1.0, 12), bound.parameters["slack"]):
            other = theory.upper_bound(means, delta, beta=beta, alpha=alpha, s=s, slack=slack, clipping=clipping)
            reached = max(other.terms[name] for name in ("confidence", "allocation", "slack"))
            assert reached >= decisive * (1.0 - 1e-9) - 1.0
    # The reported parameters do reach the reported value.
    at = dict(bound.parameters)
    again = theory.upper_bound(means, delta, beta=beta, alpha=alpha, s=s, **at)
    assert again.value == pytest.approx(bound.value, rel=1e-8)


@pytest.mark.parametrize("means", INSTANCES, ids=str)
def test_one_free_parameter_is_optimised_alone(means):
    free = theory.upper_bound(means, 0.05, alpha=2.5)
    slack_only = theory.upper_bound(means, 0.05, alpha=2.5, clipping=0.0)
    clipping_only = theory.upper_bound(means, 0.05, alpha=2.5, slack=0.2)
    assert slack_only.parameters["clipping"] == 0.0
    assert clipping_only.parameters["slack"] == 0.2
    assert free.value <= min(slack_only.value, clipping_only.value) * (1.0 + 1e-9) + 1.0


def test_clipping_rescues_an_arm_that_needs_hardly_any_samples():
    means = INSTANCES[3]
    assert theory.upper_bound(means, 0.05).value < 1e-6 * theory.upper_bound(means, 0.05, clipping=0.0).value


@pytest.mark.parametrize("means", INSTANCES, ids=str)
def test_main_theorem_is_the_general_one_rounded_up(means):
    for delta in (0.3, 0.01, 1e-8):
        general, rounded = theory.upper_bound(means, delta), theory.upper_bound_half(means, delta)
        assert general.value <= rounded.value
        for name in ("confidence", "hardness"):
            at = {"slack": 0.5, "clipping": 0.0}
            exact = theory.upper_bound(means, delta, **at).terms[name]
            assert exact <= theory.upper_bound_half(means, delta, **at).terms[name] <= 1.2 * exact


@pytest.mark.parametrize("means", INSTANCES, ids=str)
@pytest.mark.parametrize(("beta", "alpha", "s"), [(0.5, 1.2, 1.2), (0.3, 2.0, 1.5)])
def test_hardness_term_of_the_mixture_corollary(means, beta, alpha, s):
    bound = theory.upper_bound_mixture(means, 0.05, beta=beta, alpha=alpha, s=s)

    def below(x):
        bonus = theory.bonus_mixture(float(x) ** alpha, alpha=alpha, s=s)
        return x < 2.0 * theory.hardness(means) * bonus / beta + means.size / beta + 2.0

    assert bound.terms["hardness"] == pytest.approx(last_integer(below, 1) ** alpha, rel=1e-9)
    union = theory.upper_bound(means, 0.05, beta=beta, alpha=alpha, s=s)
    for name in ("confidence", "allocation", "slack"):
        assert bound.terms[name] == union.terms[name]


@pytest.mark.parametrize("means", INSTANCES, ids=str)
@pytest.mark.parametrize("delta", [0.1, 1e-10])
def test_uniform_sampling(means, delta):
    arms = means.size
    gap = np.sort(means)[-1] - np.sort(means)[-2]

    def unsettled(n):
        c = theory.threshold_proven(n - 1, delta, arms)
        return n - 1 <= 4.0 * arms / gap**2 * (math.sqrt(c) + math.sqrt(1.2 * 3.2 * math.log(n))) ** 2

    x = 8.0 * 1.2 * arms * 2.2 / gap**2
    bound = theory.upper_bound_uniform(means, delta)
    assert bound.terms["confidence"] == last_integer(unsettled, arms + 1)
    assert bound.terms["hardness"] == pytest.approx(x * theory.lambert_bar(math.log(x)), rel=1e-12)
    assert bound.value == pytest.approx(max(bound.terms.values()) + 1.0 + (2.0 * arms - 1.0) * zeta(1.2))


def test_uniform_sampling_of_easy_instances():
    bound = theory.upper_bound_uniform([1e3, 0.0, 0.0], 0.1)
    assert bound.terms["confidence"] == 3.0
    assert bound.terms["hardness"] == pytest.approx(8.0 * 1.2 * 3.0 * 2.2 / 1e6)


@pytest.mark.parametrize(
    "call", [theory.upper_bound, theory.upper_bound_half, theory.upper_bound_mixture, theory.upper_bound_uniform]
)
def test_batches_scale_and_order(call):
    means = np.random.default_rng(1).normal(size=(5, 4))
    batch = call(means, 0.05)
    assert batch.value.shape == (5,)
    assert batch.dominating.shape == (5,)
    for row, value, name in zip(means, batch.value, batch.dominating, strict=True):
        single = call(row, 0.05)
        assert single.value == pytest.approx(value, rel=1e-12)
        assert single.dominating == name
        # σ rescales rewards: the same question in another unit.
        assert call(7.0 * row, 0.05, sigma=7.0).value == pytest.approx(value, rel=1e-9)
        assert single.value >= theory.lower_bound(row, 0.05)
        assert call(row, 0.001).value >= single.value - 1e-6 * single.value
    assert "5 bounds from" in str(batch)


def test_bounds_are_immutable_print_and_serialise():
    bound = theory.upper_bound([1.0, 0.5, 0.0], 0.05)
    with pytest.raises(AttributeError):
        bound.value = 3.0
    with pytest.raises(TypeError):
        bound.terms["confidence"] = 3.0
    batch = theory.upper_bound([[1.0, 0.5, 0.0]], 0.05)
    with pytest.raises(ValueError, match="read-only"):
        batch.value[0] = 3.0
    assert float(bound) == bound.value
    assert f"{bound.dominating:<10}" in str(bound)
    assert repr(bound) == str(bound)
    assert json.loads(json.dumps(batch.to_dict()))["value"] == [bound.value]


@pytest.mark.parametrize("gap", [1e-150, 1e150])
def test_extreme_gaps_neither_overflow_nor_warn(gap):
    means = [gap, 0.0, -gap]
    for call in (theory.upper_bound, theory.upper_bound_half, theory.upper_bound_mixture, theory.upper_bound_uniform):
        assert call(means, 0.05).value >= theory.lower_bound(means, 0.05)


def test_asymptotics_reach_twice_the_half_time():
    """limsup T₀(δ)/ln(1/δ) ≤ 2T*_½ with ε → 0 (after the main theorem): the ratio falls towards it."""
    means = [1.0, 0.0, 0.0]
    limit = 2.0 * theory.characteristic_time(means, 0.5)
    ratios = [theory.upper_bound(means, delta).terms["confidence"] / math.log(1.0 / delta) for delta in (1e-20, 1e-300)]
    assert limit < ratios[1] < ratios[0]


def test_idealised_time_bounds_the_supremum():
    for multiplier, log_factor, delta in ((100.0, 20.0, 0.01), (3.0, 50.0, 0.5), (1e4, 2.0, 1e-5)):
        bound = theory.idealised_time(multiplier, log_factor, delta)
        constant = multiplier * math.log(1.0 / delta)
        last = max(n for n in range(1, 200_000) if n - 1 <= constant + log_factor * math.log(n))
        assert last <= bound <= last + 1.0


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: theory.upper_bound([0.5, 0.1], 0.0), "delta must be a probability"),
        (lambda: theory.upper_bound([0.5, 0.1], 0.1, beta=0.0), "beta must be a probability"),
        (lambda: theory.upper_bound([0.5, 0.1], 0.1, alpha=1.0), "alpha must be a finite number above 1"),
        (lambda: theory.upper_bound([0.5, 0.1], 0.1, slack=0.0), "slack must be above 0 and at most 1"),
        (lambda: theory.upper_bound([0.5, 0.1], 0.1, slack=2.0), "slack must be above 0 and at most 1"),
        (lambda: theory.upper_bound([0.5, 0.1, 0.0], 0.1, clipping=0.6), "clipping must be at most"),
        (lambda: theory.upper_bound([0.5, 0.5], 0.1), "two best arms"),
        (lambda: theory.upper_bound_uniform([0.5, 0.1], 0.1, sigma=-1.0), "sigma"),
    ],
)
def test_bad_input_names_the_remedy(call, said):
    with pytest.raises(InputError, match=said):
        call()
