"""Studies in a database: SQLite for one machine, PostgreSQL for many; through SQLAlchemy Core (storages/base.py)."""

import os
import threading
import weakref
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any
from uuid import uuid4

import sqlalchemy as sa
from sqlalchemy.exc import DBAPIError, IntegrityError, SQLAlchemyError
from sqlalchemy.pool import QueuePool

from toptwo.errors import InputError, StudyError
from toptwo.study.operations import NAMES, Asked, Created, Leased, Operation, from_text, pull_of, to_text
from toptwo.study.storages.base import Entry, Kept
from toptwo.study.storages.errors import explained
from toptwo.study.storages.schema import CLOCKS, operations, prepare, revision_of, snapshots, studies, upgrade

HOUR = 3600.0

PATIENCE = 60.0
"""Seconds to wait for the turns of others."""


FLUSH = "SET LOCAL synchronous_commit TO on; SELECT pg_logical_emit_message(true, 'toptwo', '')"
"""Commits on PostgreSQL return before they are on disk, so that nobody holds the row of a study while a disk turns.
This, committed afterwards, waits until all that was committed before is there, together with whoever else waits."""

FORGETTABLE = (Asked, Leased)
"""Operations that need not wait: a server that crashes may forget that it handed a pull out, and it is asked again."""


class SqlStorage:
    """Keeps studies in the database behind a URL of SQLAlchemy."""

    leases: float | None = HOUR

    def __init__(self, url: str) -> None:
        self._url = parsed(url)
        self._pid = os.getpid()
        self._lock = threading.Lock()
        self._pool = new_engine(self._url)
        self._writing = self._pool.execution_options(toptwo_writes=True)
        on_sqlite = self._url.get_backend_name() == "sqlite"  # where no transaction begins unless it writes
        self._engine = self._pool if on_sqlite else self._pool.execution_options(isolation_level="AUTOCOMMIT")
        self._waits_for_disk = not on_sqlite
        now = CLOCKS[self._url.get_backend_name()]
        self._take = (
            sa.update(studies)
            .where(studies.c.key == sa.bindparam("study"))
            .values(length=studies.c.length + 1)
            .returning(studies.c.id, studies.c.length, now)
        )
        self._now = now
        self._finalizer = weakref.finalize(self, dispose, self._pool, self._pid)
        with self._explained():
            prepare(self._engine, self._writing)

    # --- studies ----------------------------------------------------------------------------------------------------
    def create(self, name: str, created: Created) -> str:
        """Begin a study."""
        key = uuid4().hex
        with self._explained(), self._connected(self._writing) as connection:
            try:
                row = connection.execute(
                    sa.insert(studies).values(key=key, name=name, length=1).returning(studies.c.id, self._now)
                ).one()
            except IntegrityError:
                raise InputError(
                    f"study_name {name!r} is taken in {self.address()}: choose another, or give load_if_exists=True."
                ) from None
            connection.execute(sa.insert(operations), [written(row[0], 0, float(row[1]), created)])
        return key

    def find(self, name: str) -> str:
        """Return the key of a study."""
        with self._explained(), self._connected(self._engine) as connection:
            key = connection.scalar(sa.select(studies.c.key).where(studies.c.name == name))
        if key is None:
            known = ", ".join(self.names()[:20]) or "none yet"
            raise InputError(f"study_name {name!r} is unknown in {self.address()}; known: {known}.")
        return str(key)

    def names(self) -> list[str]:
        """Return the names of all studies."""
        with self._explained(), self._connected(self._engine) as connection:
            return sorted(connection.scalars(sa.select(studies.c.name)))

    def delete(self, key: str) -> None:
        """Delete a study: the row that turns are taken by first."""
        with self._explained(), self._connected(self._writing) as connection:
            found = connection.execute(self._take, {"study": key}).one_or_none()
            if found is None:
                raise gone()
            for table in (snapshots, operations):
                connection.execute(sa.delete(table).where(table.c.study == found[0]))
            connection.execute(sa.delete(studies).where(studies.c.id == found[0]))

    # --- journals ---------------------------------------------------------------------------------------------------
    def read(self, key: str, start: int = 0, stop: int | None = None) -> list[Entry]:
        """Return entries of a journal."""
        with self._explained(), self._connected(self._engine) as connection:
            entries = read_entries(connection, key, start, stop)
            if not entries and connection.scalar(sa.select(studies.c.id).where(studies.c.key == key)) is None:
                raise gone()
        return entries

    def last_about(self, key: str, pull: int) -> Operation | None:
        """Return the last operation that speaks of a pull."""
        query = (
            sa.select(operations.c.kind, operations.c.data)
            .join(studies, studies.c.id == operations.c.study)
            .where(studies.c.key == key, operations.c.pull == pull)
            .order_by(operations.c.number.desc())
            .limit(1)
        )
        with self._explained(), self._connected(self._engine) as connection:
            row = connection.execute(query).one_or_none()
        return None if row is None else from_text(row[0], row[1])

    def begin(self, key: str) -> "SqlTurn":
        """Wait for a turn: on SQLite for the database, on PostgreSQL for the row of the study."""
        with self._explained():
            connection = self._checked_out(self._writing)
            try:
                found = connection.execute(self._take, {"study": key}).one_or_none()
                if found is None:
                    raise gone()
            except BaseException:
                connection.close()
                raise
        return SqlTurn(self, connection, found[0], int(found[1]) - 1, float(found[2]))

    # --- snapshots --------------------------------------------------------------------------------------------------
    def snapshot(self, key: str) -> Kept | None:
        """Return the snapshot of a study."""
        query = (
            sa.select(snapshots.c.length, snapshots.c.data)
            .join(studies, studies.c.id == snapshots.c.study)
            .where(studies.c.key == key)
        )
        with self._explained(), self._connected(self._engine) as connection:
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
        """Return a connection; after a fork a new one, for those of the parent are the parent's."""
        if self._pid != os.getpid():
            with self._lock:
                if self._pid != os.getpid():
                    self._pool.dispose(close=False)
                    self._pid = os.getpid()
                    self._finalizer = weakref.finalize(self, dispose, self._pool, self._pid)
        return engine.connect()

    @contextmanager
    def _connected(self, engine: sa.Engine) -> Iterator[sa.Connection]:
        with self._checked_out(engine) as connection:
            yield connection
            connection.commit()

    @contextmanager
    def _explained(self) -> Iterator[None]:
        try:
            yield
        except SQLAlchemyError as problem:
            raise explained(problem, self.address()) from problem

    def address(self) -> str:
        """Return the URL without its password."""
        return self._url.render_as_string(hide_password=True)

    def close(self) -> None:
        """Close what is open."""
        self._pool.dispose()

    def __reduce__(self) -> Any:
        return SqlStorage, (self._url.render_as_string(hide_password=False),)


class SqlTurn:
    """A transaction that holds the study's row."""

    def __init__(self, storage: SqlStorage, connection: sa.Connection, study: int, length: int, now: float) -> None:
        self.now, self.length = now, length
        self._storage, self._connection, self._study = storage, connection, study
        self._rows: list[dict[str, Any]] = []
        self._forgettable = True

    def append(self, operation: Operation) -> None:
        """Add an operation."""
        self._forgettable = self._forgettable and isinstance(operation, FORGETTABLE)
        self._rows.append(written(self._study, self.length + len(self._rows), self.now, operation))

    def commit(self) -> None:
        """Write the operations; the length of the journal was raised by one when the turn began."""
        try:
            with self._storage._explained():
                if len(self._rows) != 1:
                    longer = sa.update(studies).where(studies.c.id == self._study)
                    self._connection.execute(longer.values(length=self.length + len(self._rows)))
                if self._rows:
                    self._connection.execute(sa.insert(operations), self._rows)
                self._connection.commit()
                if self._storage._waits_for_disk and not self._forgettable:
                    self._connection.exec_driver_sql(FLUSH)
                    self._connection.commit()
        finally:
            self._let_go()

    def rollback(self) -> None:
        """Forget the operations."""
        self._let_go()

    def _let_go(self) -> None:
        """Give the connection back; whatever was not committed is rolled back, or lost with the server."""
        try:
            self._connection.close()
        except DBAPIError:
            self._connection.invalidate()


def written(study: int, number: int, at: float, operation: Operation) -> dict[str, Any]:
    """Return the row of an operation."""
    return {
        "study": study,
        "number": number,
        "at": at,
        "kind": NAMES[type(operation)],
        "pull": pull_of(operation),
        "data": to_text(operation),
    }


_READ = (
    sa.select(operations.c.at, operations.c.kind, operations.c.data)
    .join(studies, studies.c.id == operations.c.study)
    .where(studies.c.key == sa.bindparam("study"), operations.c.number >= sa.bindparam("start"))
    .order_by(operations.c.number)
)
_READ_PART = _READ.where(operations.c.number < sa.bindparam("stop"))


def read_entries(connection: sa.Connection, key: str, start: int, stop: int | None) -> list[Entry]:
    """Return entries of a journal."""
    part = {"study": key, "start": start} | ({} if stop is None else {"stop": stop})
    rows: Sequence[Any] = connection.execute(_READ if stop is None else _READ_PART, part).all()
    return [Entry(at, from_text(kind, data)) for at, kind, data in rows]


def dispose(pool: sa.Engine, process: int) -> None:
    """Close the connections of a process, in that process."""
    if os.getpid() == process:
        pool.dispose()


def gone() -> StudyError:
    """Return the error of a study that is not there any more."""
    return StudyError("the study was deleted: create it again.")


def parsed(text: str) -> sa.URL:
    """Return a URL that is understood here."""
    try:
        url = sa.make_url(text)
    except sa.exc.ArgumentError:
        raise InputError(f"storage must be a URL such as 'sqlite:///studies.db', not {text!r}.") from None
    if url.drivername == "postgresql":
        url = url.set(drivername="postgresql+psycopg")
    if url.drivername not in ("sqlite", "postgresql+psycopg"):
        raise InputError(
            f"storage must begin with sqlite:/// or postgresql+psycopg://, not {url.drivername}: other databases are "
            "not known here."
        )
    if url.drivername == "sqlite" and url.database in (None, "", ":memory:"):
        raise InputError("storage must name a file, such as sqlite:///studies.db: for memory, leave it out.")
    return url


UNHURRIED = {"connect_timeout": 10, "options": "-c synchronous_commit=off"}
"""How to connect to PostgreSQL; `FLUSH` waits for the disk."""


def new_engine(url: sa.URL) -> sa.Engine:
    """Return an engine whose transactions begin as its database needs it."""
    if url.get_backend_name() == "sqlite":
        engine = sa.create_engine(url, poolclass=QueuePool, connect_args={"timeout": PATIENCE})
        sa.event.listen(engine, "connect", _set_up_sqlite)
        sa.event.listen(engine, "begin", _begin_on_sqlite)
        return engine
    try:
        return sa.create_engine(url, isolation_level="READ COMMITTED", connect_args=UNHURRIED)
    except ModuleNotFoundError as problem:
        raise InputError(
            f"storage needs the package {problem.name}: install it with pip install 'toptwo[postgres]'."
        ) from None


def _set_up_sqlite(connection: Any, record: Any) -> None:
    """Write ahead, so that readers and the writer do not wait for each other; transactions begin below."""
    connection.isolation_level = None
    connection.execute("PRAGMA synchronous=NORMAL")
    connection.execute("PRAGMA foreign_keys=ON")


def _begin_on_sqlite(connection: sa.Connection) -> None:
    """Take the lock for writing at once where writing is meant: a lock that is raised later may fail without a wait."""
    writes = connection.get_execution_options().get("toptwo_writes")
    if writes:
        connection.exec_driver_sql("BEGIN IMMEDIATE")


def upgrade_database(url: str) -> tuple[str, str]:
    """Bring the tables of a database to this version; return the revision before and after."""
    place = parsed(url)
    pool = new_engine(place)
    try:
        with pool.connect() as connection:
            before = revision_of(connection)
        if before is None:
            raise InputError(f"storage {place.render_as_string()} holds no studies: there is nothing to upgrade.")
        return before, upgrade(pool.execution_options(toptwo_writes=True))
    except SQLAlchemyError as problem:
        raise explained(problem, place.render_as_string()) from problem
    finally:
        pool.dispose()
