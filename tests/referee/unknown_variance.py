"""Gaussian arms of unknown variances: all stationary points by Sturm's theorem (docs/families/unknown-variance.md)."""

import math
from fractions import Fraction
from typing import NamedTuple

import numpy as np
from mpmath import mp

import toptwo as tt
from referee.corners import Pair, around, beside, counts_of, margin_of
from referee.gaussian import WEIGHTS
from referee.sturm import roots_within
from referee.tools import RealLine, empty, log_sum, moved, real, settled, without_loss
from toptwo.families.gaussian import PRECISIONS

PLACES = np.concatenate([np.arange(-160.0, -60.0, 4.0), np.arange(-60.0, 60.5, 0.5), np.arange(64.0, 161.0, 4.0)])
HALVINGS = 60


class Arm(NamedTuple):
    """k, x̄ and the sum of squared deviations."""

    count: float
    mean: float
    squares: float

    def variance(self):
        return Fraction(self.squares) / Fraction(self.count)


class UnknownVariance(RealLine):
    """Neither means nor variances are known."""

    def pairs(self, corner, number):
        random = np.random.default_rng(corner.seed)
        for _ in range(number):
            near = around(corner, random)
            counts = [max(2.0, n) for n in counts_of(near)]
            spreads = 10.0**near.scale, 10.0 ** (near.scale + near.ratio)
            if near.kind == "end":
                counts[random.integers(0, 2)] = float(random.integers(1, 4))
            order = random.uniform(min(near.ratio, 0.0), max(near.ratio, 0.0)) if near.kind == "wide" else near.gap
            step = spreads[0] * 10.0**order
            low = float(random.choice([0.0, -1.0, 1.0])) * step * 10.0 ** random.uniform(-3, 12)
            high = beside(near, low, step)
            squares = [n * s * s if n > 1.0 else 0.0 for n, s in zip(counts, spreads, strict=True)]
            margin = margin_of(near, high - low, spreads[0])
            yield self.pair(counts, (high, low), squares, margin, near.mirrored)

    def pair(self, counts, means, squares, epsilon=0.0, mirrored=False):
        arms = tuple(Arm(*arm) for arm in zip(counts, means, squares, strict=True))
        return Pair(tt.GaussianUnknownVariance(), arms, epsilon, mirrored)

    def state(self, pair):
        """State of the family: it keeps the squares; one reward equal to the mean comes last."""
        family = tt.families.base.mirrored(pair.family) if pair.mirrored else pair.family
        state = empty(family)
        side = -1.0 if pair.mirrored else 1.0
        for place, arm in enumerate(pair.arms[::-1] if pair.mirrored else pair.arms):
            state.counts[place], state.means[place] = arm.count - 1.0, side * arm.mean
            state.kept.squares[place] = arm.squares
            family.observe(place, side * arm.mean, state)
        return family, state

    def exact(self, pair, slack=0):
        a, b = pair.arms
        gap = Fraction(a.mean) - Fraction(b.mean) + Fraction(pair.epsilon)
        side = 1 if gap >= 0 else -1
        gap = side * (moved(a.mean, side * slack) - moved(b.mean, -side * slack) + moved(pair.epsilon, side * slack))
        if gap == 0 or a.squares <= 0.0 or b.squares <= 0.0:
            return mp.mpf(0), mp.mpf(0)
        separation = self._least(pair, gap, None)
        if side < 0:
            return separation, mp.mpf(0)
        leasts = [self._least(pair, gap, precision) for precision in PRECISIONS]
        with mp.workdps(60):
            total = sum(real(weight) * mp.exp(least) for weight, least in zip(WEIGHTS, leasts, strict=True))
            return separation, max(mp.mpf(0), mp.log(total))

    def _least(self, pair, gap, precision):
        """The least sum of the two over all stationary points between the means, in units of the gap."""
        laws = []
        for arm in pair.arms:
            effects = None if precision is None else Fraction(arm.count) / Fraction(precision)
            laws.append((Fraction(arm.count), arm.variance() / gap**2, effects))
        places = roots_within(derivative(*laws))

        def compute():
            return (min(one(*laws[0], real(x)) + one(*laws[1], real(1 - x)) for x in places),)

        return settled(compute)[0]

    def quick(self, pairs):
        gap = np.array(
            [float(Fraction(p.arms[0].mean) - Fraction(p.arms[1].mean) + Fraction(p.epsilon)) for p in pairs]
        )
        count = np.array([[arm.count for arm in p.arms] for p in pairs]).T
        squares = np.array([[arm.squares for arm in p.arms] for p in pairs]).T
        dead = (gap == 0.0) | (squares <= 0.0).any(axis=0)
        safe_gap = np.where(dead, 1.0, np.abs(gap))
        log_v = np.where(dead, 0.0, np.log(np.where(squares > 0.0, squares / count, 1.0)) - 2.0 * np.log(safe_gap))
        with np.errstate(all="ignore"):
            separation = least_of(count, log_v, None)
            terms = [least_of(count, log_v, count / rho) for rho in PRECISIONS]
        evidence = np.where((gap > 0.0) & ~dead, np.maximum(0.0, log_sum(WEIGHTS, terms)), 0.0)
        return np.where(dead, 0.0, separation), evidence

    def deviation(self, pair, which, value):
        arm = pair.arms[which]
        if arm.squares <= 0.0:
            return mp.mpf(0)
        distance = value - Fraction(arm.mean)
        return settled(lambda: (real(arm.count) / 2 * mp.log1p(real(distance**2 / arm.variance())),))[0]

    def images(self, pair):
        """Rewards in other units, negated, and shifted where that costs no digit."""
        counts, means, squares = ([getattr(arm, name) for arm in pair.arms] for name in Arm._fields)
        yield self.pair(
            counts, [8.0 * x for x in means], [64.0 * x for x in squares], 8.0 * pair.epsilon, pair.mirrored
        )
        yield self.pair(counts[::-1], [-x for x in means[::-1]], squares[::-1], pair.epsilon, pair.mirrored)
        for shifted in without_loss(means):
            yield self.pair(counts, shifted, squares, pair.epsilon, pair.mirrored)

    def quick_deviation(self, questions):
        found = []
        for pair, which, value in questions:
            arm = pair.arms[which]
            offset, spread = abs(float(value - Fraction(arm.mean))), math.sqrt(arm.squares / arm.count)
            if spread == 0.0:
                found.append(0.0)
            elif offset < spread:
                found.append(0.5 * arm.count * math.log1p((offset / spread) ** 2))
            else:
                found.append(arm.count * (math.log(offset / spread) + 0.5 * math.log1p((spread / offset) ** 2)))
        return np.array(found)


def one(count, variance, effects, distance):
    """ln M of an arm at this distance from its mean, or without a prior the likelihood ratio."""
    if effects is None:
        return real(count) / 2 * mp.log1p(distance**2 / real(variance))
    c = real(effects)
    inner = c * distance**2 / ((1 + c) * real(variance) + distance**2)
    return real(count) / 2 * mp.log1p(inner) - mp.log1p(c) / 2


def derivative(first, second):
    """Coefficients, lowest first, of a polynomial in x with the sign of the derivative of one(x) + one(1 − x)."""
    (k, v, c), (m, w, d) = first, second
    y = [Fraction(1), Fraction(-1)]
    x = [Fraction(0), Fraction(1)]
    near_a, near_b = plus(times(x, x), v), plus(times(y, y), w)
    if c is None:
        left, right = scaled(times(x, near_b), k), scaled(times(y, near_a), m)
    else:
        far_a, far_b = plus(times(x, x), (1 + c) * v), plus(times(y, y), (1 + d) * w)
        left = scaled(times(x, times(near_b, far_b)), k * c * v)
        right = scaled(times(y, times(near_a, far_a)), m * d * w)
    return [p - q for p, q in zip(left, right, strict=True)]


def times(p, q):
    found = [Fraction(0)] * (len(p) + len(q) - 1)
    for i, s in enumerate(p):
        for j, t in enumerate(q):
            found[i + j] += s * t
    return found


def plus(p, constant):
    return [p[0] + constant, *p[1:]]


def scaled(p, factor):
    return [factor * s for s in p]


def log_far(log_v, c, log_x):
    """Logarithms of x² + V and x² + (1 + c)V."""
    return np.logaddexp(2.0 * log_x, log_v), np.logaddexp(2.0 * log_x, log_v + np.log1p(c))


def log_pull(count, log_v, c, log_x):
    """Logarithm of the derivative of one arm's term, but for a factor that both arms share."""
    if c is None:
        return np.log(count) + log_x - np.logaddexp(2.0 * log_x, log_v)
    near, far = log_far(log_v, c, log_x)
    return np.log(count * c) + log_v + log_x - near - far


def value(count, log_v, c, log_x):
    """ln M, or the likelihood ratio, at the distance e^{log_x}."""
    if c is None:
        return 0.5 * count * np.logaddexp(0.0, 2.0 * log_x - log_v)
    _, far = log_far(log_v, c, log_x)
    return 0.5 * count * np.log1p(c * np.exp(2.0 * log_x - far)) - 0.5 * np.log1p(c)


def least_of(count, log_v, effects):
    """Least value over all sign changes of the derivative on a fine scale, refined; x = 1/(1 + e^{−z})."""
    arms = [(count[i][:, None], log_v[i][:, None], None if effects is None else effects[i][:, None]) for i in (0, 1)]

    def rising(z):
        return log_pull(*arms[0], -np.logaddexp(0.0, -z)) > log_pull(*arms[1], -np.logaddexp(0.0, z))

    up = rising(PLACES[None, :])
    turns = ~up[:, :-1] & up[:, 1:]
    best = np.full(count.shape[1], math.inf)
    for _ in range(3):
        first = turns.argmax(axis=1)
        some = turns.any(axis=1)
        low, high = PLACES[first][:, None], PLACES[np.minimum(first + 1, len(PLACES) - 1)][:, None]
        for _ in range(HALVINGS):
            z = 0.5 * (low + high)
            right = rising(z)
            low, high = np.where(right, low, z), np.where(right, z, high)
        z = 0.5 * (low + high)
        found = value(*arms[0], -np.logaddexp(0.0, -z)) + value(*arms[1], -np.logaddexp(0.0, z))
        best = np.where(some, np.minimum(best, found[:, 0]), best)
        turns[np.arange(len(first)), first] = False
    return best
