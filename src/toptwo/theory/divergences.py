"""One-parameter exponential families: the divergence d(mean, target), exact to rounding however close the two are.

Every divergence below is built from g(u) = u − ln(1+u), so that no difference of nearly equal logarithms is formed. It
takes a `Move`, which holds the same number three times: each form is exact where the others lose digits.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from toptwo.families import Bernoulli, Exponential, Gamma, Poisson
from toptwo.theory.arguments import Floats


class Move(NamedTuple):
    """The second argument of a divergence: target − mean, the target, and 1 − target."""

    shift: Floats
    target: Floats
    complement: Floats


Divergence = Callable[[Floats, Move], Floats]


def log_excess(u: Floats, ratio: Floats) -> Floats:
    """Return g(u) = u − ln(1+u), ratio = 1 + u, with full relative precision near 0 and near −1.

    Examples
    --------
    >>> u = np.array([0.0, 1e-8, 1.0])
    >>> log_excess(u, 1.0 + u)
    array([0.00000000e+00, 4.99999997e-17, 3.06852819e-01])
    """
    z = u / (2.0 + u)
    square = z * z
    # ln(1+u) = 2 artanh(z) and u − 2z = uz, hence g = uz − 2z³(1/3 + z²/5 + z⁴/7 + …); |z| ≤ 1/4 where it is used.
    series = np.zeros_like(z)
    for odd in range(27, 1, -2):
        series = series * square + 1.0 / odd
    near = np.abs(u) < 0.4
    with np.errstate(divide="ignore"):
        far = u - np.log(np.where(near, 1.0, ratio))
    return np.where(near, u * z - 2.0 * z * square * series, far)


def _scaled_excess(scale: Floats, shift: Floats, target: Floats) -> Floats:
    """Return scale · g(shift/scale), whose limit at scale 0 is the shift itself."""
    positive = scale > 0.0
    safe = np.where(positive, scale, 1.0)
    excess = log_excess(np.where(positive, shift / safe, 0.0), np.where(positive, target / safe, 1.0))
    return np.where(positive, safe * excess, shift)


def _bernoulli(mean: Floats, move: Move) -> Floats:
    ones = _scaled_excess(mean, move.shift, move.target)
    return ones + _scaled_excess(1.0 - mean, -move.shift, move.complement)


def _poisson(mean: Floats, move: Move) -> Floats:
    return _scaled_excess(mean, move.shift, move.target)


def _exponential(mean: Floats, move: Move) -> Floats:
    return log_excess(-move.shift / move.target, mean / move.target)


DIVERGENCES: dict[type, Callable[[Any], Divergence]] = {
    Bernoulli: lambda law: _bernoulli,
    Poisson: lambda law: _poisson,
    Exponential: lambda law: _exponential,
    Gamma: lambda law: lambda mean, move: law.shape * _exponential(mean, move),
}
"""The divergences of families for arrays; Gaussian times have closed forms that need none."""


def pair_divergences(
    divergence: Divergence, top: Floats, mean: Floats, pull: Floats, rest: Floats
) -> tuple[Floats, Floats]:
    """Return d(top, m) and d(mean, m) at the pooled mean m = top − pull = mean + rest, with pull, rest ≥ 0.

    Examples
    --------
    >>> half, divergence = np.array(0.25), DIVERGENCES[Bernoulli](Bernoulli())
    >>> pair = pair_divergences(divergence, np.array(0.75), np.array(0.25), half, half)
    >>> [float(value.round(6)) for value in pair]
    [0.130812, 0.130812]
    """
    # Both sums have terms of one sign, so m and 1 − m keep their relative precision at the ends of the interval.
    target, complement = mean + rest, (1.0 - top) + pull
    return divergence(top, Move(-pull, target, complement)), divergence(mean, Move(rest, target, complement))
