"""What diagnostics share: the sentence that one comes to, and how often it may be wrong."""

import math
import re
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from toptwo.words import one_line

FALSE_ALARM = 1e-4
"""Probability that a diagnostic ever speaks in a study whose data are as assumed, all arms and times together."""

EVERYWHERE = -1
"""In the place of an arm, for what concerns all of them."""

FIRST_LOOK = 8
"""Values of an arm at the first milestone; the others follow at every power of two."""


class Diagnosis(NamedTuple):
    """What a diagnostic has found."""

    kind: str
    arm: int
    """The index of an arm, or EVERYWHERE."""
    words: str
    """A sentence in which {arm} stands for the name of the arm, and {other} for that of the other one of a pair."""
    other: int = EVERYWHERE
    """The index of the other arm, for what concerns the differences of two."""

    def sentence(self, names: Sequence[Any]) -> str:
        """Return the sentence, with the names of the arms.

        Examples
        --------
        >>> Diagnosis("drift", 1, "The values of {arm} drift.").sentence(["a", "b"])
        'The values of b drift.'
        """
        places = {"{arm}": self.arm, "{other}": self.other}
        return re.sub(r"\{(arm|other)\}", lambda found: one_line(names[places[found.group()]]), self.words)


def once(found: Iterable[Diagnosis]) -> tuple[Diagnosis, ...]:
    """Return the diagnoses with one of a kind for an arm or a pair: the last one, where two tests say the same."""
    return tuple({(each.kind, each.arm, each.other): each for each in found}.values())


def allowed(parts: float, values: int) -> float:
    """Return ln of the probability of a false alarm that is spent on an arm at its milestone of so many values.

    At the j-th milestone it is FALSE_ALARM/(K j(j+1)), which adds up to FALSE_ALARM over all milestones and K parts.

    Examples
    --------
    >>> round(math.exp(allowed(2, 8) + math.log(2)) / FALSE_ALARM, 12)
    0.5
    """
    turn = math.log2(values / FIRST_LOOK) + 1.0
    return math.log(FALSE_ALARM) - math.log(parts) - math.log(turn * (turn + 1.0))


def log_fair_coins(heads: float, tosses: float) -> float:
    """Return a bound of ln P(fair coins show heads at least this far from half, on either side) (Hoeffding, 1963).

    Examples
    --------
    >>> round(log_fair_coins(60.0, 100.0), 3)
    -1.307
    """
    away = heads - 0.5 * tosses
    return math.log(2.0) - 2.0 * away * away / tosses


def log_student_tail(square: float, freedom: float) -> float:
    """Return a bound of ln P(T² ≥ square), T a Student variable with so many degrees of freedom, more than one.

    The density is c (1 + t²/ν)^{−(ν+1)/2} with c ≤ 1/√(2π), and the tail ∫ f ≤ ∫ (x/t) f.

    Examples
    --------
    >>> round(math.exp(log_student_tail(25.0, 10.0)), 6)  # the probability is 0.000537
    0.000632
    """
    if square <= 0.0:
        return 0.0
    constant = math.log(2.0 / math.sqrt(2.0 * math.pi)) + math.log(freedom / (freedom - 1.0))
    return constant - 0.5 * math.log(square) - 0.5 * (freedom - 1.0) * math.log1p(square / freedom)


def power_of_ten(log_value: float) -> str:
    """Return a large number as a power of ten.

    Examples
    --------
    >>> power_of_ten(10.0)
    '10^4'
    """
    return f"10^{math.floor(log_value / math.log(10.0))}"
