"""How much is left: work in units that can be known beforehand, speed as measured."""

import time
from collections.abc import Sequence

from toptwo.sweeps.cells import Cell
from toptwo.sweeps.points import instances_of

FIXED_COST = 12.0
"""What a round costs beside its arms, in arms."""


def work_of(cell: Cell, samples: float) -> float:
    """Return a guess of a cell's work, up to a factor that depends on the algorithm: rounds times arms."""
    arms = float(instances_of(cell.point, cell.seed).shape[1])
    return (cell.last - cell.first) * samples * (FIXED_COST + arms) * (2.0 if cell.point.timed else 1.0)


class Forecast:
    """Predicts the time left from the speed of the cells that are done, and from how long compiling takes."""

    def __init__(self, cells: Sequence[Cell], work: dict[str, float], workers: int) -> None:
        self._work = work
        self._left = {cell.question for cell in cells}
        self._work_left: dict[str, float] = {}
        self._uncompiled = {cell.code for cell in cells}
        for cell in cells:
            label = cell.entrant.label
            self._work_left[label] = self._work_left.get(label, 0.0) + work[cell.question]
        self._workers = workers
        self._speed: dict[str, tuple[float, float]] = {}
        self.total = len(cells)
        self.started = time.monotonic()
        self._busy = 0.0
        self._compiled: dict[str, float] = {}
        self.notice = ""
        """What keeps it from going on, in a sentence; nothing if all is well."""

    @property
    def done(self) -> int:
        """Return how many cells are done."""
        return self.total - len(self._left)

    def note(self, cell: Cell, seconds: dict[str, float], share: float = 1.0, last: bool = True) -> None:
        """Take note of a finished cell, or of a share of one."""
        label, own = cell.entrant.label, share * self._work[cell.question]
        if cell.question in self._left:
            self._work_left[label] -= own
        if last:
            self._left.discard(cell.question)
        work, spent = self._speed.get(label, (0.0, 0.0))
        self._speed[label] = (work + own, spent + seconds["processor"])
        self._uncompiled.discard(cell.code)
        self._compiled[cell.code] = max(seconds["compiling"], self._compiled.get(cell.code, 0.0))
        self._busy += seconds["processor"] + seconds["compiling"]

    @property
    def elapsed(self) -> float:
        """Return the seconds since the start."""
        return time.monotonic() - self.started

    def seconds_left(self) -> float | None:
        """Return the predicted wall time left, or None before anything is known.

        An algorithm that has not been seen is taken to be as fast as the mean of the others. Processor seconds become
        wall seconds at the rate measured so far, which accounts for workers that wait and for other users' load.
        """
        work = sum(entry[0] for entry in self._speed.values())
        spent = sum(entry[1] for entry in self._speed.values())
        if not work or not spent:
            return None
        if not self._left:
            return 0.0
        predicted = 0.0
        for label, left in self._work_left.items():
            known, seconds = self._speed.get(label, (work, spent))
            predicted += max(0.0, left) * seconds / known
        predicted += len(self._uncompiled) * sum(self._compiled.values()) / len(self._compiled)
        usage = min(float(self._workers), max(self._busy / max(self.elapsed, 1e-9), 0.25))
        return predicted / usage

    def share_done(self) -> float:
        """Return the share of the predicted time that is over."""
        left = self.seconds_left()
        if left is None:
            return 0.0
        return self.elapsed / (self.elapsed + left)
