"""Rewards in an interval (docs/families/bounded.md): maxima of concave functions, a minimum of a convex one."""

import math
from fractions import Fraction
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from mpmath import mp

import toptwo as tt
from referee.corners import Pair, around, counts_of, margin_of
from referee.tools import empty, real, settled
from toptwo.families.base import mirrored as mirror_of

HALVINGS = 40
"""Bisection in log-odds from −120 to 120, to 2e-10: errors of a minimum or maximum are of second order."""

BISECTIONS = 14
"""Halvings before secants, in the exact referee."""

UNIT = (0.0, 1.0)


class Arm(NamedTuple):
    """Atoms between 0 and 1 in rising order, the ends among them, and how often each was seen."""

    values: tuple[float, ...]
    masses: tuple[float, ...]

    @property
    def count(self):
        return sum(self.masses)

    def mean(self):
        return mean_of(self)


@lru_cache(maxsize=20_000)
def mean_of(arm):
    """Σ mass · value / Σ mass."""
    total = sum(Fraction(m) * Fraction(v) for v, m in zip(arm.values, arm.masses, strict=True) if m > 0.0)
    return total / Fraction(arm.count)


class Bounded:
    """K_inf of an arm's atoms; the interval is [low, low + length]."""

    def pairs(self, corner, number):
        random = np.random.default_rng(corner.seed)
        for _ in range(number):
            near = around(corner, random)
            arms = [self.arm(near, count, random) for count in counts_of(near)]
            if near.kind == "level":
                arms[1] = arms[0]
            if near.kind == "ulp":
                arms[1] = self.nudged(arms[0])
            gap = float(arms[0].mean() - arms[1].mean())
            span = UNIT if random.random() < 0.5 else (0.0, 2.0 ** round(near.scale * 3.0))
            yield self.pair(arms, margin_of(near, gap, 1.0) * (span[1] - span[0]), near.mirrored, span)

    def arm(self, near, count, random):
        """Few atoms: anywhere, close together, or close to the ends."""
        size = int(random.integers(1, 6)) if random.random() < 0.9 else int(random.integers(6, 30))
        kind = random.integers(0, 4)
        values = random.random(size)
        if kind == 1:
            values = 0.1 + 0.8 * random.random() + (values - 0.5) * 10.0 ** min(-1.0, near.gap)
        if kind == 2:
            values = 10.0 ** (-15.0 * values)
        if kind == 3:
            values = np.where(random.random(size) < 0.5, 0.0, 1.0 - 10.0 ** (-15.0 * values))
        if near.mirrored:
            values = 1.0 - (1.0 - values)
        share = np.floor(random.dirichlet(np.full(size, 0.3)) * count)
        share[0] += count - share.sum()
        masses = {0.0: 0.0, 1.0: 0.0}
        for value, mass in zip(values.tolist(), share.tolist(), strict=True):
            if mass > 0.0:
                masses[value] = masses.get(value, 0.0) + mass
        return Arm(*zip(*sorted(masses.items()), strict=True))

    def nudged(self, arm):
        """The same arm, every inner atom lower by the last digit of 1."""
        values = tuple(v if v in UNIT else v - 2.0**-53 for v in arm.values)
        return arm._replace(values=values) if min((*values[1:], *np.diff(values))) > 0.0 else arm

    def pair(self, arms, epsilon=0.0, mirrored=False, span=UNIT):
        return Pair(tt.Bounded(*span), tuple(arms), epsilon, mirrored)

    def state(self, pair):
        """State of the family: sums, and atoms with their masses, row by row (numerics/weighted_values.py)."""
        family = mirror_of(pair.family) if pair.mirrored else pair.family
        state = empty(family)
        kept = state.kept
        for place, arm in enumerate(pair.arms[::-1] if pair.mirrored else pair.arms):
            law = list(zip(arm.values, arm.masses, strict=True))
            if pair.mirrored:
                law = [(1.0 - value, mass) for value, mass in reversed(law)]
            mean = sum(Fraction(v) * Fraction(m) for v, m in law) / Fraction(arm.count)
            state.counts[place], state.inverse[place] = arm.count, 1.0 / arm.count
            state.root[place] = math.sqrt(1.0 / arm.count)
            state.means[place] = float(Fraction(family.low) + mean * Fraction(family.high - family.low))
            kept.number[place] = float(len(law))
            kept.total[place] = arm.count
            kept.sum[place] = float(mean * Fraction(arm.count))
            kept.squares[place] = float(sum(Fraction(v) ** 2 * Fraction(m) for v, m in law))
            for i, (value, mass) in enumerate(law):
                kept.values[i][place] = value
                kept.masses[i][place] = mass
        return family, state

    def exact(self, pair, slack=0):
        length = Fraction(pair.family.high) - Fraction(pair.family.low)
        epsilon = Fraction(pair.epsilon) / length
        a, b = (arm.mean() for arm in pair.arms)
        side = 1 if a + epsilon >= b else -1
        epsilon += side * slack * Fraction(2.0**-52)
        gap = a + epsilon - b
        if gap == 0:
            return mp.mpf(0), mp.mpf(0)
        separation = settled(lambda: (self._least(pair.arms, epsilon, side),))[0]
        if gap < 0:
            return separation, mp.mpf(0)
        with mp.workdps(60):
            price = sum(mp.log1p(mp.pi * real(arm.count)) for arm in pair.arms) / 2
            return separation, max(mp.mpf(0), separation - price)

    def _least(self, arms, epsilon, side):
        """The minimum over u: where the derivative, which rises, changes its sign."""
        if epsilon >= 1:
            return mp.inf
        a, b = (arm.mean() for arm in arms)
        low, high = sorted((a, b - epsilon))
        low, high = real(max(low, Fraction(0))), real(min(high, 1 - epsilon))
        margin = real(epsilon)
        laws = [Law(arm) for arm in arms]

        def slope(z):
            u, rest = placed(z)
            pull_a = real(arms[0].count) * laws[0].stake(u, rest + margin, -side)
            pull_b = real(arms[1].count) * laws[1].stake(u + margin, rest, side)
            return side * (mp.log(pull_b) - mp.log(pull_a))

        def placed(z):
            near = 1 / (1 + mp.exp(-z))
            u = low + near * (high - low)
            return u, (1 - margin - high) + (high - low) / (1 + mp.exp(z))

        if high > low:
            z = bracketed(slope, mp.mpf(-150), mp.mpf(150))
            u, rest = placed(z)
        else:
            u, rest = low, 1 - margin - low
        gains = laws[0].gain(u, rest + margin, -side), laws[1].gain(u + margin, rest, side)
        return sum(real(arm.count) * gain for arm, gain in zip(arms, gains, strict=True))

    def means(self, pair):
        low, high = (Fraction(end) for end in self.span(pair))
        return [low + (high - low) * arm.mean() for arm in pair.arms]

    def clipped(self, pair, value):
        low, high = (Fraction(end) for end in self.span(pair))
        return min(max(value, low), high)

    def resolution(self, pair):
        """Values are kept as parts of the interval: to the last digit of 1."""
        low, high = self.span(pair)
        return Fraction(high - low) * Fraction(2.0**-52)

    def span(self, pair):
        return pair.family.low, pair.family.high

    def images(self, pair):
        """Rewards in other units."""
        low, high = self.span(pair)
        if low == 0.0:
            yield self.pair(pair.arms, 8.0 * pair.epsilon, pair.mirrored, (0.0, 8.0 * high))

    def quick(self, pairs):
        return quick(pairs)

    def quick_deviation(self, questions):
        arms, places = [pair.arms[which] for pair, which, _ in questions], []
        for pair, _, value in questions:
            low, high = (Fraction(end) for end in self.span(pair))
            places.append((value - low) / (high - low))
        offsets = np.array([float(place - arm.mean()) for place, arm in zip(places, arms, strict=True)])
        sides = np.where(offsets > 0.0, 1.0, -1.0)
        u, rest = np.array([[float(place), float(1 - place)] for place in places]).T
        with np.errstate(all="ignore"):
            laws = Laws(arms, max(len(arm.values) for arm in arms))
            cost = laws.count * laws.gain(u, rest, np.abs(offsets), sides)
            return np.where((offsets != 0.0) & (np.where(sides > 0.0, rest, u) <= 0.0), math.inf, cost)

    def deviation(self, pair, which, value):
        length = Fraction(pair.family.high) - Fraction(pair.family.low)
        u = min(max((value - Fraction(pair.family.low)) / length, Fraction(0)), Fraction(1))
        arm = pair.arms[which]
        side = 1 if u > arm.mean() else -1
        return settled(lambda: (real(arm.count) * Law(arm).gain(real(u), real(1 - u), side),))[0]


class Law:
    """The atoms of an arm with all digits."""

    def __init__(self, arm):
        found = [(v, m) for v, m in zip(arm.values, arm.masses, strict=True) if m > 0.0]
        count = sum(Fraction(m) for _, m in found)
        self.shares = [real(Fraction(m) / count) for _, m in found]
        self.values = [real(v) for v, _ in found]

    def steps(self, u, side):
        """z = u − X, or X − u: what a stake λ is multiplied with."""
        return [side * (u - v) for v in self.values]

    def stake(self, u, rest, side):
        """The best λ in [0, 1/room], where the derivative of E ln(1 + λz), which falls, changes its sign."""
        z, room = self.steps(u, side), rest if side > 0 else u
        if sum(p * x for p, x in zip(self.shares, z, strict=True)) <= 0:
            return mp.mpf(0)
        if room <= 0:
            return mp.inf
        far = [v == (1 if side > 0 else 0) for v in self.values]

        def slope(rate):
            """How the parts of the derivative in which capital is lost compare with those in which it is won."""
            parts = [p * x / (1 + rate * x) for p, x in zip(self.shares, z, strict=True)]
            return mp.log(-sum(part for part in parts if part < 0)) - mp.log(sum(part for part in parts if part > 0))

        if not any(far) and (min(z) >= 0 or slope(1 / room) <= 0):
            return 1 / room
        w = bracketed(lambda w: slope(1 / (room * (1 + mp.exp(-w)))), mp.mpf(-200), mp.mpf(200))
        return 1 / (room * (1 + mp.exp(-w)))

    def gain(self, u, rest, side):
        """K_inf."""
        room = rest if side > 0 else u
        z, rate = self.steps(u, side), self.stake(u, rest, side)
        if rate == 0:
            return mp.mpf(0)
        if room <= 0:
            return mp.inf
        return sum(p * mp.log1p(rate * x) for p, x in zip(self.shares, z, strict=True))


def bracketed(function, low, high):
    """A root of a function that rises, between two points: by bisection, then mostly by the Illinois secant."""
    at_low, at_high, last = None, None, 0
    for step in range(1000):
        if high - low < mp.mpf(10) ** (-mp.dps // 2):
            return (low + high) / 2
        secant = step >= BISECTIONS and step % 8 and at_low is not None and at_high is not None
        middle = (low * at_high - high * at_low) / (at_high - at_low) if secant else (low + high) / 2
        if not low < middle < high:
            middle = (low + high) / 2
        found = function(middle)
        if found == 0:
            return middle
        if found < 0:
            at_high = at_high / 2 if last < 0 and at_high is not None else at_high
            low, at_low, last = middle, found, -1
        else:
            at_low = at_low / 2 if last > 0 and at_low is not None else at_low
            high, at_high, last = middle, found, 1
    raise AssertionError("no root after a thousand steps")


def quick(pairs):
    """Nested bisection of all pairs at once; distances are sums of positive numbers."""
    size = max(len(arm.values) for pair in pairs for arm in pair.arms)
    laws = [Laws([pair.arms[which] for pair in pairs], size) for which in (0, 1)]
    left, length, end, gap, epsilon, nowhere, price, beyond_a, beyond_b = np.array(
        [columns(pair) for pair in pairs], dtype=float
    ).T
    side = np.where(gap > 0.0, 1.0, -1.0)

    def asked(z):
        near, far = length / (1.0 + np.exp(-z)), length / (1.0 + np.exp(z))
        u, rest = left + near, end + far
        away_a, away_b = beyond_a + np.where(side > 0.0, far, near), beyond_b + np.where(side > 0.0, near, far)
        return (u, rest + epsilon, away_a, -side), (u + epsilon, rest, away_b, side)

    with np.errstate(all="ignore"):
        low, high = np.full(len(pairs), -120.0), np.full(len(pairs), 120.0)
        for _ in range(HALVINGS):
            z = 0.5 * (low + high)
            first, second = (law.count * law.stake(*question) for law, question in zip(laws, asked(z), strict=True))
            right = np.where(side > 0.0, first > second, second > first)
            low, high = np.where(right, z, low), np.where(right, high, z)
        questions = zip(laws, asked(0.5 * (low + high)), strict=True)
        cost = sum(law.count * law.gain(*question) for law, question in questions)
    separation = np.where(gap == 0.0, 0.0, np.where(nowhere > 0.0, math.inf, cost))
    return separation, np.where(gap > 0.0, np.maximum(0.0, separation - price), 0.0)


def columns(pair):
    """What `quick` needs of a pair, each number rounded once."""
    length = Fraction(pair.family.high) - Fraction(pair.family.low)
    epsilon = Fraction(pair.epsilon) / length
    a, b = (arm.mean() for arm in pair.arms)
    left, right = sorted((a, b - epsilon))
    left, right = max(left, Fraction(0)), min(right, 1 - epsilon)
    gap = a + epsilon - b
    price = sum(0.5 * math.log1p(math.pi * arm.count) for arm in pair.arms)
    beyond = (a - right, left + epsilon - b) if gap > 0 else (left - a, b - epsilon - right)
    return [float(x) for x in (left, right - left, 1 - epsilon - right, gap, epsilon, epsilon >= 1, price, *beyond)]


class Laws:
    """Atoms of many arms, in rows of one length."""

    def __init__(self, arms, size):
        shape = len(arms), size
        self.values, self.rests, self.apart, self.shares = (
            np.full(shape, 0.5),
            np.full(shape, 0.5),
            *np.zeros((2, *shape)),
        )
        self.count = np.array([arm.count for arm in arms])
        for i, arm in enumerate(arms):
            mean, own = arm.mean(), slice(0, len(arm.values))
            self.values[i, own] = arm.values
            self.rests[i, own] = 1.0 - self.values[i, own]
            self.apart[i, own] = [float(mean - Fraction(value)) for value in arm.values]
            self.shares[i, own] = np.array(arm.masses) / arm.count

    def solve(self, u, rest, away, side):
        """The best share of capital at stake, as its log-odds; what a full stake multiplies it by, and that less 1.

        `away` is the distance of u from the mean.
        """
        up = side > 0.0
        room = np.where(up, rest, u)
        ratio = np.where(up[:, None], self.rests, self.values) / room[:, None]
        gain = (away[:, None] + np.where(up[:, None], self.apart, -self.apart)) / room[:, None]
        ratio, gain = np.where(self.shares > 0.0, (ratio, gain), np.array([1.0, 0.0])[:, None, None])
        lost = (self.shares * (ratio == 0.0)).sum(axis=1) > 0.0
        at_end = (self.shares * gain / np.where(ratio > 0.0, ratio, 1.0)).sum(axis=1)
        low, high = np.full(len(u), -120.0), np.full(len(u), 120.0)
        for _ in range(HALVINGS):
            z = 0.5 * (low + high)
            kept, put = 1.0 / (1.0 + np.exp(z)), 1.0 / (1.0 + np.exp(-z))
            slope = (self.shares * gain / (kept[:, None] + put[:, None] * ratio)).sum(axis=1)
            low, high = np.where(slope > 0.0, z, low), np.where(slope > 0.0, high, z)
        best = np.where(~lost & (at_end >= 0.0), np.inf, 0.5 * (low + high))
        return np.where(away > 0.0, best, -np.inf), ratio, gain, room

    def stake(self, u, rest, away, side):
        """The best λ."""
        z, _, _, room = self.solve(u, rest, away, side)
        return np.where(np.isneginf(z), 0.0, 1.0 / (1.0 + np.exp(-z)) / room)

    def gain(self, u, rest, away, side):
        """K_inf."""
        z, ratio, gain, _ = self.solve(u, rest, away, side)
        put, kept = (1.0 / (1.0 + np.exp(-z)))[:, None], (1.0 / (1.0 + np.exp(z)))[:, None]
        logs = np.where(put * gain < -0.5, np.log(kept + put * ratio), np.log1p(put * gain))
        return np.where(np.isneginf(z), 0.0, np.where(self.shares > 0.0, self.shares * logs, 0.0).sum(axis=1))
