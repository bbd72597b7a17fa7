"""Moments of a run made to order, for tests of single rules."""

import math

import naive
import numpy as np
from scipy.stats import chi2

from toptwo.families import Gaussian
from toptwo.memory import laid_out, memory_of, zeros
from toptwo.rules.round import recommend, survey
from toptwo.state import state_of as start
from toptwo.streams import Random

FALSE_ALARM = 1e-6
"""Probability with which a statistical test fails although all is right."""


class Forbidden:
    """A stream from which nobody may draw."""

    def uniform(self):
        raise AssertionError("a rule drew at random")

    normal = uniform


class Counting:
    """A stream that counts its draws."""

    def __init__(self, seed):
        self.random = Random([seed])
        self.draws = 0

    def uniform(self):
        self.draws += 1
        return self.random.uniform()

    def normal(self):
        self.draws += 1
        return self.random.normal()


def state_of(means, counts):
    """State with these empirical means and counts."""
    state = start(Gaussian(), len(means))
    for i, (mean, count) in enumerate(zip(means, counts, strict=True)):
        state.means[i], state.counts[i] = float(mean), float(count)
        state.inverse[i], state.root[i] = 1.0 / count, 1.0 / math.sqrt(count)
    return state


def round_of(means, counts, sigma=1.0, epsilon=0.0, best=None, random=None, rule=None):
    """Round as the engine hands it to a rule."""
    state = state_of(means, counts)
    best = recommend(-1, state, random or Forbidden()) if best is None else best
    now = survey(int(sum(counts)) + 1, best, epsilon, state, Gaussian(sigma))
    return now.by(laid_out(memory_of(rule), len(means), zeros))


def data_of(means, counts, sigma=1.0, epsilon=0.0):
    """The same moment, for the naive twin."""
    data = naive.Data(len(means), sigma, epsilon)
    data.count = list(counts)
    data.total = [mean * count for mean, count in zip(means, counts, strict=True)]
    data.recommended = max(range(len(means)), key=lambda i: means[i])
    return data


def chi_square(observed, probabilities):
    """Pearson's statistic of counts against probabilities, and its critical value at FALSE_ALARM.

    Cells of probability zero must be empty; the others must be large enough for the asymptotic law.
    """
    total = sum(observed)
    cells = [(o, p * total) for o, p in zip(observed, probabilities, strict=True) if p > 0 or o > 0]
    assert all(expected > 20 for _, expected in cells)
    return sum((o - e) ** 2 / e for o, e in cells), chi2.isf(FALSE_ALARM, len(cells) - 1)


def chi_square_two(first, second):
    """Statistic of homogeneity of two samples of counts, and its critical value at FALSE_ALARM."""
    cells = [(a, b) for a, b in zip(first, second, strict=True) if a + b > 0]
    share = sum(first) / (sum(first) + sum(second))
    statistic = 0.0
    for a, b in cells:
        expected = (a + b) * share, (a + b) * (1 - share)
        assert min(expected) > 20
        statistic += (a - expected[0]) ** 2 / expected[0] + (b - expected[1]) ** 2 / expected[1]
    return statistic, chi2.isf(FALSE_ALARM, len(cells) - 1)


def same_trace(one, two):
    """Whether two simulations stood the same at the same times."""
    return all(np.array_equal(a, b, equal_nan=True) for a, b in zip(one.trace, two.trace, strict=True))
