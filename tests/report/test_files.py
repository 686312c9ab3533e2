"""Files appear whole or not at all."""

import pytest

from popout.report import files
from popout.report.files import writable_folder, write_whole
from popout.task import InputError


@pytest.mark.parametrize("error", [KeyboardInterrupt(), OSError(28, "No space left on device")])
def test_an_interrupted_write_leaves_what_was_there(tmp_path, monkeypatch, error):
    path = tmp_path / "data.nc"
    write_whole(path, b"before")

    def interrupted(self, target):
        raise error

    monkeypatch.setattr(files.Path, "replace", interrupted)
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
