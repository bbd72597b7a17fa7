"""Outliers: a value so far from those before it that the family does not allow for it."""

import math

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

    def __init__(self, noise: NoiseShape, arms: int) -> None:
        self._watched, self._given, self._arms = noise.gaussian, noise.given, arms

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
            chance = max(chance, math.log(2.0) - 0.5 * distance / (self._given[arm] * self._given[arm]))
        return self._found(value, arm, square) if chance <= self._allowed(count) else None

    def _allowed(self, before: int) -> float:
        """Return ln of FALSE_ALARM/(K k(k+1)), k the number of values before: it adds up to FALSE_ALARM at most."""
        return math.log(FALSE_ALARM) - math.log(self._arms * before * (before + 1.0))

    def _found(self, value: float, arm: int, square: float) -> Diagnosis:
        far = f"{number_text(value)}, is {number_text(math.sqrt(square), 2)} times their spread"
        return Diagnosis(
            "outliers",
            arm,
            f"A value of {{arm}}, {far} from the mean of those before: rare large values move a mean and are hardly "
            "seen. If values have bounds, family=tt.Bounded(low, high) holds whatever their law.",
        )
