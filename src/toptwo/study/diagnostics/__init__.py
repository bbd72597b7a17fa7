"""Diagnostics: what in the data speaks against the family that the user gave, in sentences (docs/diagnostics.md).

Values are taken in one by one, in the order of asking, at a cost that does not grow. Each diagnostic keeps quiet with
probability at least 1 − FALSE_ALARM over a whole study of data as assumed, however often it is read.
"""

from typing import Any

from toptwo.study.diagnostics.autocorrelation import Autocorrelation
from toptwo.study.diagnostics.base import Diagnosis, once
from toptwo.study.diagnostics.batches import Batches
from toptwo.study.diagnostics.coins import Coins
from toptwo.study.diagnostics.constants import Constants
from toptwo.study.diagnostics.drift import Drift
from toptwo.study.diagnostics.memory import Memory
from toptwo.study.diagnostics.noise import noise_of
from toptwo.study.diagnostics.outliers import Outliers
from toptwo.study.diagnostics.overdispersion import EventCounts, Overdispersion
from toptwo.study.diagnostics.skew import Skew
from toptwo.study.diagnostics.spread import Spread
from toptwo.study.diagnostics.tally import Tally

__all__ = ["Diagnosis", "Diagnostics"]


class Diagnostics:
    """All that is watched in a study under a family.

    Examples
    --------
    >>> from toptwo.families import Gaussian
    >>> watch = Diagnostics(Gaussian(1.0), 2)
    >>> for value in (0.0, 30.0, -20.0, 10.0):
    ...     watch.see(0, value)
    >>> [diagnosis.kind for diagnosis in watch.read()]
    ['spread']
    """

    def __init__(self, family: Any, arms: int) -> None:
        self._tallies: list[Tally] = []
        self._noted: dict[tuple[str, int], Diagnosis] = {}
        self.grow(family, arms)

    def grow(self, family: Any, arms: int) -> None:
        """Watch so many arms from now on; what was seen of the others stays."""
        noise = noise_of(family, arms)
        self._tallies += [Tally() for _ in range(arms - len(self._tallies))]
        parts = (float(arms),) * arms
        self._outliers = Outliers(noise, parts)
        self._milestones = (Skew(noise, parts), Drift(noise, parts), Autocorrelation(noise, parts))
        self._counted = isinstance(noise.rates, EventCounts)
        self._overdispersion = Overdispersion(noise.rates) if noise.rates is not None else None
        readers = (Constants(noise), Coins(noise), Spread(noise), Memory(noise, parts), self._overdispersion)
        self._readers = [reader for reader in readers if reader is not None]

    def see(self, arm: int, value: float, size: int = 1) -> None:
        """Take in a value; some are looked at more closely as they come, others at certain numbers of values.

        Averages of several measurements are compared with those of an arm that are of as many as its first one; how
        they scatter is judged for all sizes together.
        """
        tally = self._tallies[arm]
        if (size != 1 or tally.size != 1 or self._counted) and not self._see_batch(tally, value, size):
            return
        self._note(self._outliers.see(arm, value, tally))
        if tally.add(value):
            for milestone in self._milestones:
                self._note(milestone.judge(arm, tally))

    def _see_batch(self, tally: Tally, value: float, size: int) -> bool:
        """Take in an average or a count; return whether it can be compared with the first value."""
        if not tally.count:
            tally.size = size
        seen = tally.batches
        if seen is None:
            seen = tally.batches = Batches()
        if self._overdispersion is not None:
            self._overdispersion.see(seen, value, size)
        seen.add(value, size)
        return size == tally.size

    def _note(self, diagnosis: Diagnosis | None) -> None:
        if diagnosis is not None:
            self._noted[diagnosis.kind, diagnosis.arm] = diagnosis

    def read(self, *, over: bool = False) -> tuple[Diagnosis, ...]:
        """Return what is to be said by now; if the study is over, also what could not be checked."""
        found = [diagnosis for reader in self._readers for diagnosis in reader.judge(self._tallies, over=over)]
        return once([*found, *self._noted.values()])

    def snapshot(self) -> Any:
        """Return all that was kept, as plain data."""
        return {"tallies": [tally.kept() for tally in self._tallies], "noted": [list(d) for d in self._noted.values()]}

    def restore(self, kept: Any) -> None:
        """Go on from a snapshot."""
        for tally, numbers in zip(self._tallies, kept["tallies"], strict=True):
            tally.fill(numbers)
        for diagnosis in kept["noted"]:
            self._note(Diagnosis(*diagnosis))
