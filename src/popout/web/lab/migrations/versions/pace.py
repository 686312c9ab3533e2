"""Participants have what their trials claim to have taken, and whether they are withheld."""

import sqlalchemy as sa
from alembic import op

revision, down_revision = "pace", None


def upgrade() -> None:
    """Add the columns in place: a table that SQLite copies would take its trials along."""
    withheld = sa.Column("withheld", sa.Boolean, nullable=False, server_default=sa.false())
    for column in (
        withheld,
        sa.Column("claimed", sa.Float(53)),
        sa.Column("elapsed", sa.Float(53)),
    ):
        op.add_column("participants", column)
