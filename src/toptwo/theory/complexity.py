"""How hard an instance is: hardness, characteristic times, optimal allocations and the lower bound they give."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from toptwo import checks
from toptwo.errors import InputError
from toptwo.families import Gaussian
from toptwo.theory.arguments import FloatOrArray, Floats, gaps_of, probabilities, unwrap
from toptwo.theory.divergences import DIVERGENCES, Divergence, pair_divergences
from toptwo.theory.laws import check_question, deviations_of, law_of
from toptwo.theory.nested import NestedSearch
from toptwo.theory.newton import relative_weights


def hardness(means: ArrayLike, *, sigma: float = 1.0) -> FloatOrArray:
    """Return H(μ) = 2σ²/Δ_min² + Σ 2σ²/Δ_i² (paper, section 1.1); H ≤ T* ≤ 2H.

    Parameters
    ----------
    means
        Means of shape (K,) or (instances, K), with one best arm each.
    sigma
        Standard deviation of the rewards.

    Examples
    --------
    >>> round(hardness([1.0, 0.85, 0.8, 0.7]), 3)
    250.0
    """
    return _sum_of_inverse_gaps(means, sigma, first_term=1.0)


def hardness_one(means: ArrayLike, *, sigma: float = 1.0) -> FloatOrArray:
    """Return H₁(μ) = Σ 2σ²/Δ_i², the hardness without its first term (paper, Lemma "UCB leader, counts").

    Examples
    --------
    >>> round(hardness_one([1.0, 0.85, 0.8, 0.7]), 3)
    161.111
    """
    return _sum_of_inverse_gaps(means, sigma, first_term=0.0)


def _sum_of_inverse_gaps(means: ArrayLike, sigma: float, first_term: float) -> FloatOrArray:
    scale = checks.at_least("sigma", sigma, 0.0, strict=True)
    gaps = gaps_of(checks.means(means))
    return unwrap(_in_rounds(2.0 * (first_term + gaps.shares.sum(axis=-1)), gaps.smallest, scale))


def _in_rounds(factor: Floats, smallest: Floats, sigma: Floats | float) -> Floats:
    """Return factor · (σ/Δ_min)², refusing what a float cannot hold."""
    with np.errstate(over="ignore", under="ignore"):
        ratio = sigma / smallest
        rounds: Floats = factor * ratio * ratio
    if not np.isfinite(rounds).all():
        raise InputError(
            f"the two best means are only {smallest.min():g} apart, and the number of samples that takes exceeds the"
            " largest float: rescale the rewards, or ask for any arm within epsilon of the best."
        )
    return rounds


def characteristic_time(
    means: ArrayLike,
    beta: ArrayLike | None = None,
    *,
    family: Any = None,
    sigma: float | None = None,
    epsilon: float = 0.0,
) -> FloatOrArray:
    """Return T*(μ), or T*_β(μ) if `beta` is given: samples per unit of ln(1/δ) that no algorithm can beat.

    Gaussian: Lemma "Proposition 8" in its corrected form T* = 2r(1 + Σ 1/(rΔ²−1)), and Lemma "rewriting of T*_β",
    T*_β = 2r/β. Other families: the nested root search of Garivier and Kaufmann (2016).

    Parameters
    ----------
    means
        Means of shape (K,) or (instances, K), with one best arm each.
    beta
        Share of samples that the best arm must get; an array broadcasts against the instances. Without it the share
        is optimised too.
    family
        Law of the rewards as in `tt.simulate`: a name or an object, `tt.Gaussian(sigma=1.0)` by default, with one σ or
        one per arm. Bounded rewards and unknown variances are refused with the reason.
    sigma
        Short for `family=tt.Gaussian(sigma)`.
    epsilon
        Margin of Gaussian problems: any arm within `epsilon` of the best is a right answer, which widens each gap by
        `epsilon`. Two equally good best arms need one.

    Examples
    --------
    >>> round(characteristic_time([1.0, 0.85, 0.8, 0.7]), 2)
    449.87
    >>> round(characteristic_time([1.0, 0.85, 0.8, 0.7], beta=0.5), 2)
    464.56
    >>> characteristic_time([0.75, 0.25])
    32.0
    >>> round(characteristic_time([0.75, 0.25], family="bernoulli"), 4)
    7.6446
    """
    time, _ = times_and_allocations(means, beta, law_of(family, sigma), epsilon)
    return unwrap(time)


def optimal_allocation(
    means: ArrayLike,
    beta: ArrayLike | None = None,
    *,
    family: Any = None,
    sigma: float | None = None,
    epsilon: float = 0.0,
) -> Floats:
    """Return w*(μ), or w*_β(μ) if `beta` is given: the share of samples each arm gets at the optimum.

    Unique and positive by Lemma "properties of characteristic times"; parameters as in `characteristic_time` (a common
    `sigma` does not change the shares).

    Examples
    --------
    >>> optimal_allocation([1.0, 0.85, 0.8, 0.7]).round(4)
    array([0.4125, 0.3793, 0.1521, 0.0561])
    >>> optimal_allocation([0.0, 1.0, 0.0], beta=0.5)
    array([0.25, 0.5 , 0.25])
    """
    return times_and_allocations(means, beta, law_of(family, sigma), epsilon)[1]


def times_and_allocations(
    means: ArrayLike, beta: ArrayLike | None, law: Any, epsilon: float = 0.0
) -> tuple[Floats, Floats]:
    """Return the characteristic times and the allocations of all instances from one search.

    Examples
    --------
    >>> time, allocation = times_and_allocations([1.0, 0.0], None, law_of("gaussian"))
    >>> float(time), allocation
    (8.0, array([0.5, 0.5]))
    """
    values, margin = checks.means(means), checks.margin("epsilon", epsilon)
    check_question(law, values, margin)
    share = None if beta is None else probabilities("beta", beta)
    if share is not None:
        try:
            lead = np.broadcast_shapes(values.shape[:-1], share.shape)
        except ValueError:
            raise InputError(f"beta of shape {share.shape} does not fit {values.shape[0]} instances.") from None
        values = np.broadcast_to(values, (*lead, values.shape[-1]))
        share = np.broadcast_to(share, lead)
    if isinstance(law, Gaussian):
        return _gaussian(values, share, deviations_of(law, values.shape[-1]), margin)
    return _general(values, share, DIVERGENCES[type(law)](law))


def _gaussian(means: Floats, beta: Floats | None, sigma: Floats, epsilon: float) -> tuple[Floats, Floats]:
    gaps = gaps_of(means, epsilon)
    leading = sigma[gaps.best]
    excess, weights = relative_weights(gaps, beta, (sigma / leading[..., None]) ** 2)
    share = 1.0 / (1.0 + weights.sum(axis=-1)) if beta is None else beta
    time = _in_rounds(2.0 * (1.0 + excess) / share, gaps.smallest, leading)
    # Every optimal share is positive (Lemma "properties of characteristic times"), also where a float would round to 0.
    weights = np.maximum(weights * share[..., None], np.finfo(np.float64).tiny)
    np.put_along_axis(weights, np.expand_dims(gaps.best, -1), share[..., None], axis=-1)
    return time, weights


def _general(means: Floats, beta: Floats | None, divergence: Divergence) -> tuple[Floats, Floats]:
    lead = means.shape[:-1]
    rows = None if beta is None else beta.reshape(-1)
    time, allocation = NestedSearch(means.reshape(-1, means.shape[-1]), divergence).solve(rows)
    return time.reshape(lead), allocation.reshape(means.shape)


def allocation_time(
    means: ArrayLike,
    allocation: ArrayLike,
    *,
    family: Any = None,
    sigma: float | None = None,
    epsilon: float = 0.0,
) -> FloatOrArray:
    """Return 1/min over i of the transportation cost of arm i at shares `allocation` (paper, Lemma "lower bound").

    Its minimum over allocations is T*, over allocations that give the best arm β it is T*_β; uniform sampling has
    4Kσ²/Δ_min². Shares broadcast against the instances.

    Examples
    --------
    >>> round(allocation_time([1.0, 0.85, 0.8, 0.7], [0.25, 0.25, 0.25, 0.25]), 2)
    711.11
    """
    return unwrap(1.0 / pair_rates(means, allocation, law_of(family, sigma), epsilon).min(axis=-1))


def pair_rates(means: ArrayLike, allocation: ArrayLike, law: Any, epsilon: float = 0.0) -> Floats:
    """Return the growth per sample of the test statistic of (best arm, i); infinite for the best arm itself.

    Examples
    --------
    >>> pair_rates([1.0, 0.0], [0.5, 0.5], law_of("gaussian"))
    array([  inf, 0.125])
    """
    values, margin = checks.means(means), checks.margin("epsilon", epsilon)
    check_question(law, values, margin)
    gaps = gaps_of(values, margin)
    shares = _shares(allocation, values)
    column = np.expand_dims(gaps.best, -1)
    top, leading = np.take_along_axis(values, column, axis=-1), np.take_along_axis(shares, column, axis=-1)
    distance = top - values + margin
    if isinstance(law, Gaussian):
        sigma = deviations_of(law, values.shape[-1])
        spread = sigma[column]
        with np.errstate(over="ignore", under="ignore"):
            scaled, ratio = distance / spread, sigma / spread
            rates = 0.5 * scaled * scaled * leading * (shares / (leading * ratio * ratio + shares))
    else:
        pulled, left = shares / (leading + shares), leading / (leading + shares)
        # The best arm against itself would divide zero by zero when nothing but the gap counts.
        divergence = DIVERGENCES[type(law)](law)
        of_top, of_arm = pair_divergences(divergence, top, values, pulled * distance, left * distance)
        rates = leading * of_top + shares * of_arm
    np.put_along_axis(rates, column, np.inf, axis=-1)
    return rates


def _shares(allocation: ArrayLike, means: Floats) -> Floats:
    """Return an allocation over the arms of `means`, checked to be positive and to sum to one."""
    try:
        shares = np.broadcast_to(np.asarray(allocation, dtype=np.float64), means.shape)
    except (TypeError, ValueError):
        raise InputError(f"allocation must hold one share for each of the {means.shape[-1]} arms.") from None
    if not (shares > 0.0).all() or not (np.abs(shares.sum(axis=-1) - 1.0) <= 1e-9).all():
        raise InputError("allocation must hold positive shares that sum to 1.")
    return shares


def lower_bound(means: ArrayLike, delta: ArrayLike, *, family: Any = None, sigma: float | None = None) -> FloatOrArray:
    """Return T*(μ) ln(1/(2.4δ)), below which no δ-correct algorithm's mean stopping time falls (Lemma "lower bound").

    Beyond δ = 1/2.4 the bound says nothing and 0 is returned. An array of δ broadcasts against the instances.

    Examples
    --------
    >>> round(lower_bound([1.0, 0.85, 0.8, 0.7], 0.05), 1)
    953.8
    """
    return lower_bound_of(characteristic_time(means, family=family, sigma=sigma), delta)


def lower_bound_of(time: ArrayLike, delta: ArrayLike) -> FloatOrArray:
    """Return the lower bound of instances whose characteristic time is known.

    Examples
    --------
    >>> lower_bound_of(100.0, 0.5)
    0.0
    """
    risk = probabilities("delta", delta)
    return unwrap(np.asarray(time) * np.maximum(0.0, -np.log(2.4 * risk)))
