"""Studies in a database: SQLite for one machine, PostgreSQL for many; through SQLAlchemy Core (storages/base.py)."""

import os
import threading
import weakref
from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import Any
from uuid import uuid4

import sqlalchemy as sa
from sqlalchemy.exc import IntegrityError, SQLAlchemyError

from toptwo.errors import InputError, NameTakenError, StudyError
from toptwo.study.operations import Created, Operation, from_text
from toptwo.study.storages.base import Entry, Kept
from toptwo.study.storages.connecting import new_engine, parsed, refuse_missing_file, writing
from toptwo.study.storages.errors import explained
from toptwo.study.storages.orders import Order, Orders, written
from toptwo.study.storages.schema import CLOCKS, check, operations, prepare, revision_of, snapshots, studies, upgrade
from toptwo.study.storages.turns import SqlTurn, entries

HOUR = 3600.0

SOME = 10_000
"""Entries that a turn brings along at most."""


class SqlStorage:
    """Keeps studies in the database behind a URL of SQLAlchemy."""

    leases: float | None = HOUR

    def __init__(self, url: str, *, existing: bool = False) -> None:
        self._url = parsed(url)
        if existing:
            refuse_missing_file(self._url)
        self._pid = os.getpid()
        self._lock = threading.Lock()
        self._pool = new_engine(self._url)
        self._writing = writing(self._pool)
        self._orders = Orders(self._pool.dialect)
        self._finalizer = weakref.finalize(self, dispose, self._pool, self._pid)
        with self._explained():
            prepare(self._pool, self._writing)

    # --- studies ----------------------------------------------------------------------------------------------------
    def create(self, name: str, created: Created) -> str:
        """Begin a study."""
        key = uuid4().hex
        with self._explained(), self._connected(self._writing) as connection:
            try:
                row = connection.execute(
                    sa.insert(studies)
                    .values(key=key, name=name, length=1)
                    .returning(studies.c.id, CLOCKS[connection.dialect.name])
                ).one()
            except IntegrityError:
                raise NameTakenError(
                    f"study_name {name!r} is taken in {self.address()}: choose another, or give load_if_exists=True."
                ) from None
            first = {"study": row[0], "number": 0, "at": float(row[1]), **written(created)}
            connection.execute(sa.insert(operations), [first])
        return key

    def find(self, name: str) -> str:
        """Return the key of a study."""
        with self._explained(), self._connected(self._pool) as connection:
            key = connection.scalar(sa.select(studies.c.key).where(studies.c.name == name))
        if key is None:
            known = ", ".join(self.names()[:20]) or "none yet"
            raise InputError(f"study_name {name!r} is unknown in {self.address()}; known: {known}.")
        return str(key)

    def names(self) -> list[str]:
        """Return the names of all studies."""
        with self._explained(), self._connected(self._pool) as connection:
            return sorted(connection.scalars(sa.select(studies.c.name)))

    def delete(self, key: str) -> None:
        """Delete a study: the row that turns are taken by first."""
        with self._explained(), self._connected(self._writing) as connection:
            study = connection.scalar(sa.select(studies.c.id).where(studies.c.key == key).with_for_update())
            if study is None:
                raise gone()
            for table in (snapshots, operations):
                connection.execute(sa.delete(table).where(table.c.study == study))
            connection.execute(sa.delete(studies).where(studies.c.id == study))

    # --- journals ---------------------------------------------------------------------------------------------------
    def read(self, key: str, start: int = 0, stop: int | None = None) -> list[Entry]:
        """Return entries of a journal."""
        with closing(self._borrowed()) as borrowed:
            (rows,) = borrowed.run(self._orders.read(key, start, stop))
        if not rows:
            raise gone()
        return entries(rows, start, stop)

    def last_about(self, key: str, pull: int) -> Operation | None:
        """Return the last operation that speaks of a pull."""
        query = (
            sa.select(operations.c.kind, operations.c.data)
            .join(studies, studies.c.id == operations.c.study)
            .where(studies.c.key == key, operations.c.pull == pull)
            .order_by(operations.c.number.desc())
            .limit(1)
        )
        with self._explained(), self._connected(self._pool) as connection:
            row = connection.execute(query).one_or_none()
        return None if row is None else from_text(row[0], row[1])

    def begin(self, key: str, start: int | None = None) -> SqlTurn:
        """Wait for a turn: on SQLite for the database, on PostgreSQL for the row of the study."""
        borrowed = self._borrowed()
        try:
            orders = [self._orders.database.begin, self._orders.take(key)]
            if start is not None:
                orders.append(self._orders.read(key, start, start + SOME))
            _, taken, *news = borrowed.run(*orders)
            if not taken:
                raise gone()
            study, length, now = taken[0]
            found = entries(news[0], start, min(length - 1, start + SOME)) if start is not None else ()
            return SqlTurn(self._orders, borrowed, study, length - 1, now, found)
        except BaseException:
            borrowed.close()
            raise

    def append(self, key: str, operation: Operation, start: int) -> int | None:
        """Write an operation about a pull, unless others have written about it."""
        with closing(self._borrowed()) as borrowed:
            _, held, added, *_ = borrowed.run(*self._orders.add(key, operation, start))
        if not held:
            raise gone()
        return int(added[0][0]) if added else None

    # --- snapshots --------------------------------------------------------------------------------------------------
    def snapshot(self, key: str) -> Kept | None:
        """Return the snapshot of a study."""
        query = (
            sa.select(snapshots.c.length, snapshots.c.data)
            .join(studies, studies.c.id == snapshots.c.study)
            .where(studies.c.key == key)
        )
        with self._explained(), self._connected(self._pool) as connection:
            row = connection.execute(query).one_or_none()
        return None if row is None else Kept(int(row[0]), row[1])

    def keep_snapshot(self, key: str, kept: Kept) -> None:
        """Keep a snapshot, unless there is a newer one."""
        with self._explained(), self._connected(self._writing) as connection:
            study = connection.scalar(sa.select(studies.c.id).where(studies.c.key == key).with_for_update())
            if study is None:
                raise gone()
            mine = snapshots.c.study == study
            length = connection.scalar(sa.select(snapshots.c.length).where(mine))
            if length is None:
                connection.execute(sa.insert(snapshots).values(study=study, length=kept.length, data=kept.text))
            elif length < kept.length:
                connection.execute(sa.update(snapshots).where(mine).values(length=kept.length, data=kept.text))

    # --- connections ------------------------------------------------------------------------------------------------
    def _checked_out(self, engine: sa.Engine) -> sa.Connection:
        """Return a connection."""
        self._look_for_a_fork()
        return engine.connect()

    def _borrowed(self) -> "SqlConnection":
        """Return a connection as its driver knows it."""
        self._look_for_a_fork()
        with self._explained():
            return SqlConnection(self, self._pool.raw_connection())

    def _look_for_a_fork(self) -> None:
        """Forget the connections of a parent: they are the parent's."""
        if self._pid != os.getpid():
            with self._lock:
                if self._pid != os.getpid():
                    self._pool.dispose(close=False)
                    self._pid = os.getpid()
                    self._finalizer = weakref.finalize(self, dispose, self._pool, self._pid)

    @contextmanager
    def _connected(self, engine: sa.Engine) -> Iterator[sa.Connection]:
        with self._checked_out(engine) as connection:
            yield connection
            connection.commit()

    @contextmanager
    def _explained(self) -> Iterator[None]:
        try:
            yield
        except (SQLAlchemyError, self._pool.dialect.loaded_dbapi.Error, OSError) as problem:
            raise explained(problem, self.address()) from problem

    def address(self) -> str:
        """Return the URL without its password."""
        return self._url.render_as_string(hide_password=True)

    def close(self) -> None:
        """Close what is open."""
        self._pool.dispose()

    def __reduce__(self) -> Any:
        return reopened, (self._url.render_as_string(hide_password=False),)


class SqlConnection:
    """A connection as its driver knows it."""

    def __init__(self, storage: SqlStorage, connection: sa.PoolProxiedConnection) -> None:
        self._storage, self._connection = storage, connection

    def run(self, *orders: Order) -> list[list[Any]]:
        """Give orders and return the rows that each brings back."""
        with self._storage._explained():
            return self._storage._orders.database.run(self._connection.driver_connection, orders)

    def close(self) -> None:
        """Give the connection back; if the server has gone away, so have all the others."""
        if self._storage._orders.database.lost(self._connection.driver_connection):
            self._connection.invalidate()
            self._storage._pool.dispose()
        else:
            self._connection.close()  # what was not committed is rolled back


def reopened(url: str) -> SqlStorage:
    """Return a storage that was pickled."""
    return SqlStorage(url, existing=True)


def dispose(pool: sa.Engine, process: int) -> None:
    """Close the connections of a process, in that process."""
    if os.getpid() == process:
        pool.dispose()


def gone() -> StudyError:
    """Return the error of a study that is not there any more."""
    return StudyError("the study was deleted: create it again.")


def upgrade_database(url: str) -> tuple[str, str]:
    """Bring the tables of a database to this version; return the revision before and after."""
    place = parsed(url)
    refuse_missing_file(place)
    pool = new_engine(place)
    try:
        with pool.connect() as connection:
            before = revision_of(connection)
        if before is None:
            raise InputError(f"storage {place.render_as_string()} holds no studies: there is nothing to upgrade.")
        after = upgrade(writing(pool))
        check(after)
        return before, after
    except SQLAlchemyError as problem:
        raise explained(problem, place.render_as_string()) from problem
    finally:
        pool.dispose()
