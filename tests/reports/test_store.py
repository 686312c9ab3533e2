"""Stored data are trusted only if they are whole and of the same inputs."""

import json

import pytest
import xarray as xr

from popout.reports import store
from popout.reports.store import inputs_of, load, save, writable_folder, write_whole
from popout.task import InputError

DATA = xr.Dataset({"risk": ("cost", [0.25, 0.5])}, {"cost": [1.0, 2.0]})


@pytest.fixture
def inputs():
    return inputs_of("risk", {"drift": 4.0}, 1, 1)


def test_what_is_saved_is_loaded(tmp_path, inputs):
    assert load(tmp_path, inputs) is None
    saved = save(tmp_path, inputs, DATA)
    loaded = load(tmp_path, inputs)
    xr.testing.assert_identical(saved.data, loaded.data)
    assert loaded.other_versions == ""
    record = json.loads((tmp_path / "risk.json").read_text())
    assert record["versions"] == store.library_versions()
    assert set(record) == {*inputs, "sha256", "versions"}


def test_every_input_is_part_of_the_key():
    keys = {
        inputs_of(*given)["key"]
        for given in (
            ("risk", {"drift": 4.0}, 1, 1),
            ("time", {"drift": 4.0}, 1, 1),
            ("risk", {"drift": 5.0}, 1, 1),
            ("risk", {"drift": 4.0}, 2, 1),
            ("risk", {"drift": 4.0}, 1, 2),
        )
    }
    assert len(keys) == 5


@pytest.mark.parametrize(
    ("kind", "damage"),
    [
        ("nc", lambda content: content[: len(content) // 2]),
        ("nc", lambda content: content[:-1] + bytes([content[-1] ^ 1])),
        ("nc", lambda content: b""),
        ("json", lambda content: content[: len(content) // 2]),
        ("json", lambda content: b"[]"),
        ("json", lambda content: b"{}"),
    ],
)
def test_damaged_data_are_not_trusted(tmp_path, inputs, kind, damage):
    save(tmp_path, inputs, DATA)
    path = tmp_path / f"risk.{kind}"
    path.write_bytes(damage(path.read_bytes()))
    assert load(tmp_path, inputs) is None


@pytest.mark.parametrize("error", [KeyboardInterrupt(), OSError(28, "No space left on device")])
def test_an_interrupted_write_leaves_what_was_there(tmp_path, monkeypatch, error):
    path = tmp_path / "data.nc"
    write_whole(path, b"before")

    def interrupted(self, target):
        raise error

    monkeypatch.setattr(store.Path, "replace", interrupted)
    with pytest.raises((KeyboardInterrupt, InputError)):
        write_whole(path, b"after")
    assert path.read_bytes() == b"before"
    assert list(tmp_path.iterdir()) == [path]


def test_a_folder_is_made_or_refused_before_any_work(tmp_path):
    folder = writable_folder(tmp_path / "a" / "b")
    assert folder.is_dir()
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(InputError, match=r"out: expected a folder that takes files, got .*--out"):
        writable_folder(tmp_path / "file" / "results")
