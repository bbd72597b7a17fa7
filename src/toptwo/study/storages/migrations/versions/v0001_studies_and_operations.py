"""Studies, and the operations of their journals."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Make the tables."""
    op.create_table(
        "toptwo_studies",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("key", sa.String(32), nullable=False, unique=True),
        sa.Column("name", sa.Text, nullable=False, unique=True),
        sa.Column("length", sa.Integer, nullable=False),
    )
    op.create_table(
        "toptwo_operations",
        sa.Column("study", sa.Integer, sa.ForeignKey("toptwo_studies.id"), primary_key=True, autoincrement=False),
        sa.Column("number", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("at", sa.Double, nullable=False),
        sa.Column("kind", sa.String(16), nullable=False),
        sa.Column("pull", sa.Integer),
        sa.Column("data", sa.Text, nullable=False),
    )
