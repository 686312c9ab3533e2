"""Data kept beside the pictures, so that a repeated or interrupted run continues where it was.

The data of a figure or of a table are one NetCDF file, ``NAME.nc``. Beside it ``NAME.json`` holds
the inputs that gave them (name, parameters, seed, version of `popout`, number of the layout, and a
hash of the code that computes), their hash, and the hash of the data file. Data are trusted only if
both hashes agree; anything else (a half-written file, another seed, a solver that has changed
since) is computed again.

Every file appears whole or not at all: it is written under another name and then renamed. The data
file comes first and its record last, so a run killed in between leaves no record that lies.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import tempfile
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import xarray as xr

from popout._version import __version__
from popout.task import InputError

__all__ = ["LAYOUT", "code_hash", "inputs_of", "load", "save", "writable_folder", "write_whole"]

LAYOUT = 3
"""Raise it whenever a figure or table computes something else from the same inputs."""
LAYERS = ("analysis", "evidence", "exact", "noise", "simulation", "strategies", "task")


def inputs_of(name: str, parameters: Mapping[str, Any], seed: int) -> dict[str, Any]:
    """Return everything the data depend on, with its hash under ``key``.

    Parameters
    ----------
    name : str
        Of the figure or table; the stored files are called after it.
    parameters : mapping
        What it was computed from, in terms that JSON knows.
    seed : int

    Examples
    --------
    >>> a, b = (inputs_of("risk", {"drift": 4.0}, seed)["key"] for seed in (1, 2))
    >>> a == b
    False
    """
    inputs = {
        "name": name,
        "parameters": dict(parameters),
        "seed": seed,
        "version": __version__,
        "layout": LAYOUT,
        "code": code_hash(),
    }
    key = hashlib.sha256(json.dumps(inputs, sort_keys=True).encode()).hexdigest()
    return {**inputs, "key": key}


@cache
def code_hash() -> str:
    """Return a hash of the source that numbers come from: every layer below this one.

    Examples
    --------
    >>> len(code_hash())
    64
    """
    total = hashlib.sha256()
    root = Path(__file__).parents[1]
    for layer in LAYERS:
        for path in sorted((root / layer).rglob("*.py")):
            total.update(f"{path.relative_to(root).as_posix()}\n".encode())
            total.update(path.read_bytes())
    return total.hexdigest()


def load(folder: Path, inputs: dict[str, Any]) -> xr.Dataset | None:
    """Return the stored data of these inputs, or None if there are none to be trusted."""
    name = inputs["name"]
    try:
        record = json.loads((folder / f"{name}.json").read_text())
        content = (folder / f"{name}.nc").read_bytes()
        if record["key"] != inputs["key"] or record["sha256"] != _sha256(content):
            return None
    except (OSError, ValueError, KeyError, TypeError):
        return None
    with xr.open_dataset(io.BytesIO(content), engine="scipy") as data:
        return data.load()


def save(folder: Path, inputs: dict[str, Any], data: xr.Dataset) -> xr.Dataset:
    """Store data and their record; return the data as they will be read back."""
    content = bytes(data.to_netcdf(engine="scipy", format="NETCDF3_64BIT"))
    name = inputs["name"]
    write_whole(folder / f"{name}.nc", content)
    record = {**inputs, "sha256": _sha256(content)}
    write_whole(folder / f"{name}.json", (json.dumps(record, indent=2) + "\n").encode())
    with xr.open_dataset(io.BytesIO(content), engine="scipy") as stored:
        return stored.load()


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
        raise _refused(path, error) from error
    temporary = Path(name)
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(content)
        temporary.chmod(0o644)
        temporary.replace(path)
    except OSError as error:
        temporary.unlink(missing_ok=True)
        raise _refused(path, error) from error
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
        raise _refused(folder, error) from error


def _refused(path: Path, error: OSError) -> InputError:
    why = error.strerror or str(error)
    return InputError(
        f"out: expected a folder that takes files, got {path} ({why}); name another with --out"
    )


def _sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
