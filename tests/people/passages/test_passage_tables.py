import math

import numpy as np
import pytest

from popout.people.passages.passage_tables import PassageTables, cache_folder
from popout.task import InputError


def test_tables_are_kept_and_read_back(tmp_path, monkeypatch):
    made, *again = (PassageTables([2], n_paths=100, folder=tmp_path) for _ in range(3))
    counts = made.passages(2, 0.0).counts
    with monkeypatch.context() as patch:
        patch.setattr("popout.people.passages.passage_tables.make_passages", None)
        np.testing.assert_array_equal(again[0].passages(2, 0.0).counts, counts)
    (path,) = tmp_path.iterdir()
    path.write_bytes(path.read_bytes()[:200])  # a broken file is made anew
    np.testing.assert_array_equal(again[1].passages(2, 0.0).counts, counts)
    assert len(path.read_bytes()) > 200


@pytest.mark.parametrize("more", [{"n_paths": 10_000}, {"seed": 2}])
def test_other_settings_are_other_tables(tmp_path, more):
    PassageTables([2], **{"n_paths": 100, "folder": tmp_path}).passages(2, 0.0)
    PassageTables([2], **{"n_paths": 100, "folder": tmp_path, **more}).passages(2, 0.0)
    assert len(list(tmp_path.iterdir())) == 2


def test_serial_tables_are_the_same_for_all_paths_and_seeds(tmp_path):
    first, second = (PassageTables([2], n_paths=100 + i, seed=i, folder=tmp_path) for i in (0, 1))
    assert first._path(2, math.inf) == second._path(2, math.inf)
    assert first._path(2, 4.0) != second._path(2, 4.0)


def test_names_follow_the_version_and_the_streams(tmp_path, monkeypatch):
    def names():
        tables = PassageTables([2], n_paths=100, folder=tmp_path)
        return {tables._path(2, g) for g in (0.0, math.inf)}

    before = names()
    for name, value, same in (("passage_keys", lambda seed: np.arange(4), 1), ("VERSION", 0, 0)):
        with monkeypatch.context() as patch:
            patch.setattr(f"popout.people.passages.passage_tables.{name}", value)
            assert len(names() & before) == same  # serial tables have no streams
    assert names() == before


def test_a_folder_that_takes_no_files_costs_time_only(tmp_path):
    blocked = tmp_path / "file"
    blocked.write_text("not a folder")
    assert PassageTables([1], n_paths=100, folder=blocked).passages(1, 0.0).set_size == 1


def test_the_folder_can_be_chosen(monkeypatch, tmp_path):
    monkeypatch.setenv("POPOUT_CACHE", str(tmp_path))
    assert cache_folder() == tmp_path
    monkeypatch.delenv("POPOUT_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert cache_folder() == tmp_path / "popout"


def test_all_faults_at_once():
    with pytest.raises(InputError) as caught:
        PassageTables([0], n_paths=0, seed=-1)
    assert len(caught.value.faults) == 3
