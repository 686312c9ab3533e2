"""The labelled dataset of a sweep, as a Zarr store that `xarray.open_dataset` reads.

One dimension for each axis, in the order of the file; a number is its own coordinate, a list such
as a drift for each location is labelled by its text. The store is a picture of the journal: it is
written whole under another name and then put in place, so a reader never meets half of it. What it
holds is a function of the sweep and its results alone (no times, no names of machines), so that
stores of two runs can be compared byte by byte; how long each point took is in the journal.
"""

from __future__ import annotations

import json
import platform
import shutil
import warnings
from collections.abc import Iterable
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from popout._version import __version__
from popout.analysis.sweep.case import Result, free_parameters
from popout.analysis.sweep.grid import Sweep
from popout.analysis.sweep.journal import journal_folder
from popout.analysis.sweep.point import Outcome
from popout.policies.stopping import RECIPES
from popout.task import InputError

if TYPE_CHECKING:
    import xarray as xr

STATUS = ("missing", "done", "failed")

EXACT, SIMULATED, TUNED = Result
DRAWN = (SIMULATED, TUNED)


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
    """Return the quantities that the points of a sweep can have, in the order of the journal.

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

    known = variables(sweep)
    n = sweep.n_points
    values = {name: np.full(n, np.nan) for name in known if name != "point_seed"}
    seeds = np.full(n, -1, dtype=np.int64)
    status = np.zeros(n, dtype=np.int8)
    messages = np.full(n, "", dtype=object)
    for outcome in outcomes:
        k = outcome.index
        for name, column in values.items():
            column[k] = outcome.values.get(name, np.nan)
        seeds[k] = outcome.values.get("point_seed", -1)
        status[k] = 2 if outcome.message else 1
        messages[k] = outcome.message

    def shaped(column: NDArray[Any]) -> tuple[tuple[str, ...], NDArray[Any]]:
        return sweep.dims, column.reshape(sweep.shape)

    data = {
        name: (*shaped(seeds if name == "point_seed" else values[name]), _attributes(variable))
        for name, variable in known.items()
    }
    words = np.array(STATUS, dtype=object)[status]
    data["status"] = (*shaped(words), {"long_name": "one of missing, done, failed"})
    data["message"] = (*shaped(messages), {"long_name": "why the point failed"})
    return xr.Dataset(data, coords=_coordinates(sweep), attrs=_about(sweep))


def _attributes(variable: Variable) -> dict[str, str]:
    return {"long_name": variable.long_name, "units": variable.units}


def _coordinates(sweep: Sweep) -> dict[str, Any]:
    coords = {}
    for dim, (name, values) in zip(sweep.dims, sweep.axes.items(), strict=True):
        labels: NDArray[Any] = np.array([_label(v) for v in values], dtype=object)
        if all(type(v) in (int, float) for v in values):
            labels = np.array(values)
        attributes = {"long_name": name, "units": UNITS[name]} if name in UNITS else {}
        coords[dim] = (dim, labels, attributes or {"long_name": name})
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


# -- the store ----------------------------------------------------------------------------------


def write_store(data: xr.Dataset, store: Path) -> None:
    """Write a dataset so that the store appears whole: under another name, then renamed."""
    import zarr

    folder = journal_folder(store)
    new, old = folder / "new.zarr", folder / "old.zarr"
    for leftover in (new, old):
        shutil.rmtree(leftover, ignore_errors=True)
    with warnings.catch_warnings():
        # Readers want consolidated metadata; that Zarr 3 has not standardised them is known.
        warnings.simplefilter("ignore", zarr.errors.ZarrUserWarning)
        data.to_zarr(new, mode="w", zarr_format=3, consolidated=True)
    if store.exists():
        store.rename(old)
    new.rename(store)
    shutil.rmtree(old, ignore_errors=True)


def open_store(store: Path) -> xr.Dataset:
    """Open the dataset of a store, lazily."""
    import xarray as xr

    return xr.open_dataset(store, engine="zarr")


def check_free(store: Path) -> None:
    """Refuse a place that holds something which is not the store of a journal beside it.

    Raises
    ------
    InputError
    """
    if store.name in ("", ".."):
        raise InputError(
            f"out: expected the name of a new folder, got {store}; give it a name of its own"
        )
    if not store.exists() or (store.is_dir() and not any(store.iterdir())):
        return
    if journal_folder(store).exists() and (store / "zarr.json").exists():
        return
    raise InputError(
        f"out: expected a new folder or a store with its journal {journal_folder(store).name}, "
        f"got {store}; name another with --out, or delete it"
    )
