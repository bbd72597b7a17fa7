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
