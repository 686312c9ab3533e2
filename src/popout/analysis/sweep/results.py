"""What a sweep has computed: a file of lines while it runs, a labelled dataset when it ends.

``STORE.jsonl``, beside the store, is the source of truth. Its first line says which sweep it is; a
line for each point follows as soon as the point is done, and is handed to the system at once::

    {"index": 3, "seconds": 0.11, "message": "", "values": {"risk": 0.0381, ...}}

A last line that is torn, because the writer was killed, is dropped and its point computed again. A
point that occurs twice (a failed one that was retried) is known by its last line.

The store has one dimension for each axis, in the order of the file; a number is its own coordinate,
a list such as a drift for each location is labelled by its text. What it holds is a function of the
sweep and its results alone (no times, no names of machines), so that stores of two runs can be
compared byte by byte; how long each point took is in the lines.
"""

from __future__ import annotations

import json
import platform
import shutil
import warnings
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from popout._version import __version__
from popout.analysis.sweep.case import Result, free_parameters
from popout.analysis.sweep.grid import Sweep
from popout.analysis.sweep.point import Outcome
from popout.policies.stopping import RECIPES
from popout.task import InputError
from popout.task.faults import unwritable

if TYPE_CHECKING:
    import xarray as xr

STATUS = ("missing", "done", "failed")
EXACT, SIMULATED, TUNED = Result
DRAWN = (SIMULATED, TUNED)


class Lines:
    """The lines of a store, old and new; one process at a time writes them.

    Parameters
    ----------
    store : Path
        The lines lie beside it.
    sweep : Sweep
        Lines of another sweep, or by another version of `popout`, are refused.

    Raises
    ------
    InputError
        If the folder cannot be written, or holds something else under the name of the store.
    """

    def __init__(self, store: Path, sweep: Sweep) -> None:
        self.store, self.path = store, store.parent / f"{store.name}.jsonl"
        self._check_free()
        header = {"sweep": sweep.sha256, "version": __version__}
        try:
            store.parent.mkdir(parents=True, exist_ok=True)
            with self.path.open("ab+") as file:
                file.seek(0)
                whole = [len(line) for line in file if line.endswith(b"\n")]
                self.is_new = not whole
                if whole:
                    file.seek(0)
                    self._check_header(header, json.loads(file.readline()))
                file.truncate(sum(whole))
                if self.is_new:
                    file.write(json.dumps(header).encode() + b"\n")
        except OSError as error:
            raise unwritable(store, error) from error

    def __iter__(self) -> Iterator[Outcome]:
        """Yield every point in the order of the lines; the last word on a point counts."""
        with self.path.open("rb") as file:
            next(file)
            for line in file:
                if line.endswith(b"\n"):
                    yield Outcome(**json.loads(line))

    def append(self, outcomes: Iterable[Outcome]) -> None:
        """Add points that are done; when this returns the system has them."""
        try:
            with self.path.open("a", encoding="utf-8") as file:
                file.writelines(json.dumps(asdict(outcome)) + "\n" for outcome in outcomes)
        except OSError as error:
            raise unwritable(self.path, error) from error

    def _check_header(self, expected: dict[str, str], got: dict[str, str]) -> None:
        if got["sweep"] != expected["sweep"]:
            raise InputError(
                f"out: expected a new folder or the store of this sweep, got {self.store}, which "
                "belongs to another sweep; name another with --out, or delete it and its .jsonl"
            )
        if got["version"] != expected["version"]:
            raise InputError(
                f"out: expected a store begun by popout {expected['version']}, got one by "
                f"{got['version']}; finish it with that version, or name another with --out"
            )

    def _check_free(self) -> None:
        """Refuse a place that holds something which is not the store of the lines beside it."""
        store = self.store
        if store.name in ("", ".."):
            raise InputError(
                f"out: expected the name of a new folder, got {store}; give it a name of its own"
            )
        is_store = self.path.exists() and (store / "zarr.json").exists()
        if store.exists() and not is_store and not (store.is_dir() and not any(store.iterdir())):
            raise InputError(
                f"out: expected a new folder or a store with its lines {self.path.name}, "
                f"got {store}; name another with --out, or delete it"
            )


# -- the dataset ----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Variable:
    """A quantity of the dataset, and the results that have it."""

    long_name: str
    units: str
    results: tuple[Result, ...] = (EXACT, SIMULATED, TUNED)


QUANTITIES = {
    "risk": Variable("prior-averaged risk", "1"),
    "risk_error": Variable("estimated bound on the error of the risk", "1", (EXACT,)),
    "risk_se": Variable("standard error of the risk", "1", DRAWN),
    "error_rate_absent": Variable("false alarms, share of absent trials", "1"),
    "error_rate_absent_se": Variable("standard error of error_rate_absent", "1", DRAWN),
    "error_rate_present": Variable("misses, share of present trials", "1"),
    "error_rate_present_se": Variable("standard error of error_rate_present", "1", DRAWN),
    "error_rate_error": Variable("estimated bound on the errors of both rates", "1", (EXACT,)),
    "mean_rt_absent": Variable("mean response time, target absent", "s"),
    "mean_rt_absent_se": Variable("standard error of mean_rt_absent", "s", DRAWN),
    "mean_rt_present": Variable("mean response time, target present", "s"),
    "mean_rt_present_se": Variable("standard error of mean_rt_present", "s", DRAWN),
    "mean_rt_error": Variable("estimated bound on the errors of both times", "s", (EXACT,)),
    "undecided": Variable("trials that reached the time limit", "trials", DRAWN),
    "converged": Variable("1 if the tuning settled", "1", (TUNED,)),
    "point_seed": Variable("seed of the noise of the point", "1"),
}
PARAMETERS = {
    "tau_minus": Variable("lower threshold of the strategy, log posterior odds", "nats"),
    "tau_plus": Variable("upper threshold of the strategy, log posterior odds", "nats"),
    "a_minus": Variable("scale of the lower test", "1"),
    "a_plus": Variable("scale of the upper test", "1"),
}
UNITS = {"drift": "1/s", "information": "1/s", "dt": "s", "costs.time": "risk/s", "time_limit": "s"}


def variables(sweep: Sweep) -> dict[str, Variable]:
    """Return the quantities that the points of a sweep can have.

    Examples
    --------
    >>> base = {"kind": "search", "drift": 4.0, "costs": {"time": 0.2}}
    >>> sweep = Sweep(base, axes={"n_locations": [1, 2]}, result="exact")
    >>> list(variables(sweep))[:2]
    ['risk', 'risk_error']
    """
    results = set(sweep.values_of("result"))
    quantities = {name: v for name, v in QUANTITIES.items() if results.intersection(v.results)}
    recipes = [name for name in sweep.values_of("strategy") if name in RECIPES]
    if recipes:
        quantities |= PARAMETERS
    for name in recipes:
        for free in free_parameters(name):
            known = RECIPES[name].attributes.get(free, free)
            units = quantities.setdefault(known, Variable(f"{known} of {name}", "nats")).units
            quantities[f"{known}_se"] = Variable(f"standard error of {known}, where tuned", units)
    return quantities


def dataset(sweep: Sweep, outcomes: Iterable[Outcome]) -> xr.Dataset:
    """Return the results so far as a labelled dataset.

    Parameters
    ----------
    sweep : Sweep
    outcomes : iterable of Outcome
        A later one replaces an earlier one of the same point.
    """
    import xarray as xr

    known, n = variables(sweep), sweep.n_points
    columns: dict[str, NDArray[Any]] = {
        name: np.full(n, -1, np.int64) if name == "point_seed" else np.full(n, np.nan)
        for name in known
    }
    status, messages = np.zeros(n, dtype=np.int8), np.full(n, "", dtype=object)
    for outcome in outcomes:
        for name, column in columns.items():
            if name in outcome.values:
                column[outcome.index] = outcome.values[name]
        status[outcome.index] = 2 if outcome.message else 1
        messages[outcome.index] = outcome.message
    columns |= {"status": np.array(STATUS, dtype=object)[status], "message": messages}
    attributes = {
        name: {"long_name": variable.long_name, "units": variable.units}
        for name, variable in known.items()
    }
    attributes["status"] = {"long_name": "one of missing, done, failed"}
    attributes["message"] = {"long_name": "why the point failed"}
    data = {
        name: (sweep.dims, column.reshape(sweep.shape), attributes[name])
        for name, column in columns.items()
    }
    return xr.Dataset(data, coords=_coordinates(sweep), attrs=_about(sweep))


def _coordinates(sweep: Sweep) -> dict[str, Any]:
    coords = {}
    for dim, (name, values) in zip(sweep.dims, sweep.axes.items(), strict=True):
        labels: NDArray[Any] = np.array([_label(v) for v in values], dtype=object)
        if all(type(v) in (int, float) for v in values):
            labels = np.array(values)
        units = {"units": UNITS[name]} if name in UNITS else {}
        coords[dim] = (dim, labels, {"long_name": name, **units})
    return coords


def _label(value: Any) -> str:
    """Write a value of an axis of lists or words: ``8, 3`` for a drift of each location."""
    return value if isinstance(value, str) else json.dumps(value).strip("[]")


def _about(sweep: Sweep) -> dict[str, Any]:
    versions = {name: version(name) for name in ("numpy", "scipy", "numba", "xarray")}
    return {
        "title": "popout sweep",
        "seed": json.dumps(sweep.values_of("seed")).strip("[]"),
        "sweep": sweep.text,
        "sweep_sha256": sweep.sha256,
        "popout_version": __version__,
        "versions": json.dumps({"python": platform.python_version(), **versions}),
    }


def write_store(data: xr.Dataset, store: Path) -> None:
    """Write a dataset so that the store appears whole: under another name, then renamed."""
    import zarr

    new, old = (store.with_name(f"{store.name}.{which}") for which in ("new", "old"))
    shutil.rmtree(old, ignore_errors=True)
    try:
        with warnings.catch_warnings():
            # Readers want consolidated metadata; that Zarr 3 has not standardised them is known.
            warnings.simplefilter("ignore", zarr.errors.ZarrUserWarning)
            data.to_zarr(new, mode="w", zarr_format=3, consolidated=True)
        if store.exists():
            store.rename(old)
        new.rename(store)
    except OSError as error:
        raise unwritable(store, error) from error
    shutil.rmtree(old, ignore_errors=True)
