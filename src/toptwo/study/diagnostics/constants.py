"""Constants: arms whose values are all equal, which no continuous law gives."""

from collections.abc import Iterator, Sequence

from toptwo.study.diagnostics.base import Diagnosis
from toptwo.study.diagnostics.noise import NoiseShape
from toptwo.study.diagnostics.tally import Tally

ENOUGH = 20
"""Equal values that are worth a word where the variance is given: the noise may have any law, none included."""


class Constants:
    """Under a Gaussian law two values are equal with probability 0."""

    def __init__(self, noise: NoiseShape) -> None:
        self._noise = noise

    def judge(self, tallies: Sequence[Tally], *, over: bool) -> Iterator[Diagnosis]:
        """Return a diagnosis for each arm whose values are all equal."""
        if not self._noise.gaussian:
            return
        fewest = 2 if self._noise.estimated else ENOUGH
        for arm, tally in enumerate(tallies):
            if tally.count >= fewest and tally.squares == 0.0:
                yield Diagnosis("constant", arm, self._words(tally))

    def _words(self, tally: Tally) -> str:
        if self._noise.estimated:
            return "All values of {arm} are equal: nothing can be said of its variance, so they settle nothing."
        return (
            f"All {tally.count} values of {{arm}} are equal, as Gaussian noise never makes them: if a measurement has "
            "no noise, measure each arm once and compare."
        )
