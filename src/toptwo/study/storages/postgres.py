"""Orders to PostgreSQL: prepared once for each connection, sent together in one message, answered together.

They go through libpq as psycopg has it. Psycopg's own pipelines wake the server for each order by itself, and end with
a message after which the server does not notice that a turn stands still (`idle_in_transaction_session_timeout`).
"""

import logging
import selectors
from collections.abc import Callable, Sequence
from selectors import EVENT_READ, EVENT_WRITE
from typing import Any
from weakref import WeakKeyDictionary

import psycopg
from psycopg.pq import ConnStatus, DiagnosticField, ExecStatus

from toptwo.study.storages.orders import BEGIN, Order, Statement

logging.getLogger("psycopg").addHandler(logging.NullHandler())  # a lost connection is reported by whoever needs it

FLUSH = Statement(
    "flush", "SELECT set_config('synchronous_commit', 'on', true), pg_logical_emit_message(true, 'toptwo', '')"
)
"""Commits on PostgreSQL return before they are on disk, so that nobody holds the row of a study while a disk turns.
This, committed afterwards, waits until all that was committed before is there, together with whoever else waits."""

SELECTOR: Any = getattr(selectors, "PollSelector", selectors.SelectSelector)
"""Waits for a connection: the cheapest way that the system has, of which nothing must be given back."""

NUMBERS: dict[int, Callable[[bytes], Any]] = {20: int, 21: int, 23: int, 700: float, 701: float}
"""How to read columns that are not text, by the numbers of their types."""


class Postgres:
    """Orders travel together, and so do the answers."""

    begin: Order = (BEGIN, {})

    def __init__(self) -> None:
        self._prepared: WeakKeyDictionary[Any, set[str]] = WeakKeyDictionary()

    def flush(self, *, single: bool) -> tuple[Order, ...]:
        """Return the order that waits for the disk."""
        return ((FLUSH, {}),)

    def run(self, driver: Any, orders: Sequence[Order]) -> list[list[Any]]:
        """Give all orders in one go."""
        prepared, encoding = self._prepared.setdefault(driver, set()), driver.info.encoding
        exchange = Exchange(driver.pgconn)
        try:
            for name, statement in {statement.name: statement for statement, _ in orders}.items():
                if name not in prepared:
                    exchange.prepare(statement, encoding)
            for statement, given in orders:
                exchange.send(statement, given, encoding)
            results = exchange.results()
        except BaseException:
            driver.pgconn.finish()  # whatever is still under way belongs to nobody
            raise
        prepared.update(exchange.prepared)
        if results[0].status == ExecStatus.FATAL_ERROR:
            raise error_of(results[0], encoding)
        return [rows_of(result, encoding) for result in results]

    def lost(self, driver: Any) -> bool:
        """Return whether the server has gone away."""
        return bool(driver.closed)


class Exchange:
    """Orders on their way to the server, and what comes back."""

    def __init__(self, connection: Any) -> None:
        self._connection = connection
        self._sent: list[str | None] = []  # for each order, what it prepares
        self.prepared: set[str] = set()
        connection.enter_pipeline_mode()

    def prepare(self, statement: Statement, encoding: str) -> None:
        """Have a statement prepared, under its name."""
        self._connection.send_prepare(statement.name.encode(), statement.text.encode(encoding))
        self._sent.append(statement.name)

    def send(self, statement: Statement, given: dict[str, Any], encoding: str) -> None:
        """Give an order."""
        values = [as_text(given[name], encoding) for name in statement.parameters]
        self._connection.send_query_prepared(statement.name.encode(), values)
        self._sent.append(None)

    def results(self) -> list[Any]:
        """Send what is not yet sent, wait for the answers; return those to orders, or the first that is an error."""
        connection, found = self._connection, []
        connection.pipeline_sync()
        for name in self._sent:
            result = self._next()
            if result.status == ExecStatus.FATAL_ERROR:
                self._settle()
                return [result]
            if name is None:
                found.append(result)
            else:
                self.prepared.add(name)
            self._next()  # an answer ends with nothing
        self._settle()
        return found

    def _settle(self) -> None:
        """Take in what is left; a server that went away has said why, and says no more."""
        connection = self._connection
        try:
            while (result := self._next()) is None or result.status != ExecStatus.PIPELINE_SYNC:
                if connection.status == ConnStatus.BAD:
                    return
            connection.exit_pipeline_mode()
        except psycopg.OperationalError:
            connection.finish()

    def _next(self) -> Any:
        """Return the next answer, when it is there."""
        connection = self._connection
        unsent = connection.flush()
        while connection.is_busy():
            self._wait(unsent)
            connection.consume_input()
            unsent = unsent and connection.flush()
        return connection.get_result()

    def _wait(self, unsent: int) -> None:
        """Wait until there is something to read, or room for what is left to be written."""
        with SELECTOR() as selector:
            selector.register(self._connection.socket, EVENT_READ | (EVENT_WRITE if unsent else 0))
            selector.select()


def as_text(value: Any, encoding: str) -> bytes | None:
    """Return a value as the server reads it; floats bit for bit."""
    return None if value is None else str(value).encode(encoding)


def rows_of(result: Any, encoding: str) -> list[Any]:
    """Return the rows of an answer."""
    columns = range(result.nfields)
    readers = [NUMBERS.get(result.ftype(column)) for column in columns]
    value = result.get_value
    return [
        tuple(
            None if (text := value(row, column)) is None else reader(text) if reader else text.decode(encoding)
            for column, reader in zip(columns, readers, strict=True)
        )
        for row in range(result.ntuples)
    ]


def error_of(result: Any, encoding: str) -> psycopg.Error:
    """Return the error that an answer stands for."""
    said = (result.error_field(DiagnosticField.MESSAGE_PRIMARY) or result.error_message).decode(encoding, "replace")
    state = (result.error_field(DiagnosticField.SQLSTATE) or b"").decode()
    try:
        kind = psycopg.errors.lookup(state)
    except KeyError:
        kind = psycopg.OperationalError
    return kind(said)
