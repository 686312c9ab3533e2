"""The writer: many pieces in one commit, each of which succeeds or fails alone."""

import threading

import pytest
import sqlalchemy as sa

from popout.web.lab.storage import KEYS, database_url, open_database
from popout.web.lab.writer import Writer


@pytest.fixture
def engine(tmp_path):
    engine = open_database(database_url(tmp_path))
    yield engine
    engine.dispose()


def put(name):
    return lambda connection: connection.execute(sa.insert(KEYS).values(name=name, digest="x"))


def names(engine):
    with engine.connect() as connection:
        return set(connection.execute(sa.select(KEYS.c.name)).scalars())


def test_pieces_that_wait_share_a_commit(engine):
    writer = Writer(engine)
    gate = threading.Event()
    first = writer.submit(lambda connection: gate.wait(10))
    rest = [writer.submit(put(str(number))) for number in range(200)]
    gate.set()
    first.result()
    for future in rest:
        future.result()
    writer.close()
    assert names(engine) == {str(number) for number in range(200)}
    assert writer.commits <= 3


def test_a_piece_that_fails_takes_no_other_with_it(engine):
    writer = Writer(engine)
    gate = threading.Event()
    writer.submit(lambda connection: gate.wait(10))
    good, twice, last = (writer.submit(put(name)) for name in ("a", "a", "b"))
    gate.set()
    good.result()
    with pytest.raises(sa.exc.IntegrityError):
        twice.result()
    last.result()
    writer.close()
    assert names(engine) == {"a", "b"}


def test_closing_writes_what_waits(engine):
    writer = Writer(engine)
    futures = [writer.submit(put(str(number))) for number in range(50)]
    writer.close()
    writer.close()
    assert all(future.done() for future in futures)
    assert len(names(engine)) == 50


def test_a_disk_that_takes_nothing_is_logged(engine, monkeypatch, caplog):
    """Whoever runs the server hears of it, and what is refused is there when there is room."""
    writer = Writer(engine)

    def fail(connection):
        raise sa.exc.OperationalError("COMMIT", {}, Exception("database or disk is full"))

    with monkeypatch.context() as full:
        full.setattr(engine.dialect, "do_commit", fail)
        with pytest.raises(sa.exc.OperationalError):
            writer.submit(put("a")).result()
    (record,) = caplog.records
    assert (record.levelname, record.name) == ("ERROR", "popout.web")
    assert "disk is full" in record.getMessage()
    writer.submit(put("b")).result()
    writer.close()
    assert names(engine) == {"b"}
