"""Gaussian arms of known standard deviation, one or one per arm (docs/mixture.md, docs/families/gaussian.md)."""

import math
from fractions import Fraction
from typing import NamedTuple

import numpy as np
from mpmath import mp

import toptwo as tt
from referee.corners import Pair, around, beside, counts_of, margin_of
from referee.tools import RealLine, empty, log_sum, moved, real, settled, without_loss
from toptwo.families.gaussian import LOG_WEIGHTS, PRECISIONS

WEIGHTS = (0.2, 0.6, 0.2)
"""The weights of docs/mixture.md, whose logarithms the code keeps."""

assert np.allclose(np.exp(LOG_WEIGHTS), WEIGHTS, rtol=1e-15)


class Arm(NamedTuple):
    """N, μ̂ and the known σ of the arm."""

    count: float
    mean: float
    sigma: float


class KnownVariance(RealLine):
    """One σ for both arms, or one each."""

    def __init__(self, per_arm):
        self.per_arm = per_arm

    def pairs(self, corner, number):
        random = np.random.default_rng(corner.seed)
        for _ in range(number):
            near = around(corner, random)
            counts, sigma = counts_of(near), 10.0**near.scale
            other = sigma * 10.0**near.ratio if self.per_arm else sigma
            spread = math.sqrt(sigma**2 / counts[0] + other**2 / counts[1])
            place = {"end": 0.0, "wide": 10.0**near.scale}.get(near.kind, sigma * 10.0**near.ratio)
            low = place * float(random.choice([-1.0, 1.0]))
            high = beside(near, low, spread * 10.0**near.gap)
            sigmas = (sigma, other) if self.per_arm else sigma
            yield self.pair(sigmas, counts, (high, low), margin_of(near, high - low, spread), near.mirrored)

    def pair(self, sigma, counts, means, epsilon=0.0, mirrored=False):
        sigmas = sigma if self.per_arm else (sigma, sigma)
        seen = sigmas[::-1] if mirrored else sigmas
        family = tt.Gaussian(sigma=list(seen)).for_arms(2) if self.per_arm else tt.Gaussian(sigma)
        arms = tuple(Arm(*values) for values in zip(counts, means, sigmas, strict=True))
        return Pair(family, arms, epsilon, mirrored)

    def state(self, pair):
        """State of the family; one reward equal to the mean comes last."""
        family = tt.families.base.mirrored(pair.family) if pair.mirrored else pair.family
        state = empty(family)
        side = -1.0 if pair.mirrored else 1.0
        for place, arm in enumerate(pair.arms[::-1] if pair.mirrored else pair.arms):
            state.counts[place], state.means[place] = arm.count - 1.0, side * arm.mean
            family.observe(place, side * arm.mean, state)
        return family, state

    def exact(self, pair, slack=0):
        return settled(lambda: self._exact(pair, slack))

    def _exact(self, pair, slack):
        a, b = pair.arms
        gap = Fraction(a.mean) - Fraction(b.mean) + Fraction(pair.epsilon)
        side = 1 if gap >= 0 else -1
        gap = real(moved(a.mean, side * slack) - moved(b.mean, -side * slack) + moved(pair.epsilon, side * slack))
        widest = max(real(arm.sigma) for arm in pair.arms)
        weighted = [real(arm.count) * (widest / real(arm.sigma)) ** 2 for arm in pair.arms]
        square = (gap / widest) ** 2
        separation = square / (2 * sum(1 / n for n in weighted))
        if gap <= 0:
            return separation, mp.mpf(0)
        total = mp.mpf(0)
        for precision, weight in zip(PRECISIONS, WEIGHTS, strict=True):
            rho = real(precision)
            term = square / (2 * sum(1 / n + rho / n**2 for n in weighted))
            total += real(weight) * mp.exp(term - sum(mp.log1p(n / rho) for n in weighted) / 2)
        return separation, max(mp.mpf(0), mp.log(total))

    def quick(self, pairs):
        gap = np.array(
            [float(Fraction(p.arms[0].mean) - Fraction(p.arms[1].mean) + Fraction(p.epsilon)) for p in pairs]
        )
        sigma = np.array([[arm.sigma for arm in p.arms] for p in pairs]).T
        count = np.array([[arm.count for arm in p.arms] for p in pairs]).T
        widest = sigma.max(axis=0)
        weighted = count * (widest / sigma) ** 2
        square = (gap / widest) ** 2
        separation = square / (2.0 * (1.0 / weighted).sum(axis=0))
        terms = [
            square / (2.0 * (1.0 / weighted + rho / weighted**2).sum(axis=0))
            - 0.5 * np.log1p(weighted / rho).sum(axis=0)
            for rho in PRECISIONS
        ]
        return separation, np.where(gap > 0.0, np.maximum(0.0, log_sum(WEIGHTS, terms)), 0.0)

    def deviation(self, pair, which, value):
        arm = pair.arms[which]
        return settled(lambda: (real(arm.count) * (real(value - Fraction(arm.mean)) / real(arm.sigma)) ** 2 / 2,))[0]

    def images(self, pair):
        """Rewards in other units, negated, and shifted where that costs no digit."""
        means, counts = [arm.mean for arm in pair.arms], [arm.count for arm in pair.arms]
        sigmas = tuple(arm.sigma for arm in pair.arms) if self.per_arm else pair.arms[0].sigma
        scaled = tuple(8.0 * s for s in sigmas) if self.per_arm else 8.0 * sigmas
        yield self.pair(scaled, counts, [8.0 * mean for mean in means], 8.0 * pair.epsilon, pair.mirrored)
        back = sigmas[::-1] if self.per_arm else sigmas
        yield self.pair(back, counts[::-1], [-mean for mean in means[::-1]], pair.epsilon, pair.mirrored)
        for shifted in without_loss(means):
            yield self.pair(sigmas, counts, shifted, pair.epsilon, pair.mirrored)

    def quick_deviation(self, questions):
        found = []
        for pair, which, value in questions:
            arm = pair.arms[which]
            found.append(arm.count * (float(value - Fraction(arm.mean)) / arm.sigma) ** 2 / 2.0)
        return np.array(found)
