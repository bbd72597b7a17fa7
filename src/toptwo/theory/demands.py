"""What the two forms of the general theorem ask of the slack ε and the clipping w₀."""

import math
from typing import NamedTuple

import numpy as np

from toptwo.theory.arguments import Floats
from toptwo.theory.leadership import Leadership

NUDGE = 1e-11
"""Levels found by bisection are raised by this much, so that their own rounding cannot make them infeasible."""


class Counted(NamedTuple):
    """The theorem of docs/upper-bounds.md: T₀ with (1+ε)/((β+m)(1−w₀)^d), the leaders' time and 1 + 2(1−β)/a."""

    beta: float
    alpha: float
    leadership: Leadership
    power: float = 1.0

    def log_allocation(self, floor: float) -> float:
        """Return ln C₀^{α/(α−1)}, C₀ = 1 + 2(1−β)/a."""
        return self.alpha / (self.alpha - 1.0) * math.log1p(2.0 * (1.0 - self.beta) / floor)

    def lowest_level(self, slack: float, floor: float) -> float:
        """Return the level that the terms reach at this slack and this a(w₀)."""
        return max(self.leadership.log_settled(slack, floor), self.log_allocation(floor)) + NUDGE

    def least(self, level: float) -> float:
        """Return no limit: w₀ decides."""
        return 0.0

    def _spent(self, level: float, floor: Floats) -> Floats:
        """Return (bound on wrong leaders + 2/a)/(n−1) at n = e^level."""
        rounds = level + math.log1p(-math.exp(-level))
        return np.exp(np.logaddexp(self.leadership.log_wrong(level), np.log(2.0 / floor)) - rounds)

    def wanted(self, level: float, floor: Floats) -> Floats:
        """Return the ε at which n − 1 = (1 + 1/ε)(…), infinite where that or C₀ is out of reach."""
        spent = np.asarray(self._spent(level, floor))
        least_floor = 2.0 * (1.0 - self.beta) / math.expm1(min(700.0, level * (self.alpha - 1.0) / self.alpha))
        possible = (spent < 1.0) & (floor >= least_floor)
        return np.where(possible, spent / np.where(possible, 1.0 - spent, 1.0), np.inf)

    def steepness(self, level: float, floor: Floats, wanted: Floats) -> Floats:
        """Return −d ln(1 + wanted)/d ln a: 1 + ε = 1/(1 − spent), of which 2/a is the part that moves."""
        moving: Floats = 2.0 / floor * math.exp(-level) * (1.0 + wanted)
        return moving

    def log_gain(self, weight: Floats) -> Floats:
        """Return ln(β + m)."""
        gain: Floats = np.log(self.beta + weight)
        return gain

    def log_gain_slope(self, weight: Floats) -> Floats:
        """Return its derivative."""
        slope: Floats = 1.0 / (self.beta + weight)
        return slope


class Printed(NamedTuple):
    """The paper's theorem: T₀ with (1+ε)²/(β(1−w₀)^d), C₀ = 2/(εa) + 1 and C₁ = 1/(βε)."""

    beta: float
    alpha: float
    power: float = 2.0

    def lowest_level(self, slack: float, floor: float) -> float:
        """Return the level that the terms reach at this slack and this a(w₀)."""
        allocation = self.alpha / (self.alpha - 1.0) * math.log1p(2.0 / (slack * floor))
        return max(-self.alpha * math.log(self.beta * slack), allocation)

    def least(self, level: float) -> float:
        """Return the ε that keeps C₁^α below e^level."""
        return math.exp(-math.log(self.beta) - level / self.alpha)

    def wanted(self, level: float, floor: Floats) -> Floats:
        """Return the ε that keeps C₀^{α/(α−1)} below e^level."""
        wanted: Floats = 2.0 / math.expm1(min(700.0, level * (self.alpha - 1.0) / self.alpha)) / floor
        return wanted

    def steepness(self, level: float, floor: Floats, wanted: Floats) -> Floats:
        """Return −d ln(1 + wanted)/d ln a."""
        steepness: Floats = wanted / (1.0 + wanted)
        return steepness

    def log_gain(self, weight: Floats) -> Floats:
        """Return ln β: the weights gain nothing."""
        return np.full(np.shape(weight), math.log(self.beta))

    def log_gain_slope(self, weight: Floats) -> Floats:
        """Return 0."""
        return np.zeros(np.shape(weight))
