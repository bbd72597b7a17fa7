"""ln W of a bettor against a candidate, from the definitions of docs/betting.md, section 3, with any number of digits.

All that is shared with the code are the constants of the prior, and the scale on which it looks for the least. Tilts
of the endless lattice beyond the first 90 are left out, which makes the referee stricter.
"""

from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
from mpmath import mp

import toptwo as tt
from referee.tools import DIGITS, real
from toptwo.engine.question import make_setup
from toptwo.engine.rounds import knowledge
from toptwo.families.base import mirrored
from toptwo.rules.round import Round

PAIRS = ((0.47, 256, 64), (0.07, 4, 1), (0.05, 16, 1), (0.04, 1000, 16), (0.01, 10**4, 10**4))
"""Weights and precisions of leaders and candidate."""

GAPS = ((0.12, 0.45, 64), (0.06, 0.3, 64), (0.1, 0.6, 8), (0.08, 0.45, 8))
"""Weights, shares of the leaders, and precisions of the gap."""

TILTS = 90
LARGEST = 4
COUPLING = {-1: 0.5, 0: 1.0, 1: 1.0, 2: 0.8, 3: 0.5, 4: 0.3, 5: 0.2, 6: 0.1}


class Seen(NamedTuple):
    """Pulls of three arms and their averages, as the doubles say: the candidate, the arm returned, a former leader."""

    counts: tuple[float, float, float]
    means: tuple[float, float, float]
    marked: tuple[float, float]
    """Of the arm returned and the former leader."""
    marked_means: tuple[float, float]
    held: float
    held_gain: float
    """What the pulls in the account exceed the average of the marked ones by, in all."""
    account: int
    """k of the account of the arm returned."""

    def sums(self):
        """S of the candidate, s of the two leaders, t of the account."""
        held = self.marked_means[0] + self.held_gain / max(self.held, 1.0)
        averages = (self.means[0], *self.marked_means, held)
        counts = (self.counts[0], *self.marked, self.held)
        return [Fraction(average) * Fraction(count) for average, count in zip(averages, counts, strict=True)]


class Bets(NamedTuple):
    """A law, what was seen, and the question: the highest mean (`side` 1) or the lowest."""

    family: Any
    seen: Seen
    epsilon: float
    side: int


def products(bets):
    """The products of section 3: the share of the capital, and pulls and sum of each leader, the one returned first."""
    seen, (_, own, other, held) = bets.seen, bets.seen.sums()
    leaders = [(seen.marked[0], own), (seen.marked[1], other)]
    if bets.epsilon == 0.0:
        return [(Fraction(1), leaders)]
    made = [(Fraction(1, 2), leaders)]
    if seen.marked[0]:
        made.append((Fraction(1, 2 * seen.account * (seen.account + 1)), [(seen.held, held)]))
    return made


def log_wealth(bets, u):
    """ln W(u), for rewards as they are measured: `side` −1 looks for the lowest mean."""
    with mp.workdps(DIGITS):
        gaussian = isinstance(bets.family, tt.Gaussian)
        return float(_gaussian(bets, u) if gaussian else _lattice(bets, u))


def _gaussian(bets, u):
    sigma, seen, terms = real(bets.family.sigma), bets.seen, []
    lost = bets.side * (u * Fraction(seen.counts[0]) - seen.sums()[0])
    for capital, pulls in products(bets):
        count = sum(Fraction(n) for n, _ in pulls)
        gain = bets.side * sum(s - u * Fraction(n) for n, s in pulls) + Fraction(bets.epsilon) * Fraction(pulls[0][0])
        for weight, leaders, candidate in PAIRS:
            won = half_normal(real(gain) / sigma, count, leaders)
            won += half_normal(real(lost) / sigma, seen.counts[0], candidate)
            terms.append(mp.log(real(Fraction(str(weight)) * capital)) + won)
        for weight, share, precision in GAPS:
            r = Fraction(str(share))
            sharpness = r**2 * count + (1 - r) ** 2 * Fraction(seen.counts[0])
            won = half_normal(real(r * gain + (1 - r) * lost) / sigma, sharpness, precision)
            terms.append(mp.log(real(Fraction(str(weight)) * capital)) + won)
    return log_sum(terms)


def half_normal(total, count, precision):
    """ln ∫ exp(θT − θ²n/2) √(2ρ/π) e^{−ρθ²/2} dθ over θ > 0, which is √(ρ/(n+ρ)) e^{z²/2} erfc(−z/√2), z = T/√(n+ρ)."""
    sharpness = real(count) + precision
    z = total / mp.sqrt(sharpness)
    tail = mp.erfc(-z / mp.sqrt(2)) if z > -1e3 else None
    log_tail = mp.log(tail) if tail is not None else mp.log(mills(-z) / mp.sqrt(mp.pi / 2)) - z * z / 2
    return (mp.log(precision / sharpness) + z * z) / 2 + log_tail


def mills(z):
    """e^{z²/2} √(π/2) erfc(z/√2) for large z, by its asymptotic series: 20 terms are right to 10⁻⁶⁰ beyond 1000."""
    total, term = mp.mpf(0), mp.mpf(1)
    for k in range(20):
        total += term
        term *= -(2 * k + 1) / (z * z)
    return total / z


def log_sum(terms):
    """ln Σ e^term."""
    top = max(terms)
    return top + mp.log(sum(mp.exp(term - top) for term in terms))


def bet(family, tilt, count, total, mean):
    """τ s − ψ n of docs/betting.md, section 1."""
    n, s, m = real(count), real(total), real(mean)
    if isinstance(family, tt.Bernoulli):
        return tilt * s - n * mp.log1p(m * mp.expm1(tilt))
    if isinstance(family, tt.Poisson):
        return tilt * s - n * m * mp.expm1(tilt)
    shape = real(family.known_shape())
    tilt = tilt / (1 + tilt) if tilt > 0 else tilt
    return shape * (tilt * s / m + n * mp.log1p(-tilt))


def fading(j):
    return 0.6 if j == 1 else 1.0 / (1.0 + 0.5 * (j - 3.5) ** 2)


def coupling():
    """w_kl: the weight of the leaders' tilt k and the candidate's tilt l."""
    with mp.workdps(30):
        root = mp.sqrt(2)
        everywhere = root * mp.pi * mp.tanh(root * mp.pi)
        first = [mp.mpf(3) / 5 if j == 1 else 1 / (1 + (j - mp.mpf(7) / 2) ** 2 / 2) for j in range(4)]
        total = everywhere / 2 + sum(first)
        divisor = float(total * (mp.mpf("4.4") + total / 2000))
    fade = np.array([fading(j) for j in range(TILTS)])
    weights = np.outer(fade, fade) / 2000.0
    for k in range(TILTS):
        for candidate in range(TILTS):
            if k - candidate in COUPLING:
                weights[k, candidate] = fade[candidate] * COUPLING[k - candidate]
    return weights / divisor


WEIGHTS = coupling()


def _lattice(bets, u):
    seen, family = bets.seen, bets.family
    tilts = [bets.side * LARGEST / mp.mpf(2) ** k for k in range(TILTS)]
    against = [bet(family, -tilt, seen.counts[0], seen.sums()[0], u) for tilt in tilts]
    lowered, terms = u - bets.side * Fraction(bets.epsilon), []
    for capital, pulls in products(bets):
        places = [lowered, u][: len(pulls)]
        bought = [(n, s, place) for (n, s), place in zip(pulls, places, strict=True) if n]
        earned = [sum((bet(family, tilt, *pull) for pull in bought), mp.mpf(0)) for tilt in tilts]
        terms.append(mp.log(real(capital)) + mixed(earned, against))
    return log_sum(terms)


def mixed(earned, against):
    """ln Σ w_kl e^{earned_k + against_l}: exponents with all digits, their sum to the last few of a double."""
    tops = max(earned), max(against)
    rows = [
        np.array([float(mp.exp(value - top)) for value in side])
        for side, top in zip((earned, against), tops, strict=True)
    ]
    found = float(rows[0] @ WEIGHTS @ rows[1])
    return tops[0] + tops[1] + mp.log(found) if found > 0.0 else -mp.inf


def round_of(bets):
    """A round in which this was seen, and the rule that looks at it."""
    family = bets.family if bets.side > 0 else mirrored(bets.family)
    setup = make_setup(
        "uniform", 3, delta=0.1, threshold="betting", family=family, epsilon=bets.epsilon, max_samples=None
    )
    known, seen = knowledge(setup, 3), bets.seen
    state, kept = known.state, known.stopping
    for arm in range(3):
        state.counts[arm], state.means[arm] = seen.counts[arm], bets.side * seen.means[arm]
        state.inverse[arm], state.root[arm] = 1.0 / seen.counts[arm], seen.counts[arm] ** -0.5
    for arm in (1, 2):
        kept.marked[arm], kept.anchor[arm] = seen.marked[arm - 1], bets.side * seen.marked_means[arm - 1]
        kept.entry[arm] = float(seen.account + arm - 1) if seen.marked[arm - 1] else 0.0
    kept.held[1], kept.held_gain[1] = seen.held, bets.side * seen.held_gain
    kept.looks[0] = seen.account + 1.0
    return Round(4, 1, 0, 0.0, 1, bets.epsilon, state, setup.family, kept)


def mean_at(bets, place):
    """The mean as it is measured that a point of the family's scale stands for."""
    if isinstance(bets.family, tt.Gaussian):  # its own mirror image
        return bets.side * Fraction(place)
    return Fraction(place) if isinstance(bets.family, tt.Bernoulli | tt.Poisson) else 1 / Fraction(place)
