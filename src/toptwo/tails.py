"""Distribution functions of Gamma and Beta laws, in logarithms, so that nothing underflows."""

import math

from toptwo.special import log_gamma

TERMS = 100_000
"""Bound on the terms of a series or continued fraction; near the mean about 10 √shape are needed."""

TINY = 1e-300


def log_complement(value: float) -> float:
    """Return ln(1 − e^value) for value ≤ 0."""
    return math.log(-math.expm1(value)) if value < 0.0 else -math.inf


def gamma_tails(shape: float, x: float) -> tuple[float, float]:
    """Return ln P(X < x) and ln P(X > x) for X of law Gamma(shape, 1).

    Examples
    --------
    >>> [round(value, 9) for value in gamma_tails(1.0, 2.0)] == [round(math.log1p(-math.exp(-2.0)), 9), -2.0]
    True
    """
    if x <= 0.0:
        return -math.inf, 0.0
    front = shape * math.log(x) - x - log_gamma(shape)
    if x < shape + 1.0:
        term = total = 1.0 / shape
        bottom = shape
        for _ in range(TERMS):
            bottom += 1.0
            term *= x / bottom
            total += term
            if term < 1e-16 * total:
                break
        below = min(0.0, front + math.log(total))
        return below, log_complement(below)
    # Continued fraction by Lentz's method.
    b = x + 1.0 - shape
    c, d = 1.0 / TINY, 1.0 / b
    fraction = d
    for i in range(1, TERMS):
        a = -i * (i - shape)
        b += 2.0
        d = a * d + b
        d = 1.0 / (d if abs(d) > TINY else TINY)
        c = b + a / c
        c = c if abs(c) > TINY else TINY
        fraction *= c * d
        if abs(c * d - 1.0) < 1e-15:
            break
    above = min(0.0, front + math.log(fraction))
    return log_complement(above), above


def beta_tails(a: float, b: float, x: float) -> tuple[float, float]:
    """Return ln P(X < x) and ln P(X > x) for X of law Beta(a, b).

    Examples
    --------
    >>> [round(math.exp(value), 9) for value in beta_tails(2.0, 1.0, 0.5)]
    [0.25, 0.75]
    """
    if x <= 0.0 or x >= 1.0:
        return (-math.inf, 0.0) if x <= 0.0 else (0.0, -math.inf)
    front = log_gamma(a + b) - log_gamma(a) - log_gamma(b) + a * math.log(x) + b * math.log1p(-x)
    if x < (a + 1.0) / (a + b + 2.0):
        below = min(0.0, front + math.log(beta_fraction(a, b, x) / a))
        return below, log_complement(below)
    above = min(0.0, front + math.log(beta_fraction(b, a, 1.0 - x) / b))
    return log_complement(above), above


def beta_fraction(a: float, b: float, x: float) -> float:
    """Return the continued fraction of the incomplete beta function, by Lentz's method."""
    c, d = 1.0, 1.0 - (a + b) * x / (a + 1.0)
    d = 1.0 / (d if abs(d) > TINY else TINY)
    fraction = d
    for m in range(1, TERMS):
        even = m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m))
        d = 1.0 + even * d
        d = 1.0 / (d if abs(d) > TINY else TINY)
        c = 1.0 + even / c
        c = c if abs(c) > TINY else TINY
        fraction *= c * d
        odd = -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0))
        d = 1.0 + odd * d
        d = 1.0 / (d if abs(d) > TINY else TINY)
        c = 1.0 + odd / c
        c = c if abs(c) > TINY else TINY
        fraction *= c * d
        if abs(c * d - 1.0) < 1e-15:
            break
    return fraction
