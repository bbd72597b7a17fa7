"""Running cells: what is there is kept, what is missing is computed wherever there are workers."""

import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from toptwo.errors import InputError, WorkError
from toptwo.sweeps.cells import Cell, Work, answer, cells_of
from toptwo.sweeps.executors import Hired, Workplace, failure
from toptwo.sweeps.files import Arrays, CellLock
from toptwo.sweeps.forecast import Forecast, work_of
from toptwo.sweeps.points import Point
from toptwo.sweeps.store import Store, machine
from toptwo.sweeps.tabulate import expected_samples

TICK = 0.5
"""Seconds between two looks at the clock while cells are computed."""

PAUSE = 0.05
"""Seconds between two looks at cells that another run is computing."""

AHEAD = 3
"""Cells handed out for each worker: one that it computes and some that wait, so that it never does."""


class Done(NamedTuple):
    """A finished cell and the time it took."""

    cell: Cell
    seconds: dict[str, float]
    ours: bool
    """Whether it was computed here, and not by another run on the same folder."""


class Shard(NamedTuple):
    """Part `number` of `of`: for job arrays, each of which computes its part into the same folder.

    Examples
    --------
    >>> Shard.read("2/4")
    Shard(number=2, of=4)
    """

    number: int
    of: int

    @classmethod
    def read(cls, text: str) -> "Shard":
        """Return the shard meant by "i/n"."""
        number, _, of = text.partition("/")
        if not (number.strip().isdigit() and of.strip().isdigit() and 1 <= int(number) <= int(of)):
            raise InputError(f"shard must be i/n with i from 1 to n, such as 2/4, not {text!r}.")
        return cls(int(number), int(of))

    def has(self, cell: Cell) -> bool:
        """Return whether a cell belongs to this part; every cell belongs to one, whatever else is done."""
        return int(cell.question, 16) % self.of == self.number - 1


def computed(work: Work) -> tuple[Arrays, dict[str, float], dict[str, Any]]:
    """Return what a cell found, the seconds it took, and where; runs on the worker."""
    return *answer(work), machine()


@dataclass
class Cells:
    """The cells of some points in a folder: those there, and those to compute."""

    points: Sequence[Point]
    seed: int
    folder: Path
    shard: Shard | None = None
    shared: int = field(default=0, init=False)
    """How many missing cells another run on the same folder has computed meanwhile."""

    def __post_init__(self) -> None:
        self.store = Store(self.folder)
        self.of_point: list[list[Cell]] = []
        self._work: dict[str, float] = {}
        for point in self.points:
            self.of_point.append(self._plan(point))
        self.store.folder.mkdir(parents=True, exist_ok=True)
        self.store.sweep()
        everything = [cell for cells in self.of_point for cell in cells]
        self.outdated, self.spoilt = self.store.set_aside(everything)
        """How many cells are not used: computed by code that has changed since, or not what was written."""
        absent = [cell for cell in everything if not self.store.has(cell)]
        self.left_to_others = 0
        """How many missing cells belong to other shards."""
        if self.shard is not None:
            ours = [cell for cell in absent if self.shard.has(cell)]
            self.left_to_others = len({cell.question for cell in absent}) - len({cell.question for cell in ours})
            absent = ours
        self.missing = _ordered(absent, self._work)
        self.kept = len({cell.question for cell in everything}) - len(self.missing) - self.left_to_others

    def _plan(self, point: Point) -> list[Cell]:
        cells, samples = cells_of(point, self.seed), expected_samples(point, self.seed)
        for cell in cells:
            self._work[cell.question] = work_of(cell, samples)
        return sorted(cells, key=lambda cell: self._work[cell.question], reverse=True)

    def complete(self, point: int) -> bool:
        """Return whether all cells of a point are there."""
        return all(self.store.has(cell) for cell in self.of_point[point])

    def compute(self, where: Hired, on_progress: Callable[[Forecast], None]) -> Iterator[Cell]:
        """Compute what is missing, and yield cells as they are written."""
        if not self.missing:
            return
        with where as place:
            forecast = Forecast(self.missing, self._work, place.workers)
            for done in results(self.missing, self.store, place):
                if done is not None:
                    forecast.note(done.cell, done.seconds)
                    self.shared += not done.ours
                    yield done.cell
                on_progress(forecast)


def results(cells: Sequence[Cell], store: Store, place: Workplace) -> Iterator[Done | None]:
    """Yield cells as they are finished, and None now and then when nothing has happened."""
    waiting, elsewhere = deque(cells), deque[Cell]()
    under_way: dict[Future[Any], tuple[Cell, CellLock]] = {}
    room = AHEAD * place.workers if place.workers > 1 else 1
    try:
        while waiting or elsewhere or under_way:
            while waiting and len(under_way) < room:
                cell = waiting.popleft()
                claim = store.claim(cell)
                if claim is None:
                    elsewhere.append(cell)
                elif store.has(cell):
                    claim.release()
                    yield Done(cell, store.origin(cell)["seconds"], False)
                else:
                    yield None  # before it is computed, in case that happens here
                    under_way[_submitted(cell, place)] = cell, claim
            if under_way:
                finished, _ = wait(under_way, TICK, FIRST_COMPLETED)
                for future in finished:
                    cell, claim = under_way.pop(future)
                    yield _written(future, cell, claim, store)
                if not finished:
                    _ask_after(place)
                    yield None
            elif elsewhere:
                time.sleep(PAUSE)
                yield None
            if not waiting:
                waiting, elsewhere = elsewhere, waiting
    finally:
        for future, (_, claim) in under_way.items():
            future.cancel()
            claim.release()


def _submitted(cell: Cell, place: Workplace) -> "Future[Any]":
    try:
        return place.executor.submit(computed, cell.work)
    except RuntimeError as problem:  # a broken pool takes no more
        raise failure(problem, cell.entrant.label, cell.point.label) from problem


def _written(future: "Future[Any]", cell: Cell, claim: CellLock, store: Store) -> Done:
    """Write what a worker has found."""
    try:
        arrays, seconds, where = future.result()
    except (Exception, KeyboardInterrupt) as problem:
        claim.release()
        if isinstance(problem, KeyboardInterrupt):
            raise
        raise failure(problem, cell.entrant.label, cell.point.label) from problem
    try:
        store.write(cell, arrays, seconds, where)
    except OSError as problem:
        raise WorkError(
            f"cannot write {problem.filename}: {problem.strerror}; cells that were done are kept: make room or allow "
            "writing, then run the same again."
        ) from problem
    finally:
        claim.release()
    return Done(cell, seconds, True)


def _ask_after(place: Workplace) -> None:
    if trouble := place.trouble():
        raise WorkError(trouble)


def _ordered(cells: Sequence[Cell], work: dict[str, float]) -> list[Cell]:
    """Return each cell once: first the least for each combination of rules, so that compiling is over early.

    The rest follows in the order given, point by point, within a point the largest first, so that workers end together.
    """

    def size(cell: Cell) -> float:
        return work[cell.question]

    different = {cell.question: cell for cell in cells}
    least: dict[str, Cell] = {}
    for cell in sorted(different.values(), key=size):
        least.setdefault(cell.code, cell)
    return list({cell.question: cell for cell in (*least.values(), *different.values())}.values())
