"""Coins: nothing but zeros and ones, told to a Gaussian family."""

from collections.abc import Iterator, Sequence

from toptwo.study.diagnostics.base import EVERYWHERE, Diagnosis
from toptwo.study.diagnostics.noise import NoiseShape
from toptwo.study.diagnostics.tally import Tally

ENOUGH = 10
"""Zeros and ones after which it is plain."""

MADE_FOR_THEM = "All values are 0 or 1: family=tt.Bernoulli() is made for them."


class Coins:
    """Under a Gaussian law no value is exactly 0 or 1."""

    def __init__(self, noise: NoiseShape) -> None:
        self._noise = noise

    def judge(self, tallies: Sequence[Tally], *, over: bool) -> Iterator[Diagnosis]:
        """Return a diagnosis if all values are 0 or 1 and both occur."""
        values, coins = sum(tally.count for tally in tallies), sum(tally.zeros_and_ones for tally in tallies)
        both = 0.0 < sum(tally.count * tally.mean for tally in tallies) < values
        single = all(tally.batches is None for tally in tallies)
        if self._noise.gaussian and single and values >= ENOUGH and coins == values and both:
            yield Diagnosis("coins", EVERYWHERE, f"{MADE_FOR_THEM} {self._words()}")

    def _words(self) -> str:
        if self._noise.estimated:
            return "Their law is far from Gaussian, and the guarantee with it."
        if min(self._noise.given) < 0.5:
            return "They are sub-Gaussian with sigma = 0.5, not with less: the guarantee does not hold."
        return "The guarantee holds, since sigma is at least 0.5, but rare ones are counted as if they varied as much."
