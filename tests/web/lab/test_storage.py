"""Storage: durable, migrated to what the code expects, and clear about what is wrong."""

import os
import shutil
import stat

import pytest
import sqlalchemy as sa
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext

from popout.task import InputError
from popout.web.lab import storage
from popout.web.lab.storage import METADATA, database_url, open_database

LATER = """
import sqlalchemy as sa
from alembic import op

revision, down_revision = "later", "pace"


def upgrade():
    op.add_column("keys", sa.Column("later", sa.Text))
"""


@pytest.fixture(params=["sqlite", "postgres"])
def url(request, tmp_path):
    if request.param == "sqlite":
        return database_url(tmp_path / "data")
    return database_url(request.getfixturevalue("postgres"))


def test_migrations_make_the_tables_that_the_code_expects(url):
    engine = open_database(url)
    with engine.connect() as connection:
        assert compare_metadata(MigrationContext.configure(connection), METADATA) == []
    engine.dispose()
    open_database(url).dispose()  # a second start changes nothing


def test_a_migration_reaches_old_and_new_databases(tmp_path, monkeypatch):
    """Old ones by its steps; new ones are made with it, and remember that."""
    urls = [database_url(tmp_path / name) for name in ("old", "new")]
    open_database(urls[0]).dispose()
    shutil.copytree(storage.MIGRATIONS, tmp_path / "migrations")
    (tmp_path / "migrations" / "versions" / "later.py").write_text(LATER)
    monkeypatch.setattr(storage, "MIGRATIONS", tmp_path / "migrations")
    METADATA.tables["keys"].append_column(sa.Column("later", sa.Text), replace_existing=True)
    try:
        for url in (*urls, *urls):
            engine = open_database(url)
            with engine.connect() as connection:
                assert compare_metadata(MigrationContext.configure(connection), METADATA) == []
            engine.dispose()
    finally:
        columns = METADATA.tables["keys"]._columns
        columns.remove(columns["later"])
    monkeypatch.undo()
    with pytest.raises(InputError, match="this version of popout"):
        open_database(urls[0])


def test_tables_of_before_get_new_columns_and_lose_no_trial(url):
    engine = open_database(url)
    n = 1_000_000  # nobody else's: other tests use the same server
    started = {"started": 1.0, "seen": 1.0, "has_trials": True, "released": False}
    person = {
        "id": n,
        "session": "p_old",
        "token_digest": "",
        "study": n,
        "experiment": n,
        **started,
    }
    trial = {"block": 0, "practice": False, "is_check": False, "set_size": 1, "present": True}
    rows = {
        "studies": {"id": n, "name": "old", "last_number": 1, "paused": False},
        "experiments": {"id": n, "study": n, "digest": "", "title": "", "design": "", "created": 1},
        "participants": {**person, "number": 1, "visit": 1, "parameters": "{}"},
        "trials": {
            **trial,
            "participant": n,
            "index": 0,
            "items": "",
            "correct": True,
            "received": 2,
        },
    }
    with engine.begin() as connection:
        for name, row in rows.items():
            connection.execute(METADATA.tables[name].insert().values(row))
        for column in ("withheld", "claimed", "elapsed"):
            connection.execute(sa.text(f"ALTER TABLE participants DROP COLUMN {column}"))
        connection.execute(sa.text("DELETE FROM alembic_version"))
    engine.dispose()
    engine = open_database(url)
    with engine.begin() as connection:
        assert compare_metadata(MigrationContext.configure(connection), METADATA) == []
        trials, people = METADATA.tables["trials"], METADATA.tables["participants"]
        kept = sa.select(people.c.withheld, trials.c.index).join(trials).where(people.c.id == n)
        assert connection.execute(kept).all() == [(False, 0)]
        for name in reversed(rows):
            table = METADATA.tables[name]
            own = table.c.participant if name == "trials" else table.c.id
            connection.execute(table.delete().where(own == n))
    engine.dispose()


def test_sqlite_writes_through_to_the_disk(tmp_path):
    engine = open_database(database_url(tmp_path))
    with engine.connect() as connection:
        read = lambda name: connection.exec_driver_sql(f"PRAGMA {name}").scalar()  # noqa: E731
        assert read("journal_mode") == "wal"
        assert read("synchronous") == 2  # FULL
        assert read("foreign_keys") == 1
    engine.dispose()


@pytest.mark.skipif(os.name != "posix", reason="modes are POSIX's")
def test_the_folder_is_for_its_owner_alone(tmp_path):
    database_url(tmp_path / "new")
    assert stat.S_IMODE((tmp_path / "new").stat().st_mode) == 0o700


@pytest.mark.skipif(os.name != "posix", reason="modes are POSIX's")
def test_files_are_for_their_owner_alone_in_any_folder(tmp_path):
    """Also in a folder that others may read, and where a former version left them open."""
    tmp_path.chmod(0o755)
    for _ in range(2):
        engine = open_database(database_url(tmp_path))
        with engine.begin() as connection:
            connection.execute(sa.text("INSERT OR REPLACE INTO keys VALUES ('k', 'secret')"))
            files = list(tmp_path.iterdir())
            assert len(files) > 1  # with the log
            assert {stat.S_IMODE(path.stat().st_mode) for path in files} == {0o600}
        engine.dispose()
        for path in tmp_path.iterdir():
            path.chmod(0o644)


def test_data_of_an_older_version_are_refused_and_left_alone(url):
    open_database(url).dispose()
    engine = sa.create_engine(url)
    with engine.begin() as connection:
        for table in ("trials", "participants", "experiments", "studies"):
            connection.execute(sa.text(f"DROP TABLE {table}"))
        connection.execute(sa.text("CREATE TABLE experiments (id INTEGER)"))
    with pytest.raises(InputError, match="an older one began; name others"):
        open_database(url)
    with engine.begin() as connection:
        left = {"alembic_version", "experiments", "keys"}
        assert {*sa.inspect(connection).get_table_names()} == left
        for table in left:
            connection.execute(sa.text(f"DROP TABLE {table}"))
    engine.dispose()


@pytest.mark.parametrize("data", ["mysql://a/b", "://", "postgresql://a:b:c/d"])
def test_an_address_that_is_none_is_refused(data):
    with pytest.raises(InputError, match="--data"):
        open_database(database_url(data))


def test_a_database_that_does_not_answer_is_named_without_its_password():
    with pytest.raises(InputError, match="a database that answers") as refused:
        open_database(database_url("postgresql://lab:secret@127.0.0.1:1/none?connect_timeout=2"))
    assert "secret" not in str(refused.value)
