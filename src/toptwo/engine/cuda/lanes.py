"""Where the lanes of a device keep their workspaces: one array, in which each lane has a column.

The array is cut into tiles of WIDTH lanes, and a tile into cells: a cell is one number of each of its lanes, so that
lanes that look at the same number at the same time read neighbouring places. What a lane keeps for an arm lies
together. The source of the function that cuts a lane's workspace out is made from what the parts declare to keep;
interpreted, it makes views of the array, and compiled, strips (engine/cuda/strips.py).
"""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

from toptwo.engine import runs
from toptwo.engine.rounds import Setup
from toptwo.memory import ARMS
from toptwo.records import is_record
from toptwo.streams import Random

WIDTH = 128
"""Lanes of a tile, a power of two."""

CELL = 8
"""Bytes of a number."""

NEAR = 4
"""Rows that are looked at in every round for every arm, the first that a workspace has: those of `State`."""

NEAR_MEMORY = 48 * 1024
"""Bytes of fast memory that a block of a device may have without asking for more."""


class Lanes(NamedTuple):
    """The memory of all lanes."""

    numbers: Any
    """(tiles, cells, WIDTH)."""
    integers: Any
    """The same memory, read as whole numbers."""
    words: Any
    """The same memory, read as random words."""
    runs: Any
    """(lanes,): the run that each lane plays."""
    arms: int


class Lane(NamedTuple):
    """What a lane sees of the memory."""

    work: runs.Workspace
    means: Any
    """The true means of its run."""
    near: Any
    """The numbers that are in fast memory while a kernel runs."""
    home: Any
    """Where they are between two kernels."""


def strip(cells: Any, lane: int, first: int, step: int, length: int) -> Any:
    """Return so many numbers of a lane, one every `step` cells."""
    return cells[lane // WIDTH, first : first + step * length : step, lane % WIDTH]


def near(cells: Any, lane: int, first: int, step: int, length: int, home: int) -> Any:
    """Return numbers that a device keeps in fast memory while a kernel runs; interpreted, they stay at home."""
    return strip(cells, lane, home + first, step, length)


def table(cells: Any, lane: int, first: int, step: int, length: int, rows: int) -> Any:
    """Return strips, each of which begins one cell after the one before."""
    return [strip(cells, lane, first + row, step, length) for row in range(rows)]


def square(cells: Any, lane: int, first: int, length: int) -> Any:
    """Return as many strips as each of them has numbers, one after the other."""
    return [strip(cells, lane, first + row * length, 1, length) for row in range(length)]


@dataclass(frozen=True)
class Piece:
    """A part of a lane's workspace."""

    source: Callable[[], str]
    """Returns the expression for it, once all parts are known."""

    def __iter__(self) -> Iterator[Any]:
        """Return nothing: the rows of a table are not asked for one by one."""
        return iter(())


class Layout:
    """How much room the parts of a setup take, and where each of them is found.

    The cells of a lane, in this order: numbers that do not depend on the number of arms; a group of numbers for each
    arm; tables of pairs; the stream of reward and the true mean of each arm; whole numbers, the stream of the rules
    first; and the home of what is kept in fast memory while a kernel runs, again a group for each arm.
    """

    def __init__(self, setup: Setup, arms: int) -> None:
        self._arms = arms
        self._near = NEAR if NEAR * arms * CELL * WIDTH <= NEAR_MEMORY else 0
        self._group = -self._near
        self._singles = self._pairs = 0
        self._integers = 1
        work = runs.workspace(setup, ARMS, self._numbers, self._positions)
        wiped = Piece(lambda: f"strip(lanes.numbers, lane, 0, 1, {self._wiped()})")
        random = Random(Piece(lambda: f"strip(lanes.words, lane, {self._last()}, 1, 1)"))
        self._lane = Lane(
            work._replace(lines=(wiped,), random=random),
            Piece(lambda: f"strip(lanes.numbers, lane, {self._wiped()} + 1, 2, lanes.arms)"),
            Piece(lambda: f"near(lanes.numbers, lane, 0, 1, {self._near} * lanes.arms, {self._home()})"),
            Piece(lambda: f"strip(lanes.numbers, lane, {self._home()}, 1, {self._near} * lanes.arms)"),
        )

    def _numbers(self, *sizes: int) -> Piece:
        """Set numbers aside."""
        if sizes == (ARMS, ARMS):
            self._pairs += 1
            before = self._pairs - 1
            return Piece(lambda: f"square(lanes.numbers, lane, {self._wiped(before)}, lanes.arms)")
        if sizes[-1] != ARMS:
            first, self._singles = self._singles, self._singles + sizes[0]
            return Piece(lambda: f"strip(lanes.numbers, lane, {first}, 1, {sizes[0]})")
        row, rows = self._group, math.prod(sizes[:-1])
        self._group += rows
        if row < 0:
            place = row + self._near
            return Piece(lambda: f"near(lanes.numbers, lane, {place}, {self._near}, lanes.arms, {self._home()})")
        make, count = ("strip", "") if len(sizes) == 1 else ("table", f", {rows}")
        return Piece(lambda: f"{make}(lanes.numbers, lane, {self._singles + row}, {self._group}, lanes.arms{count})")

    def _positions(self, count: int) -> Piece:
        """Set whole numbers aside."""
        if count == ARMS:
            return Piece(lambda: f"strip(lanes.words, lane, {self._wiped()}, 2, lanes.arms)")
        first, self._integers = self._integers, self._integers + count
        return Piece(lambda: f"strip(lanes.integers, lane, {self._last()} + {first}, 1, {count})")

    def _wiped(self, pairs: int | None = None) -> str:
        """Return how many cells are wiped between runs, as an expression, or how many are before some pairs."""
        squares = self._pairs if pairs is None else pairs
        return f"{self._singles} + {self._group} * lanes.arms + {squares} * lanes.arms * lanes.arms"

    def _last(self) -> str:
        return f"{self._wiped()} + 2 * lanes.arms"

    def _home(self) -> str:
        return f"{self._last()} + {self._integers}"

    def near_memory(self) -> int:
        """Return how many bytes of fast memory a block takes."""
        return self._near * self._arms * CELL * WIDTH

    def cells(self) -> int:
        """Return how many numbers a lane keeps."""
        arms = self._arms
        wiped = self._singles + self._group * arms + self._pairs * arms * arms
        return wiped + 2 * arms + self._integers + self._near * arms

    def allocated(self, lanes: int, new: Callable[..., Any]) -> Lanes:
        """Return the memory of so many lanes; `new(shape, kind)` makes an array."""
        numbers = new((-(-lanes // WIDTH), self.cells(), WIDTH), "float64")
        return Lanes(numbers, numbers.view("int64"), numbers.view("uint64"), new((lanes,), "int64"), self._arms)

    def lane_of(self) -> Callable[[Lanes, int], Lane]:
        """Return the function that cuts out what a lane sees."""
        scope: dict[str, Any] = {"__name__": __name__, "strip": strip, "near": near, "table": table, "square": square}
        exec(f"def lane_of(lanes, lane):\n    return {self._expression(self._lane, scope)}\n", scope)
        cut: Callable[[Lanes, int], Lane] = scope["lane_of"]
        return cut

    def _expression(self, part: Any, scope: dict[str, Any]) -> str:
        if isinstance(part, Piece):
            return part.source()
        if not is_record(part):
            return f"({', '.join(self._expression(item, scope) for item in part)},)"
        name = f"{type(part).__name__}_{len(scope)}"
        if len(part) == 0:
            scope[name] = part
            return name
        scope[name] = type(part)
        return f"{name}({', '.join(self._expression(field, scope) for field in part)})"
