"""Turns at a journal in a database: few orders, compiled once, and sent by the database's own driver.

While somebody has a turn the others wait, so every wait for an answer in it counts. Orders that go together are sent
together: on PostgreSQL a turn is two trips to the server, and an operation written without a turn is one.
"""

import logging
import sqlite3
from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol

import sqlalchemy as sa

from toptwo.study.damage import MISSING, DamagedJournalError
from toptwo.study.operations import NAMES, Asked, Leased, Operation, from_text, pull_of, to_text
from toptwo.study.storages.base import Entry
from toptwo.study.storages.schema import CLOCKS, operations, studies

FORGETTABLE = (Asked, Leased)
"""Operations that need not wait for the disk: a server that crashes may forget that it handed a pull out, and it is
asked again."""

FLUSH = "SELECT set_config('synchronous_commit', 'on', true), pg_logical_emit_message(true, 'toptwo', '')"
"""Commits on PostgreSQL return before they are on disk, so that nobody holds the row of a study while a disk turns.
This, committed afterwards, waits until all that was committed before is there, together with whoever else waits."""

END = 2**31 - 1
"""Beyond the number of any operation."""

Given = dict[str, Any]
Order = tuple[str, Given]
"""A statement, and what it is about."""

ONE: Any = sa.literal_column("1")


class Statements(NamedTuple):
    """Statements in the words of a database."""

    take: str
    """Wait for the row of a study and hold it, its journal one longer; return study, length and the clock."""
    hold: str
    """Wait for the row of a study and hold it."""
    read: str
    """Return entries from `start` to `stop` beside the length of the journal, or that alone if there is none."""
    insert: str
    """Write an operation under its number."""
    add: str
    """Write an operation, unless one from `start` on speaks of the same pull; return its number."""
    lengthen: str
    """Make the journal longer by what was added."""
    resize: str
    """Set the length of a journal."""


def statements(dialect: sa.Dialect) -> Statements:
    """Return the statements for a database."""
    now, columns = CLOCKS[dialect.name], operations.c
    study: Any = sa.bindparam("study")
    start, stop = sa.bindparam("start", type_=sa.Integer), sa.bindparam("stop", type_=sa.Integer)
    asked, mine = studies.c.key == study, columns.study == studies.c.id
    longer = sa.update(studies).where(asked).values(length=studies.c.length + ONE)
    part = sa.outerjoin(studies, operations, mine & (columns.number >= start) & (columns.number < stop))
    said = sa.exists().where(mine, columns.pull == sa.bindparam("pull"), columns.number >= start)
    written = [sa.bindparam(name, type_=columns[name].type) for name in ("kind", "pull", "data")]
    row = sa.select(studies.c.id, studies.c.length, now, *written).where(asked, ~said)
    found = (studies.c.length, columns.number, columns.at, columns.kind, columns.data)
    read = sa.select(*found).select_from(part).where(asked)

    def text(statement: sa.ClauseElement) -> str:
        return str(statement.compile(dialect=dialect))

    return Statements(
        take=text(longer.returning(studies.c.id, studies.c.length, now)),
        hold=text(sa.select(studies.c.id).where(asked).with_for_update(key_share=True)),
        read=text(read.order_by(columns.number)),
        insert=text(sa.insert(operations)),
        add=text(sa.insert(operations).from_select([column.name for column in columns], row).returning(columns.number)),
        lengthen=text(longer.where(sa.exists().where(mine, columns.number == studies.c.length))),
        resize=text(sa.update(studies).where(studies.c.id == study).values(length=sa.bindparam("to"))),
    )


class Database(Protocol):
    """How orders are given to a kind of database."""

    begin: Order
    """Begins to write."""
    flush: tuple[Order, ...]
    """What a commit is followed by that must last."""

    def run(self, driver: Any, orders: Sequence[Order]) -> list[list[Any]]:
        """Give orders and return the rows that each brings back."""
        ...

    def lost(self, driver: Any) -> bool:
        """Return whether a connection is of no use any more."""
        ...


class Sqlite:
    """Orders are calls: the answer to each is there at once."""

    begin: Order = ("BEGIN IMMEDIATE", {})  # a lock for writing that is asked for later may fail without a wait
    flush: tuple[Order, ...] = ()

    def run(self, driver: sqlite3.Connection, orders: Sequence[Order]) -> list[list[Any]]:
        """Give orders one after the other."""
        return [driver.execute(*order).fetchall() for order in orders]

    def lost(self, driver: sqlite3.Connection) -> bool:
        """Return False: a file does not go away."""
        return False


logging.getLogger("psycopg").addHandler(logging.NullHandler())  # a lost connection is reported by whoever needs it


class Postgres:
    """Orders travel together, and so do the answers."""

    begin: Order = ("BEGIN", {})
    flush: tuple[Order, ...] = ((FLUSH, {}),)

    def run(self, driver: Any, orders: Sequence[Order]) -> list[list[Any]]:
        """Give all orders in one go."""
        if len(orders) == 1:
            return [_rows(driver.execute(*orders[0], prepare=True))]
        with driver.pipeline():
            asked = [driver.execute(*order, prepare=True) for order in orders]
        return [_rows(cursor) for cursor in asked]

    def lost(self, driver: Any) -> bool:
        """Return whether the server has gone away."""
        return bool(driver.closed)


def _rows(cursor: Any) -> list[Any]:
    return list(cursor) if cursor.description else []


COMMIT: Order = ("COMMIT", {})


class BorrowedConnection(Protocol):
    """A connection that orders are given on, until it is handed back."""

    def run(self, *orders: Order) -> list[list[Any]]:
        """Give orders and return the rows that each brings back."""
        ...

    def close(self) -> None:
        """Hand it back; what was not committed is forgotten."""
        ...


class Orders:
    """What storages want of a database, as orders."""

    def __init__(self, dialect: sa.Dialect) -> None:
        self._words = statements(dialect)
        self.database: Database = Sqlite() if dialect.name == "sqlite" else Postgres()

    def read(self, key: str, start: int, stop: int | None) -> Order:
        """Return the order that reads entries."""
        return self._words.read, {"study": key, "start": start, "stop": END if stop is None else stop}

    def take(self, key: str) -> Order:
        """Return the order that waits for a turn."""
        return self._words.take, {"study": key}

    def add(self, key: str, operation: Operation, start: int) -> list[Order]:
        """Return the orders that write an operation by itself, of which the third says under which number."""
        row = {"study": key, "start": start, **written(operation)}
        study: Given = {"study": key}
        words = self._words
        return [
            self.database.begin,
            (words.hold, study),
            (words.add, row),
            (words.lengthen, study),
            *self.last(operation),
        ]

    def write(self, study: int, length: int, now: float, added: Sequence[Operation]) -> list[Order]:
        """Return the orders that write the operations of a turn, which was counted as one operation when it began."""
        orders: list[Order] = [
            (self._words.insert, {"study": study, "number": number, "at": now, **written(operation)})
            for number, operation in enumerate(added, length)
        ]
        if len(added) != 1:
            orders.insert(0, (self._words.resize, {"study": study, "to": length + len(added)}))
        return [*orders, *self.last(*added)]

    def last(self, *added: Operation) -> list[Order]:
        """Return the orders that keep what was written."""
        lasting = not all(isinstance(operation, FORGETTABLE) for operation in added)
        return [COMMIT, *(self.database.flush if lasting else ())]


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


def written(operation: Operation) -> Given:
    """Return an operation as a database keeps it."""
    return {"kind": NAMES[type(operation)], "pull": pull_of(operation), "data": to_text(operation)}


def entries(rows: Sequence[Any], start: int, stop: int | None) -> list[Entry]:
    """Return the entries that were read from one number to another; DamagedJournalError if one is missing."""
    length, last, *_ = rows[-1]
    found = 0 if last is None else len(rows)  # a single row stands for none
    expected = min(length, END if stop is None else stop) - start
    if found < expected or (found and last != start + found - 1):
        numbers = {number for _, number, *_ in rows}
        raise DamagedJournalError(next(number for number in range(start, END) if number not in numbers), MISSING)
    return [Entry(at, from_text(kind, data)) for _, _, at, kind, data in rows] if found else []
