"""The first tables: experiments, keys, participants, trials."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Make the tables."""
    op.create_table(
        "experiments",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("digest", sa.String(64), nullable=False, unique=True),
        sa.Column("title", sa.Text, nullable=False),
        sa.Column("design", sa.Text, nullable=False),
        sa.Column("created", sa.Float(53), nullable=False),
        sa.Column("last_number", sa.Integer, nullable=False),
    )
    op.create_table(
        "keys",
        sa.Column("name", sa.String(40), primary_key=True),
        sa.Column("digest", sa.String(64), nullable=False),
    )
    op.create_table(
        "participants",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("session", sa.String(40), nullable=False, unique=True),
        sa.Column("token_digest", sa.String(64), nullable=False),
        sa.Column(
            "experiment", sa.Integer, sa.ForeignKey("experiments.id"), nullable=False, index=True
        ),
        sa.Column("number", sa.Integer, nullable=False),
        sa.Column("identity", sa.Text, index=True),
        sa.Column("visit", sa.Integer, nullable=False),
        sa.Column("parameters", sa.Text, nullable=False),
        sa.Column("screen", sa.Text),
        sa.Column("started", sa.Float(53), nullable=False),
        sa.Column("finished", sa.Float(53)),
    )
    owner = sa.ForeignKey("participants.id", ondelete="CASCADE")
    op.create_table(
        "trials",
        sa.Column("participant", sa.Integer, owner, primary_key=True),
        sa.Column("index", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("block", sa.Integer, nullable=False),
        sa.Column("practice", sa.Boolean, nullable=False),
        sa.Column("set_size", sa.Integer, nullable=False),
        sa.Column("present", sa.Boolean, nullable=False),
        sa.Column("target_place", sa.Integer),
        sa.Column("items", sa.Text, nullable=False),
        sa.Column("response", sa.String(10)),
        sa.Column("correct", sa.Boolean, nullable=False),
        sa.Column("rt", sa.Float(53)),
        sa.Column("onset", sa.Float(53)),
        sa.Column("frame_interval", sa.Float(53)),
        sa.Column("dropped_frames", sa.Integer),
        sa.Column("input", sa.String(10)),
        sa.Column("full_screen", sa.Boolean),
        sa.Column("received", sa.Float(53), nullable=False),
    )


def downgrade() -> None:
    """Drop the tables."""
    for name in ("trials", "participants", "keys", "experiments"):
        op.drop_table(name)
