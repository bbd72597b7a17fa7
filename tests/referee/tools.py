"""Numbers of any precision, and functions of doubles that lose no digits."""

import math
from fractions import Fraction

import numpy as np
from mpmath import mp
from scipy.special import gammaln

from toptwo.state import State, state_of

DIGITS = 60
AGREED = 1e-20


def real(x):
    """The number with all digits of the precision in force."""
    x = Fraction(x)
    return mp.mpf(x.numerator) / x.denominator


def settled(compute):
    """What `compute` returns, a tuple of numbers, with so many digits that twice as many change nothing."""
    before, digits = None, DIGITS
    while True:
        with mp.workdps(digits):
            now = compute()
        if before is not None and all(same(x, y) for x, y in zip(before, now, strict=True)):
            return now
        before, digits = now, 2 * digits
        assert digits < 10_000, "the precision never sufficed"


def same(x, y):
    """Whether two numbers agree to 20 digits, or to 1e-20."""
    return x == y or abs(x - y) <= AGREED * max(1, abs(x))


def moved(value, ulps):
    """The double as a fraction, moved by so many units in its last place."""
    return Fraction(value) + Fraction(math.ulp(value)) * Fraction(ulps)


def cross(low, high, sign):
    """A point of (low, high) at which `sign` changes from negative to positive, by bisection to the last digit."""
    for _ in range(int(mp.prec) + 20):
        middle = (low + high) / 2
        if sign(middle) < 0:
            low = middle
        else:
            high = middle
    return (low + high) / 2


def above_line(t):
    """t − ln(1 + t), by its series where the two are close."""
    t = np.asarray(t, dtype=float)
    small = np.where(np.abs(t) < 0.03, t, 0.0)
    series = np.zeros_like(small)
    for power in range(14, 1, -1):
        series = series * small + (1 if power % 2 == 0 else -1) / power
    with np.errstate(all="ignore"):
        return np.where(np.abs(t) < 0.03, series * small * small, t - np.log1p(t))


def stirling(k):
    """ln Γ(k + ½) − k ln k + k."""
    k = np.asarray(k, dtype=float)
    low, high = np.minimum(k, 30.0), np.maximum(k, 30.0)
    exact = gammaln(low + 0.5) - low * np.log(np.where(low > 0.0, low, 1.0)) + low
    series = 0.5 * math.log(2.0 * math.pi) - 1.0 / (24.0 * high) + 7.0 / (2880.0 * high**3) - 31.0 / (40320.0 * high**5)
    return np.where(k < 30.0, exact, series)


def log_sum(weights, terms):
    """ln Σ w_g exp(terms_g) over the first axis."""
    terms = np.asarray(terms) + np.log(np.asarray(weights)).reshape(-1, *[1] * (np.ndim(terms) - 1))
    top = terms.max(axis=0)
    safe = np.where(np.isfinite(top), top, 0.0)
    with np.errstate(divide="ignore"):
        return np.where(np.isfinite(top), safe + np.log(np.exp(terms - safe).sum(axis=0)), top)


def without_loss(means):
    """The means shifted by their upper one, if their difference is a double."""
    top = max(means)
    shifted = [mean - top for mean in means]
    if all(Fraction(x) == Fraction(mean) - Fraction(top) for x, mean in zip(shifted, means, strict=True)):
        yield shifted


class RealLine:
    """What holds for laws on all numbers, whose arms keep a mean."""

    def means(self, pair):
        return [Fraction(arm.mean) for arm in pair.arms]

    def clipped(self, pair, value):
        return value

    def resolution(self, pair):
        return 0

    def span(self, pair):
        return -math.inf, math.inf


def empty(family, arms=2):
    """The state of a family before the first pull."""
    return state_of(family, arms)


def with_sum(family, arm, count, total, state):
    """Let an arm have so many rewards of this sum: the last of them, after others that were zero, is the sum."""
    state.counts[arm] = count - 1.0
    if isinstance(state.kept, State):  # the statistics in front of a mirror
        state.kept.counts[arm] = count - 1.0
    family.observe(arm, total, state)
