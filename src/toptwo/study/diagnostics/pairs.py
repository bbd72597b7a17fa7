"""What is watched of pairs of arms in rows: differences that are to be Gaussian, or who is ahead."""

import math
from collections.abc import Iterator
from typing import Any, Protocol

from toptwo.blocks.comparisons import BlockComparison
from toptwo.study.diagnostics.base import FALSE_ALARM, Diagnosis
from toptwo.study.diagnostics.differences import (
    REMEMBERED,
    DriftOfDifferences,
    MemoryOfDifferences,
    OutlyingDifferences,
    SkewOfDifferences,
)
from toptwo.study.diagnostics.memory import is_equal
from toptwo.study.diagnostics.noise import NoiseShape
from toptwo.study.diagnostics.runs import Runs
from toptwo.study.diagnostics.tally import Tally

FEWEST = 3
"""Equal values of an arm, or equal differences of a pair, that are worth a word."""


class PairsWatch(Protocol):
    """What is kept of pairs; each has a place, in the order in which they met."""

    def begin(self, parts: float) -> None:
        """Make room for one more pair; false alarms of it are to take one of so many parts."""
        ...

    def see(self, place: int, first: float, second: float) -> None:
        """Take in the scores of a pair in one block."""
        ...

    def read(self) -> Iterator[Diagnosis]:
        """Return what is to be said, places in place of arms."""
        ...

    def kept(self) -> Any:
        """Return all of it as plain data."""
        ...

    def fill(self, kept: Any) -> None:
        """Go on from what was kept, the pairs being the same."""
        ...


class GaussianPairs:
    """Differences that are to be Gaussian, with the same law in each block."""

    def __init__(self) -> None:
        noise = NoiseShape(gaussian=True, estimated=True)
        self._tallies: list[Tally] = []
        self._parts: list[float] = []
        self._noted: dict[tuple[str, int], Diagnosis] = {}
        self._outliers = OutlyingDifferences(noise, self._parts)
        self._milestones = (SkewOfDifferences(noise, self._parts), DriftOfDifferences(noise, self._parts))
        self._memory = MemoryOfDifferences(noise, self._parts)

    def begin(self, parts: float) -> None:
        """Make room for one more pair."""
        self._tallies.append(Tally())
        self._parts.append(parts)

    def see(self, place: int, first: float, second: float) -> None:
        """Take in a difference."""
        tally, difference = self._tallies[place], first - second
        self._note(self._outliers.see(place, difference, tally))
        if tally.add(difference):
            for milestone in self._milestones:
                self._note(milestone.judge(place, tally))

    def _note(self, diagnosis: Diagnosis | None) -> None:
        if diagnosis is not None:
            self._noted[diagnosis.kind, diagnosis.arm] = diagnosis

    def read(self) -> Iterator[Diagnosis]:
        """Return what is to be said."""
        for place, tally in enumerate(self._tallies):
            if tally.count >= FEWEST and is_equal(tally):
                yield Diagnosis("constant", place, EQUAL_DIFFERENCES)
        yield from self._noted.values()
        yield from self._memory.judge(self._tallies, over=False)

    def kept(self) -> Any:
        """Return all of it as plain data."""
        return [[tally.kept() for tally in self._tallies], [list(diagnosis) for diagnosis in self._noted.values()]]

    def fill(self, kept: Any) -> None:
        """Go on from what was kept."""
        for tally, numbers in zip(self._tallies, kept[0], strict=True):
            tally.fill(numbers)
        for diagnosis in kept[1]:
            self._note(Diagnosis(*diagnosis))


class PairsOfAnyLaw:
    """Who is ahead, where scores may have any law, but the same in each block."""

    def __init__(self) -> None:
        self._runs: list[Runs] = []
        self._parts: list[float] = []

    def begin(self, parts: float) -> None:
        """Make room for one more pair."""
        self._runs.append(Runs())
        self._parts.append(parts)

    def see(self, place: int, first: float, second: float) -> None:
        """Take in who is ahead; equal scores say nothing."""
        if first != second:
            self._runs[place].add(first > second)

    def read(self) -> Iterator[Diagnosis]:
        """Return what is to be said."""
        for place, (runs, parts) in enumerate(zip(self._runs, self._parts, strict=True)):
            if runs.log_evidence() >= math.log(parts) - math.log(FALSE_ALARM):
                yield Diagnosis("autocorrelation", place, AHEAD_IN_RUNS)

    def kept(self) -> Any:
        """Return all of it as plain data."""
        return [runs.kept() for runs in self._runs]

    def fill(self, kept: Any) -> None:
        """Go on from what was kept."""
        for runs, each in zip(self._runs, kept, strict=True):
            runs.fill(each)


EQUAL_DIFFERENCES = (
    "All differences between {arm} and {other} are equal, as Gaussian ones never are: their blocks count as wins only."
)

AHEAD_IN_RUNS = (
    "Of {arm} and {other}, whoever is ahead in a block stays so for longer runs of blocks than chance makes: blocks "
    "resemble the one before, and "
    f"{REMEMBERED}"
)


def watch_of(comparison: BlockComparison) -> PairsWatch:
    """Return what watches pairs under a way of comparing."""
    return GaussianPairs() if comparison.gaussian else PairsOfAnyLaw()
