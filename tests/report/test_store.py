"""Stored data are trusted only if they are whole and of the same inputs."""

import json

import pytest
import xarray as xr

from popout.report import store
from popout.report.store import inputs_of, load, save

DATA = xr.Dataset({"risk": ("cost", [0.25, 0.5])}, {"cost": [1.0, 2.0]})
MODULE = "popout.exact.solver"


@pytest.fixture
def inputs():
    return inputs_of("risk", {"drift": 4.0}, 1, MODULE)


def test_what_is_saved_is_loaded(tmp_path, inputs):
    assert load(tmp_path, inputs) is None
    saved = save(tmp_path, inputs, DATA)
    loaded = load(tmp_path, inputs)
    xr.testing.assert_identical(saved.data, loaded.data)
    assert loaded.other_versions == ""
    record = json.loads((tmp_path / "risk.json").read_text())
    assert record["versions"] == store.library_versions()
    assert set(record) == {*inputs, "sha256", "versions"}


def test_every_input_is_part_of_the_key(monkeypatch):
    keys = {
        inputs_of(*given)["key"]
        for given in (
            ("risk", {"drift": 4.0}, 1, MODULE),
            ("time", {"drift": 4.0}, 1, MODULE),
            ("risk", {"drift": 5.0}, 1, MODULE),
            ("risk", {"drift": 4.0}, 2, MODULE),
            ("risk", {"drift": 4.0}, 1, "popout.task.costs"),
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
