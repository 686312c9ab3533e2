"""Data kept beside the pictures, so that a repeated or interrupted run continues where it was.

The data of a part are one NetCDF file, ``NAME.nc``. Beside it ``NAME.json`` holds the inputs that
gave them (name, parameters, seed, and a hash of the code that computes, see `sources`), their hash,
and the hash of the data file. Data are trusted only if both hashes agree; anything else (a
half-written file, another seed, a solver that has changed since) is computed again.

The record also names the versions of the libraries that compute. Another NumPy may
change the last bits, which is no reason to compute for an hour: such data are kept, and every page
that shows them says which versions they come from.

The data file comes first and its record last, each whole or not at all, so a run killed in between
leaves no record that lies.
"""

from __future__ import annotations

import hashlib
import io
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import xarray as xr

from popout.report.files import write_whole
from popout.report.provenance import library_versions
from popout.report.sources import source_hash


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


def inputs_of(name: str, parameters: Mapping[str, Any], seed: int, module: str) -> dict[str, Any]:
    """Return everything the data depend on, with its hash under ``key``.

    Parameters
    ----------
    name : str
        Of the part; the stored files are called after it.
    parameters : mapping
        What it was computed from, in terms that JSON knows.
    seed : int
    module : str
        That computes it.

    Examples
    --------
    >>> module = "popout.exact.solver"
    >>> a, b = (inputs_of("risk", {"drift": 4.0}, seed, module)["key"] for seed in (1, 2))
    >>> a == b
    False
    """
    inputs = {
        "name": name,
        "parameters": dict(parameters),
        "seed": seed,
        "code": source_hash(module),
    }
    key = _sha256(json.dumps(inputs, sort_keys=True).encode())
    return {**inputs, "key": key}


def load(folder: Path, inputs: dict[str, Any]) -> Stored | None:
    """Return the stored data of these inputs, or None if there are none to be trusted."""
    name = inputs["name"]
    try:
        record = json.loads((folder / f"{name}.json").read_text())
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
