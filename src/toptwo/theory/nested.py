"""Characteristic times of any one-parameter exponential family, by a search inside a search.

Garivier and Kaufmann (2016, Theorem 5): with x_a = w_a/w_best and the pooled mean m_a = (μ_best + x_a μ_a)/(1 + x_a),
arm a costs g_a(x_a) = d(μ_best, m_a) + x_a d(μ_a, m_a), and at the optimum all costs are equal to some y. T* is the
y at which Σ d(μ_best, m_a)/d(μ_a, m_a) = 1, T*_β the y at which Σ x_a = (1−β)/β.

Both searches work on ln x. The outer unknown is ln x of the second best arm, which fixes y; all other arms need a
smaller x (their cost is larger at the same x). In logarithms the outer equation is nearly a straight line.
"""

from collections.abc import Callable

import numpy as np

from toptwo.theory.arguments import Floats, gaps_of
from toptwo.theory.divergences import Divergence, pair_divergences

INNER_TOLERANCE = 2e-15
OUTER_TOLERANCE = 1e-14


class NestedSearch:
    """The search for a batch of instances of shape (instances, K)."""

    def __init__(self, means: Floats, divergence: Divergence) -> None:
        gaps_of(means)  # refuses ties for the best arm
        self.divergence = divergence
        self.best = np.argmax(means, axis=-1)[:, None]
        self.top = np.take_along_axis(means, self.best, axis=-1)
        self.others = np.ones(means.shape, dtype=bool)
        np.put_along_axis(self.others, self.best, False, axis=-1)
        self.second = np.where(self.others, means, -np.inf).max(axis=-1, keepdims=True)
        # The column of the best arm repeats the second arm, so that no formula meets a gap of zero; `others` masks it.
        self.means = np.where(self.others, means, self.second)
        self.gaps = self.top - self.means
        self.lags = self.second - self.means

    def solve(self, beta: Floats | None) -> tuple[Floats, Floats]:
        """Return T* (or T*_β) and the allocation, of shapes (instances,) and (instances, K)."""
        odds = None if beta is None else np.log((1.0 - beta) / beta)
        low, high = self._bracket(odds)
        leading = bracketed_root(lambda level: self._imbalance(level, odds), low, high)
        level, cost = self._log_weights(leading)
        weights = np.where(self.others, np.exp(level), 0.0)
        total = 1.0 + weights.sum(axis=-1)
        share = 1.0 / total if beta is None else beta
        allocation = weights * share[:, None]
        np.put_along_axis(allocation, self.best, share[:, None], axis=-1)
        return 1.0 / (share * cost[:, 0]), allocation

    def _pair(self, level: Floats, mean: Floats, gap: Floats) -> tuple[Floats, Floats]:
        """Return d(μ_best, m) and d(μ_a, m) at ln x = level."""
        pull = 1.0 / (1.0 + np.exp(-level))
        rest = 1.0 / (1.0 + np.exp(level))
        return pair_divergences(self.divergence, self.top, mean, pull * gap, rest * gap)

    def _log_weights(self, leading: Floats) -> tuple[Floats, Floats]:
        """Return ln x of every arm and the common cost y, given ln x of the second arm."""
        ceiling = leading[:, None]
        gap = self.top - self.second
        of_top, of_second = self._pair(ceiling, self.second, gap)
        cost = of_top + np.exp(ceiling) * of_second
        # Evaluating arm a at the second arm's pooled mean bounds its cost from above, hence its x from below.
        rest = gap / (1.0 + np.exp(ceiling))
        _, shared = pair_divergences(
            self.divergence, self.top, self.means, gap / (1.0 + np.exp(-ceiling)), self.lags + rest
        )
        floor = np.minimum(ceiling, ceiling + np.log(of_second / shared))
        level = floor
        for _ in range(200):
            of_top, of_arm = self._pair(level, self.means, self.gaps)
            gained = np.exp(level) * of_arm
            total = of_top + gained
            missing = np.log(cost / total)
            step = missing * total / gained
            floor = np.where(step > 0.0, level, floor)
            moved = np.clip(level + step, floor, ceiling)
            # Once the cost itself is met to rounding, further steps only follow noise.
            settled = (np.abs(missing) <= INNER_TOLERANCE) | (moved == level)
            level = moved
            if settled.all():
                break
        return level, cost

    def _imbalance(self, leading: Floats, odds: Floats | None) -> Floats:
        """Return the logarithm of the outer equation's left side over its right side; increasing in `leading`."""
        level, _ = self._log_weights(leading)
        if odds is None:
            of_top, of_arm = self._pair(level, self.means, self.gaps)
            summands = of_top / of_arm
        else:
            summands = np.exp(level)
        total: Floats = np.log(np.where(self.others, summands, 0.0).sum(axis=-1))
        return total if odds is None else total - odds

    def _bracket(self, odds: Floats | None) -> tuple[Floats, Floats]:
        """Return two values of ln x of the second arm that enclose the solution."""
        arms = self.means.shape[-1]
        if odds is not None:
            # x of the second arm is the largest of K−1 weights that sum to the odds.
            return odds - np.log(arms - 1.0) - 1e-9, odds + 1e-9
        low = np.full(self.means.shape[0], -1.0 - 0.5 * np.log(arms - 1.0))
        high = np.ones(self.means.shape[0])
        for _ in range(6):
            too_high, too_low = self._imbalance(low, odds) > 0.0, self._imbalance(high, odds) < 0.0
            if not (too_high | too_low).any():
                break
            low, high = np.where(too_high, 2.0 * low, low), np.where(too_low, 2.0 * high, high)
        return low, high


def bracketed_root(function: Callable[[Floats], Floats], low: Floats, high: Floats) -> Floats:
    """Return the root of an increasing function, element by element, by false position that cannot stall.

    The Illinois rule halves the value kept at an end that stays twice in a row; every fourth step bisects.

    Examples
    --------
    >>> bracketed_root(lambda x: x**3 - np.array([8.0, 27.0]), np.zeros(2), np.full(2, 10.0)).round(12)
    array([2., 3.])
    """
    value_low, value_high = function(low), function(high)
    root, side, settled = 0.5 * (low + high), np.zeros(low.shape), np.zeros(low.shape, dtype=bool)
    for turn in range(200):
        with np.errstate(invalid="ignore", divide="ignore"):
            chord = (low * value_high - high * value_low) / (value_high - value_low)
        usable = (chord > low) & (chord < high) & (turn % 4 != 3)
        root = np.where(settled, root, np.where(usable, chord, 0.5 * (low + high)))
        value = function(root)
        below = value < 0.0
        value_high = np.where(below & (side < 0.0), 0.5 * value_high, np.where(below, value_high, value))
        value_low = np.where(~below & (side > 0.0), 0.5 * value_low, np.where(below, value, value_low))
        low, high = np.where(below, root, low), np.where(below, high, root)
        side = np.where(below, -1.0, 1.0)
        narrow = high - low <= OUTER_TOLERANCE * np.maximum(1.0, np.abs(root))
        settled |= narrow | (np.abs(value) <= OUTER_TOLERANCE)
        if settled.all():
            break
    return root
