"""Times that the paper defines implicitly, found on a logarithmic scale so that no size of n overflows."""

import math
from collections.abc import Callable

from toptwo import checks
from toptwo.special import lambert_bar

LOG_LARGEST = 709.78


def from_log(level: float) -> float:
    """Return e^level, or infinity where a float ends.

    Examples
    --------
    >>> from_log(0.0), from_log(1000.0)
    (1.0, inf)
    """
    return math.exp(level) if level < LOG_LARGEST else math.inf


def log_crossing(balance: Callable[[float], float], low: float) -> float:
    """Return where an increasing function crosses zero, or `low` if it has done so there.

    Examples
    --------
    >>> log_crossing(lambda level: level - 3.0, 0.0), log_crossing(lambda level: level + 3.0, 0.0)
    (3.0, 0.0)
    """
    from scipy.optimize import brentq

    if balance(low) >= 0.0:
        return low
    step = 1.0
    while balance(low + step) < 0.0:
        step *= 2.0
    return float(brentq(balance, low, low + step, xtol=1e-14, rtol=1e-15))


def clearance(level: float, log_factor: float, base: float) -> float:
    """Return ln((n−1)/(√c(n−1,δ) + √(D ln n))²) at ln(n−1) = level, D = log_factor, base = 2C_G(…) of the threshold.

    It increases in n ≥ 3: c(n−1, δ) and ln n grow more slowly than n − 1.

    Examples
    --------
    >>> round(clearance(math.log(1000.0), 4.0, 10.0), 4)
    2.3739
    """
    logarithm = level + math.log1p(math.exp(-level))
    threshold = base + 4.0 * math.log(4.0 + level - math.log(2.0))
    return level - 2.0 * math.log(math.sqrt(threshold) + math.sqrt(log_factor * logarithm))


def last_round(log_multiplier: float, log_factor: float, base: float, arms: int) -> float:
    """Return sup{n > K : n − 1 ≤ multiplier (√c(n−1,δ) + √(D ln n))²}, or K if there is no such n.

    T₀(δ) of the general theorem and T₁(δ) of the theorem on uniform sampling.

    Examples
    --------
    >>> last_round(math.log(10.0), 4.0, 10.0, 5)
    925.0
    """
    low = math.log(arms)
    level = log_crossing(lambda trial: clearance(trial, log_factor, base) - log_multiplier, low)
    if level == low:
        return float(arms)
    return float(math.floor(1.0 + math.exp(level))) if level < 36.0 else from_log(level)


def log_hardness_time(log_scale: float, constant: float) -> float:
    """Return ln h₁(x) at ln x = log_scale, h₁(x) = x W̄(ln x + constant/x), constant = 2 + K/β.

    h₁(x) is the largest n with n = constant + x ln n, hence increasing on all of (0, ∞), not only beyond 2 + K/β.

    Examples
    --------
    >>> n = math.exp(log_hardness_time(math.log(100.0), 12.0))
    >>> round(n - 12.0 - 100.0 * math.log(n), 9)
    0.0
    """
    if log_scale < -600.0:
        return math.log(constant)
    return log_scale + math.log(lambert_bar(log_scale + constant * math.exp(-log_scale)))


def log_mixture_time(log_hardness: float, beta: float, alpha: float, s: float, arms: int) -> float:
    """Return ln C̃_μ, C̃_μ = sup{x in ℕ* : x < 2H g_m(x^α)/β + K/β + 2} (Corollary "g_m", no closed form).

    Examples
    --------
    >>> round(math.exp(log_mixture_time(math.log(250.0), 0.5, 1.2, 1.2, 4)))
    48950
    """

    def balance(level: float) -> float:
        logarithm = alpha * level
        bonus = lambert_bar(2.0 * s * alpha * logarithm + 2.0 * math.log(2.0 + alpha * logarithm) + 2.0)
        scaled = math.log(2.0 / beta) + log_hardness + math.log(bonus)
        offset = math.log(arms / beta + 2.0)
        top = max(scaled, offset)
        return level - top - math.log(math.exp(scaled - top) + math.exp(offset - top))

    level = log_crossing(balance, 0.0)
    return math.log(max(1.0, math.ceil(math.exp(level)) - 1.0)) if level < 36.0 else level


def explicit_mixture_time(
    hardness: float,
    arms: int,
    *,
    beta: float = 0.5,
    alpha: float = 1.2,
    s: float = 1.2,
    as_printed: bool = False,
) -> float:
    """Return sup{x : x < h₂(c_μ, x)} ≥ C̃_μ, the explicit bound on the hardness term of the paper's corollary on g_m.

    h₂(z, x) = z(2sα²+1) W̄((sα² ln z + c₀/(2z) + ln(2+α² ln x))/(sα²+½) + c₁) with c₀ = K/β + 2 and
    c₁ = ln(2sα²+1) + 1/(sα²+½), at c_μ = 2H/β. The paper prints c_μ = 2H, at which it bounds nothing
    (docs/errata.md).

    Parameters
    ----------
    hardness
        H(μ).
    arms
        K.
    beta, alpha, s
        As in `upper_bound_mixture`.
    as_printed
        Take the paper's c_μ.

    Examples
    --------
    >>> round(explicit_mixture_time(250.0, 4)), round(explicit_mixture_time(250.0, 4, as_printed=True))
    (48951, 23089)
    """
    share = checks.probability("beta", beta)
    rate = checks.at_least("s", s, 1.0, strict=True) * checks.at_least("alpha", alpha, 1.0, strict=True) ** 2
    count = checks.at_least("arms", arms, 2.0)
    scale = 2.0 * checks.at_least("hardness", hardness, 0.0, strict=True) / (1.0 if as_printed else share)
    offset = (count / share + 2.0) / (2.0 * scale)
    constant = math.log(2.0 * rate + 1.0) + 1.0 / (rate + 0.5)

    def balance(level: float) -> float:
        inner = rate * math.log(scale) + offset + math.log(2.0 + alpha**2 * level)
        growth = lambert_bar(max(1.0, inner / (rate + 0.5) + constant))
        return level - math.log(scale * (2.0 * rate + 1.0)) - math.log(growth)

    return from_log(log_crossing(balance, 0.0))


def idealised_time(multiplier: float, log_factor: float, delta: float) -> float:
    """Return a bound on sup{n : n − 1 ≤ C ln(1/δ) + D ln n}: D W̄(C/D ln(1/δ) + 1/D + ln D), or D where that is below 1.

    Lemma "dominating δ-dependent term, idealised": the first-order size of T₀(δ) with c(n, δ) = ln(1/δ); C is
    `multiplier` and D is `log_factor`.

    Examples
    --------
    >>> round(idealised_time(100.0, 20.0, 0.01), 3)
    589.089
    """
    scale = checks.at_least("multiplier", multiplier, 0.0, strict=True)
    factor = checks.at_least("log_factor", log_factor, 0.0, strict=True)
    risk = checks.probability("delta", delta)
    return factor * lambert_bar(scale / factor * math.log(1.0 / risk) + 1.0 / factor + math.log(factor))
