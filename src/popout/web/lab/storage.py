"""The tables of an experiment, in SQLite or PostgreSQL.

A trial is stored with the display that was shown, so that the data do not depend on how lists of
trials were once made. ``(participant, index)`` is the primary key of a trial: a repeat cannot be
stored twice. SQLite runs with a write-ahead log and full synchronisation: what is committed is on
the disk. What is deleted is overwritten.

Several servers may share one database. A study has a row of its own, which whoever admits somebody
changes first: others who admit somebody to it wait for the end of that transaction, and count after
it. Numbers of participants and visits of a person are unique within a study.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from sqlalchemy import Column
from sqlalchemy.engine import URL, Connection, Engine

from popout.task import Fault, InputError

METADATA = sa.MetaData()

STUDIES = sa.Table(
    "studies",
    METADATA,
    Column("id", sa.Integer, primary_key=True),
    Column("name", sa.Text, nullable=False, unique=True),
    Column("last_number", sa.Integer, nullable=False),
    Column("paused", sa.Boolean, nullable=False),
)
EXPERIMENTS = sa.Table(
    "experiments",
    METADATA,
    Column("id", sa.Integer, primary_key=True),
    Column("study", sa.ForeignKey("studies.id"), nullable=False, index=True),
    Column("digest", sa.String(64), nullable=False, unique=True),
    Column("title", sa.Text, nullable=False),
    Column("design", sa.Text, nullable=False),
    Column("created", sa.Float(53), nullable=False),
)
KEYS = sa.Table(
    "keys",
    METADATA,
    Column("name", sa.String(40), primary_key=True),
    Column("digest", sa.String(64), nullable=False),
)
PARTICIPANTS = sa.Table(
    "participants",
    METADATA,
    Column("id", sa.Integer, primary_key=True),
    Column("session", sa.String(40), nullable=False, unique=True),
    Column("token_digest", sa.String(64), nullable=False),
    Column("key_digest", sa.String(64), unique=True, index=True),
    Column("study", sa.ForeignKey("studies.id"), nullable=False),
    Column("experiment", sa.ForeignKey("experiments.id"), nullable=False, index=True),
    Column("number", sa.Integer, nullable=False),
    Column("identity", sa.Text, index=True),
    Column("visit", sa.Integer, nullable=False),
    Column("parameters", sa.Text, nullable=False),
    Column("screen", sa.Text),
    Column("started", sa.Float(53), nullable=False),
    Column("seen", sa.Float(53), nullable=False),
    Column("has_trials", sa.Boolean, nullable=False),
    Column("finished", sa.Float(53)),
    Column("released", sa.Boolean, nullable=False),
    Column("withheld", sa.Boolean, nullable=False, server_default=sa.false()),
    Column("claimed", sa.Float(53)),
    Column("elapsed", sa.Float(53)),
    sa.UniqueConstraint("study", "number"),
    sa.UniqueConstraint("study", "identity", "visit"),
)
TRIALS = sa.Table(
    "trials",
    METADATA,
    Column("participant", sa.ForeignKey("participants.id", ondelete="CASCADE"), primary_key=True),
    Column("index", sa.Integer, primary_key=True, autoincrement=False),
    Column("block", sa.Integer, nullable=False),
    Column("practice", sa.Boolean, nullable=False),
    Column("is_check", sa.Boolean, nullable=False),
    Column("set_size", sa.Integer, nullable=False),
    Column("present", sa.Boolean, nullable=False),
    Column("target_place", sa.Integer),
    Column("items", sa.Text, nullable=False),
    Column("response", sa.String(10)),
    Column("correct", sa.Boolean, nullable=False),
    Column("rt", sa.Float(53)),
    Column("onset", sa.Float(53)),
    Column("frame_interval", sa.Float(53)),
    Column("dropped_frames", sa.Integer),
    Column("input", sa.String(10)),
    Column("full_screen", sa.Boolean),
    Column("page_began", sa.Float(53)),
    Column("scale", sa.Float(53)),
    Column("blurs", sa.Integer),
    Column("hides", sa.Integer),
    Column("received", sa.Float(53), nullable=False),
)

FILE = "experiment.sqlite"
MIGRATIONS = Path(__file__).parent / "migrations"


def database_url(data: str | os.PathLike[str]) -> URL:
    """Return where data are stored: in a folder, or in a database by its address.

    Parameters
    ----------
    data : str or Path
        A folder, which is made if it is not there, or an address such as
        ``postgresql://user:password@host/name``.

    Examples
    --------
    >>> database_url("postgresql://lab@localhost/search").drivername
    'postgresql+psycopg'
    """
    text = os.fspath(data)
    if "://" not in text:
        folder = Path(text)
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        if os.name == "posix":  # SQLite's log gets the mode of the file
            for path in {folder / FILE, *folder.glob(f"{FILE}*")}:
                path.touch(mode=0o600)
                path.chmod(0o600)
        return URL.create("sqlite", database=str(folder / FILE))
    remedy = "write a folder, or postgresql://user:password@host/name"
    try:
        url = sa.make_url(text)
    except (sa.exc.ArgumentError, ValueError):
        raise InputError(
            [Fault("--data", (), "a folder or an address", "neither", remedy)]
        ) from None
    if url.drivername in ("postgresql", "postgres"):
        url = url.set(drivername="postgresql+psycopg")
    if url.drivername not in ("sqlite", "postgresql+psycopg"):
        expected = "an address of sqlite or postgresql"
        raise InputError([Fault("--data", (), expected, url.drivername, remedy)])
    return url


def open_database(url: URL) -> Engine:
    """Connect to a database and bring its tables up to date."""
    try:
        engine = sa.create_engine(url, pool_pre_ping=url.drivername != "sqlite")
    except ModuleNotFoundError:
        expected, remedy = "psycopg, which speaks to PostgreSQL", "pip install popout[postgres]"
        raise InputError([Fault("--data", (), expected, "none", remedy)]) from None
    if url.drivername == "sqlite":
        _prepare_sqlite(engine)
    try:
        with engine.begin() as connection:
            _migrate(connection)
    except (InputError, sa.exc.OperationalError) as error:
        engine.dispose()
        if isinstance(error, InputError):
            raise
        reason = str(error.orig).strip().split("\n")[0]
        where = url.render_as_string(hide_password=True)
        remedy = f"check address, name and password ({reason})"
        raise InputError([Fault("--data", (), "a database that answers", where, remedy)]) from None
    return engine


def _prepare_sqlite(engine: Engine) -> None:
    """Make every commit durable, and every transaction one that SQLAlchemy begins."""

    @sa.event.listens_for(engine, "connect")
    def connected(connection: Any, record: Any) -> None:
        connection.isolation_level = None  # or Python's driver begins transactions when it likes
        for pragma in (
            "journal_mode=WAL",
            "synchronous=FULL",
            "foreign_keys=ON",
            "secure_delete=ON",
            "busy_timeout=10000",
        ):
            connection.execute(f"PRAGMA {pragma}")

    @sa.event.listens_for(engine, "begin")
    def begun(connection: Connection) -> None:
        how = "" if connection.get_execution_options().get("reads") else " IMMEDIATE"
        connection.exec_driver_sql(f"BEGIN{how}")


def _migrate(connection: Connection) -> None:
    """Make the tables, or bring those that are there up to date by what is in ``migrations``."""
    from alembic import command
    from alembic.config import Config
    from alembic.util import CommandError

    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS))
    config.set_main_option("path_separator", "os")
    config.attributes["connection"] = connection
    if connection.dialect.name == "postgresql":  # two servers that start at once
        connection.execute(sa.text("SELECT pg_advisory_xact_lock(7067717)"))
    tables = sa.inspect(connection)
    if tables.has_table(EXPERIMENTS.name):
        if not tables.has_table(STUDIES.name):
            expected, got = "data of popout 0.2 or newer", "data that an older one began"
            raise InputError([Fault("--data", (), expected, got, "name others")])
        try:
            command.upgrade(config, "head")
        except CommandError as error:
            expected, remedy = "data of this version of popout or an older one", "name others"
            raise InputError([Fault("--data", (), expected, str(error), remedy)]) from None
    else:
        METADATA.create_all(connection)
        command.stamp(config, "head")
