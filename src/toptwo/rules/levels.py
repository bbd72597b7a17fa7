"""Levels of confidence bounds: c(t, δ) such that N d(μ̂, u) ≤ c holds for all arms and times with probability 1 − δ.

Schedules of the number t of pulls made. The bounds of the literature are stated for rewards in [0, 1], whose variance
proxy is ¼: √(x/(2N)) there is σ √(2x/N) here, which is what `family.upper_bound` makes of the width √(2x).
"""

import math
from typing import NamedTuple


class LowerUpperLevel(NamedTuple):
    """c = ln(5 K t⁴/(4δ)): LUCB1's √(ln(5Kt⁴/(4δ))/(2N)) (Kalyanakrishnan et al., 2012, section 4).

    Examples
    --------
    >>> round(LowerUpperLevel(0.1, 10).at(100), 3)
    23.249
    """

    delta: float
    arms: int

    def at(self, n: int) -> float:
        """Return c after n pulls."""
        return math.log(1.25 * self.arms / self.delta) + 4.0 * math.log(n)


class DivergenceLevel(NamedTuple):
    """c = L + ln L, L = ln(405.5 K t^1.1/δ) (Kaufmann and Kalyanakrishnan, 2013, KL-LUCB: k₁ = 405.5, α = 1.1).

    Examples
    --------
    >>> round(DivergenceLevel(0.1, 10).at(100), 3)
    18.428
    """

    delta: float
    arms: int

    def at(self, n: int) -> float:
        """Return c after n pulls."""
        log = math.log(405.5 * self.arms / self.delta) + 1.1 * math.log(n)
        return log + math.log(log)


class GapLevel(NamedTuple):
    """c = ln(4 K t³/δ): UGapE's √(ln(4Kt³/δ)/(2N)) (Gabillon et al., 2012, fixed confidence, c = ½).

    Examples
    --------
    >>> round(GapLevel(0.1, 10).at(100), 3)
    19.807
    """

    delta: float
    arms: int

    def at(self, n: int) -> float:
        """Return c after n pulls."""
        return math.log(4.0 * self.arms / self.delta) + 3.0 * math.log(n)


class GrowingLevel(NamedTuple):
    """c = ln(t/δ): bounds that only choose arms, where another rule stops.

    They need not hold, but must grow so that no arm is left aside for ever.

    Examples
    --------
    >>> round(GrowingLevel(0.1).at(100), 3)
    6.908
    """

    delta: float

    def at(self, n: int) -> float:
        """Return c after n pulls."""
        return math.log(n / self.delta)


class IteratedLogarithm(NamedTuple):
    """Width of lil'UCB as a function of the arm's own pulls (Jamieson et al., 2014, algorithm 1).

    (1+β)(1+√ε) √(2(1+ε) ln(ln((1+ε)N)/δ)): infinite while (1+ε)N ≤ 1, when there is no logarithm to take.

    Examples
    --------
    >>> round(IteratedLogarithm(0.0, 0.5, 0.02).at(100), 4)
    4.9474
    """

    slack: float
    """ε."""
    widening: float
    """β."""
    delta: float

    def at(self, n: int) -> float:
        """Return the width after n pulls of the arm."""
        grown = (1.0 + self.slack) * n
        if grown <= 1.0:
            return math.inf
        inside = 2.0 * (1.0 + self.slack) * math.log(math.log(grown) / self.delta)
        return (1.0 + self.widening) * (1.0 + math.sqrt(self.slack)) * math.sqrt(inside)
