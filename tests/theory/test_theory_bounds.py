"""Upper bounds against naive evaluation of every term and a grid search over the free parameters."""

import json
import math
from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
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


def counted_terms(means, delta, beta, alpha, s, slack, clipping, bonus=theory.bonus_union):
    """Return the terms of the theorem of docs/upper-bounds.md, as written there."""
    arms, best = len(means), int(np.argmax(means))
    weights = np.delete(theory.optimal_allocation(means, beta), best)
    clipped = int((weights < (1.0 - beta) * clipping).sum())
    smallest = max(weights.min(), (1.0 - beta) * clipping)
    floor = (1.0 - clipping) ** clipped * smallest
    multiplier = theory.characteristic_time(means, beta) * (1.0 + slack)
    multiplier /= (beta + smallest) * (1.0 - clipping) ** clipped
    inverse = np.sort(2.0 / (means[best] - np.delete(means, best)) ** 2)

    def unsettled(n):
        c = theory.threshold_proven(n - 1, delta, arms)
        return n - 1 <= multiplier * (math.sqrt(c) + math.sqrt(alpha * (2.0 + s) * math.log(n))) ** 2

    def misled(n):
        rate = 2.0 * bonus(float(n), alpha=alpha, s=s) / beta
        wrong = max(arms + inverse.sum() * rate, max(arms, n ** (1.0 / alpha)) + inverse[1:].sum() * rate)
        return n - 1 < (1.0 + 1.0 / slack) * (wrong + 2.0 / floor)

    return {
        "confidence": last_integer(unsettled, arms + 1, 10**18),
        "allocation": (1.0 + 2.0 * (1.0 - beta) / floor) ** (alpha / (alpha - 1.0)),
        "hardness": last_integer(misled, 1, 10**18),
    }


FORMS = [(naive_terms, True), (counted_terms, False)]
forms = pytest.mark.parametrize("as_printed", [True, False])


@pytest.mark.parametrize("means", INSTANCES, ids=str)
@pytest.mark.parametrize(("beta", "alpha", "s"), [(0.5, 1.2, 1.2), (0.3, 2.0, 1.5), (0.8, 3.0, 1.1)])
@pytest.mark.parametrize(("slack", "clipping"), [(1.0, 0.0), (0.3, 0.5), (0.05, 1.0)])
@pytest.mark.parametrize(("terms", "as_printed"), FORMS)
def test_terms_of_the_general_theorem(means, beta, alpha, s, slack, clipping, terms, as_printed):
    arms = means.size
    fixed = clipping / (arms - 1.0) * 0.999  # away from the jumps of the number of clipped arms
    options = {"beta": beta, "alpha": alpha, "s": s, "slack": slack, "clipping": fixed, "as_printed": as_printed}
    bound = theory.upper_bound(means, 0.05, **options)
    expected = terms(means, 0.05, beta, alpha, s, slack, fixed)
    assert list(bound.terms) == list(expected)
    for name, value in expected.items():
        # The hardness term of the new theorem is the crossing itself, less than a round above the last integer.
        assert bound.terms[name] == pytest.approx(value, rel=1e-9, abs=0.0 if as_printed else 1.0), name
    additive = (2.0 * arms - 1.0) * zeta(s) + 1.0
    assert bound.value == pytest.approx(max(expected.values()) + additive, rel=1e-9, abs=1.0)
    assert expected[bound.dominating] >= max(expected.values()) * (1.0 - 1e-9) - 2.0


@pytest.mark.parametrize("means", INSTANCES, ids=str)
@pytest.mark.parametrize(
    ("delta", "beta", "alpha", "s"), [(0.05, 0.5, 1.2, 1.2), (1e-6, 0.5, 2.5, 1.2), (1e-30, 0.3, 1.8, 2.0)]
)
@forms
def test_no_grid_point_beats_the_infimum(means, delta, beta, alpha, s, as_printed):
    options = {"beta": beta, "alpha": alpha, "s": s, "as_printed": as_printed}
    bound = theory.upper_bound(means, delta, **options)
    # The printed hardness term does not depend on ε and w₀; all others do.
    chosen = ("confidence", "allocation", "slack") if as_printed else ("confidence", "allocation", "hardness")
    decisive = max(bound.terms[name] for name in chosen)
    weights = np.delete(theory.optimal_allocation(means, beta), int(np.argmax(means))) / (1.0 - beta)
    limit = 1.0 / (means.size - 1.0)
    around = np.clip(np.append(weights, bound.parameters["clipping"]), 0.0, limit) * (1.0 - 1e-13)
    for clipping in np.concatenate([np.linspace(0.0, limit, 6), around]):
        for slack in (*np.geomspace(1e-3, 1.0, 12), bound.parameters["slack"]):
            other = theory.upper_bound(means, delta, slack=slack, clipping=clipping, **options)
            reached = max(other.terms[name] for name in chosen)
            assert reached >= decisive * (1.0 - 1e-9) - 1.0
    # The reported parameters do reach the reported value.
    again = theory.upper_bound(means, delta, **bound.parameters, **options)
    assert again.value == pytest.approx(bound.value, rel=1e-8)


@pytest.mark.parametrize("means", INSTANCES, ids=str)
@forms
def test_one_free_parameter_is_optimised_alone(means, as_printed):
    free = theory.upper_bound(means, 0.05, alpha=2.5, as_printed=as_printed)
    slack_only = theory.upper_bound(means, 0.05, alpha=2.5, clipping=0.0, as_printed=as_printed)
    clipping_only = theory.upper_bound(means, 0.05, alpha=2.5, slack=0.2, as_printed=as_printed)
    assert slack_only.parameters["clipping"] == 0.0
    assert clipping_only.parameters["slack"] == 0.2
    assert free.value <= min(slack_only.value, clipping_only.value) * (1.0 + 1e-9) + 1.0


@settings(derandomize=True, deadline=None, max_examples=150, database=None)
@given(
    st.lists(st.floats(min_value=-3.0, max_value=3.0), min_size=1, max_size=10),
    st.floats(min_value=0.02, max_value=0.98),
    st.floats(min_value=1.1, max_value=8.0),
    st.floats(min_value=1.05, max_value=3.0),
    st.floats(min_value=-12.0, max_value=-0.1),
    st.one_of(st.none(), st.floats(min_value=0.01, max_value=1.0)),
    st.one_of(st.none(), st.floats(min_value=0.0, max_value=1.0)),
)
def test_the_repaired_bound_is_never_above_the_printed_one(powers, beta, alpha, s, log_delta, slack, share):
    means = np.array([0.0, *(-(10.0**power) for power in powers)])
    clipping = None if share is None else share / (means.size - 1.0)
    options = {"beta": beta, "alpha": alpha, "s": s, "slack": slack, "clipping": clipping}
    for call in (theory.upper_bound, theory.upper_bound_mixture):
        bound, printed = (call(means, 10.0**log_delta, as_printed=flag, **options) for flag in (False, True))
        assert bound.value <= printed.value * (1.0 + 1e-9) + 1.0


def test_control_the_printed_count_in_the_new_theorem_would_be_larger():
    """Dividing the rounds of wrong leaders by a, as the paper does, undoes the gain: the order above is no accident."""
    means = np.array([0.6, 0.5, 0.45, 0.4, 0.3])
    floor = float(theory.optimal_allocation(means, 0.5).min())

    def misled(n):
        return n - 1 < 2.0 * (theory.wrong_leaderships(means, float(n)) + 2.0) / floor

    assert last_integer(misled, 1, 10**18) > theory.upper_bound(means, 0.05, slack=1.0, clipping=0.0).terms["hardness"]


def test_hardness_grows_like_h_ln_h():
    def per_hardness(gap, **printed):
        bound = theory.upper_bound([gap, 0.0, 0.0], 0.1, slack=1.0, clipping=0.0, **printed)
        return bound.terms["hardness"] / theory.hardness([gap, 0.0, 0.0])

    gaps = (1e-4, 1e-8, 1e-12)
    ours = [per_hardness(gap) / math.log(1.0 / gap) for gap in gaps]
    assert ours[0] > ours[1] > ours[2] > 0.75 * ours[0]
    printed = [per_hardness(gap, as_printed=True) / math.log(1.0 / gap) for gap in gaps]
    assert printed[1] > 10.0 * printed[0], "as printed it does not"


def test_clipping_rescues_an_arm_that_needs_hardly_any_samples():
    means = INSTANCES[3]
    for as_printed in (True, False):
        free, unclipped = (
            theory.upper_bound(means, 0.05, clipping=clipping, as_printed=as_printed) for clipping in (None, 0.0)
        )
        assert free.value < 1e-6 * unclipped.value


@pytest.mark.parametrize("means", INSTANCES, ids=str)
@forms
def test_main_theorem_is_the_general_one_rounded_up(as_printed, means):
    form = {"as_printed": as_printed}
    for delta in (0.3, 0.01, 1e-8):
        general, rounded = theory.upper_bound(means, delta, **form), theory.upper_bound_half(means, delta, **form)
        assert general.value <= rounded.value
        for name in ("confidence", "hardness"):
            at = {"slack": 0.5, "clipping": 0.0, **form}
            exact = theory.upper_bound(means, delta, **at).terms[name]
            assert exact <= theory.upper_bound_half(means, delta, **at).terms[name] <= 1.2 * exact


@pytest.mark.parametrize("means", INSTANCES, ids=str)
@pytest.mark.parametrize(("beta", "alpha", "s"), [(0.5, 1.2, 1.2), (0.3, 2.0, 1.5)])
def test_hardness_term_of_the_mixture_corollary(means, beta, alpha, s):
    options = {"beta": beta, "alpha": alpha, "s": s}
    bound = theory.upper_bound_mixture(means, 0.05, as_printed=True, **options)

    def below(x):
        bonus = theory.bonus_mixture(float(x) ** alpha, alpha=alpha, s=s)
        return x < 2.0 * theory.hardness(means) * bonus / beta + means.size / beta + 2.0

    assert bound.terms["hardness"] == pytest.approx(last_integer(below, 1) ** alpha, rel=1e-9)
    union = theory.upper_bound(means, 0.05, as_printed=True, **options)
    for name in ("confidence", "allocation", "slack"):
        assert bound.terms[name] == union.terms[name]
    at = {"slack": 0.3, "clipping": 0.0, **options}
    expected = counted_terms(means, 0.05, bonus=theory.bonus_mixture, **at)
    for name, value in theory.upper_bound_mixture(means, 0.05, **at).terms.items():
        assert value == pytest.approx(expected[name], rel=1e-9, abs=1.0)


@pytest.mark.parametrize("sigma", [0.5, 1.0])
def test_lucb1(sigma):
    """The formula, against a sum written out; for gaps of at most 2σ clipping plays no part."""
    means = np.array([0.3, 0.9, 0.6, 0.8])
    h = 4.0 * sigma**2 * sum(gap**-2 for gap in (0.6, 0.1, 0.3, 0.1))
    assert theory.upper_bound_lucb1(means, 0.05, sigma=sigma).value == pytest.approx(292 * h * math.log(h / 0.05) + 16)
    half = theory.hardness(means, sigma=sigma)
    assert half == pytest.approx(h / 2.0)
    printed = theory.upper_bound_lucb1(means, 0.05, sigma=sigma, as_printed=True)
    assert printed.value == pytest.approx(292 * half * math.log(half / 0.05) + 16)
    huge = theory.upper_bound_lucb1([1e9, 0.0, 0.0], 0.05)
    assert huge.value == pytest.approx(292 * 3.0 * math.log(3.0 / 0.05) + 16), "an arm is pulled once at least"


@pytest.mark.parametrize("means", INSTANCES, ids=str)
@pytest.mark.parametrize("delta", [0.1, 1e-10])
@pytest.mark.parametrize(("alpha", "s"), [(1.2, 1.2), (2.0, 1.5)])
def test_uniform_sampling(means, delta, alpha, s):
    arms = means.size
    gap = np.sort(means)[-1] - np.sort(means)[-2]
    factor = alpha * (2.0 + s)

    def unsettled(n):
        c = theory.threshold_proven(n - 1, delta, arms)
        return n - 1 <= 4.0 * arms / gap**2 * (math.sqrt(c) + math.sqrt(factor * math.log(n))) ** 2

    confidence = last_integer(unsettled, arms + 1)
    bound = theory.upper_bound_uniform(means, delta, alpha=alpha, s=s)
    assert dict(bound.terms) == {"confidence": confidence}
    assert bound.value == pytest.approx(confidence + arms + (arms - 1.0) * zeta(factor, 2.0), rel=1e-12)
    x = 8.0 * alpha * arms * (1.0 + s) / gap**2
    printed = theory.upper_bound_uniform(means, delta, alpha=alpha, s=s, as_printed=True)
    assert printed.terms["confidence"] == confidence
    assert printed.terms["hardness"] == pytest.approx(x * theory.lambert_bar(math.log(x)), rel=1e-12)
    assert printed.value == pytest.approx(max(printed.terms.values()) + 1.0 + (2.0 * arms - 1.0) * zeta(s))


def test_uniform_sampling_of_easy_instances():
    bound = theory.upper_bound_uniform([1e3, 0.0, 0.0], 0.1, as_printed=True)
    assert bound.terms["confidence"] == 3.0
    assert bound.terms["hardness"] == pytest.approx(8.0 * 1.2 * 3.0 * 2.2 / 1e6)
    assert theory.upper_bound_uniform([1e3, 0.0, 0.0], 0.1).value == pytest.approx(6.0 + 2.0 * zeta(3.84, 2.0))


@pytest.mark.parametrize(
    "call",
    [
        theory.upper_bound,
        theory.upper_bound_half,
        theory.upper_bound_mixture,
        theory.upper_bound_uniform,
        theory.upper_bound_lucb1,
        partial(theory.upper_bound, as_printed=True),
        partial(theory.upper_bound_uniform, as_printed=True),
    ],
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
    """limsup T₀(δ)/ln(1/δ) with ε → 0: 2T*_½ as printed (after the main theorem), T*_½/(½ + min w) here."""
    means = [1.0, 0.0, 0.0]
    for factor, as_printed in ((2.0, True), (1.0 / 0.75, False)):
        limit = factor * theory.characteristic_time(means, 0.5)
        bounds = [theory.upper_bound(means, delta, as_printed=as_printed) for delta in (1e-20, 1e-300)]
        ratios = [
            bound.terms["confidence"] / math.log(1.0 / delta)
            for bound, delta in zip(bounds, (1e-20, 1e-300), strict=True)
        ]
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
