"""Characteristic times and allocations against independent solvers and closed forms."""

import math

import numpy as np
import pytest
from scipy.optimize import LinearConstraint, brentq, minimize

from toptwo import theory
from toptwo.errors import InputError
from toptwo.families import Gaussian
from toptwo.theory.nested import NestedSearch

CLOSE = 1e-9


def spread_gaps(rng, arms):
    """Return means whose gaps span 1e-6 to 1e6, the best arm anywhere."""
    gaps = 10.0 ** rng.uniform(-6.0, 6.0, arms)
    gaps[rng.integers(arms)] = 0.0
    return -gaps


def instances():
    rng = np.random.default_rng(20231)
    for arms in (2, 3, 4, 5, 8, 13, 21, 50):
        yield f"normal-{arms}", rng.normal(size=arms)
        yield f"spread-{arms}", spread_gaps(rng, arms)
        tied = np.full(arms, -1.0)
        tied[rng.integers(arms)] = rng.uniform(0.0, 1.0)
        yield f"equal-{arms}", tied
    yield "pairs-of-equal", np.array([0.3, 0.1, 0.3, 0.7, 0.1, 0.1])
    yield "nearly-equal", np.array([0.0, -1.0, -1.0 - 1e-13, -1.0 - 1e-9, -1.0 - 1e-5])
    yield "million-to-one", np.array([-1e6, 0.0, -1e-6, -1e6])


ALL = dict(instances())


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize("beta", [None, 0.5, 0.07, 0.9])
def test_gaussian_agrees_with_decimal_search(name, beta, exact_gaussian):
    time, allocation = exact_gaussian(ALL[name]).solve(beta)
    assert theory.characteristic_time(ALL[name], beta) == pytest.approx(time, rel=CLOSE)
    np.testing.assert_allclose(theory.optimal_allocation(ALL[name], beta), allocation, rtol=CLOSE)


@pytest.mark.parametrize("seed", range(4))
def test_gaussian_agrees_with_a_convex_program(seed):
    """Maximise the smallest cost over the simplex with SciPy, knowing nothing of the structure of the optimum."""
    rng = np.random.default_rng(seed)
    means = rng.uniform(0.0, 1.0, 6)
    best = int(np.argmax(means))
    means[best] += 0.3
    gaps = np.delete(means[best] - means, best)

    def costs(point):
        return gaps**2 / (2.0 * (1.0 / point[0] + 1.0 / point[1:6])) - point[6]

    found = minimize(
        lambda point: -point[6] * 100.0,
        np.append(np.full(6, 1.0 / 6.0), 1e-4),
        bounds=[(1e-6, 1.0)] * 6 + [(0.0, None)],
        constraints=[{"type": "ineq", "fun": lambda point: costs(point) * 100.0}, simplex()],
        options={"maxiter": 1000, "ftol": 1e-15},
        method="SLSQP",
    )
    assert theory.characteristic_time(means) == pytest.approx(1.0 / found.x[6], rel=1e-6)


def simplex():
    return LinearConstraint(np.append(np.ones(6), 0.0), 1.0, 1.0)


@pytest.mark.parametrize("arms", [2, 3, 10, 1000])
def test_closed_forms_at_equal_means(arms):
    means = np.zeros(arms)
    means[arms // 2] = 0.4
    root = math.sqrt(arms - 1.0)
    assert theory.characteristic_time(means) == pytest.approx(2.0 * (1.0 + root) ** 2 / 0.16, rel=1e-13)
    assert theory.characteristic_time(means, 0.5) == pytest.approx(4.0 * arms / 0.16, rel=1e-13)
    assert theory.optimal_allocation(means)[arms // 2] == pytest.approx(1.0 / (1.0 + root), rel=1e-13)
    assert theory.time_ratio(means) == pytest.approx(theory.worst_time_ratio(arms), rel=1e-13)
    # General β: w_i = (1−β)/(K−1) by symmetry.
    for beta in (0.01, 0.3, 0.99):
        expected = 2.0 / 0.16 * (1.0 / beta + (arms - 1.0) / (1.0 - beta))
        assert theory.characteristic_time(means, beta) == pytest.approx(expected, rel=1e-13)


@pytest.mark.parametrize("beta", [None, 0.2, 0.5, 0.8])
def test_closed_form_of_two_arms(beta):
    share = 0.5 if beta is None else beta
    assert theory.characteristic_time([0.1, 0.7], beta) == pytest.approx(
        2.0 / (share * (1.0 - share)) / 0.36, rel=1e-13
    )
    np.testing.assert_allclose(theory.optimal_allocation([0.1, 0.7], beta), [1.0 - share, share], rtol=1e-13)


@pytest.mark.parametrize("beta", [None, 0.5])
def test_batches_equal_single_instances(beta):
    means = np.random.default_rng(3).normal(size=(40, 7))
    times, allocations = theory.characteristic_time(means, beta), theory.optimal_allocation(means, beta)
    assert times.shape == (40,)
    assert allocations.shape == (40, 7)
    for row, time, allocation in zip(means, times, allocations, strict=True):
        assert theory.characteristic_time(row, beta) == time
        np.testing.assert_array_equal(theory.optimal_allocation(row, beta), allocation)


def test_beta_and_delta_broadcast():
    means, betas = [0.5, 0.2, 0.1], [0.2, 0.5, 0.7]
    expected = [theory.characteristic_time(means, beta) for beta in betas]
    np.testing.assert_array_equal(theory.characteristic_time(means, betas), expected)
    assert theory.optimal_allocation(means, betas).shape == (3, 3)
    bounds = theory.lower_bound(means, [0.1, 0.01])
    np.testing.assert_allclose(bounds, [theory.lower_bound(means, 0.1), theory.lower_bound(means, 0.01)])


def test_allocation_attains_the_time_and_no_other_beats_it():
    rng = np.random.default_rng(8)
    means = rng.normal(size=(30, 6))
    times, allocations = theory.characteristic_time(means), theory.optimal_allocation(means)
    np.testing.assert_allclose(theory.allocation_time(means, allocations), times, rtol=1e-12)
    for _ in range(50):
        others = allocations * np.exp(0.1 * rng.normal(size=allocations.shape))
        others /= others.sum(axis=-1, keepdims=True)
        assert (theory.allocation_time(means, others) > times).all()


def test_sigma_and_epsilon_rescale_and_widen():
    means = np.array([0.2, 0.9, 0.5])
    assert theory.characteristic_time(means, sigma=3.0) == pytest.approx(theory.characteristic_time(means / 3.0))
    assert theory.hardness(means, sigma=3.0) == pytest.approx(theory.hardness(means / 3.0))
    lowered = means - np.array([0.1, 0.0, 0.1])
    assert theory.characteristic_time(means, epsilon=0.1) == pytest.approx(theory.characteristic_time(lowered))
    # Two best arms are a fair question once any arm within a margin will do.
    assert theory.characteristic_time([0.5, 0.5], epsilon=0.1) == pytest.approx(8.0 / 0.01)


@pytest.mark.parametrize("scale", [1e-150, 1e150, 1.0])
def test_extreme_gaps_neither_overflow_nor_warn(scale):
    base = np.array([1.0, 0.0, -1.0, -5.0])
    means = base * scale
    assert theory.characteristic_time(means) * scale * scale == pytest.approx(
        theory.characteristic_time(base), rel=1e-12
    )
    for beta in (None, 0.5, 0.01):
        np.testing.assert_allclose(
            theory.optimal_allocation(means, beta), theory.optimal_allocation(base, beta), rtol=1e-12
        )
    assert theory.hardness(means) * scale * scale == pytest.approx(theory.hardness(base), rel=1e-12)
    assert math.isfinite(theory.lower_bound(means, 0.1))


def test_gaps_of_all_sizes_at_once():
    means = np.array([1e-150, 0.0, -1e150])
    assert theory.characteristic_time(means) == pytest.approx(8e300)
    allocation = theory.optimal_allocation(means)
    np.testing.assert_allclose(allocation[:2], 0.5)
    assert 0.0 < allocation[2] < 1e-300


def test_a_million_arms():
    means = np.random.default_rng(5).normal(size=1_000_000)
    allocation = theory.optimal_allocation(means)
    best = int(np.argmax(means))
    assert allocation.sum() == pytest.approx(1.0, abs=1e-12)
    # First-order condition of the Gaussian optimum: w_best² = Σ w_i² over the others.
    assert (np.delete(allocation, best) ** 2).sum() == pytest.approx(allocation[best] ** 2, rel=1e-10)


# ---------------------------------------------------------------------------------------------------- other families


FAMILIES = ("gaussian", "bernoulli", "poisson", "exponential", "gamma")


def naive_divergence(family, p, q):
    if family == "bernoulli":
        return p * math.log(p / q) + (1.0 - p) * math.log((1.0 - p) / (1.0 - q))
    if family == "poisson":
        return q - p + p * math.log(p / q)
    if family in ("exponential", "gamma"):
        return (2.0 if family == "gamma" else 1.0) * (p / q - 1.0 - math.log(p / q))
    return 0.5 * (p - q) ** 2


def naive_cost(family, top, mean, share, weight):
    """Return the transportation cost of one pair through the pooled mean."""
    pooled = (share * top + weight * mean) / (share + weight)
    return share * naive_divergence(family, top, pooled) + weight * naive_divergence(family, mean, pooled)


def naive_time(family, means, share):
    """Return T*_β and the shares of the sub-optimal arms by two bracketed searches in (w, 1/T)."""
    top, others = max(means), sorted(means)[:-1]

    def weight(mean, cost):
        return brentq(lambda w: naive_cost(family, top, mean, share, w) - cost, 1e-14, 1e9, xtol=1e-16, rtol=1e-14)

    ceiling = min(naive_cost(family, top, mean, share, 1e9) for mean in others)
    cost = brentq(
        lambda trial: sum(weight(mean, trial) for mean in others) - (1.0 - share),
        ceiling * 1e-9,
        ceiling * (1.0 - 1e-9),
        xtol=1e-18,
        rtol=1e-14,
    )
    return 1.0 / cost, [weight(mean, cost) for mean in others]


def family_instances(family, seed):
    rng = np.random.default_rng(seed)
    draw = {
        "gaussian": rng.normal,
        "bernoulli": lambda size: rng.uniform(0.05, 0.95, size),
        "poisson": lambda size: rng.uniform(0.1, 20.0, size),
        "exponential": lambda size: rng.uniform(0.2, 5.0, size),
        "gamma": lambda size: rng.uniform(0.2, 5.0, size),
    }[family]
    return [draw(size=arms) for arms in (2, 3, 6)]


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("beta", [0.5, 0.2])
def test_family_times_at_fixed_share(family, beta):
    for means in family_instances(family, 11):
        time, weights = naive_time(family, means, beta)
        assert theory.characteristic_time(means, beta, family=family) == pytest.approx(time, rel=CLOSE)
        allocation = theory.optimal_allocation(means, beta, family=family)
        np.testing.assert_allclose(allocation[np.argsort(means)[:-1]], weights, rtol=CLOSE)


@pytest.mark.parametrize("family", FAMILIES)
def test_family_times_at_best_share(family):
    """The optimum over β of the independent search; a minimum is flat, so T agrees far better than β itself."""
    for means in family_instances(family, 12):
        found = minimize_share(family, means)
        allocation = theory.optimal_allocation(means, family=family)
        assert theory.characteristic_time(means, family=family) == pytest.approx(found.fun, rel=CLOSE)
        assert allocation.max() > 0.0
        assert allocation[np.argmax(means)] == pytest.approx(found.x, rel=1e-5)
        # With the best share given, the independent search pins all the others.
        _, weights = naive_time(family, means, allocation[np.argmax(means)])
        np.testing.assert_allclose(allocation[np.argsort(means)[:-1]], weights, rtol=CLOSE)
        assert stationarity(family, means, allocation) == pytest.approx(1.0, rel=CLOSE)


def minimize_share(family, means):
    from scipy.optimize import minimize_scalar

    return minimize_scalar(
        lambda share: naive_time(family, means, share)[0],
        bounds=(0.02, 0.98),
        method="bounded",
        options={"xatol": 1e-9},
    )


def stationarity(family, means, allocation):
    """Return Σ d(μ_best, m_a)/d(μ_a, m_a), which is 1 at the optimum (Garivier and Kaufmann, 2016, Theorem 5)."""
    best = int(np.argmax(means))
    total = 0.0
    for arm in range(len(means)):
        if arm != best:
            shares = allocation[best] + allocation[arm]
            pooled = (allocation[best] * means[best] + allocation[arm] * means[arm]) / shares
            total += naive_divergence(family, means[best], pooled) / naive_divergence(family, means[arm], pooled)
    return total


@pytest.mark.parametrize("beta", [None, 0.5, 0.1])
def test_one_sigma_per_arm_against_a_nested_search(beta, seed):
    """At the optimum all costs Δ²/(2(σ_b²/w_b + σ_i²/w_i)) are equal: search that cost, then the best arm's share."""
    from scipy.optimize import brentq, minimize_scalar

    rng = np.random.default_rng(seed)
    means, sigma = np.array([0.2, 1.0, 0.5, 0.7]), rng.uniform(0.3, 3.0, 4)
    law, best, others = Gaussian(sigma.tolist()), 1, np.array([0, 2, 3])
    half = 0.5 * (means[best] - means[others]) ** 2

    def shares(share, cost):
        return sigma[others] ** 2 / (half / cost - sigma[best] ** 2 / share)

    def cost_of(share):
        most = half.min() * share / sigma[best] ** 2
        return brentq(
            lambda cost: shares(share, cost).sum() - (1.0 - share), 1e-9 * most, most * (1 - 1e-12), xtol=1e-16
        )

    if beta is None:
        found = minimize_scalar(
            lambda share: -cost_of(share), bounds=(0.01, 0.99), options={"xatol": 1e-9}, method="bounded"
        )
        share = found.x
    else:
        share = beta
    weights = np.insert(shares(share, cost_of(share)), best, share)
    time = theory.characteristic_time(means, beta, family=law)
    assert time == pytest.approx(1.0 / cost_of(share), rel=1e-9)
    allocation = theory.optimal_allocation(means, beta, family=law)
    assert theory.allocation_time(means, allocation, family=law) == pytest.approx(time, rel=1e-12)
    np.testing.assert_allclose(allocation, weights, atol=1e-6)
    equal = Gaussian([1.5] * 4)
    assert theory.characteristic_time(means, beta, family=equal) == theory.characteristic_time(means, beta, sigma=1.5)


@pytest.mark.parametrize("beta", [None, 0.5, 0.03])
def test_nested_search_reproduces_the_gaussian_newton(beta):
    means = np.random.default_rng(4).normal(size=(50, 9))
    rows = None if beta is None else np.full(50, beta)
    time, allocation = NestedSearch(means, lambda mean, move: 0.5 * move.shift * move.shift).solve(rows)
    np.testing.assert_allclose(time, theory.characteristic_time(means, beta), rtol=1e-12)
    np.testing.assert_allclose(allocation, theory.optimal_allocation(means, beta), rtol=1e-12)


@pytest.mark.parametrize(
    ("family", "means", "expected"),
    [
        # d(1, x) = −ln x and d(0, x) = −ln(1−x): both cost ln 2 at x = ½, whatever the split.
        ("bernoulli", [1.0, 0.0], 1.0 / math.log(2.0)),
        ("bernoulli", [0.3, 0.7], 1.0 / (0.7 * math.log(1.4) + 0.3 * math.log(0.6))),
    ],
)
def test_families_at_the_border_and_in_symmetry(family, means, expected):
    assert theory.characteristic_time(means, family=family) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("family", FAMILIES[1:])
def test_families_look_gaussian_at_small_gaps(family):
    """d(p, q) ≈ (p−q)²/(2 variance): the times agree to first order in the gap, without cancellation at 1e-7."""
    gaps = np.array([0.0, 1.0, 1.5, 4.0]) * 2.0**-24
    variance = {"bernoulli": 0.25, "poisson": 0.5, "exponential": 0.25, "gamma": 0.125}[family]
    found = theory.characteristic_time(0.5 - gaps, family=family)
    assert found == pytest.approx(variance * theory.characteristic_time(-gaps), rel=1e-6)


def test_a_thousand_arms_of_a_family():
    means = np.random.default_rng(6).uniform(0.01, 0.99, 1000)
    allocation = theory.optimal_allocation(means, family="bernoulli")
    assert stationarity("bernoulli", means, allocation) == pytest.approx(1.0, rel=1e-9)
    assert allocation.sum() == pytest.approx(1.0, abs=1e-12)


@pytest.mark.parametrize("family", FAMILIES[1:])
@pytest.mark.parametrize("beta", [None, 0.5, 0.01, 0.99])
def test_families_keep_their_digits_at_extreme_means(family, beta):
    """Means within 1e-12 of the border, or over 16 decades: the costs still balance and the shares sum to one."""
    rng = np.random.default_rng(9)
    tiny = 10.0 ** rng.uniform(-12.0, -0.3, size=(100, 5))
    if family == "bernoulli":
        means = np.where(rng.random(tiny.shape) < 0.5, tiny, 1.0 - tiny)
    else:
        means = 10.0 ** rng.uniform(-8.0, 8.0, size=tiny.shape)
    times, allocations = both_of(means, beta, family)
    np.testing.assert_allclose(allocations.sum(axis=-1), 1.0, rtol=1e-12)
    np.testing.assert_allclose(theory.allocation_time(means, allocations, family=family), times, rtol=1e-9)


def both_of(means, beta, family):
    return (
        theory.characteristic_time(means, beta, family=family),
        theory.optimal_allocation(means, beta, family=family),
    )


# --------------------------------------------------------------------------------------------------------- bad input


@pytest.mark.parametrize("call", [theory.characteristic_time, theory.optimal_allocation, theory.hardness, theory.plan])
def test_two_best_arms_are_explained(call):
    arguments = ([0.6, 0.2, 0.6],) if call is not theory.plan else ([0.6, 0.2, 0.6], 0.1)
    with pytest.raises(InputError, match=r"two best arms .*0 and 2.*T\* is infinite.*epsilon"):
        call(*arguments)


def test_the_tied_instance_is_named():
    with pytest.raises(InputError, match="in instance 1"):
        theory.characteristic_time([[0.6, 0.5], [0.5, 0.5]])


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: theory.characteristic_time([0.5]), "at least 2 arms"),
        (lambda: theory.characteristic_time([0.5, math.nan]), "finite"),
        (lambda: theory.characteristic_time([0.5, "x"]), "numbers"),
        (lambda: theory.characteristic_time([0.5, 0.1], beta=1.0), "beta must be a probability"),
        (lambda: theory.characteristic_time([[0.5, 0.1]] * 2, beta=[0.1, 0.2, 0.3]), "does not fit"),
        (lambda: theory.characteristic_time([0.5, 0.1], sigma=0.0), "sigma must be a finite number above 0"),
        (lambda: theory.characteristic_time([0.5, 0.1], epsilon=-0.1), "epsilon"),
        (lambda: theory.characteristic_time([0.5, 0.1], family="bernuli"), "did you mean 'bernoulli'"),
        (lambda: theory.characteristic_time([1.5, 0.1], family="bernoulli"), "between 0 and 1"),
        (lambda: theory.characteristic_time([1.5, -0.1], family="poisson"), "at least 0"),
        (lambda: theory.characteristic_time([1.5, 0.0], family="exponential"), "above 0"),
        (lambda: theory.characteristic_time([0.5, 0.1], family="poisson", sigma=2.0), "sigma belongs"),
        (
            lambda: theory.characteristic_time([0.5, 0.1], family="poisson", epsilon=0.1),
            "epsilon is settled",
        ),
        (lambda: theory.characteristic_time([1e-170, 0.0]), "exceeds the largest float"),
        (lambda: theory.characteristic_time([1.7e308, -1.7e308]), "more than a float can hold"),
        (lambda: theory.lower_bound([0.5, 0.1], 0.0), "delta must be a probability"),
        (lambda: theory.lower_bound([0.5, 0.1], [0.1, 2.0]), "entry 2.0"),
        (lambda: theory.allocation_time([0.5, 0.1], [0.5, 0.6]), "sum to 1"),
        (lambda: theory.allocation_time([0.5, 0.1], [0.5, 0.3, 0.2]), "one share for each"),
    ],
)
def test_bad_input_names_the_remedy(call, said):
    with pytest.raises(InputError, match=said):
        call()


def test_lower_bound_is_void_beyond_its_range():
    assert theory.lower_bound([0.5, 0.1], 0.45) == 0.0
    assert theory.lower_bound([0.5, 0.1], 0.1) == pytest.approx(50.0 * math.log(1.0 / 0.24))
