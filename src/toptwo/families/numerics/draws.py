"""Random variables beyond the normal: exact draws, without tables."""

import math

from toptwo.special import log_gamma
from toptwo.streams import GOLDEN, MASK, Random, fork, mix, normal, unit

LARGE = 10.0
"""Mean from which Poisson variables are drawn by rejection instead of by inversion."""


def gamma_draw(shape: float, random: Random) -> float:
    """Return a Gamma(shape, 1) variable (Marsaglia and Tsang, 2000)."""
    if shape < 1.0:
        return gamma_draw_large(shape + 1.0, random) * math.exp(math.log(random.uniform()) / shape)
    return gamma_draw_large(shape, random)


def gamma_draw_large(shape: float, random: Random) -> float:
    """Return a Gamma(shape, 1) variable for a shape of at least 1."""
    d = shape - 1.0 / 3.0
    c = 1.0 / math.sqrt(9.0 * d)
    while True:
        x = random.normal()
        v = 1.0 + c * x
        if v > 0.0:
            v = v * v * v
            u = random.uniform()
            square = x * x
            if u < 1.0 - 0.0331 * square * square or math.log(u) < 0.5 * square + d * (1.0 - v + math.log(v)):
                return d * v


def beta_draw(a: float, b: float, random: Random) -> float:
    """Return a Beta(a, b) variable: the share of one gamma variable in two."""
    x = gamma_draw(a, random)
    return x / (x + gamma_draw(b, random))


def gamma(shape: float, bits: int) -> float:
    """Return the Gamma(shape, 1) variable that 64 random bits (and their hashes) stand for (Marsaglia and Tsang, 2000).

    Examples
    --------
    >>> gamma(1.0, 1 << 63) == -math.log(unit(1 << 63)), gamma(0.5, 1 << 63) > 0.0
    (True, True)
    """
    if shape == 1.0:
        return -math.log(unit(bits))
    small = 1.0
    if shape < 1.0:
        small = math.exp(math.log(unit(bits)) / shape)
        bits = fork(bits, 2)
        shape = shape + 1.0
    d = shape - 1.0 / 3.0
    c = 1.0 / math.sqrt(9.0 * d)
    while True:
        # The normal variable may hash its bits on: the uniform one and the next try branch off elsewhere.
        x, u = float(normal(bits)), unit(fork(bits, 1))
        v = 1.0 + c * x
        if v > 0.0:
            v = v * v * v
            if math.log(u) < 0.5 * x * x + d * (1.0 - v + math.log(v)):
                return small * d * v
        bits = fork(bits, 2)


def poisson(mean: float, bits: int) -> float:
    """Return the Poisson variable that 64 random bits (and, for large means, their hashes) stand for.

    Examples
    --------
    >>> poisson(2.0, 1 << 63), poisson(0.0, 1 << 63)
    (2.0, 0.0)
    """
    if mean >= LARGE:
        return _poisson_large(mean, bits)
    u, k = unit(bits), 0.0
    chance = math.exp(-mean)
    total = chance
    while u > total and chance > 0.0 and k < 200.0:
        k += 1.0
        chance *= mean / k
        total += chance
    return k


def _poisson_large(mean: float, bits: int) -> float:
    """Return a Poisson variable by transformed rejection (Hörmann, 1993, algorithm PTRS)."""
    b = 0.931 + 2.53 * math.sqrt(mean)
    a = -0.059 + 0.02483 * b
    alpha = 1.1239 + 1.1328 / (b - 3.4)
    squeeze = 0.9277 - 3.6224 / (b - 2.0)
    while True:
        u = unit(bits) - 0.5
        bits = mix((bits + GOLDEN) & MASK)
        v = unit(bits)
        bits = mix((bits + GOLDEN) & MASK)
        edge = 0.5 - abs(u)
        k = float(math.floor((2.0 * a / edge + b) * u + mean + 0.43))
        if edge >= 0.07 and v <= squeeze:
            return k
        if k >= 0.0 and (edge >= 0.013 or v <= edge):
            log_bound = math.log(v * alpha / (a / (edge * edge) + b))
            if log_bound <= k * math.log(mean) - mean - log_gamma(k + 1.0):
                return k
