"""Skew: values that are not as often above the mean as below it, as under a Gaussian law they are."""

from toptwo.study.diagnostics.base import Diagnosis, allowed, log_fair_coins
from toptwo.study.diagnostics.noise import NoiseShape
from toptwo.study.diagnostics.tally import Tally


class Skew:
    """Counts values above the mean of those before: fair coins if the law is Gaussian, whatever its variance.

    A value that is just that mean, as equal and rounded values are, is no toss.

    With σ given the law need not be symmetric, only sub-Gaussian: then nothing is said.
    """

    def __init__(self, noise: NoiseShape, arms: int) -> None:
        self._watched, self._arms = noise.estimated, arms

    def judge(self, arm: int, tally: Tally) -> Diagnosis | None:
        """Return a diagnosis at a milestone if the coins are not fair."""
        tosses = tally.count - 1 - tally.level
        if not self._watched or tosses <= 0 or log_fair_coins(tally.above, tosses) > allowed(self._arms, tally.count):
            return None
        above = tally.above / tosses
        side = f"{1.0 - above:.0%} of the values of {{arm}} are below the mean of those before them"
        if above > 0.5:
            side = f"{above:.0%} of the values of {{arm}} are above the mean of those before them"
        return Diagnosis(
            "skew",
            arm,
            f"{side}, where a Gaussian law has half: values are skewed, or they drift. The guarantee is for Gaussian "
            "noise; if values have bounds, family=tt.Bounded(low, high) holds whatever their law.",
        )
