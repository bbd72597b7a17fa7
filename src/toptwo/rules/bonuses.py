"""Bonuses of the UCB leader: √g(n), the width of a confidence interval for one pull (paper, section 2)."""

import math
from typing import NamedTuple

from toptwo.special import lambert_bar


class MixtureBonus(NamedTuple):
    """√g_m with g_m(n) = W̄(2sα ln n + 2 ln(2 + α ln n) + 2): from mixtures of martingales, the paper's choice.

    Examples
    --------
    >>> round(MixtureBonus().at(1000) ** 2, 4)
    29.9563
    """

    alpha: float = 1.2
    s: float = 1.2

    def at(self, n: int) -> float:
        """Return √g_m(n)."""
        log = math.log(n)
        argument = 2.0 * self.s * self.alpha * log + 2.0 * math.log(2.0 + self.alpha * log) + 2.0
        return math.sqrt(lambert_bar(argument))


class UnionBonus(NamedTuple):
    """√g_u with g_u(n) = 2α(1+s) ln n: a union bound over time, as in the paper's main theorem.

    Examples
    --------
    >>> round(UnionBonus().at(1000) ** 2, 4)
    36.4729
    """

    alpha: float = 1.2
    s: float = 1.2

    def at(self, n: int) -> float:
        """Return √g_u(n)."""
        return math.sqrt(2.0 * self.alpha * (1.0 + self.s) * math.log(n))
