"""Snapshots, and an index that finds what was told of a pull that a snapshot does not hold any more."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """Make the table and the index."""
    op.create_table(
        "toptwo_snapshots",
        sa.Column("study", sa.Integer, sa.ForeignKey("toptwo_studies.id"), primary_key=True, autoincrement=False),
        sa.Column("length", sa.Integer, nullable=False),
        sa.Column("data", sa.Text, nullable=False),
    )
    op.create_index("toptwo_operations_pull", "toptwo_operations", ["study", "pull"])
