"""What is required of a family in a list of states; every breach is a complaint with the state and both numbers."""

import math
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

TOLERANCE = 1e-9
"""What a value may exceed the truth by, in nats or relatively: a level ln((K−1)/δ) off by 1e-9 belongs to a δ off by
1e-9 of itself, and where the relative part is the larger one, at a nat and above, it is 1e-9 of the evidence."""

DOUBT = 0.5 * TOLERANCE
"""Where the exact referee is called: the quick one is right to 1e-11."""

LAST_DIGITS = 2
"""Units in the last place that a bound may be off by."""

QUICK = 1e-11
"""What the quick referee may be off by."""

CAREFUL = 1e-7
"""What equal states may differ by where one of them was rounded down for want of digits: near 1, not near 0."""

TIGHT = 1e-6
"""A value that is less than the truth by more is conservative, not wrong."""

ENOUGH = 4
"""Complaints of one kind after which no more are looked for: each takes the exact referee."""


class Complaint(NamedTuple):
    """A requirement that was not met."""

    what: str
    found: float
    truth: float
    pair: Any

    def __str__(self):
        return f"{self.what}: {self.found!r} against {float(self.truth)!r} for {self.pair}"


class Careful:
    """A family whose answers are NaN where asking raised an error of arithmetic, which compiled code would not."""

    def __init__(self, family):
        self._family = family

    def __getattr__(self, name):
        method = getattr(self._family, name)

        def answer(*arguments):
            try:
                return method(*arguments)
            except (ArithmeticError, ValueError):
                return math.nan

        return answer


class Bench:
    """The answers of a family, or of one made wrong on purpose, in a list of states of one law."""

    def __init__(self, law, pairs, wrong=None, enough=ENOUGH):
        self.law, self.pairs, self.wrong, self.complaints = law, pairs, wrong, []
        self.enough = enough
        built = [law.state(pair) for pair in pairs]
        self.families = [Careful(wrong(family) if wrong else family) for family, _ in built]
        self.states = [state for _, state in built]
        self.separation, self.evidence = self.ask(pairs, self.families, self.states)
        self.truth = law.quick(pairs)

    def ask(self, pairs, families, states):
        """Separation and evidence as the family has them."""
        asked = [
            (family.separation(0, 1, pair.epsilon, state), family.evidence(0, 1, pair.epsilon, state))
            for family, pair, state in zip(families, pairs, states, strict=True)
        ]
        return np.array(asked, dtype=float).T

    def complain(self, what, found, truth, pair):
        self.complaints.append(Complaint(what, float(found), float(truth), pair))

    def tired(self, words):
        """Whether there are enough complaints in these words."""
        return sum(words in complaint.what for complaint in self.complaints) >= self.enough

    def values(self):
        """Neither separation nor evidence above the truth; evidence not above separation; numbers, none negative."""
        for i, pair in enumerate(self.pairs):
            separation, evidence = self.separation[i], self.evidence[i]
            if not (separation >= 0.0 and evidence >= 0.0):
                self.complain("not a number, or negative", evidence, separation, pair)
            elif evidence > separation:
                self.complain("evidence above separation", evidence, separation, pair)
        self.not_above("separation above the truth", 0, self.separation)
        self.not_above("evidence above the truth", 1, self.evidence)

    def not_above(self, what, which, found):
        """Compare with the quick referee; the exact one decides, for means that rounding cannot tell apart."""
        for i in np.flatnonzero(found > raised(self.truth[which], DOUBT)):
            if self.tired(what):
                return
            truth = self.law.exact(self.pairs[i])[which]
            if not found[i] > raised(float(truth), TOLERANCE):
                continue
            truth = self.law.exact(self.pairs[i], slack=1)[which]
            if found[i] > raised(float(truth), TOLERANCE):
                self.complain(what, found[i], truth, self.pairs[i])

    def share_of_tight(self):
        """The share of states in which neither value is below the truth by more than a millionth."""
        found = zip((self.separation, self.evidence), self.truth, strict=True)
        tight = [[value >= lowered(truth, TIGHT) for value, truth in zip(*rows, strict=True)] for rows in found]
        return float(np.mean(np.all(tight, axis=0)))

    def quick_is_exact(self, places):
        """The quick referee against the exact one, and the family against the exact one."""
        for i in places:
            for which, found in enumerate((self.separation, self.evidence)):
                truth, quick = float(self.law.exact(self.pairs[i])[which]), self.truth[which][i]
                if not (lowered(truth, QUICK) <= quick <= raised(truth, QUICK)):
                    self.complain("the quick referee is wrong", quick, truth, self.pairs[i])
                slack = float(self.law.exact(self.pairs[i], slack=1)[which])
                if found[i] > raised(max(truth, slack), TOLERANCE):
                    self.complain("above the truth", found[i], truth, self.pairs[i])

    def monotone(self, places, random):
        """A wider margin never lowers what speaks for the arm that is ahead."""
        for i in places:
            pair, family, state = self.pairs[i], self.families[i], self.states[i]
            gap = self.gap(pair)
            wider = pair.epsilon + gap * 10.0 ** random.uniform(-3.0, 1.0)
            if gap <= 0.0 or not wider > pair.epsilon:
                continue
            for question, now in (("separation", self.separation[i]), ("evidence", self.evidence[i])):
                then = getattr(family, question)(0, 1, wider, state)
                if not then >= lowered(now, TOLERANCE):
                    self.complain(f"{question} falls when the margin grows to {wider!r}", then, now, pair)

    def gap(self, pair):
        """The gap as the state has it: an arm's mean in units of the family."""
        means = self.law.means(pair)
        return float(means[0] - means[1] + Fraction(pair.epsilon))

    def invariant(self, places):
        """The same answers in other units, in a mirror, and shifted, where the law does not care."""
        for i in places:
            for image in self.law.images(self.pairs[i]):
                family, state = self.law.state(image)
                family = Careful(self.wrong(family) if self.wrong else family)
                for which, now in enumerate((self.separation[i], self.evidence[i])):
                    question = ("separation", "evidence")[which]
                    then = getattr(family, question)(0, 1, image.epsilon, state)
                    if lowered(now, TOLERANCE) <= then <= raised(now, TOLERANCE):
                        continue
                    truth = float(self.law.exact(self.pairs[i])[which])
                    if not lowered(truth, CAREFUL) <= min(now, then) <= max(now, then) <= raised(truth, TOLERANCE):
                        self.complain(f"{question} differs for {image}", then, now, self.pairs[i])

    def quickly_separated(self, places, random):
        """The quick bound is never above a separation that is not above the level."""
        for i in places:
            family, state, value = self.families[i], self.states[i], float(self.separation[i])
            if not hasattr(family, "separation_surely_above"):
                return
            value = max(value, float(self.truth[0][i]))
            above = (value, raised(value, 1e-12), value * random.uniform(1.0, 2.0), raised(value, 1.0))
            for level in above:
                epsilon = self.pairs[i].epsilon
                if not math.isfinite(level) or not family.separation_surely_above(0, 1, epsilon, level, state):
                    continue
                if self.tired("separated"):
                    return
                truth = float(self.law.exact(self.pairs[i], slack=1)[0])
                if level >= truth:
                    self.complain("separated, but is not", level, truth, self.pairs[i])

    def bounds(self, places, random):
        """N d(μ̂, bound) = width²/2 but for the last digits of the bound; wider is allowed, narrower is not."""
        asked = []
        for i in places:
            cost = 10.0 ** random.uniform(-6.0, 3.0)
            for which in (0, 1):
                asked += self.bounds_of(i, which, cost)
                asked += self.taken_for_lower(i, which, cost)
        self.not_below("too narrow", asked)

    def bounds_of(self, i, which, cost):
        """Questions: is the cost of a bound, moved outwards by its last digits, at least that of the width?"""
        pair, family, state = self.pairs[i], self.families[i], self.states[i]
        place, width = 1 - which if pair.mirrored else which, math.sqrt(2.0 * cost)
        ends = {1: family.upper_bound(place, width, state), -1: family.lower_bound(place, width, state)}
        mean = self.law.means(pair)[which]
        for side, end in ends.items():
            if math.isnan(end):
                self.complain(f"bound {side:+} at width {width!r}", end, cost, pair)
            if not math.isfinite(end):
                continue
            turned = -1 if pair.mirrored else 1
            outer = turned * Fraction(end) + turned * side * self.last_digits(pair, end, mean)
            if turned * side * (outer - mean) < 0:
                self.complain(f"bound {side:+} of place {place} at width {width!r} beyond the mean", end, mean, pair)
            elif self.within(pair, outer):
                yield f"bound {side:+} of place {place} at width {width!r}, {end!r}", i, which, outer, cost

    def taken_for_lower(self, i, which, cost):
        """Questions: if an upper bound is said to be below a value, does the value cost more than the width?"""
        pair, family, state = self.pairs[i], self.families[i], self.states[i]
        place, width = 1 - which if pair.mirrored else which, math.sqrt(2.0 * cost)
        if not hasattr(family, "bound_surely_below"):
            return
        bounds = [float(family.upper_bound(arm, width, state)) for arm in (place, 1 - place)]
        mean, turned = self.law.means(pair)[which], -1 if pair.mirrored else 1
        reach = bounds[0] - state.means[place]
        inside = (bounds[0] - share * reach for share in (0.0, 1e-12, 1e-6, 1e-2, 0.2))
        for value in (*inside, *state.means[:2], bounds[1]):
            if not math.isfinite(value) or not family.bound_surely_below(place, width, value, state):
                continue
            outer = turned * Fraction(value) + turned * self.last_digits(pair, value, mean)
            if turned * (outer - mean) <= 0:
                self.complain(f"bound of place {place} at width {width!r} taken for below the mean", value, mean, pair)
            elif self.within(pair, outer):
                yield f"bound of place {place} at width {width!r} taken for below {value!r}", i, which, outer, cost
        leader = family.clear_leader(width, state) if hasattr(family, "clear_leader") else -1
        if leader == place and lowered(bounds[1], 1e-12) > bounds[0]:
            self.complain(f"place {leader} does not lead at width {width!r}", bounds[0], bounds[1], pair)

    def last_digits(self, pair, end, mean):
        """What rounding may move a bound by, and the mean it belongs to."""
        return LAST_DIGITS * Fraction(math.ulp(end)) + Fraction(math.ulp(float(mean))) + self.law.resolution(pair)

    def within(self, pair, value):
        low, high = self.law.span(pair)
        return not (value < low or value > high)

    def not_below(self, what, asked):
        """Questions of bounds: the quick deviation, and where it is in doubt the exact one, against the cost."""
        asked = list(asked)
        if not asked:
            return
        found = self.law.quick_deviation([(self.pairs[i], which, value) for _, i, which, value, _ in asked])
        for (name, i, which, value, cost), quick in zip(asked, found, strict=True):
            if quick < lowered(cost, DOUBT) and not self.tired(what):
                truth = self.law.deviation(self.pairs[i], which, value)
                if truth < lowered(cost, TOLERANCE):
                    self.complain(f"{what}: {name}", truth, cost, self.pairs[i])

    def deviations(self, places):
        """What it costs to believe that a mean is where the other one is: on both sides of the truth."""
        rows, asked = [], []
        for i in places:
            pair, family, state = self.pairs[i], self.families[i], self.states[i]
            means = self.law.means(pair)
            for which in (0, 1):
                value = float(means[1 - which])
                place, turned = (1 - which, -1.0) if pair.mirrored else (which, 1.0)
                slack = self.last_digits(pair, value, means[which])
                away = slack if value >= means[which] else -slack
                ends = [self.law.clipped(pair, Fraction(value) + way) for way in (away, -away)]
                level = abs(value - means[which]) <= slack
                # Level but for the last digits, the value may have been taken for one on either side of the mean.
                places = (means[which], *ends) if level else (ends[1], ends[0], ends[0])
                rows.append((i, which, value, family.deviation(place, turned * value, state), places))
                asked += [(pair, which, x) for x in places]
        quick = self.law.quick_deviation(asked)
        for (i, which, value, found, places), costs in zip(rows, quick.reshape(-1, 3), strict=True):
            least, most = costs[0], max(costs)
            if not lowered(least, DOUBT) <= found <= raised(most, DOUBT) and not self.tired("deviation of"):
                costs = [float(self.law.deviation(self.pairs[i], which, x)) for x in places]
                least, most = costs[0], max(costs)
                if not lowered(least, TOLERANCE) <= found <= raised(most, TOLERANCE):
                    truth = most if found > most else least
                    self.complain(f"deviation of arm {which} to {value!r}", found, truth, self.pairs[i])


def raised(value, tolerance):
    """More than the value by the tolerance, in itself or relatively."""
    return value + tolerance * np.maximum(1.0, value)


def lowered(value, tolerance):
    """Less than the value by the tolerance, in itself or relatively."""
    return value - tolerance * max(1.0, value) if math.isfinite(value) else 1e300


def judge(law, pairs, seed, wrong=None, exact=2, every=8, enough=ENOUGH):
    """All complaints about a family in these states, and the share in which its values are tight.

    Every requirement on evidence and separation themselves is put in all states; what follows from asking again, in
    one of `every`; the quick referee is compared with the exact one in `exact` states.
    """
    random = np.random.default_rng(seed)
    bench = Bench(law, pairs, wrong, enough)
    bench.values()
    some = random.permutation(len(pairs))[: max(1, len(pairs) // every)]
    bench.quick_is_exact(some[:exact])
    bench.monotone(some, random)
    bench.invariant(some)
    bench.quickly_separated(some, random)
    bench.bounds(some, random)
    bench.deviations(some)
    return bench.complaints, bench.share_of_tight()
