"""Laws that characteristic times and allocations obey on every instance (Hypothesis, fixed examples)."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from toptwo import theory

laws = settings(derandomize=True, deadline=None, max_examples=150, database=None)
slower_laws = settings(laws, max_examples=60)  # the nested search of other families
ROUNDING = 1e-11

# Multiples of 1/64 add and subtract exactly, so that shifts and permutations change no gap by rounding.
grid = st.integers(min_value=-4000, max_value=4000).map(lambda number: number / 64.0)
families = st.sampled_from(["bernoulli", "poisson", "exponential", "gamma"])
shares = st.floats(min_value=0.02, max_value=0.98)


@st.composite
def instances(draw, most=12):
    """Return means with one best arm at any place; sub-optimal arms may be equal."""
    values = draw(st.lists(grid, min_size=1, max_size=most - 1))
    top = max(values) + draw(st.integers(min_value=1, max_value=640)) / 64.0
    values.insert(draw(st.integers(min_value=0, max_value=len(values))), top)
    return np.array(values)


@st.composite
def family_instances(draw):
    """Return a family and means inside it."""
    family = draw(families)
    raw = draw(instances(most=6))
    inside = (raw - raw.min() + 1.0) / (np.ptp(raw) + 2.0)
    return family, inside if family == "bernoulli" else 4.0 * inside


def both(means, beta=None, **law):
    return theory.characteristic_time(means, beta, **law), theory.optimal_allocation(means, beta, **law)


@laws
@given(instances(), st.randoms(use_true_random=False), st.sampled_from([None, 0.5, 0.1]))
def test_permutation_equivariance(means, random, beta):
    order = list(range(means.size))
    random.shuffle(order)
    time, allocation = both(means, beta)
    shuffled_time, shuffled = both(means[order], beta)
    np.testing.assert_allclose(shuffled_time, time, rtol=ROUNDING)
    np.testing.assert_allclose(shuffled, allocation[order], rtol=ROUNDING)


@laws
@given(instances(), grid, st.sampled_from([None, 0.5, 0.1]))
def test_shift_invariance(means, shift, beta):
    time, allocation = both(means, beta)
    shifted_time, shifted = both(means + shift, beta)
    assert shifted_time == time
    np.testing.assert_array_equal(shifted, allocation)


@laws
@given(instances(), st.floats(min_value=1e-3, max_value=1e3), st.sampled_from([None, 0.5, 0.1]))
def test_scale_law(means, factor, beta):
    # Distances to the best arm keep the rounding of factor · mean out of the gaps.
    base = means - means.max()
    time, allocation = both(base, beta)
    scaled_time, scaled = both(factor * base, beta)
    np.testing.assert_allclose(scaled_time, time / factor**2, rtol=ROUNDING)
    np.testing.assert_allclose(scaled, allocation, rtol=ROUNDING)
    np.testing.assert_allclose(theory.hardness(factor * base), theory.hardness(base) / factor**2, rtol=ROUNDING)


@laws
@given(instances(), st.one_of(st.none(), shares))
def test_allocations_lie_on_the_simplex(means, beta):
    allocation = theory.optimal_allocation(means, beta)
    assert (allocation > 0.0).all()
    assert abs(allocation.sum() - 1.0) <= 1e-12
    if beta is not None:
        assert allocation[np.argmax(means)] == beta
    order = np.argsort(means)[:-1]
    assert (np.diff(allocation[order]) >= -1e-15).all(), "a better arm gets at least as much"


@laws
@given(instances())
def test_time_lies_between_once_and_twice_the_hardness(means):
    time, hard = theory.characteristic_time(means), theory.hardness(means)
    assert hard * (1.0 - ROUNDING) <= time <= 2.0 * hard * (1.0 + ROUNDING)


@laws
@given(instances())
def test_share_of_the_best_arm(means):
    inverse = 1.0 / theory.optimal_allocation(means)[np.argmax(means)]
    assert 2.0 * (1.0 - ROUNDING) <= inverse <= (np.sqrt(means.size - 1.0) + 1.0) * (1.0 + ROUNDING)


@laws
@given(instances())
def test_proposition_10_encloses_the_time(means):
    time, (low, high) = theory.characteristic_time(means), theory.characteristic_time_range(means)
    assert low * (1.0 - ROUNDING) <= time <= high * (1.0 + ROUNDING)


@laws
@given(instances(), st.integers(min_value=0, max_value=10), st.integers(min_value=1, max_value=640))
def test_a_wider_gap_never_costs_more(means, which, widening):
    arm = which % means.size
    if arm == np.argmax(means):
        return
    easier = means.copy()
    easier[arm] -= widening / 64.0
    for beta in (None, 0.5, 0.2):
        wide, narrow = theory.characteristic_time(easier, beta), theory.characteristic_time(means, beta)
        assert wide <= narrow * (1.0 + ROUNDING)


@laws
@given(instances(), shares)
def test_robust_beta(means, beta):
    ratio = theory.time_ratio(means, beta)
    assert 1.0 - ROUNDING <= ratio <= theory.time_ratio_bound(means, beta) * (1.0 + ROUNDING)
    assert theory.time_ratio(means) <= 2.0


@laws
@given(instances())
def test_no_ratio_is_above_the_worst(means):
    assert theory.time_ratio(means) <= theory.worst_time_ratio(means.size) * (1.0 + ROUNDING)


@slower_laws
@given(family_instances(), shares)
def test_robust_beta_in_every_family(instance, beta):
    family, means = instance
    ratio = theory.time_ratio(means, beta, family=family)
    assert 1.0 - 1e-9 <= ratio <= theory.time_ratio_bound(means, beta, family=family) * (1.0 + 1e-9)
    assert theory.time_ratio(means, family=family) <= 2.0


@slower_laws
@given(family_instances(), st.randoms(use_true_random=False), st.one_of(st.none(), shares))
def test_families_are_equivariant_and_on_the_simplex(instance, random, beta):
    family, means = instance
    order = list(range(means.size))
    random.shuffle(order)
    time, allocation = both(means, beta, family=family)
    shuffled_time, shuffled = both(means[order], beta, family=family)
    np.testing.assert_allclose(shuffled_time, time, rtol=1e-10)
    np.testing.assert_allclose(shuffled, allocation[order], rtol=1e-9)
    assert (allocation > 0.0).all()
    assert abs(allocation.sum() - 1.0) <= 1e-10
    np.testing.assert_allclose(
        theory.allocation_time(means, allocation / allocation.sum(), family=family), time, rtol=1e-9
    )


@slower_laws
@given(
    st.floats(min_value=1e-3, max_value=1e3),
    st.lists(st.floats(min_value=0.05, max_value=0.999), min_size=1, max_size=5),
)
def test_scale_law_of_exponential_rewards(scale, ratios):
    """Rewards measured in another unit: exponential laws scale, so neither time nor allocation changes."""
    means = np.array([1.0, *ratios])
    time, allocation = both(means, family="exponential")
    scaled_time, scaled = both(scale * means, family="exponential")
    np.testing.assert_allclose(scaled_time, time, rtol=1e-8)
    np.testing.assert_allclose(scaled, allocation, rtol=1e-7)
