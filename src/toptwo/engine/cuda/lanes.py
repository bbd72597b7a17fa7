"""Where the lanes of a device keep their workspaces: a few arrays whose last axis is the lane.

Lanes that look at the same number at the same time then read neighbouring places. A lane sees its share of the arrays
as the `Workspace` that runs are written for: the source of the function that cuts it out is made from what the parts
declare to keep.
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


class Lanes(NamedTuple):
    """The arrays, each with one entry per lane on its last axis."""

    whole: Any
    """All numbers of the three arrays that follow, which are views of it."""
    rows: Any
    """(rows, K, lanes): what has one number per arm."""
    pairs: Any
    """(tables, K, K, lanes): what has one number per pair of arms."""
    singles: Any
    """(numbers, lanes): what does not depend on the number of arms."""
    streams: Any
    """(1 + K, lanes): positions of the random streams, the rules' own first."""
    integers: Any
    """(integers, lanes): the progress of the run."""
    means: Any
    """(K, lanes): the true means of the run."""


@dataclass(frozen=True)
class Piece:
    """The expression for a part of a lane's share."""

    source: str

    def __iter__(self) -> Iterator[Any]:
        """Return nothing: the rows of a table are not asked for one by one."""
        return iter(())


class Layout:
    """How much room the parts of a setup take, and where each of them is found."""

    def __init__(self, setup: Setup) -> None:
        self._rows = self._pairs = self._singles = 0
        self._integers = 1  # the number of the run comes first
        work = runs.workspace(setup, ARMS, self._numbers, self._positions)
        self._work = work._replace(
            lines=Piece("lanes.whole[:, lane : lane + 1]"), random=Random(Piece("lanes.streams[0:1, lane]"))
        )

    def _numbers(self, *sizes: int) -> Piece:
        """Set numbers aside."""
        if sizes == (ARMS, ARMS):
            self._pairs += 1
            return Piece(f"lanes.pairs[{self._pairs - 1}, :, :, lane]")
        if sizes[-1] == ARMS:
            first, count = self._rows, math.prod(sizes[:-1])
            self._rows += count
            place = str(first) if len(sizes) == 1 else f"{first}:{first + count}"
            return Piece(f"lanes.rows[{place}, :, lane]")
        first, self._singles = self._singles, self._singles + sizes[0]
        return Piece(f"lanes.singles[{first}:{self._singles}, lane]")

    def _positions(self, count: int) -> Piece:
        """Set whole numbers aside."""
        if count == ARMS:
            return Piece("lanes.streams[1:, lane]")
        first, self._integers = self._integers, self._integers + count
        return Piece(f"lanes.integers[{first}:{self._integers}, lane]")

    def numbers(self, arms: int) -> int:
        """Return how many numbers a lane keeps, whole ones included."""
        return self._reals(arms) + (1 + arms) + self._integers + arms

    def _reals(self, arms: int) -> int:
        return self._rows * arms + self._pairs * arms * arms + self._singles

    def allocated(self, arms: int, lanes: int, new: Callable[..., Any]) -> Lanes:
        """Return the arrays for so many lanes; `new(shape, kind)` makes one."""
        whole = new((self._reals(arms), lanes), "float64")
        first, second = self._rows * arms, self._rows * arms + self._pairs * arms * arms
        some = whole[:1]  # stands for what nobody keeps: an array on a device is not empty
        return Lanes(
            whole,
            whole[:first].reshape(self._rows, arms, lanes),
            whole[first:second].reshape(self._pairs, arms, arms, lanes) if self._pairs else some.reshape(1, 1, 1, -1),
            whole[second:] if self._singles else some,
            new((1 + arms, lanes), "uint64"),
            new((self._integers, lanes), "int64"),
            new((arms, lanes), "float64"),
        )

    def share_of(self) -> Callable[[Lanes, int], runs.Workspace]:
        """Return the function that cuts out the workspace of a lane."""
        scope: dict[str, Any] = {"__name__": __name__}
        source = f"def share_of(lanes, lane):\n    return {self._expression(self._work, scope)}\n"
        exec(source, scope)
        share: Callable[[Lanes, int], runs.Workspace] = scope["share_of"]
        return share

    def _expression(self, part: Any, scope: dict[str, Any]) -> str:
        if isinstance(part, Piece):
            return part.source
        assert is_record(part)
        name = f"{type(part).__name__}_{len(scope)}"
        if len(part) == 0:
            scope[name] = part
            return name
        scope[name] = type(part)
        return f"{name}({', '.join(self._expression(field, scope) for field in part)})"
