"""The ideal observer of each design, and the key by which a begun session is found again."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """Add the columns."""
    op.add_column("experiments", sa.Column("ideal", sa.Text))
    op.add_column("participants", sa.Column("key_digest", sa.String(64)))
    op.create_index("ix_participants_key_digest", "participants", ["key_digest"], unique=True)
