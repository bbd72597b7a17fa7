"""What storages want of a database, as statements: few of them, compiled once, sent by the database's own driver.

While somebody has a turn the others wait, so every wait for an answer in it counts. Orders that go together are sent
together: on PostgreSQL a turn is two trips to the server, and an operation written without a turn is one.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol

import sqlalchemy as sa

from toptwo.study.operations import NAMES, Asked, Leased, Operation, Told, pull_of, to_text
from toptwo.study.storages.schema import CLOCKS, operations, studies

FORGETTABLE = (Asked, Leased)
"""Operations that need not wait for the disk: a server that crashes may forget that it handed a pull out, and it is
asked again."""

END = 2**31 - 1
"""Beyond the number of any operation."""


class Statement(NamedTuple):
    """A statement in the words of a database."""

    name: str
    text: str
    parameters: tuple[str, ...] = ()
    """What it is about, in the order of their places where places have numbers."""


Given = dict[str, Any]
Order = tuple[Statement, Given]
"""A statement, and what it is about."""

BEGIN, COMMIT = Statement("begin", "BEGIN"), Statement("commit", "COMMIT")

ONE: Any = sa.literal_column("1")


class Statements(NamedTuple):
    """Statements in the words of a database."""

    take: Statement
    """Wait for the row of a study and hold it, its journal one longer; return study, length and the clock."""
    hold: Statement
    """Wait for the row of a study and hold it."""
    read: Statement
    """Return entries from `start` to `stop` beside the length of the journal, or that alone if there is none."""
    insert: Statement
    """Write an operation under its number."""
    add: Statement
    """Write an operation, unless one from `start` on speaks of the same pull; return its number."""
    lengthen: Statement
    """Make the journal longer by what was added."""
    resize: Statement
    """Set the length of a journal."""


def statements(dialect: sa.Dialect) -> Statements:
    """Return the statements for a database."""
    now, columns = CLOCKS[dialect.name], operations.c
    kind: Any = type(dialect)
    numbered = dialect if dialect.name == "sqlite" else kind(paramstyle="numeric_dollar")  # as libpq has them
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

    def worded(name: str, statement: sa.ClauseElement) -> Statement:
        compiled: Any = statement.compile(dialect=numbered)
        return Statement(f"toptwo_{name}", str(compiled), tuple(compiled.positiontup or ()))

    return Statements(
        take=worded("take", longer.returning(studies.c.id, studies.c.length, now)),
        hold=worded("hold", sa.select(studies.c.id).where(asked).with_for_update(key_share=True)),
        read=worded("read", read.order_by(columns.number)),
        insert=worded("insert", sa.insert(operations)),
        add=worded(
            "add", sa.insert(operations).from_select([column.name for column in columns], row).returning(columns.number)
        ),
        lengthen=worded("lengthen", longer.where(sa.exists().where(mine, columns.number == studies.c.length))),
        resize=worded("resize", sa.update(studies).where(studies.c.id == study).values(length=sa.bindparam("to"))),
    )


class Database(Protocol):
    """How orders are given to a kind of database."""

    begin: Order
    """Begins to write."""

    def flush(self, *, single: bool) -> tuple[Order, ...]:
        """Return what a commit is followed by that must last; `single`: of one answer and nothing else."""
        ...

    def run(self, driver: Any, orders: Sequence[Order]) -> list[list[Any]]:
        """Give orders and return the rows that each brings back."""
        ...

    def lost(self, driver: Any) -> bool:
        """Return whether a connection is of no use any more."""
        ...


def database_of(dialect: sa.Dialect) -> Database:
    """Return how orders are given to a database."""
    if dialect.name == "sqlite":
        from toptwo.study.storages.sqlite import Sqlite

        return Sqlite()
    from toptwo.study.storages.postgres import Postgres

    return Postgres()


class Orders:
    """What storages want of a database, as orders."""

    def __init__(self, dialect: sa.Dialect) -> None:
        self._words = statements(dialect)
        self.database = database_of(dialect)

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
        if all(isinstance(operation, FORGETTABLE) for operation in added):
            return [(COMMIT, {})]
        single = len(added) == 1 and isinstance(added[0], Told)
        return [(COMMIT, {}), *self.database.flush(single=single)]


def written(operation: Operation) -> Given:
    """Return an operation as a database keeps it."""
    return {"kind": NAMES[type(operation)], "pull": pull_of(operation), "data": to_text(operation)}
