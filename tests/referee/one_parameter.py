"""Bernoulli, Poisson, exponential and Gamma arms (docs/families.md, sections 1 and 2; docs/families/*.md)."""

import math
from fractions import Fraction
from typing import NamedTuple

import numpy as np
from mpmath import mp

import toptwo as tt
from referee.corners import Pair, around, beside, counts_of, margin_of
from referee.tools import above_line, cross, empty, log_sum, real, settled, stirling, with_sum
from toptwo.families.base import mirrored as mirror_of
from toptwo.families.numerics.mixture_prices import RATES

WEIGHTS = (0.1, 0.2, 0.4, 0.2, 0.1)
"""The weights of docs/families/poisson.md."""

HALVINGS = 110


class Arm(NamedTuple):
    """N and the sum of the rewards."""

    count: float
    total: float

    def mean(self):
        return Fraction(self.total) / Fraction(self.count)


class OneParameter:
    """What these laws share; means lie between `lowest` and `highest`."""

    lowest, highest = 0.0, math.inf

    def pair(self, family, counts, totals, epsilon=0.0, mirrored=False):
        return Pair(family, tuple(Arm(*arm) for arm in zip(counts, totals, strict=True)), epsilon, mirrored)

    def state(self, pair):
        """State of the family, from counts and sums."""
        family = mirror_of(pair.family) if pair.mirrored else pair.family
        state = empty(family)
        for place, arm in enumerate(pair.arms[::-1] if pair.mirrored else pair.arms):
            with_sum(family, place, arm.count, -arm.total if pair.mirrored else arm.total, state)
        return family, state

    def exact(self, pair, slack=0):
        return settled(lambda: self._exact(pair, slack))

    def _exact(self, pair, slack):
        means, epsilon = self._moved(pair, slack)
        if means[0] + epsilon == means[1]:
            return mp.mpf(0), mp.mpf(0)
        separation = self._least(pair, means, epsilon)
        if means[0] + epsilon <= means[1]:
            return separation, mp.mpf(0)
        return separation, max(mp.mpf(0), separation + self.price(pair))

    def _moved(self, pair, slack):
        a, b = (arm.mean() for arm in pair.arms)
        side = 1 if a + Fraction(pair.epsilon) >= b else -1
        low = Fraction(self.lowest)
        high = Fraction(self.highest) if math.isfinite(self.highest) else None
        found = []
        for mean, way in ((a, side), (b, -side)):
            mean = mean + way * slack * Fraction(math.ulp(float(mean)))
            mean = max(mean, low) if high is None else min(max(mean, low), high)
            found.append(mean)
        epsilon = Fraction(pair.epsilon)
        return found, epsilon + side * slack * Fraction(math.ulp(pair.epsilon)) if epsilon else epsilon

    def bracket(self, means, epsilon):
        """Where the common mean u lies: between the means, and in the range of means; None if it is nowhere."""
        low, high = Fraction(self.lowest), Fraction(self.highest) if math.isfinite(self.highest) else None
        if high is not None and epsilon >= high - low:
            return None
        left, right = sorted((means[0], means[1] - epsilon))
        left = max(left, low)
        return left, right if high is None else min(right, high - epsilon)

    def _least(self, pair, means, epsilon):
        """The minimum over u: one sign change of the derivative (lemma 2)."""
        span = self.bracket(means, epsilon)
        if span is None:
            return mp.inf
        counts = [real(arm.count) for arm in pair.arms]
        a, b, margin = real(means[0]), real(means[1]), real(epsilon)

        def slope(u):
            v, w = self.variance(u), self.variance(u + margin)
            return counts[0] * (u - a) * w + counts[1] * (u + margin - b) * v

        if epsilon == 0:
            u = (counts[0] * a + counts[1] * b) / (counts[0] + counts[1])
        else:
            u = cross(real(span[0]), real(span[1]), slope)
        return counts[0] * self.divergence(a, u) + counts[1] * self.divergence(b, u + margin)

    def quick(self, pairs):
        columns = np.array([self._columns(pair) for pair in pairs], dtype=float).T
        left, length, end, gap, up_a, down_a, up_b, down_b, mean_a, mean_b, count_a, count_b, epsilon, nowhere = columns
        ahead, nowhere = gap > 0.0, (nowhere > 0.0) & (gap != 0.0)

        def place(z):
            near, far = 1.0 / (1.0 + np.exp(-z)), 1.0 / (1.0 + np.exp(z))
            u, rest = left + near * length, end + far * length
            offset_a = np.where(ahead, -(down_a + far * length), up_a + near * length)
            offset_b = np.where(ahead, up_b + near * length, -(down_b + far * length))
            return u, rest, offset_a, offset_b

        with np.errstate(all="ignore"):
            low, high = np.full(len(pairs), -150.0), np.full(len(pairs), 150.0)
            for _ in range(HALVINGS):
                z = 0.5 * (low + high)
                u, rest, offset_a, offset_b = place(z)
                pull_a = np.log(count_a) + np.log(np.abs(offset_a)) + self.log_variance(u + epsilon, rest)
                pull_b = np.log(count_b) + np.log(np.abs(offset_b)) + self.log_variance(u, rest + epsilon)
                right = np.where(ahead, pull_b > pull_a, pull_a > pull_b)
                low, high = np.where(right, low, z), np.where(right, z, high)
            u, rest, offset_a, offset_b = place(0.5 * (low + high))
            arms = [[pair.arms[which] for pair in pairs] for which in (0, 1)]
            cost = count_a * self.cost(arms[0], mean_a, offset_a, u, rest + epsilon)
            cost += count_b * self.cost(arms[1], mean_b, offset_b, u + epsilon, rest)
        separation = np.where(nowhere, math.inf, np.where(gap != 0.0, cost, 0.0))
        return separation, np.where(ahead, np.maximum(0.0, separation + self.quick_price(pairs)), 0.0)

    def _columns(self, pair):
        a, b = (arm.mean() for arm in pair.arms)
        epsilon = Fraction(pair.epsilon)
        span = self.bracket((a, b), epsilon)
        left, right = span if span else (a, a)
        end = Fraction(self.highest) - epsilon - right if math.isfinite(self.highest) else 0
        distances = (left - a, a - right, left + epsilon - b, b - epsilon - right)
        counts = [arm.count for arm in pair.arms]
        return [
            float(x)
            for x in (left, right - left, end, a + epsilon - b, *distances, a, b, *counts, epsilon, span is None)
        ]

    def deviation(self, pair, which, value):
        arm = pair.arms[which]
        return settled(lambda: (real(arm.count) * self.divergence(real(arm.mean()), real(value)),))[0]

    def means(self, pair):
        return [arm.mean() for arm in pair.arms]

    def clipped(self, pair, value):
        value = max(value, Fraction(self.lowest))
        return min(value, Fraction(self.highest)) if math.isfinite(self.highest) else value

    def resolution(self, pair):
        return 0

    def span(self, pair):
        return self.lowest, self.highest

    def images(self, pair):
        """Questions with the same answer."""
        return iter(())

    def quick_deviation(self, questions):
        arms = [pair.arms[which] for pair, which, _ in questions]
        means, values = [arm.mean() for arm in arms], [value for _, _, value in questions]
        offsets, y, rest = (
            np.array([float(x) for x in row])
            for row in ([v - m for m, v in zip(means, values, strict=True)], values, [1 - v for v in values])
        )
        with np.errstate(all="ignore"):
            cost = self.cost(arms, np.array([float(x) for x in means]), offsets, y, rest)
            return np.array([arm.count for arm in arms]) * cost


def shifted(x, offset, y):
    """x ln(x/y) + y − x for y = x + offset, without loss of digits."""
    safe = np.where(x > 0.0, x, 1.0)
    t = offset / safe
    far = np.where((np.abs(t) < 0.5) | (y <= 0.0), above_line(t), t - np.log(y / safe))
    return np.where(y < 0.0, math.inf, np.where(x > 0.0, x * np.where(y > 0.0, far, math.inf), offset))


class Bernoulli(OneParameter):
    """d(x, y) = x ln(x/y) + (1−x) ln((1−x)/(1−y)); prior Beta(½, ½)."""

    highest = 1.0

    def pairs(self, corner, number):
        random = np.random.default_rng(corner.seed)
        for _ in range(number):
            near = around(corner, random)
            counts = counts_of(near)
            chance = 0.5 * 10.0 ** (-abs(near.ratio) * (1.0 if near.ratio % 1.0 < 0.7 else 0.3))
            if near.kind == "end":
                totals = [min(n, float(random.integers(0, 4))) for n in counts]
            else:
                step = 10.0**near.gap * math.sqrt(chance * (1.0 / counts[0] + 1.0 / counts[1]))
                second = 10.0 ** -abs(near.tiny) if near.kind == "wide" else chance + near.sign * step
                totals = [round(n * min(1.0, max(0.0, p))) for n, p in zip(counts, (second, chance), strict=True)]
                if near.kind == "ulp":
                    totals[0] = min(counts[0], max(0, round(counts[0] * totals[1] / counts[1] + near.sign)))
            flips = random.random(2) < 0.5 if near.kind in ("end", "wide") else [random.random() < 0.5] * 2
            totals = [float(n - s if flip else s) for n, s, flip in zip(counts, totals, flips, strict=True)]
            gap = totals[0] / counts[0] - totals[1] / counts[1]
            yield self.pair(tt.Bernoulli(), counts, totals, margin_of(near, gap, 1.0), near.mirrored)

    def images(self, pair):
        """Failures counted in place of successes."""
        arms = [Arm(arm.count, arm.count - arm.total) for arm in pair.arms]
        yield pair._replace(arms=(arms[1], arms[0]))

    def divergence(self, x, y):
        return term(x, y) + term(1 - x, 1 - y)

    def variance(self, x):
        return x * (1 - x)

    def log_variance(self, x, rest):
        return np.log(x) + np.log(rest)

    def cost(self, arms, mean, offset, y, rest):
        left = np.array([float(1 - arm.mean()) for arm in arms])
        return shifted(mean, offset, y) + shifted(left, -offset, rest)

    def price(self, pair):
        found = mp.mpf(0)
        for arm in pair.arms:
            s, n = real(arm.total), real(arm.count)
            f = n - s
            found += mp.loggamma(s + 0.5) + mp.loggamma(f + 0.5) - mp.loggamma(n + 1) - mp.log(mp.pi)
            found -= term(s, n) + term(f, n)
        return found

    def quick_price(self, pairs):
        found = np.zeros(len(pairs))
        for which in (0, 1):
            n = np.array([pair.arms[which].count for pair in pairs])
            s = np.array([pair.arms[which].total for pair in pairs])
            # ln Γ(N + 1) − N ln N + N, with N + 1 = (N + ½) + ½
            half = n + 0.5
            factorial = stirling(half) + n * np.log1p(0.5 / n) + 0.5 * np.log(half) - 0.5
            found += stirling(s) + stirling(n - s) - factorial - math.log(math.pi)
        return found


class GammaLaw(OneParameter):
    """Laws whose mixture is over Gamma priors of a rate: k events in exposure t."""

    def price(self, pair):
        total = mp.mpf(0)
        unit = self.unit(pair)
        for rate, weight in zip(RATES, WEIGHTS, strict=True):
            log_q = mp.mpf(0)
            for arm in pair.arms:
                k, t = self.events(arm)
                beta = real(rate) * unit
                log_q += mp.log(beta) / 2 - mp.log(mp.pi) / 2 + mp.loggamma(k + 0.5) - (k + 0.5) * mp.log(t + beta)
                log_q -= term(k, t) - k
            total += real(weight) * mp.exp(log_q)
        return mp.log(total)

    def quick_price(self, pairs):
        unit = np.array([float(self.unit(pair)) for pair in pairs])
        terms = []
        for rate in RATES:
            found = np.zeros(len(pairs))
            for which in (0, 1):
                events, exposure = np.array([self.events(pair.arms[which]) for pair in pairs], dtype=float).T
                ratio = rate * unit / exposure
                found += stirling(events) - 0.5 * math.log(math.pi) + 0.5 * np.log(ratio)
                found -= (events + 0.5) * np.log1p(ratio)
            terms.append(found)
        return log_sum(WEIGHTS, terms)

    def two_means(self, near, counts):
        """Two positive means, and the size of a step that can be told."""
        low = 10.0**near.scale
        if near.kind == "wide":
            return low * 10.0**near.ratio, low
        step = 10.0**near.gap * self.noise(low) * math.sqrt(1.0 / counts[0] + 1.0 / counts[1])
        return max(low * 1e-3, beside(near, low, step)), low


class Poisson(GammaLaw):
    """d(x, y) = y − x + x ln(x/y)."""

    def pairs(self, corner, number):
        random = np.random.default_rng(corner.seed)
        for _ in range(number):
            near = around(corner, random)
            counts = counts_of(near)
            means = self.two_means(near, counts)
            totals = [float(round(n * mean)) for n, mean in zip(counts, means, strict=True)]
            if near.kind == "end":
                totals[random.integers(0, 2)] = float(random.integers(0, 3))
            if near.kind == "ulp" and totals[1] < 2.0**50:
                totals[0] = float(max(0, round(counts[0] * totals[1] / counts[1]) + near.sign))
            gap = totals[0] / counts[0] - totals[1] / counts[1]
            scale = 10.0 ** (near.scale if random.random() < 0.5 else random.uniform(-15, 15))
            family = tt.Poisson(scale)
            yield self.pair(family, counts, totals, margin_of(near, gap, means[1]), near.mirrored)

    def noise(self, mean):
        return math.sqrt(mean)

    def unit(self, pair):
        return 1 / real(pair.family.scale)

    def events(self, arm):
        return real(arm.total), real(arm.count)

    def divergence(self, x, y):
        return y - x + term(x, y)

    def variance(self, x):
        return x

    def log_variance(self, x, rest):
        return np.log(x)

    def cost(self, arms, mean, offset, y, rest):
        return shifted(mean, offset, y)


class Exponential(GammaLaw):
    """d(x, y) = x/y − 1 − ln(x/y)."""

    def law(self, scale):
        return tt.Exponential(scale)

    def pairs(self, corner, number):
        random = np.random.default_rng(corner.seed)
        for _ in range(number):
            near = around(corner, random)
            counts = counts_of(near)
            means = self.two_means(near, counts)
            totals = [n * mean for n, mean in zip(counts, means, strict=True)]
            gap = totals[0] / counts[0] - totals[1] / counts[1]
            scale = 10.0 ** (near.scale if random.random() < 0.5 else random.uniform(-15, 15))
            yield self.pair(self.law(scale), counts, totals, margin_of(near, gap, means[1]), near.mirrored)

    def noise(self, mean):
        return mean

    def unit(self, pair):
        return real(pair.family.scale)

    def events(self, arm):
        return real(arm.count), real(arm.total)

    def images(self, pair):
        """Durations in other units."""
        arms = tuple(Arm(arm.count, 0.125 * arm.total) for arm in pair.arms)
        yield Pair(self.law(0.125 * pair.family.scale), arms, 0.125 * pair.epsilon, pair.mirrored)

    def divergence(self, x, y):
        return mp.inf if y <= 0 else x / y - 1 - mp.log(x / y)

    def variance(self, x):
        return x * x

    def log_variance(self, x, rest):
        return 2.0 * np.log(x)

    def cost(self, arms, mean, offset, y, rest):
        t = -offset / y
        far = np.where(np.abs(t) < 0.5, above_line(t), t - np.log(mean / y))
        return np.where(y > 0.0, far, math.inf)


class Gamma(Exponential):
    """k times the divergence of exponential rewards: one reward counts for k of them."""

    def __init__(self, shape):
        self.shape = shape

    def law(self, scale):
        return tt.Gamma(self.shape, scale)

    def noise(self, mean):
        return mean / math.sqrt(self.shape)

    def events(self, arm):
        events, exposure = super().events(arm)
        return real(self.shape) * events, real(self.shape) * exposure

    def divergence(self, x, y):
        return real(self.shape) * super().divergence(x, y)

    def variance(self, x):
        return super().variance(x) / real(self.shape)

    def log_variance(self, x, rest):
        return super().log_variance(x, rest) - math.log(self.shape)

    def cost(self, arms, mean, offset, y, rest):
        return self.shape * super().cost(arms, mean, offset, y, rest)


def term(x, y):
    """x ln(x/y); 0 for x = 0, infinite for y = 0."""
    if x == 0:
        return mp.mpf(0)
    return mp.inf if y <= 0 else x * mp.log(x / y)
