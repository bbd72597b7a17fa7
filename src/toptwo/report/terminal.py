"""Tables for a terminal of any width: side by side where there is room, one under the other where there is not."""

from collections.abc import Sequence
from typing import NamedTuple

from rich import box
from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.measure import Measurement
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

WIDE = 10_000
"""Characters in which every table fits."""


class Fitted(NamedTuple):
    """A table of text that never cuts a number: too wide for the terminal, each row becomes lines of its own.

    Examples
    --------
    >>> table = Fitted(("algorithm", "samples"), [("TTUCB", "1,234")])
    >>> Console(width=40).print(table)
    algorithm   samples
    ───────────────────
    TTUCB         1,234
    >>> Console(width=12).print(table)
    TTUCB
      samples
      1,234
    """

    head: Sequence[str]
    rows: Sequence[Sequence[str]]
    title: str = ""
    caption: str = ""
    words: Sequence[int] = (0,)
    """Columns of words, which stand at the left; numbers stand at the right."""
    narrow: RenderableType | None = None
    """What to show instead of rows one under the other."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        if self.title:
            yield Text(self.title, style="italic")
        table = self._table()
        if Measurement.get(console, options.update(width=WIDE), table).maximum <= options.max_width:
            yield table
        elif self.narrow is not None:
            yield self.narrow
        else:
            for row in self.rows:
                yield from self._stacked(row, options.max_width)
        if self.caption:
            yield Text(self.caption, style="dim")

    def _table(self) -> Table:
        named = any(self.head)
        table = Table(box=box.SIMPLE_HEAD if named else None, show_header=named, pad_edge=False, show_edge=False)
        for place, name in enumerate(self.head):
            table.add_column(Text(name), justify="left" if place in self.words else "right", no_wrap=True)
        for row in self.rows:
            table.add_row(*map(Text, row))
        return table

    def _stacked(self, row: Sequence[str], width: int) -> RenderResult:
        """Return the first cell and, indented below it, the others with their names before or above them."""
        yield Text(row[0])
        label = max(map(len, self.head))
        beside = 2 + label + 2 + max(len(cell) for cells in self.rows for cell in cells[1:]) <= width
        for name, cell in zip(self.head[1:], row[1:], strict=True):
            lines = f"{name:{label}}  {cell}" if beside else f"{name}\n{cell}".strip()
            yield Padding(Text(lines), (0, 0, 0, 2))
