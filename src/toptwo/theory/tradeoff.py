"""The infimum over w₀ and ε in the paper's upper bounds, solved exactly.

The bounds have the form max{T₀, C_μ^α, C₀^{α/(α−1)}, C₁^α}. A larger slack ε or clipping w₀ raises T₀ and lowers C₀ and
C₁. Whether a level L can be reached is a one-dimensional question: L fixes the smallest ε allowed by C₁ and the product
ε·a(w₀) allowed by C₀, and then the factor (1+ε)²(1−w₀)^{−d} of T₀ must be as small as possible. Between two
consecutive weights the count d of clipped arms is constant and the logarithm of that factor is convex in w₀:
ln(1 + e^f) is convex for the convex f(w₀) = ln κ − d ln(1−w₀) − ln w₀. The best level solves one equation.
"""

import math
from typing import NamedTuple

import numpy as np

from toptwo.theory.arguments import Floats
from toptwo.theory.implicit import clearance, log_crossing

ROUNDING = 1e-12


class Choice(NamedTuple):
    """A slack ε, a clipping w₀ and the number d of arms it clips, with the logarithm of what they do to T₀."""

    slack: float
    clipping: float
    clipped: int
    log_factor: float


class Pieces(NamedTuple):
    """Intervals of w₀ on which the same `counts` arms are clipped."""

    left: Floats
    right: Floats
    counts: Floats


class Tradeoff(NamedTuple):
    """One instance: β-optimal weights of the sub-optimal arms and the constants of the theorem."""

    weights: Floats
    beta: float
    alpha: float
    log_time: float
    log_factor: float
    base: float
    slack: float | None
    clipping: float | None

    def solve(self) -> Choice:
        """Return the slack and clipping that reach the smallest max{T₀, C₀^{α/(α−1)}, C₁^α}."""
        pieces = self._pieces()
        largest = 1.0 if self.slack is None else self.slack
        reach = float(self._floor(pieces.right, pieces.counts).max())
        # Below this level even the largest slack breaks C₀ or C₁.
        start = max(
            math.log(len(self.weights) + 1.0),
            -self.alpha * math.log(self.beta * largest),
            self.alpha / (self.alpha - 1.0) * math.log1p(2.0 / (largest * reach)),
        )

        def surplus(level: float) -> float:
            room = clearance(level, self.log_factor, self.base) - self.log_time
            return room - self.cheapest(level, pieces).log_factor

        return self.cheapest(log_crossing(surplus, start), pieces)

    def cheapest(self, level: float, pieces: Pieces) -> Choice:
        """Return the choice with the smallest factor of T₀ among those that keep C₀ and C₁ below e^level."""
        least = math.exp(-math.log(self.beta) - level / self.alpha) if self.slack is None else self.slack
        most = 1.0 if self.slack is None else self.slack
        product = 2.0 / math.expm1(min(700.0, level * (self.alpha - 1.0) / self.alpha))
        kept = self._promising(pieces, least, most, product)
        clipping = self._descend(kept, least, most, product)
        needed, factor = self._cost(clipping, kept.counts, least, most, product)
        pick = int(np.argmin(factor))
        count = int(kept.counts[pick])
        where = float(clipping[pick]) if count or self.clipping is not None else 0.0
        return Choice(min(float(needed[pick]), most), where, count, float(factor[pick]))

    def allocation_floor(self, choice: Choice) -> float:
        """Return a_μ(w₀) = (1−w₀)^d max{smallest weight, (1−β)w₀}."""
        return float(self._floor(np.array(choice.clipping), np.array(float(choice.clipped))))

    def _pieces(self) -> Pieces:
        ends = np.sort(self.weights) / (1.0 - self.beta)
        if self.clipping is not None:
            at = np.array([self.clipping])
            return Pieces(at, at, np.array([float((ends < self.clipping * (1.0 - ROUNDING)).sum())]))
        right = np.minimum(ends, 1.0 / len(ends))
        left = np.concatenate(([0.0], right[:-1]))
        kept = right > left
        return Pieces(left[kept], right[kept], np.arange(len(ends), dtype=np.float64)[kept])

    def _floor(self, clipping: Floats, counts: Floats) -> Floats:
        with np.errstate(under="ignore", divide="ignore", invalid="ignore"):
            kept = np.exp(counts * np.log1p(-clipping))
        # A single sub-optimal arm may be clipped at w₀ = 1, where 0 · ln 0 has to mean 0.
        floor: Floats = np.where(counts > 0.0, kept, 1.0) * np.maximum(self.weights.min(), (1.0 - self.beta) * clipping)
        return floor

    def _cost(
        self, clipping: Floats, counts: Floats, least: float, most: float, product: float
    ) -> tuple[Floats, Floats]:
        """Return the slack needed and the logarithm of (1+ε)²(1−w₀)^{−d}, infinite where the slack is out of range."""
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            needed = np.maximum(least, product / self._floor(clipping, counts))
            loss = np.where(counts > 0.0, -counts * np.log1p(-clipping), 0.0)
        factor = 2.0 * np.log1p(needed) + loss
        return needed, np.where(needed <= most * (1.0 + ROUNDING), factor, np.inf)

    def _promising(self, pieces: Pieces, least: float, most: float, product: float) -> Pieces:
        """Return the intervals that can hold the optimum: their lower bound is below the best right end."""
        needed, reached = self._cost(pieces.right, pieces.counts, least, most, product)
        with np.errstate(divide="ignore", invalid="ignore"):
            loss = np.where(pieces.counts > 0.0, -pieces.counts * np.log1p(-pieces.left), 0.0)
        hopeful = (2.0 * np.log1p(needed) + loss <= reached.min() + ROUNDING) & np.isfinite(reached)
        if not hopeful.any():
            hopeful = needed == needed.min()
        return Pieces(pieces.left[hopeful], pieces.right[hopeful], pieces.counts[hopeful])

    def _descend(self, pieces: Pieces, least: float, most: float, product: float) -> Floats:
        """Return the best w₀ of each interval by bisection on the sign of the slope."""
        left, right, counts = pieces
        for _ in range(60):
            middle = 0.5 * (left + right)
            with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
                wanted = product / self._floor(middle, counts)
                pull = 2.0 * wanted / (1.0 + wanted) * (1.0 / middle - counts / (1.0 - middle))
                onward = (wanted > most) | ((wanted > least) & (pull > counts / (1.0 - middle)))
            left, right = np.where(onward, middle, left), np.where(onward, right, middle)
        return right
