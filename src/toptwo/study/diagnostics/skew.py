"""Skew: values that are not as often above the mean as below it, as under a Gaussian law they are."""

from collections.abc import Sequence

from toptwo.study.diagnostics.base import Diagnosis, allowed, log_fair_coins
from toptwo.study.diagnostics.noise import NoiseShape
from toptwo.study.diagnostics.tally import Tally


class Skew:
    """Counts values above the mean of those before: fair coins if the law is Gaussian, whatever its variance.

    A value that is just that mean, as equal and rounded values are, is no toss.

    With σ given the law need not be symmetric, only sub-Gaussian: then nothing is said.
    """

    values = "the values of {arm}"
    remedy = (
        "values are skewed, or they drift. The guarantee is for Gaussian noise; if values have bounds, "
        "family=tt.Bounded(low, high) holds whatever their law."
    )

    def __init__(self, noise: NoiseShape, parts: Sequence[float]) -> None:
        self._watched, self._parts = noise.estimated, parts

    def judge(self, arm: int, tally: Tally) -> Diagnosis | None:
        """Return a diagnosis at a milestone if the coins are not fair."""
        tosses, most = tally.count - 1 - tally.level, allowed(self._parts[arm], tally.count)
        if not self._watched or tosses <= 0 or log_fair_coins(tally.above, tosses) > most:
            return None
        above = tally.above / tosses
        share, side = (above, "above") if above > 0.5 else (1.0 - above, "below")
        seen = f"{share:.0%} of {self.values} are {side} the mean of those before them"
        return Diagnosis("skew", arm, f"{seen}, where a Gaussian law has half: {self.remedy}")
