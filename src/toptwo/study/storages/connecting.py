"""How databases are reached: URLs, the files that they name, and connections that wait for others, but not for ever."""

from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import sqlalchemy as sa
from sqlalchemy.pool import QueuePool

from toptwo.errors import InputError

PATIENCE = 60.0
"""Seconds to wait for the turns of others, and to leave a process its turn that does nothing with it."""

KEEPALIVES = {"keepalives": 1, "keepalives_idle": 60, "keepalives_interval": 10, "keepalives_count": 6}
"""A server that is gone without a word is noticed in two minutes."""


def parsed(text: str) -> sa.URL:
    """Return a URL that is understood here."""
    try:
        url = sa.make_url(text)
    except sa.exc.ArgumentError:
        raise InputError(f"storage must be a URL such as 'sqlite:///studies.db', not {text!r}.") from None
    except ValueError:
        raise InputError(
            "storage must give the port as a number: postgresql+psycopg://user@host:5432/database."
        ) from None
    if url.drivername == "postgresql":
        url = url.set(drivername="postgresql+psycopg")
    if url.drivername not in ("sqlite", "postgresql+psycopg"):
        raise InputError(
            f"storage must begin with sqlite:/// or postgresql+psycopg://, not {url.drivername}: other databases are "
            "not known here."
        )
    if url.drivername == "sqlite" and url.host:
        raise InputError(f"storage must name a file after three slashes: write sqlite:///{url.host}.")
    if url.drivername == "sqlite" and url.database in (None, "", ":memory:"):
        raise InputError("storage must name a file, such as sqlite:///studies.db: for memory, leave it out.")
    return url


def refuse_missing_file(url: sa.URL) -> None:
    """Refuse a file that is not there, where nobody meant to make one."""
    if url.get_backend_name() != "sqlite":
        return
    name = str(url.database)
    file = Path(unquote(urlsplit(name).path) if name.startswith("file:") else name)
    if not file.exists():
        raise InputError(
            f"storage names the file {file}, which is not there: correct the path, or create a study first."
        )


def new_engine(url: sa.URL) -> sa.Engine:
    """Return an engine whose transactions begin as its database needs it."""
    if url.get_backend_name() == "sqlite":
        engine = sa.create_engine(url, poolclass=QueuePool, paramstyle="named", connect_args={"timeout": PATIENCE})
        sa.event.listen(engine, "connect", _set_up_sqlite)
        sa.event.listen(engine, "begin", _begin_on_sqlite)
        return engine
    try:
        return sa.create_engine(url, isolation_level="AUTOCOMMIT", connect_args=settings(url))
    except ModuleNotFoundError as problem:
        raise InputError(
            f"storage needs the package {problem.name}: install it with pip install 'toptwo[postgres]'."
        ) from None


def settings(url: sa.URL) -> dict[str, Any]:
    """Return how to connect to PostgreSQL; what the URL says stays.

    Commits return before they are on disk (`postgres.FLUSH` waits for that), and a turn that stands still, because its
    process was stopped or its machine is cut off, is ended by the server, so that it holds nobody up for ever.
    """
    patience = f"{1000.0 * PATIENCE:.0f}"
    ours = {
        "synchronous_commit": "off",
        "lock_timeout": patience,
        "idle_in_transaction_session_timeout": patience,
    }
    given = url.query.get("options", ())
    options = [f"-c {name}={value}" for name, value in ours.items()]
    options += [given] if isinstance(given, str) else given  # of two that differ the server takes the last one
    usual = {"connect_timeout": 10, **KEEPALIVES}
    return {"options": " ".join(options), **{name: usual[name] for name in usual if name not in url.query}}


def writing(engine: sa.Engine) -> sa.Engine:
    """Return the engine with transactions to write in."""
    if engine.dialect.name == "sqlite":
        return engine.execution_options(toptwo_writes=True)
    return engine.execution_options(isolation_level="READ COMMITTED")


def _set_up_sqlite(connection: Any, record: Any) -> None:
    """Write ahead, so that readers and the writer do not wait for each other; transactions begin below.

    Commits do not wait for the disk (`sqlite.FLUSH` does).
    """
    connection.isolation_level = None
    connection.execute("PRAGMA synchronous=NORMAL")
    connection.execute("PRAGMA foreign_keys=ON")


def _begin_on_sqlite(connection: sa.Connection) -> None:
    """Take the lock for writing at once where writing is meant: a lock that is raised later may fail without a wait."""
    writes = connection.get_execution_options().get("toptwo_writes")
    if writes:
        connection.exec_driver_sql("BEGIN IMMEDIATE")
