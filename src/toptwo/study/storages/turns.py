"""Turns at a journal in a database."""

from collections.abc import Sequence
from typing import Any, Protocol

from toptwo.study.damage import MISSING, DamagedJournalError
from toptwo.study.operations import Operation, from_text
from toptwo.study.storages.base import Entry
from toptwo.study.storages.orders import END, Order, Orders


class BorrowedConnection(Protocol):
    """A connection that orders are given on, until it is handed back."""

    def run(self, *orders: Order) -> list[list[Any]]:
        """Give orders and return the rows that each brings back."""
        ...

    def close(self) -> None:
        """Hand it back; what was not committed is forgotten."""
        ...


class SqlTurn:
    """A transaction that holds the study's row."""

    def __init__(
        self, orders: Orders, borrowed: BorrowedConnection, study: int, length: int, now: float, news: Sequence[Entry]
    ) -> None:
        self.now, self.length, self.news = now, length, news
        self._orders, self._borrowed, self._study = orders, borrowed, study
        self._added: list[Operation] = []

    def append(self, operation: Operation) -> None:
        """Add an operation."""
        self._added.append(operation)

    def commit(self) -> None:
        """Write the operations."""
        try:
            self._borrowed.run(*self._orders.write(self._study, self.length, self.now, self._added))
        finally:
            self._borrowed.close()

    def rollback(self) -> None:
        """Forget the operations."""
        self._borrowed.close()


def entries(rows: Sequence[Any], start: int, stop: int | None) -> list[Entry]:
    """Return the entries that were read from one number to another; DamagedJournalError if one is missing."""
    length, last, *_ = rows[-1]
    found = 0 if last is None else len(rows)  # a single row stands for none
    expected = min(length, END if stop is None else stop) - start
    if found < expected or (found and last != start + found - 1):
        numbers = {number for _, number, *_ in rows}
        raise DamagedJournalError(next(number for number in range(start, END) if number not in numbers), MISSING)
    return [Entry(at, from_text(kind, data)) for _, _, at, kind, data in rows] if found else []
