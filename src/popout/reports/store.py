"""Data kept beside the pictures, so that a repeated or interrupted run continues where it was.

The data of a part are one NetCDF file, ``NAME.nc``. Beside it ``NAME.json`` holds the inputs that
gave them (name, parameters, seed, the declared version of the part and that of popout), their hash,
and the hash of the data file. Data are trusted only if both hashes agree; anything else (a
half-written file, another seed, a part whose numbers have changed since) is computed again.

The record also names the versions of the libraries that compute. Another NumPy may
change the last bits, which is no reason to compute for an hour: such data are kept, and every page
that shows them says which versions they come from.

The data file comes first and its record last, each whole or not at all (written under another name
and then renamed), so a run killed in between leaves no record that lies.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import tempfile
from collections.abc import Mapping
from importlib import metadata
from pathlib import Path
from typing import Any, NamedTuple

import xarray as xr

from popout._version import __version__
from popout.task.faults import unwritable

COMPUTING = ("numpy", "scipy", "numba")


class Stored(NamedTuple):
    """Data that were read back.

    Attributes
    ----------
    data : Dataset
    other_versions : str
        Of libraries that computed them and are installed in another version now; or empty.
    """

    data: xr.Dataset
    other_versions: str


def inputs_of(name: str, parameters: Mapping[str, Any], seed: int, version: int) -> dict[str, Any]:
    """Return everything the data depend on, with its hash under ``key``.

    Parameters
    ----------
    name : str
        Of the part; the stored files are called after it.
    parameters : mapping
        What it was computed from, in terms that JSON knows.
    seed : int
    version : int
        Of the numbers, see `popout.reports.part.Part`.

    Examples
    --------
    >>> a, b = (inputs_of("risk", {"drift": 4.0}, seed, 1)["key"] for seed in (1, 2))
    >>> a == b
    False
    """
    inputs = {
        "name": name,
        "parameters": dict(parameters),
        "seed": seed,
        "version": f"{__version__}, {version}",
    }
    key = _sha256(json.dumps(inputs, sort_keys=True).encode())
    return {**inputs, "key": key}


def load(folder: Path, inputs: dict[str, Any]) -> Stored | None:
    """Return the stored data of these inputs, or None if there are none to be trusted."""
    name = inputs["name"]
    try:
        record = json.loads((folder / f"{name}.json").read_text(encoding="utf-8"))
        content = (folder / f"{name}.nc").read_bytes()
        if record["key"] != inputs["key"] or record["sha256"] != _sha256(content):
            return None
        then, now = record["versions"], library_versions()
        other = [f"{each} {then[each]}" for each in now if then[each] != now[each]]
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return Stored(_read(content), ", ".join(other))


def save(folder: Path, inputs: dict[str, Any], data: xr.Dataset) -> Stored:
    """Store data and their record; return the data as they will be read back."""
    content = bytes(data.to_netcdf(engine="scipy", format="NETCDF3_64BIT"))
    name = inputs["name"]
    write_whole(folder / f"{name}.nc", content)
    record = {**inputs, "sha256": _sha256(content), "versions": library_versions()}
    write_whole(folder / f"{name}.json", (json.dumps(record, indent=2) + "\n").encode())
    return Stored(_read(content), "")


def _read(content: bytes) -> xr.Dataset:
    with xr.open_dataset(io.BytesIO(content), engine="scipy") as data:
        return data.load()


def _sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def library_versions(names: tuple[str, ...] = COMPUTING) -> dict[str, str]:
    """Return the versions of libraries: those that compute, unless others are named.

    Examples
    --------
    >>> list(library_versions())
    ['numpy', 'scipy', 'numba']
    """
    numbers = {}
    for name in names:
        try:
            numbers[name] = metadata.version(name)
        except metadata.PackageNotFoundError:  # installed in a way that left no record
            numbers[name] = "unknown"
    return numbers


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
