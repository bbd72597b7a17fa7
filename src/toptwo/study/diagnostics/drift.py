"""Drift: values of an arm that rise or fall with their number."""

import math
from collections.abc import Sequence

from toptwo.study.diagnostics.base import Diagnosis, allowed, log_student_tail
from toptwo.study.diagnostics.noise import NoiseShape
from toptwo.study.diagnostics.tally import Tally
from toptwo.words import number_text


class Drift:
    """Tests the slope of an arm's values: sub-Gaussian where σ is known or follows from bounds; and by Student's t.

    Under a Gaussian family both must say so: a σ that is too small makes no drift.
    """

    def __init__(self, noise: NoiseShape, parts: Sequence[float]) -> None:
        self._at_most, self._gaussian, self._parts = noise.at_most, noise.gaussian, parts

    def judge(self, arm: int, tally: Tally) -> Diagnosis | None:
        """Return a diagnosis at a milestone if the slope is no chance."""
        count = float(tally.count)
        spread = count * (count * count - 1.0) / 12.0  # Σ (s − s̄)²
        moved = tally.rising - 0.5 * (count + 1.0) * count * (tally.mean - tally.first)  # Σ (s − s̄) x_s
        if self._chance(arm, moved, spread, tally) > allowed(self._parts[arm], tally.count):
            return None
        return Diagnosis("drift", arm, self._words(moved / spread * (count - 1.0), tally))

    def _words(self, rise: float, tally: Tally) -> str:
        way = "rise" if rise > 0.0 else "fall"
        return (
            f"The values of {{arm}} {way} by about {number_text(abs(rise), 2)} over its first {tally.count:,} pulls: "
            "measurements drift, and arms measured at different times cannot be compared. Measure arms back to back "
            "and compare differences."
        )

    def _chance(self, arm: int, moved: float, spread: float, tally: Tally) -> float:
        """Return a bound of the logarithm of the probability of such a slope without drift."""
        if (not self._at_most and not self._gaussian) or tally.squares <= 0.0:
            return 0.0
        chance = -math.inf
        if self._at_most:
            chance = math.log(2.0) - 0.5 * tally.size * moved * moved / (
                spread * self._at_most[arm] * self._at_most[arm]
            )
        if self._gaussian:
            explained = min(moved * moved / spread, tally.squares)
            rest = max(tally.squares - explained, 1e-12 * tally.squares)
            chance = max(chance, log_student_tail((tally.count - 2.0) * explained / rest, tally.count - 2.0))
        return chance
