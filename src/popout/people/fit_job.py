r"""One observer and one model: the unit of work of `fit_observers`, and what is kept of it.

A job fits the model, evaluates what it predicts in every cell, and, where the model has free
thresholds, how far from optimal the observer is. All of that is one labelled data set, stored with
the hash of everything that it depends on (`popout.reports.store`): the trials, the model, the
tables of first passages, the seed and the version. A run that was interrupted finds it again; a run
with other trials or another version does not.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
import xarray as xr

from popout.people.comparison import cross_validate
from popout.people.design import Design
from popout.people.ex_gaussian import ExGaussianCells
from popout.people.fitted import FittedModel
from popout.people.frontier import Index, index_of
from popout.people.model import Model
from popout.people.prediction import Prediction
from popout.people.recovery import index_floor
from popout.people.search_models import MODELS, SearchModel, Stopping, models
from popout.people.tables import Tables
from popout.policies.stopping import Action
from popout.progress import Progress, stretch
from popout.reports.store import inputs_of
from popout.simulation.responses import Responses

YARDSTICK = ExGaussianCells.name
DEFAULT_MODELS = (*MODELS, "free-guided+slips", YARDSTICK)
"""Models that are fitted when none is named."""
VERSION = 1
"""Raised when the numbers of a fit change."""


def check_models(names: tuple[str, ...], longest: float) -> tuple[SearchModel, ...]:
    """Return the search models among some names.

    Raises
    ------
    InputError
        If a name is unknown.

    Examples
    --------
    >>> [model.name for model in check_models(("ideal-serial", "ex-gaussian"), 5.0)]
    ['ideal-serial']
    """
    return models([name for name in names if name != YARDSTICK], longest)


@dataclass(frozen=True, eq=False)
class FitJob:
    """What to fit.

    Attributes
    ----------
    observer : str
    model : str
        Its name.
    trials : Responses
        Answered trials of the observer.
    longest : float
        Longest response time in s.
    set_sizes : tuple of int
        Of all observers, which share tables.
    n_paths : int
        Of each table of first passages.
    folds : int
        Of the cross-validation; 0 is none.
    floor : int
        Ideal observers to be simulated and fitted for the floor of the index; 0 is none.
    seed : int
    condition : str, optional
        Where one is taken apart.
    """

    observer: str
    model: str
    trials: Responses
    longest: float
    set_sizes: tuple[int, ...]
    n_paths: int
    folds: int
    floor: int
    seed: int
    condition: str | None = None

    @cached_property
    def digest(self) -> str:
        """Hash of the trials."""
        one, found = self.trials, hashlib.sha256()
        blocks = one.columns.get("block", ())
        for values in (one.response, one.rt, one.target, one.columns["set_size"], blocks):
            found.update(np.ascontiguousarray(values).tobytes())
        return found.hexdigest()

    @cached_property
    def inputs(self) -> dict[str, Any]:
        """Everything the result depends on, with its hash; see `popout.reports.store`."""
        parameters = {
            "trials": self.digest,
            "model": self.model,
            "longest": self.longest,
            "set_sizes": list(self.set_sizes),
            "n_paths": self.n_paths,
            "folds": self.folds,
            "floor": self.floor,
        }
        return inputs_of(self.name, parameters, self.seed, VERSION)

    @property
    def name(self) -> str:
        """Of its files: words that any file system takes, and different for different jobs."""
        who = "\0".join(filter(None, (self.observer, self.condition)))
        safe = "".join(c if c.isalnum() and c.isascii() else "_" for c in who)[:40]
        mark = hashlib.sha256(who.encode()).hexdigest()[:6]
        model = self.model.replace(":", "_").replace("+", "_")
        return f"{safe}-{mark}-{model}"

    @property
    def made_model(self) -> Model:
        """The model itself."""
        if self.model == YARDSTICK:
            return ExGaussianCells.for_trials(self.trials, self.longest)
        return models([self.model], self.longest)[0]


@lru_cache(maxsize=2)
def _tables(set_sizes: tuple[int, ...], n_paths: int, seed: int) -> Tables:
    """Return tables that the jobs of a process share."""
    return Tables(set_sizes, n_paths=n_paths, seed=seed)


@lru_cache(maxsize=4)
def _known(
    trials: str, longest: float, set_sizes: tuple[int, ...], n_paths: int, seed: int
) -> dict[str, FittedModel]:
    """Return the fits to some trials that the jobs of a process share, by model.

    Many models start from a simpler one, which is a job of its own. A fit depends on nothing but
    these arguments, so it does not matter which job came first.
    """
    return {}


def run_job(job: FitJob, progress: Progress | None = None) -> xr.Dataset:
    """Fit a model to an observer; return what is to be kept.

    Parameters
    ----------
    job : FitJob
    progress : Progress, optional
    """
    model = job.made_model
    tables = _tables(job.set_sizes, job.n_paths, job.seed) if job.model != YARDSTICK else None
    known = _known(job.digest, job.longest, job.set_sizes, job.n_paths, job.seed)
    part = stretch(progress, 0.0, 0.8)
    fitted = model.fit_once(known, job.trials, tables, job.seed, part)
    crossed = None
    if job.folds:
        part = stretch(progress, 0.8, 0.95)
        crossed = cross_validate(fitted, job.trials, job.folds, job.seed, part)
    index = None
    if isinstance(model, SearchModel) and model.stopping is Stopping.FREE:
        index = index_of(fitted, seed=job.seed)
        if job.floor:
            index = _with_floor(index, model, known, job, stretch(progress, 0.95, 1.0))
    return _dataset(job, fitted, index, crossed)


def _with_floor(
    index: Index,
    model: SearchModel,
    known: dict[str, FittedModel],
    job: FitJob,
    progress: Progress,
) -> Index:
    """Return the index with what ideal observers like this one show."""
    tables = known[model.name].tables
    assert tables is not None
    true = replace(model, stopping=Stopping.IDEAL)
    ideal = true.fit_once(known, job.trials, tables, job.seed)
    design = Design.of(ideal.trials_by_size)
    wasted, excess = index_floor(
        ideal.estimates, model, design, tables, job.floor, job.seed, progress
    )
    return replace(index, wasted_floor=wasted, excess_floor=excess)


def _dataset(
    job: FitJob, fitted: FittedModel, index: Index | None, crossed: float | None
) -> xr.Dataset:
    """Return a fit as labelled data; numbers in words are JSON in the attributes."""
    predicted = fitted.predict()
    why = {name: each.why for name, each in fitted.errors.items() if not each.determined}
    found = xr.Dataset(
        {
            "density": (
                ("set_size", "class", "answer", "time"),
                predicted.density.astype(np.float32),
                {"units": "1/s"},
            ),
        },
        coords={
            "set_size": ("set_size", list(predicted.set_sizes)),
            "class": ("class", ["absent", "present"]),
            "answer": ("answer", ["absent", "present"]),
            "time": ("time", predicted.times, {"units": "s"}),
        },
        attrs={
            "observer": job.observer,
            **({} if job.condition is None else {"condition": job.condition}),
            "fitted": json.dumps({**fitted.as_dict(), "cross_validated": crossed}),
            "why_not_determined": json.dumps(why),
        },
    )
    if index is None:
        return found
    frontier = index.frontier
    along = {"frontier_error": frontier.errors, "frontier_time": frontier.times}
    return found.assign(
        {name: ("time_cost", values) for name, values in along.items()}
    ).assign_attrs(
        index=json.dumps(index.as_dict()),
        observer_errors=frontier.observer_errors,
        observer_time=frontier.observer_time,
    )


@dataclass(frozen=True, eq=False)
class FitRecord:
    """A fit as it was kept.

    Attributes
    ----------
    data : Dataset
        See `run_job`.
    """

    data: xr.Dataset

    @cached_property
    def fitted(self) -> Mapping[str, Any]:
        """`FittedModel.as_dict`: name, log likelihood, criteria, parameters."""
        found: Mapping[str, Any] = json.loads(self.data.attrs["fitted"])
        return found

    @property
    def model(self) -> str:
        """Name of the model."""
        return str(self.fitted["name"])

    @property
    def aic(self) -> float:
        """Akaike's criterion."""
        return float(self.fitted["aic"])

    @cached_property
    def why_not_determined(self) -> dict[str, str]:
        """Parameters that the data do not determine, and why."""
        found: dict[str, str] = json.loads(self.data.attrs["why_not_determined"])
        return found

    @cached_property
    def index(self) -> dict[str, Any] | None:
        """`Index.as_dict`: how far from optimal, where the thresholds are free."""
        text = self.data.attrs.get("index")
        return json.loads(text) if text else None

    @cached_property
    def prediction(self) -> Prediction:
        """What the model predicts."""
        sizes = tuple(int(M) for M in self.data["set_size"].to_numpy())
        density = self.data["density"].to_numpy().astype(np.float64)
        return Prediction(sizes, self.data["time"].to_numpy(), density)


def answered(trials: Responses) -> Responses:
    """Return the trials that were answered; no model says when people give up.

    Examples
    --------
    >>> two = Responses(np.array([0, 1]), np.array([5.0, 0.5]), np.array([-1, -1]))
    >>> len(answered(two))
    1
    """
    return trials.where(trials.response != Action.WAIT)
