"""The journal: nothing that was on the disk is lost, nothing half written is believed."""

import multiprocessing
import resource
from contextlib import closing
from pathlib import Path

import pytest

from popout.analysis.sweep import journal as journal_module
from popout.analysis.sweep.journal import Journal, journal_folder
from popout.analysis.sweep.point import Outcome
from popout.task import InputError

VARIABLES = ("risk", "a_plus", "point_seed")
OUTCOMES = [
    Outcome(0, 0.5, {"risk": 0.1 + 0.2, "a_plus": float("inf"), "point_seed": 2**63 - 1}),
    Outcome(7, 1.5, {}, "ValueError: no\nluck \N{GREEK SMALL LETTER MU}"),
    Outcome(3, 0.25, {"risk": 1e-300}),
]


@pytest.fixture
def store(tmp_path):
    """Return the path of a store whose journal has one line for each of three points."""
    path = tmp_path / "s.zarr"
    with held(path) as journal:
        for outcome in OUTCOMES:
            journal.append([outcome])
    return path


def held(store, sha256="abc"):
    return closing(Journal(store, sha256, VARIABLES))


def points(store):
    return journal_folder(store) / "points"


def read(store):
    with held(store) as journal:
        return list(journal.outcomes())


def test_what_is_appended_comes_back_to_the_last_bit(store):
    assert read(store) == OUTCOMES


def test_torn_anywhere_the_points_before_are_kept_and_the_next_ones_follow(store):
    whole = points(store).read_bytes()
    starts = [0]
    while (newline := whole.find(b"\n", starts[-1])) >= 0:
        starts.append(newline + 1)
    near = {start + k for start in starts for k in (-2, -1, 0, 1)}
    for length in sorted({*range(0, len(whole), 11), *near} & set(range(len(whole)))):
        points(store).write_bytes(whole[:length])
        kept = max(0, sum(start - 1 <= length for start in starts[1:]) - 1)
        with held(store) as journal:
            assert list(journal.outcomes()) == OUTCOMES[:kept]
            journal.append([OUTCOMES[0]])
            assert list(journal.outcomes()) == [*OUTCOMES[:kept], OUTCOMES[0]]


def test_zeros_at_the_end_are_passed_over(store):
    with points(store).open("ab") as file:
        file.write(bytes(5000))
    with held(store) as journal:
        journal.append([OUTCOMES[0]])
    assert read(store) == [*OUTCOMES, OUTCOMES[0]]


def test_a_damaged_line_is_passed_over(store):
    content = bytearray(points(store).read_bytes())
    content[content.index(b"luck")] ^= 1
    points(store).write_bytes(content)
    assert read(store) == [OUTCOMES[0], OUTCOMES[2]]


@pytest.mark.parametrize(
    ("sha256", "version", "message"),
    [
        ("other", journal_module.__version__, "belongs to another sweep"),
        ("abc", "9.9", "expected a store begun by popout 9.9"),
    ],
)
def test_a_foreign_journal_is_refused_and_left_alone(store, monkeypatch, sha256, version, message):
    before = points(store).read_bytes()
    with monkeypatch.context() as patch:
        patch.setattr(journal_module, "__version__", version)
        with pytest.raises(InputError, match=message):
            held(store, sha256)
    assert points(store).read_bytes() == before
    assert read(store) == OUTCOMES


def _hold(store, ready):
    with held(store):
        ready.set()
        multiprocessing.Event().wait()


def test_a_second_process_is_refused_until_the_first_is_dead(store):
    context = multiprocessing.get_context("fork")
    ready = context.Event()
    holder = context.Process(target=_hold, args=(store, ready))
    holder.start()
    try:
        assert ready.wait(20)
        with pytest.raises(InputError, match="which another process is writing"):
            held(store)
    finally:
        holder.kill()
        holder.join()
    assert read(store) == OUTCOMES


def test_a_full_disk_is_one_message_and_leaves_whole_lines(store):
    with held(store) as journal:
        before = points(store).read_bytes()
        limits = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (len(before) + 10, limits[1]))
        try:
            with pytest.raises(InputError, match="File too large"):
                journal.append([OUTCOMES[0]])
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        assert points(store).read_bytes() == before
        journal.append([OUTCOMES[0]])
        assert list(journal.outcomes()) == [*OUTCOMES, OUTCOMES[0]]


def test_a_file_in_the_way_is_bad_input(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match=r"takes files, got .*Not a directory"):
        held(Path(tmp_path / "file" / "s.zarr"))
