"""Outliers: a value so far from those before it that the family does not allow for it."""

import math
from collections.abc import Sequence

from toptwo.study.diagnostics.base import FALSE_ALARM, Diagnosis, log_student_tail
from toptwo.study.diagnostics.noise import NoiseShape
from toptwo.study.diagnostics.tally import Tally
from toptwo.words import number_text

PLAIN = 16.0
"""Squared distances up to this, in units of the variance seen so far, are no outliers whatever the number of values."""

FEWEST = 4
"""Values before the one that is judged: their spread must show that it is not just larger than the σ given."""


class Outliers:
    """Compares each value of an arm with those before it, by Student's t; and where σ is given, by that as well."""

    def __init__(self, noise: NoiseShape, parts: Sequence[float]) -> None:
        self._watched, self._given, self._parts = noise.gaussian, noise.given, parts

    def see(self, arm: int, value: float, before: Tally) -> Diagnosis | None:
        """Return a diagnosis if the value is an outlier."""
        count, gap = before.count, value - before.mean
        if not self._watched or count < FEWEST or before.squares <= 0.0:
            return None
        distance = gap * gap * count / (count + 1.0)
        square = distance * (count - 1.0) / before.squares
        if square <= PLAIN:
            return None
        chance = log_student_tail(square, count - 1.0)
        if self._given:
            chance = max(chance, math.log(2.0) - 0.5 * before.size * distance / (self._given[arm] * self._given[arm]))
        return self._found(arm, value, square) if chance <= self._allowed(arm, count) else None

    def _allowed(self, arm: int, before: int) -> float:
        """Return ln of FALSE_ALARM/(K k(k+1)), k the number of values before: it adds up to FALSE_ALARM at most."""
        return math.log(FALSE_ALARM) - math.log(self._parts[arm] * before * (before + 1.0))

    def _found(self, arm: int, value: float, square: float) -> Diagnosis:
        return Diagnosis("outliers", arm, self._words(value, math.sqrt(square)))

    def _words(self, value: float, times: float) -> str:
        return (
            f"A value of {{arm}}, {number_text(value)}, is {number_text(times, 2)} times their spread from the mean of "
            "those before: rare large values move a mean and are hardly seen. If values have bounds, "
            "family=tt.Bounded(low, high) holds whatever their law."
        )
