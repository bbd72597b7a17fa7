"""Outliers: a value so far from those before it that the family does not allow for it."""

import math

from toptwo.study.diagnostics.base import FALSE_ALARM, Diagnosis, log_student_tail
from toptwo.study.diagnostics.law import Law
from toptwo.study.diagnostics.tally import Tally
from toptwo.words import number_text

PLAIN = 16.0
"""Squared distances up to this, in units of the variance, are no outliers whatever the number of values."""

FEWEST = 4
"""Values before the one that is judged, where the variance has to be estimated from them."""


class Outliers:
    """Compares each value of an arm with the mean of those before it.

    With σ given the distance is sub-Gaussian; with an estimated variance it is Student's t (docs/diagnostics.md).
    """

    def __init__(self, law: Law, arms: int) -> None:
        self._given, self._estimated, self._arms = law.given, law.estimated, arms

    def see(self, arm: int, value: float, before: Tally) -> Diagnosis | None:
        """Return a diagnosis if the value is an outlier."""
        count, gap = before.count, value - before.mean
        if self._given and count:
            square = gap * gap * count / (count + 1.0) / (self._given[arm] * self._given[arm])
            if square > PLAIN and math.log(2.0) - 0.5 * square <= self._allowed(count):
                return self._found(value, arm, square)
        elif self._estimated and count >= FEWEST and before.squares > 0.0:
            square = gap * gap * count / (count + 1.0) * (count - 1.0) / before.squares
            if square > PLAIN and log_student_tail(square, count - 1.0) <= self._allowed(count):
                return self._found(value, arm, square)
        return None

    def _allowed(self, before: int) -> float:
        """Return ln of FALSE_ALARM/(K k(k+1)), k the number of values before: it adds up to FALSE_ALARM at most."""
        return math.log(FALSE_ALARM) - math.log(self._arms * before * (before + 1.0))

    def _found(self, value: float, arm: int, square: float) -> Diagnosis:
        kind = "the sigma given" if self._given else "the spread of those before"
        far = f"{number_text(value)}, is {number_text(math.sqrt(square), 2)} times {kind}"
        return Diagnosis(
            "outliers",
            arm,
            f"A value of {{arm}}, {far} from the mean of those before: rare large values move a mean and are hardly "
            "seen. If values have bounds, family=tt.Bounded(low, high) holds whatever their law.",
        )
