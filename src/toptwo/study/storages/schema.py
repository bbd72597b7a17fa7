"""The tables of studies in a database, and whether those found there are of this version."""

import sqlalchemy as sa

from toptwo.errors import StudyError

HEAD = "0002"
"""The revision of the tables that this version reads and writes (storages/migrations/versions)."""

REVISIONS = ("0001", "0002")

VERSIONS = "toptwo_version"
"""The table in which Alembic writes the revision down."""

metadata = sa.MetaData()

studies = sa.Table(
    "toptwo_studies",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("key", sa.String(32), nullable=False, unique=True),
    sa.Column("name", sa.Text, nullable=False, unique=True),
    sa.Column("length", sa.Integer, nullable=False),  # operations in the journal; whoever writes changes it first
)

operations = sa.Table(
    "toptwo_operations",
    metadata,
    sa.Column("study", sa.Integer, sa.ForeignKey("toptwo_studies.id"), primary_key=True, autoincrement=False),
    sa.Column("number", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("at", sa.Double, nullable=False),
    sa.Column("kind", sa.String(16), nullable=False),
    sa.Column("pull", sa.Integer),  # the one that it speaks of
    sa.Column("data", sa.Text, nullable=False),
    sa.Index("toptwo_operations_pull", "study", "pull"),
)

snapshots = sa.Table(
    "toptwo_snapshots",
    metadata,
    sa.Column("study", sa.Integer, sa.ForeignKey("toptwo_studies.id"), primary_key=True, autoincrement=False),
    sa.Column("length", sa.Integer, nullable=False),
    sa.Column("data", sa.Text, nullable=False),
)

CLOCKS: dict[str, sa.ColumnElement[float]] = {
    "sqlite": sa.literal_column("(julianday('now') - 2440587.5) * 86400.0", sa.Double),
    "postgresql": sa.literal_column("extract(epoch from clock_timestamp())::double precision", sa.Double),
}
"""Seconds since 1970 by the clock of the database."""


def revision_of(connection: sa.Connection) -> str | None:
    """Return the revision of the tables found, or None if there are none; StudyError for tables of something else."""
    found = sa.inspect(connection).get_table_names()
    if VERSIONS in found:
        revision = connection.scalar(sa.text(f"SELECT version_num FROM {VERSIONS}"))
        if revision is None:
            raise StudyError(
                f"the table {VERSIONS} is empty, so the database is damaged: restore a copy, or give another."
            )
        return str(revision)
    if connection.dialect.name == "sqlite" and found:
        raise StudyError(
            f"the database holds tables of something else ({', '.join(found[:5])}): give a file of its own for studies."
        )
    return None


def check(revision: str) -> None:
    """Refuse tables of another revision."""
    if revision in REVISIONS and revision != HEAD:
        raise StudyError(
            f"the database was made by an older toptwo (revision {revision}, needed {HEAD}): keep a copy, then run "
            "toptwo study upgrade --storage URL."
        )
    if revision != HEAD:
        raise StudyError(
            f"the database was made by a newer toptwo (revision {revision}, known: {HEAD}): upgrade toptwo."
        )


def prepare(reading: sa.Engine, writing: sa.Engine) -> None:
    """Make sure that the tables are there; many processes may begin with an empty database at once."""
    with reading.connect() as connection:
        revision = revision_of(connection)
    if revision is None:
        if reading.dialect.name == "sqlite":  # for all who will ever open the file, and not within a transaction
            with reading.connect() as connection:
                raw = connection.connection.driver_connection
                assert raw is not None
                raw.rollback()
                raw.execute("PRAGMA journal_mode=WAL")
        revision = upgrade(writing, only_if_empty=True)
    check(revision)


def upgrade(writing: sa.Engine, *, only_if_empty: bool = False) -> str:
    """Bring the tables to this version's revision, in one transaction; return the revision that is there then."""
    from toptwo.study.storages.migrations.run import migrate

    with writing.begin() as connection:
        if connection.dialect.name == "postgresql":
            connection.execute(sa.text("SELECT pg_advisory_xact_lock(7480117)"))  # one process migrates at a time
        revision = revision_of(connection)
        if revision is None or (not only_if_empty and revision in REVISIONS and revision != HEAD):
            migrate(connection)
            revision = revision_of(connection)
        assert revision is not None
        return revision
