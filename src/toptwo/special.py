"""Special functions of the paper's bonuses and thresholds, scalar in, scalar out.

They are plain Python without dependencies where a rule needs them inside a round, so that the compiled engine can
take them over as they are; `calibration_gaussian` is evaluated once per study and leans on SciPy.
"""

import math
from functools import lru_cache


def lambert_bar(x: float) -> float:
    """Return W̄(x) = −W₋₁(−e^{−x}), the root u ≥ 1 of u − ln u = x (paper, section 2).

    Newton's iteration on the convex u − ln u − x: after its first step it is above the root and descends to it. e^{−x}
    with a large x is never divided by, hence no trouble with underflow.

    Examples
    --------
    >>> u = lambert_bar(5.0)
    >>> round(u, 6), round(u - math.log(u), 12)
    (6.936847, 5.0)
    >>> lambert_bar(1.0)
    1.0
    """
    if x <= 1.0:
        return 1.0
    # x + ln x is below the root; the last term repairs the start near x = 1, where u ≈ 1 + √(2(x − 1)).
    u = x + math.log(x) + math.sqrt(2.0 * (x - 1.0)) * math.exp(1.0 - x)
    for _ in range(60):
        step = (u - math.log(u) - x) * u / (u - 1.0)
        u -= step
        if abs(step) <= 4e-16 * u:
            break
    return u


@lru_cache(maxsize=4096)
def calibration_gaussian(x: float) -> float:
    """Return C_G(x) = min over λ in (1/2, 1] of (g_G(λ) + x)/λ (paper, appendix on concentration).

    g_G(λ) = 2λ − 2λ ln(4λ) + ln ζ(2λ) − ½ ln(1−λ), from Theorem 9 of Kaufmann and Koolen (2021).

    Examples
    --------
    >>> [round(calibration_gaussian(x), 3) for x in (1.0, 2.0, 5.0, 12.0)]
    [2.507, 3.583, 6.757, 14.016]
    """
    from scipy.optimize import minimize_scalar
    from scipy.special import zeta

    def objective(rate: float) -> float:
        cost = 2.0 * rate - 2.0 * rate * math.log(4.0 * rate) + math.log(float(zeta(2.0 * rate)))
        return (cost - 0.5 * math.log1p(-rate) + x) / rate

    found = minimize_scalar(objective, bounds=(0.5 + 1e-12, 1.0 - 1e-12), method="bounded", options={"xatol": 1e-12})
    return float(found.fun)


def log_normal_tail(x: float) -> float:
    """Return ln P(Z > x) for a standard normal Z, without underflow.

    Examples
    --------
    >>> round(log_normal_tail(0.0), 6), round(log_normal_tail(50.0), 3)
    (-0.693147, -1254.831)
    """
    if x < 25.0:
        return math.log(0.5 * math.erfc(x * math.sqrt(0.5)))
    # Asymptotic series of Mills' ratio; at x ≥ 25 the first omitted term is below 1e-11.
    square = x * x
    series = 1.0 - (1.0 - (3.0 - (15.0 - 105.0 / square) / square) / square) / square
    return -0.5 * square - math.log(x) - 0.5 * math.log(2.0 * math.pi) + math.log(series)


LOG_TWICE_ZETA_TWO = math.log(math.pi**2 / 3.0)
"""ln(2ζ(2)), as ζ(2) = π²/6."""

LINEAR_BELOW = 1.0 / math.log(1.5) + math.log(math.log(1.5))
"""h(1/ln 1.5): h̃ is a straight line below it."""


def calibration_exponential(x: float) -> float:
    """Return T(x) = 2h̃((h⁻¹(1+x) + ln 2ζ(2))/2), for one-parameter exponential families.

    Kaufmann and Koolen (2021, Theorem 7): h(u) = u − ln u, h⁻¹ = W̄, h̃(x) = e^{1/h⁻¹(x)} h⁻¹(x) for x ≥ h(1/ln 1.5),
    else 1.5(x − ln ln 1.5).

    Examples
    --------
    >>> [round(calibration_exponential(x), 3) for x in (1.0, 5.0, 50.0)]
    [9.105, 15.191, 65.134]
    """
    middle = 0.5 * (lambert_bar(1.0 + x) + LOG_TWICE_ZETA_TWO)
    if middle < LINEAR_BELOW:
        return 3.0 * (middle - math.log(math.log(1.5)))
    inverse = lambert_bar(middle)
    return 2.0 * math.exp(1.0 / inverse) * inverse


def log_excess(u: float) -> float:
    """Return u − ln(1+u) for u ≥ −1, with full relative precision near 0.

    Examples
    --------
    >>> round(log_excess(1e-8) * 2e16, 8), round(log_excess(1.0), 9)
    (0.99999999, 0.306852819)
    """
    if u > 0.1 or u < -0.1:
        return u - math.log1p(u) if u > -1.0 else math.inf
    # ln(1+u) = 2 artanh(z) with z = u/(2+u), and u − 2z = uz.
    z = u / (2.0 + u)
    square = z * z
    series = 1.0 / 3.0 + square * (0.2 + square * (1.0 / 7.0 + square * (1.0 / 9.0 + square * (1.0 / 11.0))))
    return u * z - 2.0 * z * square * (series + square * square * square * square * square / 13.0)


def log_excess_of(change: float, ratio: float) -> float:
    """Return u − ln(1+u) for a change u that is known together with 1 + u: near −1 the sum would lose digits.

    Examples
    --------
    >>> round(log_excess_of(-1.0, 1e-30), 9) == round(-1.0 + 30.0 * math.log(10.0), 9)
    True
    """
    if change >= -0.5:
        return log_excess(change)
    return change - math.log(ratio) if ratio > 0.0 else math.inf


def with_exponential(value: float, largest: float, total: float) -> tuple[float, float]:
    """Return the largest of some values and Σ e^{value − largest}, with one more value; −∞ and 0 if it is the first.

    Examples
    --------
    >>> largest, total = with_exponential(999.0, *with_exponential(1000.0, -math.inf, 0.0))
    >>> largest + round(math.log(total), 9) == 1000.0 + round(math.log1p(math.exp(-1.0)), 9)
    True
    """
    if value > largest:
        return value, total * math.exp(largest - value) + 1.0
    return largest, total + math.exp(value - largest)


def exponential_excess(x: float) -> float:
    """Return e^x − 1 − x without losing digits where x is small.

    Examples
    --------
    >>> round(exponential_excess(1.0), 12), round(exponential_excess(1e-9) * 2e18, 12)
    (0.718281828459, 1.000000000333)
    """
    if abs(x) > 0.25:
        return math.expm1(x) - x
    total = 1.0
    for power in range(12, 2, -1):
        total = 1.0 + x / power * total
    return 0.5 * x * x * total


def cross_difference(x: float, n: float, y: float, m: float) -> float:
    """Return xm − yn as if worked out exactly and rounded in the end: what the difference of x/n and y/m rests on.

    What each product loses to rounding is a double too (Dekker), as long as nothing overflows.

    Examples
    --------
    >>> n = 2.0**52
    >>> cross_difference(n + 1.0, n, n, n - 1.0), (n + 1.0) * (n - 1.0) - n * n
    (-1.0, 0.0)
    """
    first, second = x * m, y * n
    if max(abs(first), abs(second)) > 1e290 or max(abs(x), abs(y)) > 1e290:
        return first - second
    return (first - second) + (lost_in_product(x, m, first) - lost_in_product(y, n, second))


def lost_in_product(x: float, y: float, product: float) -> float:
    """Return xy − product, where the product is xy rounded, by splitting both factors into halves."""
    part, other = 134217729.0 * x, 134217729.0 * y
    high, top = part - (part - x), other - (other - y)
    low, rest = x - high, y - top
    return ((high * top - product) + high * rest + low * top) + low * rest


def log_ratio(excess: float, sign: float) -> float:
    """Return the root x of e^x − 1 − x = excess that has this sign: by how much a mean moves at a given cost.

    Newton's iteration on a convex function, from an expansion in √(2 · excess).

    Examples
    --------
    >>> round(log_ratio(math.e - 2.0, 1.0), 12), round(log_ratio(math.exp(-3.0) + 2.0, -1.0), 12)
    (1.0, -3.0)
    """
    if excess <= 0.0:
        return 0.0
    s = sign * math.sqrt(2.0 * excess)
    x = s * (1.0 - s / 6.0 * (1.0 - s / 6.0)) if abs(s) < 2.0 else s
    if s >= 2.0:
        x = math.log(1.0 + excess + math.log(1.0 + excess))
    elif s <= -2.0:
        x = -1.0 - excess
    for _ in range(60):
        grown = math.expm1(x)
        step = (grown - x - excess) / grown
        x -= step
        if abs(step) <= 1e-8 * abs(x):  # the next error is about the square of it
            break
    return x


HALF_LOG_TWO_PI = 0.5 * math.log(2.0 * math.pi)


def _stirling_series(x: float) -> float:
    """Return the excess of Stirling's formula for x ≥ 8, where the first omitted term is below 2e-14."""
    y = 1.0 / x
    square = y * y
    series = 127.0 / 215040.0 - square * (511.0 / 608256.0 - square * (1414477.0 / 738017280.0))
    series = 7.0 / 2880.0 - square * (31.0 / 40320.0 - square * series)
    return y * (-1.0 / 24.0 + square * series)


def stirling_excess(x: float) -> float:
    """Return ln Γ(x+½) − (x ln x − x + ½ ln 2π) for x ≥ 0: what Stirling's formula leaves out, −½ ln 2 at 0.

    Examples
    --------
    >>> round(stirling_excess(0.0), 9), round(stirling_excess(1e6) * 24e6, 9)
    (-0.34657359, -1.0)
    """
    if x >= 8.0:
        return _stirling_series(x)
    if x <= 0.0:
        return -0.5 * math.log(2.0)
    return log_gamma(x + 0.5) - x * math.log(x) + x - HALF_LOG_TWO_PI


def log_gamma(x: float) -> float:
    """Return ln Γ(x) for x > 0, the same to the last bit in every engine.

    Examples
    --------
    >>> round(log_gamma(0.5), 12) == round(0.5 * math.log(math.pi), 12), round(log_gamma(5.0), 12)
    (True, 3.178053830348)
    """
    product = 1.0
    while x < 8.5:
        product *= x
        x += 1.0
    z = x - 0.5
    value = z * math.log(z) - z + HALF_LOG_TWO_PI + _stirling_series(z)
    return value if product == 1.0 else value - math.log(product)


def expected_maximum(count: int) -> float:
    """Return E max of so many independent standard normal variables: their Gaussian width.

    The trapezoidal rule on n ∫ x φ(x) Φ(x)^{n−1} dx, which converges faster than any power of the step.

    Examples
    --------
    >>> round(expected_maximum(2), 12) == round(1.0 / math.sqrt(math.pi), 12), round(expected_maximum(100), 6)
    (True, 2.507594)
    """
    step, total = 0.0625, 0.0
    for k in range(-160, 225):
        x = step * k
        below = 0.5 * math.erfc(-x * math.sqrt(0.5))
        total += x * math.exp(-0.5 * x * x) * below ** (count - 1)
    return count * step * total / math.sqrt(2.0 * math.pi)
