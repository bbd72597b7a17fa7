"""Non-asymptotic upper bounds on the mean stopping time, each with the term that decides it.

All but LUCB1's are about the `proven` threshold and σ-sub-Gaussian rewards, Gaussian ones among them.
"""

import math
from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from toptwo import checks, special
from toptwo.errors import InputError
from toptwo.theory.arguments import Floats, gaps_of
from toptwo.theory.bound import Bound, BoundRow, collect
from toptwo.theory.complexity import hardness, times_and_allocations
from toptwo.theory.demands import Counted, Printed
from toptwo.theory.functions import concentration_parameters
from toptwo.theory.implicit import clearance, from_log, last_round, log_hardness_time, log_mixture_time
from toptwo.theory.laws import law_of
from toptwo.theory.leadership import Bonus, Leadership, leaderships, mixture, union
from toptwo.theory.stopping_levels import log_odds
from toptwo.theory.tradeoff import Demands, Optimum, Tradeoff


class Setting(NamedTuple):
    """The constants of one form of the theorem, and of its `as_printed` twin."""

    statement: str
    beta: float
    alpha: float
    log_factor: float
    additive: float
    slack: float | None
    clipping: float | None
    bonus: Bonus
    log_printed: Callable[[float, int], float]
    """ln C_μ of the paper from ln H and K."""


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
    as_printed: bool = False,
) -> Bound:
    """Return the bound of the general theorem on TTUCB with g_u: max{T₀(δ), C₀^{α/(α−1)}, T_H} + C₂.

    The theorem is that of docs/upper-bounds.md: the paper's proof rests on a lemma that is false as printed; counted
    afresh, the same argument gives less than the paper prints, whatever ε and w₀, and H ln H in place of (H ln H)^α.
    It holds for all σ-sub-Gaussian rewards, with C₂ = (2K−1)ζ(s) + 1: every event it uses is one-sided.

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
    as_printed
        Return the paper's max{T₀(δ), C_μ^α, C₀^{α/(α−1)}, C₁^α} + C₂.

    Examples
    --------
    >>> means = [1.0, 0.85, 0.8, 0.7]
    >>> bound, printed = upper_bound(means, 0.05), upper_bound(means, 0.05, as_printed=True)
    >>> bound.dominating, f"{bound.value:.5g}", printed.dominating, f"{printed.value:.5g}"
    ('allocation', '1.8177e+06', 'allocation', '8.8104e+07')
    """
    setting = _general_setting("general theorem, g_u", checks.means(means), beta, alpha, s, slack, clipping)

    def log_printed(log_h: float, arms: int) -> float:
        scale = math.log(4.0 * alpha**2 * (1.0 + s) / beta) + log_h
        return log_hardness_time(scale, 2.0 + arms / beta)

    return _bound(means, delta, sigma, setting._replace(log_printed=log_printed), as_printed)


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
    as_printed: bool = False,
) -> Bound:
    """Return the bound of the theorem on TTUCB with g_m.

    Parameters as in `upper_bound`. The paper's corollary (which prints "using g_u", but is about g_m) has C̃_μ, a
    supremum without closed form; `explicit_mixture_time` is the explicit bound on it.

    Examples
    --------
    >>> bound = upper_bound_mixture([1.0, 0.9], 0.05)
    >>> bound.dominating, f"{bound.value:.5g}"
    ('confidence', '1.3028e+05')
    """
    setting = _general_setting("general theorem, g_m", checks.means(means), beta, alpha, s, slack, clipping)

    def log_printed(log_h: float, arms: int) -> float:
        return log_mixture_time(log_h, beta, alpha, s, arms)

    return _bound(means, delta, sigma, setting._replace(bonus=mixture(alpha, s), log_printed=log_printed), as_printed)


def upper_bound_half(
    means: ArrayLike,
    delta: float,
    *,
    slack: float | None = None,
    clipping: float | None = None,
    sigma: float = 1.0,
    as_printed: bool = False,
) -> Bound:
    """Return the bound of the main theorem: TTUCB with g_u, β = ½ and α = s = 1.2, in rounded constants.

    The rounding (g_u = 5.5 ln n for 5.28 ln n, 4 ln n for 3.84 ln n, 12K for (2K−1)ζ(1.2) + 1) makes it a little
    larger than `upper_bound` at the same parameters. The paper's rounds 25.344H to 26H (`as_printed`).

    Examples
    --------
    >>> means = [1.0, 0.9]
    >>> upper_bound(means, 0.05).value <= upper_bound_half(means, 0.05).value
    True
    """
    arms = checks.means(means).shape[-1]

    def log_printed(log_h: float, arms: int) -> float:
        return log_hardness_time(math.log(26.0) + log_h, 2.0 + 2.0 * arms)

    setting = Setting(
        "main theorem, β = ½, α = s = 1.2",
        0.5,
        1.2,
        4.0,
        12.0 * arms,
        *_free_parameters(slack, clipping, arms),
        bonus=lambda logarithm: 5.5 * logarithm,
        log_printed=log_printed,
    )
    return _bound(means, delta, sigma, setting, as_printed)


def upper_bound_lucb1(means: ArrayLike, delta: float, *, sigma: float = 1.0, as_printed: bool = False) -> Bound:
    """Return 292 h ln(h/δ) + 16 for LUCB1 (Kalyanakrishnan et al., 2012, whose H is this h).

    Their rewards lie in [0, 1], where Hoeffding's inequality makes σ = ½, and h = 1/Δ_min² + Σ 1/Δ_i². In other units
    h = 4σ²(1/Δ_min² + Σ 1/Δ_i²) = 2H(μ), each gap counted as at most 2σ, as theirs are at most 1. The paper prints
    292 H ln(H/δ) + 16 with its own H = 2σ²(1/Δ_min² + Σ 1/Δ_i²), half of that (`as_printed`).

    Unlike the other bounds, this one is quoted, not proven here, and its source could not be looked up. In the original
    t seems to count rounds of two pulls. If so, the level of `LUCB1` here, in which t counts pulls, is larger by up to
    4 ln 2, and the bound is not literally about it.

    Examples
    --------
    >>> print(upper_bound_lucb1([0.9, 0.4], 0.05, sigma=0.5))
    11871.6 samples at most on average (LUCB1, Kalyanakrishnan et al. 2012)
      hardness       11855.6  decides
      additive            16
    """
    risk, scale = checks.probability("delta", delta), checks.at_least("sigma", sigma, 0.0, strict=True)
    values = checks.means(means)

    def rows() -> Iterator[BoundRow]:
        gaps = gaps_of(np.atleast_2d(values))
        for smallest, shares in zip(gaps.smallest, gaps.shares, strict=True):
            log_unit = 2.0 * (math.log(2.0 * scale) - math.log(smallest))
            inverse = np.append(shares[shares > 0.0], 1.0)
            logs = log_unit + np.log(inverse)
            log_h = float(np.logaddexp.reduce(logs if as_printed else np.maximum(0.0, logs)))
            log_h -= math.log(2.0) if as_printed else 0.0
            growth = max(0.0, log_h - math.log(risk))
            yield {"hardness": 292.0 * from_log(log_h) * growth}, 16.0, {}

    statement = "LUCB1, as the paper prints it" if as_printed else "LUCB1, Kalyanakrishnan et al. 2012"
    return collect(statement, rows(), single=values.ndim == 1)


def upper_bound_uniform(
    means: ArrayLike,
    delta: float,
    *,
    alpha: float = 1.2,
    s: float = 1.2,
    sigma: float = 1.0,
    as_printed: bool = False,
) -> Bound:
    """Return the bound of the theorem on uniform sampling: T₁(δ) + K + (K−1)(ζ(α(2+s)) − 1).

    The proof is in docs/upper-bounds.md. The paper's has two gaps (docs/errata.md); its bound, never below ours, is
    max{T₁(δ), h₃(8αK(1+s)/Δ_min²)} + 1 + (2K−1)ζ(s), with h₃(x) = x W̄(ln x) for x ≥ e and x below (`as_printed`).
    Uniform sampling has no α and s: they are free, and only α(2+s) matters to what is proven.

    Examples
    --------
    >>> print(upper_bound_uniform([1.0, 0.9], 0.05))
    92111.1 samples at most on average (theorem on uniform sampling)
      confidence       92109  decides
      additive       2.09423
    >>> print(upper_bound_uniform([1.0, 0.9], 0.05, as_printed=True))
    92126.8 samples at most on average (theorem on uniform sampling, as printed)
      confidence       92109  decides
      hardness       45284.3
      additive       17.7747
    """
    rate, power = concentration_parameters(alpha, s)
    values = checks.means(means)
    arms = values.shape[-1]
    scale = checks.at_least("sigma", sigma, 0.0, strict=True)
    base, log_factor = _base(delta, arms), rate * (2.0 + power)
    proven, printed = arms + (arms - 1.0) * (_zeta(log_factor) - 1.0), 1.0 + (2.0 * arms - 1.0) * _zeta(power)

    def rows() -> Iterator[BoundRow]:
        for smallest in np.atleast_1d(gaps_of(values).smallest):
            log_inverse = 2.0 * (math.log(scale) - math.log(smallest))
            terms = {"confidence": last_round(math.log(4.0 * arms) + log_inverse, log_factor, base, arms)}
            if as_printed:
                log_scale = math.log(8.0 * rate * arms * (1.0 + power)) + log_inverse
                growth = math.log(special.lambert_bar(log_scale)) if log_scale >= 1.0 else 0.0
                terms["hardness"] = from_log(log_scale + growth)
            yield terms, printed if as_printed else proven, {}

    statement = "theorem on uniform sampling, as printed" if as_printed else "theorem on uniform sampling"
    return collect(statement, rows(), single=values.ndim == 1)


def _bound(means: ArrayLike, delta: float, sigma: float, setting: Setting, as_printed: bool) -> Bound:
    """Return the bound of every instance."""
    values = checks.means(means)
    base = _base(delta, values.shape[-1])
    times, allocations = times_and_allocations(values, setting.beta, law_of(None, sigma))
    log_hardnesses = np.log(np.atleast_1d(hardness(values, sigma=sigma)))
    leads = leaderships(values, sigma, setting.beta, setting.alpha, setting.bonus)

    def rows() -> Iterator[BoundRow]:
        table = zip(np.atleast_2d(values), np.atleast_1d(times), np.atleast_2d(allocations), strict=True)
        for (row, time, allocation), log_h, lead in zip(table, log_hardnesses, leads, strict=True):
            weights = np.delete(allocation, np.argmax(row))
            if as_printed:
                log_hard = setting.log_printed(float(log_h), values.shape[-1])
                yield _printed_terms(setting, base, math.log(time), weights, log_hard)
            else:
                yield _terms(setting, base, math.log(time), weights, lead)

    statement = f"{setting.statement}, as printed" if as_printed else setting.statement
    return collect(statement, rows(), single=values.ndim == 1)


def _solve(setting: Setting, base: float, log_time: float, weights: Floats, demands: Demands) -> tuple[Optimum, float]:
    """Return the best slack and clipping, and a(w₀) there."""
    tradeoff = Tradeoff(weights, setting.beta, setting.slack, setting.clipping, demands)
    choice = tradeoff.solve(lambda level: clearance(level, setting.log_factor, base) - log_time)
    return choice, tradeoff.allocation_floor(choice)


def _terms(setting: Setting, base: float, log_time: float, weights: Floats, lead: Leadership) -> BoundRow:
    """Return the terms of docs/upper-bounds.md of one instance."""
    demands = Counted(setting.beta, setting.alpha, lead)
    choice, floor = _solve(setting, base, log_time, weights, demands)
    terms = {
        "confidence": last_round(log_time + choice.log_factor, setting.log_factor, base, len(weights) + 1),
        # Where the allocation decides, ε falls until the hardness term is as large: of the two it is named first.
        "allocation": from_log(demands.log_allocation(floor)),
        "hardness": from_log(lead.log_settled(choice.slack, floor)),
    }
    return terms, setting.additive, {"slack": choice.slack, "clipping": choice.clipping}


def _printed_terms(setting: Setting, base: float, log_time: float, weights: Floats, log_hard: float) -> BoundRow:
    """Return the paper's terms of one instance."""
    alpha = setting.alpha
    choice, floor = _solve(setting, base, log_time, weights, Printed(setting.beta, alpha))
    terms = {
        "confidence": last_round(log_time + choice.log_factor, setting.log_factor, base, len(weights) + 1),
        "hardness": from_log(alpha * log_hard),
        "allocation": from_log(alpha / (alpha - 1.0) * math.log1p(2.0 / (choice.slack * floor))),
        "slack": from_log(-alpha * math.log(setting.beta * choice.slack)),
    }
    return terms, setting.additive, {"slack": choice.slack, "clipping": choice.clipping}


def _general_setting(
    statement: str, means: Floats, beta: float, alpha: float, s: float, slack: float | None, clipping: float | None
) -> Setting:
    share = checks.probability("beta", beta)
    rate, power = concentration_parameters(alpha, s)
    arms = means.shape[-1]
    additive = (2.0 * arms - 1.0) * _zeta(power) + 1.0
    return Setting(
        statement,
        share,
        rate,
        rate * (2.0 + power),
        additive,
        *_free_parameters(slack, clipping, arms),
        bonus=union(rate, power),
        log_printed=lambda log_h, arms: math.inf,
    )


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
