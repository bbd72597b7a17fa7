"""The paper's non-asymptotic upper bounds on the mean stopping time, each with the term that decides it.

All hold for the `proven` threshold and Gaussian (or σ-sub-Gaussian) rewards.
"""

import math
from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from toptwo import checks, special
from toptwo.errors import InputError
from toptwo.theory.arguments import Floats, gaps_of
from toptwo.theory.bound import Bound, Row, collect
from toptwo.theory.complexity import hardness, times_and_allocations
from toptwo.theory.functions import concentration_parameters
from toptwo.theory.implicit import from_log, last_round, log_hardness_time, log_mixture_time
from toptwo.theory.thresholds import log_odds
from toptwo.theory.tradeoff import Tradeoff


class Setting(NamedTuple):
    """The constants of one form of the general theorem."""

    beta: float
    alpha: float
    log_factor: float
    additive: float
    slack: float | None
    clipping: float | None


def upper_bound(
    means: ArrayLike,
    delta: float,
    *,
    beta: float = 0.5,
    alpha: float = 1.2,
    s: float = 1.2,
    slack: float | None = None,
    clipping: float | None = None,
    sigma: float = 1.0,
) -> Bound:
    """Return the bound of the general theorem on TTUCB with g_u: max{T₀(δ), C_μ^α, C₀^{α/(α−1)}, C₁^α} + C₂.

    Parameters
    ----------
    means
        Means of shape (K,) or (instances, K), with one best arm each.
    delta
        Error probability.
    beta, alpha, s
        Share of the leader, and the concentration parameters α > 1 and s > 1 of g_u.
    slack, clipping
        The theorem's ε in (0, 1] and w₀ in [0, 1/(K−1)]; without them the infimum over both is taken.
    sigma
        Standard deviation of the rewards.

    Examples
    --------
    >>> bound = upper_bound([1.0, 0.85, 0.8, 0.7], 0.05)
    >>> bound.dominating, f"{bound.value:.5g}"
    ('allocation', '8.8104e+07')
    """
    setting = _general_setting(checks.means(means), beta, alpha, s, slack, clipping)

    def log_term(log_h: float, arms: int) -> float:
        scale = math.log(4.0 * alpha**2 * (1.0 + s) / beta) + log_h
        return log_hardness_time(scale, 2.0 + arms / beta)

    return _bound("general theorem, g_u", means, delta, sigma, setting, log_term)


def upper_bound_mixture(
    means: ArrayLike,
    delta: float,
    *,
    beta: float = 0.5,
    alpha: float = 1.2,
    s: float = 1.2,
    slack: float | None = None,
    clipping: float | None = None,
    sigma: float = 1.0,
) -> Bound:
    """Return the bound of the corollary on TTUCB with g_m, where C̃_μ is a supremum without closed form.

    Parameters as in `upper_bound`. The paper prints "using g_u" in this corollary; it is about g_m.

    Examples
    --------
    >>> bound = upper_bound_mixture([1.0, 0.9], 0.05)
    >>> bound.dominating, f"{bound.terms['hardness']:.5g}"
    ('hardness', '7.8011e+05')
    """
    setting = _general_setting(checks.means(means), beta, alpha, s, slack, clipping)

    def log_term(log_h: float, arms: int) -> float:
        return log_mixture_time(log_h, beta, alpha, s, arms)

    return _bound("corollary, g_m", means, delta, sigma, setting, log_term)


def upper_bound_half(
    means: ArrayLike,
    delta: float,
    *,
    slack: float | None = None,
    clipping: float | None = None,
    sigma: float = 1.0,
) -> Bound:
    """Return the bound of the main theorem: TTUCB with g_u, β = ½ and α = s = 1.2, in its rounded constants.

    The rounding (26H for 25.344H, 4 ln n for 3.84 ln n, 12K for (2K−1)ζ(1.2) + 1) makes it a little larger than
    `upper_bound` at the same parameters.

    Examples
    --------
    >>> means = [1.0, 0.9]
    >>> upper_bound(means, 0.05).value <= upper_bound_half(means, 0.05).value
    True
    """
    arms = checks.means(means).shape[-1]
    setting = Setting(0.5, 1.2, 4.0, 12.0 * arms, *_free_parameters(slack, clipping, arms))

    def log_term(log_h: float, arms: int) -> float:
        return log_hardness_time(math.log(26.0) + log_h, 2.0 + 2.0 * arms)

    return _bound("main theorem, β = ½, α = s = 1.2", means, delta, sigma, setting, log_term)


def upper_bound_uniform(
    means: ArrayLike, delta: float, *, alpha: float = 1.2, s: float = 1.2, sigma: float = 1.0
) -> Bound:
    """Return the bound of the theorem on uniform sampling: max{T₁(δ), h₃(8αK(1+s)/Δ_min²)} + 1 + (2K−1)ζ(s).

    h₃(x) = x W̄(ln x) for x ≥ e and x below.

    Examples
    --------
    >>> print(upper_bound_uniform([1.0, 0.9], 0.05))
    92126.8 samples at most on average (theorem on uniform sampling)
      confidence       92109  decides
      hardness       45284.3
      additive       17.7747
    """
    rate, power = concentration_parameters(alpha, s)
    values = checks.means(means)
    arms = values.shape[-1]
    scale = checks.at_least("sigma", sigma, 0.0, strict=True)
    base = _base(delta, arms)
    additive = 1.0 + (2.0 * arms - 1.0) * _zeta(power)

    def rows() -> Iterator[Row]:
        for smallest in np.atleast_1d(gaps_of(values).smallest):
            log_inverse = 2.0 * (math.log(scale) - math.log(smallest))
            confidence = last_round(math.log(4.0 * arms) + log_inverse, rate * (2.0 + power), base, arms)
            log_scale = math.log(8.0 * rate * arms * (1.0 + power)) + log_inverse
            growth = math.log(special.lambert_bar(log_scale)) if log_scale >= 1.0 else 0.0
            yield {"confidence": confidence, "hardness": from_log(log_scale + growth)}, additive, {}

    return collect("theorem on uniform sampling", rows(), single=values.ndim == 1)


def _bound(
    statement: str,
    means: ArrayLike,
    delta: float,
    sigma: float,
    setting: Setting,
    log_term: Callable[[float, int], float],
) -> Bound:
    """Return the bound of every instance; `log_term` gives ln C_μ from ln H and K."""
    values = checks.means(means)
    arms = values.shape[-1]
    base = _base(delta, arms)
    times, allocations = times_and_allocations(values, setting.beta, family="gaussian", sigma=sigma, epsilon=0.0)
    log_hardnesses = np.log(np.atleast_1d(hardness(values, sigma=sigma)))
    rows = zip(np.atleast_2d(values), np.atleast_1d(times), np.atleast_2d(allocations), log_hardnesses, strict=True)
    return collect(
        statement,
        (
            _terms(setting, base, float(time), np.delete(allocation, np.argmax(row)), log_term(float(log_h), arms))
            for row, time, allocation, log_h in rows
        ),
        single=values.ndim == 1,
    )


def _terms(setting: Setting, base: float, time: float, weights: Floats, log_hard: float) -> Row:
    """Return the terms of one instance at the best slack and clipping."""
    log_time = math.log(time) - math.log(setting.beta)
    tradeoff = Tradeoff(
        weights, setting.beta, setting.alpha, log_time, setting.log_factor, base, setting.slack, setting.clipping
    )
    choice = tradeoff.solve()
    inverse = 2.0 / (choice.slack * tradeoff.allocation_floor(choice))
    terms = {
        "confidence": last_round(log_time + choice.log_factor, setting.log_factor, base, len(weights) + 1),
        "hardness": from_log(setting.alpha * log_hard),
        "allocation": from_log(setting.alpha / (setting.alpha - 1.0) * math.log1p(inverse)),
        "slack": from_log(-setting.alpha * math.log(setting.beta * choice.slack)),
    }
    return terms, setting.additive, {"slack": choice.slack, "clipping": choice.clipping}


def _general_setting(
    means: Floats, beta: float, alpha: float, s: float, slack: float | None, clipping: float | None
) -> Setting:
    share = checks.probability("beta", beta)
    rate, power = concentration_parameters(alpha, s)
    arms = means.shape[-1]
    additive = (2.0 * arms - 1.0) * _zeta(power) + 1.0
    return Setting(share, rate, rate * (2.0 + power), additive, *_free_parameters(slack, clipping, arms))


def _free_parameters(slack: float | None, clipping: float | None, arms: int) -> tuple[float | None, float | None]:
    """Return ε and w₀, each in the range of the theorem or left free."""
    if slack is not None and not 0.0 < checks.at_least("slack", slack, 0.0) <= 1.0:
        raise InputError(f"slack must be above 0 and at most 1, not {slack!r}.")
    if clipping is not None and not checks.at_least("clipping", clipping, 0.0) <= 1.0 / (arms - 1.0):
        raise InputError(f"clipping must be at most 1/(K−1) = {1.0 / (arms - 1.0):g}, not {clipping!r}.")
    return slack, clipping


def _base(delta: float, arms: int) -> float:
    """Return 2C_G(ln((K−1)/δ)/2), the part of the proven threshold that does not depend on n."""
    return 2.0 * special.calibration_gaussian(0.5 * float(log_odds(checks.probability("delta", delta), arms)))


def _zeta(s: float) -> float:
    from scipy.special import zeta

    return float(zeta(s))
