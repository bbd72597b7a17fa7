"""Bring a database to the newest revision of the tables."""

from pathlib import Path

import sqlalchemy as sa
from alembic import command
from alembic.config import Config


def migrate(connection: sa.Connection, revision: str = "head") -> None:
    """Apply what is missing up to a revision, within the transaction of the connection."""
    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent))
    config.set_main_option("path_separator", "os")
    config.attributes["connection"] = connection
    command.upgrade(config, revision)
