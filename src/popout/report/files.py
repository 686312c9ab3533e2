"""Files that appear whole or not at all: written under another name and then renamed."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from popout.task.faults import unwritable


def write_whole(path: Path, content: bytes) -> None:
    """Write a file so that it appears whole or not at all.

    Raises
    ------
    InputError
        If the folder refuses it (no permission, no space); nothing is left behind.
    """
    try:
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    except OSError as error:
        raise unwritable(path, error) from error
    temporary = Path(name)
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(content)
        temporary.chmod(0o644)
        temporary.replace(path)
    except OSError as error:
        temporary.unlink(missing_ok=True)
        raise unwritable(path, error) from error
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def writable_folder(folder: Path) -> Path:
    """Make a folder if need be, and try that it takes files before any work is done."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return folder
    except OSError as error:
        raise unwritable(folder, error) from error
