"""Running cells: what is there is kept, what is missing is computed wherever there are workers."""

import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, CancelledError, Future, wait
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from toptwo.errors import InputError, WorkError
from toptwo.sweeps.arrays import joined
from toptwo.sweeps.cells import Cell, CellAnswer, Work, answer, cells_of
from toptwo.sweeps.forecast import Forecast, work_of
from toptwo.sweeps.locks import CellLock
from toptwo.sweeps.points import Point
from toptwo.sweeps.store import Store, machine
from toptwo.sweeps.tabulate import expected_samples
from toptwo.sweeps.workplaces import KEPT, Hired, Workplace, failure

TICK = 0.5
"""Seconds between two looks at the clock while cells are computed."""

PAUSE = 0.05
"""Seconds between two looks at cells that another run is computing."""

AHEAD = 3
"""Cells, or parts of cells, handed out for each worker: one that it computes and some that wait, so that it never does.
"""

FEWEST, FEWEST_ON_GPU = 20, 20_000
"""Runs of a part of a cell at least."""

SETTLING = 5.0
"""Seconds that may pass between the loss of a cell and the knowledge that its scheduler is gone."""


OnProgress = Callable[[Forecast], None]


class Done(NamedTuple):
    """A finished cell and the time it took."""

    cell: Cell
    seconds: dict[str, float]
    ours: bool
    """Whether it was computed here, and not by another run on the same folder."""
    share: float = 1.0
    """Of its runs, how many are meant: it may be computed in parts."""
    last: bool = True
    """Whether all of it is there now."""


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


class Found(NamedTuple):
    """What a worker sends back."""

    answer: CellAnswer
    machine: dict[str, Any]


def computed(work: Work) -> Found:
    """Return what was found of a cell or a part of it, and where; runs on the worker."""
    return Found(answer(work), machine())


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

    def compute(self, where: Hired, on_progress: OnProgress) -> Iterator[Cell]:
        """Compute what is missing, and yield cells as they are written."""
        if not self.missing:
            return
        with where as place:
            forecast = Forecast(self.missing, self._work, place.workers)
            for done in results(self.missing, self.store, place):
                if done is not None:
                    forecast.note(done.cell, done.seconds, done.share, done.last)
                    self.shared += not done.ours
                    if done.last:
                        yield done.cell
                forecast.notice = place.notice()
                on_progress(forecast)


class Part(NamedTuple):
    """Some runs of a cell, which is being computed in parts."""

    whole: "CellUnderWay"
    number: int


class CellUnderWay:
    """A cell that is being computed here: claimed, and written when all of its parts are there."""

    def __init__(self, cell: Cell, claim: CellLock, store: Store) -> None:
        self.cell, self._claim, self._store = cell, claim, store
        self._found: list[Found | None] = []

    def submit(self, place: Workplace, number: int) -> Iterator[tuple["Future[Any]", Part]]:
        """Hand its runs out in so many parts."""
        works = self.cell.work.parts(number)
        self._found = [None] * len(works)
        for at, work in enumerate(works):
            try:
                yield place.executor.submit(computed, work), Part(self, at)
            except RuntimeError as problem:  # a broken pool takes no more
                raise self._failure(problem) from problem

    def take(self, part: int, future: "Future[Any]") -> Done:
        """Take what a worker has found; write the cell if that was the last part of it."""
        try:
            found = future.result()
        except Exception as problem:
            raise self._failure(problem) from problem
        if getattr(getattr(found, "answer", None), "code", "") != self.cell.work.code:
            raise WorkError(f"{self._name} was computed by other code than this: install the same on all workers.")
        self._found[part] = found
        if all(entry is not None for entry in self._found):
            self._write([entry for entry in self._found if entry is not None])
            self.release()
        number = len(self._found)
        return Done(self.cell, found.answer.seconds, True, 1.0 / number, None not in self._found)

    def release(self) -> None:
        """Let others compute it."""
        self._claim.release()

    def _write(self, found: list[Found]) -> None:
        arrays = joined([entry.answer.arrays for entry in found]) if len(found) > 1 else found[0].answer.arrays
        names = found[0].answer.seconds
        seconds = {name: sum(entry.answer.seconds[name] for entry in found) for name in names}
        try:
            self._store.write(self.cell, arrays, seconds, found[0].machine, found[0].answer.setup)
        except OSError as problem:
            raise WorkError(
                f"cannot write {problem.filename}: {problem.strerror}; {KEPT}: make room or allow writing, then run "
                "the same again."
            ) from problem

    @property
    def _name(self) -> str:
        return f"{self.cell.entrant.label} ({self.cell.point.label})"

    def _failure(self, problem: BaseException) -> WorkError:
        return failure(problem, self._name)


def parts_of(cell: Cell, waiting: int, workers: int) -> int:
    """Return into how many parts a cell is cut so that no worker is idle, if so many others wait to be handed out.

    Each run is a function of its number, so that the parts together are the bytes of the whole.

    Examples
    --------
    >>> import numpy as np
    >>> from toptwo.sweeps.points import entrants
    >>> point = Point("two", lambda runs, seed: np.array([0.0, 1.0]), entrants("TTUCB"), runs=500)
    >>> [parts_of(cells_of(point, seed=1)[0], waiting, workers=4) for waiting in (0, 5, 50)]
    [12, 2, 1]
    """
    if workers == 1 or cell.point.timed:
        return 1
    fewest = FEWEST_ON_GPU if cell.point.engine == "cuda" else FEWEST
    return max(1, min(-(-AHEAD * workers // (waiting + 1)), (cell.last - cell.first) // fewest))


def results(cells: Sequence[Cell], store: Store, place: Workplace) -> Iterator[Done | None]:
    """Yield cells and parts of cells as they are finished, and None now and then when nothing has happened."""
    waiting, elsewhere = deque(cells), deque[Cell]()
    held: set[CellUnderWay] = set()
    under_way: dict[Future[Any], Part] = {}
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
                    held.add(begun := CellUnderWay(cell, claim, store))
                    yield None  # before it is computed, in case that happens here
                    under_way.update(begun.submit(place, parts_of(cell, len(waiting), place.workers)))
            if under_way:
                finished, _ = wait(under_way, TICK, FIRST_COMPLETED)
                for future in finished:
                    part = under_way.pop(future)
                    done = _taken(part, future, place)
                    if done.last:
                        held.remove(part.whole)
                    yield done
                if not finished:
                    _ask_after(place)
                    yield None
            elif elsewhere:
                time.sleep(PAUSE)
                yield None
            if not waiting:
                waiting, elsewhere = elsewhere, waiting
    finally:
        for future in under_way:
            future.cancel()
        for begun in held:
            begun.release()


def _taken(part: Part, future: "Future[Any]", place: Workplace) -> Done:
    """Take what a worker has found; if the place is gone, say that and not what it made of this cell."""
    if future.cancelled() or isinstance(future.exception(), CancelledError):
        _ask_after(place, SETTLING)
    return part.whole.take(part.number, future)


def _ask_after(place: Workplace, seconds: float = 0.0) -> None:
    """Raise WorkError if nothing more can be expected of the place, or if that turns out within some seconds."""
    end = time.monotonic() + seconds
    while not (trouble := place.trouble()) and time.monotonic() < end:
        time.sleep(PAUSE)
    if trouble:
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
