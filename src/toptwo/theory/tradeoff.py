"""The infimum over w₀ and ε in the upper bounds, solved exactly.

The bounds have the form max{T₀, …}, where a larger slack ε or clipping w₀ raises T₀ and lowers the other terms. Whether
a level L can be reached is a one-dimensional question: at a given w₀, L fixes the smallest ε that the other terms allow
(`Demands.wanted`), and then the factor that ε and w₀ put on T₀ must be as small as possible. Between two consecutive
weights the count d of clipped arms is constant and the logarithm of that factor is convex in w₀, because the logarithm
of the wanted 1 + ε is convex and increasing in −ln a(w₀), which is itself convex. The best level solves one equation.
"""

import math
from collections.abc import Callable
from typing import NamedTuple, Protocol

import numpy as np

from toptwo.theory.arguments import Floats
from toptwo.theory.implicit import log_crossing

ROUNDING = 1e-12


class Optimum(NamedTuple):
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


class Demands(Protocol):
    """What a theorem asks of ε and w₀ so that all terms but T₀ stay below e^level, and what they cost T₀."""

    @property
    def power(self) -> float:
        """The power of 1 + ε in the factor of T₀."""
        ...

    def lowest_level(self, slack: float, floor: float) -> float:
        """Return the level that the terms reach at this slack and this a(w₀)."""
        ...

    def least(self, level: float) -> float:
        """Return the smallest ε that may be taken at any w₀."""
        ...

    def wanted(self, level: float, floor: Floats) -> Floats:
        """Return the smallest ε that may be taken at a(w₀) = floor, infinite if none may."""
        ...

    def steepness(self, level: float, floor: Floats, wanted: Floats) -> Floats:
        """Return −d ln(1 + wanted)/d ln floor."""
        ...

    def log_gain(self, weight: Floats) -> Floats:
        """Return the logarithm of what T₀ gains when each relevant arm has at least this weight."""
        ...

    def log_gain_slope(self, weight: Floats) -> Floats:
        """Return its derivative with respect to the weight."""
        ...


class Tradeoff(NamedTuple):
    """One instance: β-optimal weights of the sub-optimal arms, what the theorem demands, and what is given."""

    weights: Floats
    beta: float
    slack: float | None
    clipping: float | None
    demands: Demands

    def solve(self, ceiling: Callable[[float], float]) -> Optimum:
        """Return the slack and clipping of the smallest maximum; `ceiling` is the log factor T₀ may have at a level."""
        pieces = self._pieces()
        largest = 1.0 if self.slack is None else self.slack
        reach = float(self._floor(pieces.right, pieces.counts).max())
        # Below this level even the largest slack breaks the other terms.
        start = max(math.log(len(self.weights) + 1.0), self.demands.lowest_level(largest, reach))

        def surplus(level: float) -> float:
            return ceiling(level) - self.cheapest(level, pieces).log_factor

        return self.cheapest(log_crossing(surplus, start), pieces)

    def cheapest(self, level: float, pieces: Pieces) -> Optimum:
        """Return the choice with the smallest factor of T₀ among those that keep the other terms below e^level."""
        least = self.demands.least(level) if self.slack is None else self.slack
        most = 1.0 if self.slack is None else self.slack
        kept = self._promising(pieces, level, least, most)
        clipping = self._descend(kept, level, least, most)
        needed, factor = self._cost(clipping, clipping, kept.counts, level, least, most)
        pick = int(np.argmin(factor))
        count = int(kept.counts[pick])
        where = float(clipping[pick]) if count or self.clipping is not None else 0.0
        return Optimum(min(float(needed[pick]), most), where, count, float(factor[pick]))

    def allocation_floor(self, choice: Optimum) -> float:
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

    def _weight(self, clipping: Floats) -> Floats:
        weight: Floats = np.maximum(self.weights.min(), (1.0 - self.beta) * clipping)
        return weight

    def _floor(self, clipping: Floats, counts: Floats) -> Floats:
        with np.errstate(under="ignore", divide="ignore", invalid="ignore"):
            kept = np.exp(counts * np.log1p(-clipping))
        # A single sub-optimal arm may be clipped at w₀ = 1, where 0 · ln 0 has to mean 0.
        floor: Floats = np.where(counts > 0.0, kept, 1.0) * self._weight(clipping)
        return floor

    def _cost(
        self, clipping: Floats, losing: Floats, counts: Floats, level: float, least: float, most: float
    ) -> tuple[Floats, Floats]:
        """Return the slack needed and the log factor, infinite where the slack is out of range.

        The loss (1−w₀)^{−d} is taken at `losing`: at the left end of an interval it bounds the factor from below.
        """
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            needed = np.maximum(least, self.demands.wanted(level, self._floor(clipping, counts)))
            loss = np.where(counts > 0.0, -counts * np.log1p(-losing), 0.0)
        factor = self.demands.power * np.log1p(needed) + loss - self.demands.log_gain(self._weight(clipping))
        return needed, np.where(needed <= most * (1.0 + ROUNDING), factor, np.inf)

    def _promising(self, pieces: Pieces, level: float, least: float, most: float) -> Pieces:
        """Return the intervals that can hold the optimum: their lower bound is below the best right end."""
        needed, reached = self._cost(pieces.right, pieces.right, pieces.counts, level, least, most)
        _, bound = self._cost(pieces.right, pieces.left, pieces.counts, level, least, most)
        hopeful = (bound <= reached.min() + ROUNDING) & np.isfinite(reached)
        if not hopeful.any():
            hopeful = needed == needed.min()
        return Pieces(pieces.left[hopeful], pieces.right[hopeful], pieces.counts[hopeful])

    def _descend(self, pieces: Pieces, level: float, least: float, most: float) -> Floats:
        """Return the best w₀ of each interval by bisection on the sign of the slope."""
        left, right, counts = pieces
        for _ in range(60):
            middle = 0.5 * (left + right)
            with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
                floor = self._floor(middle, counts)
                wanted = self.demands.wanted(level, floor)
                rise = 1.0 / middle - counts / (1.0 - middle)  # of ln a(w₀)
                pull = self.demands.power * self.demands.steepness(level, floor, wanted) * rise
                gain = self.demands.log_gain_slope(self._weight(middle)) * (1.0 - self.beta)
                falling = np.where(wanted > least, pull, 0.0) + gain > counts / (1.0 - middle)
                onward = (wanted > most) | falling
            left, right = np.where(onward, middle, left), np.where(onward, right, middle)
        return right
