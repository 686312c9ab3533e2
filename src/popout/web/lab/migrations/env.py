"""Run by Alembic: bring the tables of a connection up to date."""

from alembic import context

from popout.web.lab.storage import METADATA

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=METADATA,
    render_as_batch=True,  # SQLite alters a table by copying it
)
with context.begin_transaction():
    context.run_migrations()
