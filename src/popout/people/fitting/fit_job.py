"""One observer and one model: the unit of work of `fit_observers`, and the file that is kept of it.

A job fits the model and, where its thresholds are free, finds how far from optimal the observer is.
Its result, a `ModelFit`, is one JSON file: numbers as numbers, every digit kept. The file carries
`FORMAT` and a digest of all that the result depends on: the trials, the model, the tables of first
passages and the seed. A run that was interrupted finds it again; a run with other trials or
settings does not, and neither does a popout whose fits give other numbers (raise `FORMAT` then).
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from popout.people.fitting.fitted_model import FittedModel
from popout.people.fitting.frontier import Index, index_of
from popout.people.fitting.model_comparison import cross_validate
from popout.people.fitting.recovery import index_floor
from popout.people.fitting.synthetic import Design
from popout.people.models.ex_gaussian import ExGaussianCells
from popout.people.models.model import Model
from popout.people.models.prediction import Prediction
from popout.people.models.search_models import MODELS, SearchModel, Stopping, models
from popout.people.passages.passage_tables import PassageTables
from popout.people.reading.observed import Group
from popout.policies.stopping import Action
from popout.progress import Progress, stretch
from popout.reports.store import write_whole
from popout.simulation.responses import Responses
from popout.task import Faults, InputError

FORMAT = 1
"""Of the files; raise it whenever a fit of the same trials and settings would differ."""
YARDSTICK = ExGaussianCells.name
DEFAULT_MODELS = (*MODELS, "free-guided+slips", YARDSTICK)
"""Models that are fitted when none is named."""
FEWEST_PATHS, MOST_PATHS = 1000, 10**7


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


@dataclass(frozen=True)
class FitPlan:
    """What is fitted, and how much work goes into it.

    Attributes
    ----------
    models : tuple of str
    paths : int
        Of each table of first passages.
    folds : int
        Of the cross-validation over blocks; 0 is none.
    floor : int
        Ideal observers that are simulated and fitted to find the floor of the indices; 0 is none.
    seed : int
    name : str
        In the report.
    """

    models: tuple[str, ...] = DEFAULT_MODELS
    paths: int = 100_000
    folds: int = 0
    floor: int = 0
    seed: int = 1
    name: str = "fit"

    def __post_init__(self) -> None:
        """Check everything at once."""
        faults = Faults("fit_observers")
        paths = {"at_least": FEWEST_PATHS, "at_most": MOST_PATHS}
        faults.integer("paths", self.paths, "100000 will do", **paths)
        faults.integer("folds", self.folds, "5 will do, 0 is none", at_most=100)
        faults.integer("floor", self.floor, "8 will do, 0 is none", at_most=1000)
        faults.integer("seed", self.seed, "choose any number from 0", at_most=2**63 - 1)
        if not self.models:
            faults.add("models", "at least one model", "none", "leave it out for all")
        if len(set(self.models)) < len(self.models):
            faults.add("models", "each model once", ", ".join(self.models), "drop the repeated one")
        try:
            check_models(self.models, 1.0)
        except InputError as error:
            faults.absorb(error)
        faults.raise_if_any()


@dataclass(frozen=True, eq=False)
class ModelFit:
    """A model fitted to an observer, and what follows from it.

    Attributes
    ----------
    fitted : FittedModel
    index : Index, optional
        How far from optimal, where the thresholds are free.
    cross_validated : float, optional
        Log density of the blocks that were left out.
    """

    fitted: FittedModel
    index: Index | None = None
    cross_validated: float | None = None

    @property
    def name(self) -> str:
        """Name of the model."""
        return self.fitted.name

    @property
    def aic(self) -> float:
        """Akaike's criterion."""
        return self.fitted.aic

    @cached_property
    def prediction(self) -> Prediction:
        """What the model predicts."""
        return self.fitted.predict()

    @property
    def undetermined(self) -> dict[str, str]:
        """Parameters that the data do not determine, and why."""
        errors = self.fitted.errors
        return {name: each.why for name, each in errors.items() if not each.determined}

    def as_dict(self) -> dict[str, Any]:
        """Return what ``--json`` prints of the model."""
        more = {"cross_validated": self.cross_validated, "why_not_determined": self.undetermined}
        index = None if self.index is None else self.index.as_dict()
        return {**self.fitted.as_dict(), **more, "index": index}

    def to_dict(self) -> dict[str, Any]:
        """Return all of it in terms of JSON, for `from_dict`."""
        model = self.fitted.model
        about: dict[str, Any] = {"name": model.name, "longest": model.longest}
        if isinstance(model, ExGaussianCells):
            about |= {"set_sizes": model.set_sizes, "own_errors": model.own_errors}
        index = None if self.index is None else self.index.to_dict()
        fit = {"model": about, "fitted": self.fitted.to_dict(), "index": index}
        return {**fit, "cross_validated": self.cross_validated}

    @classmethod
    def from_dict(cls, stored: Mapping[str, Any], tables: PassageTables | None = None) -> ModelFit:
        """Return a fit from `to_dict`, with the tables of its predictions."""
        about, index = stored["model"], stored["index"]
        model: Model
        if about["name"] == YARDSTICK:
            own = tuple((int(M), bool(present)) for M, present in about["own_errors"])
            model, tables = ExGaussianCells(tuple(about["set_sizes"]), own, about["longest"]), None
        else:
            (model,) = models([about["name"]], about["longest"])
        fitted = FittedModel.from_dict(stored["fitted"], model, tables)
        known = None if index is None else Index.from_dict(index)
        return cls(fitted, known, stored["cross_validated"])


@dataclass(frozen=True, eq=False)
class FitJob:
    """What to fit.

    Attributes
    ----------
    group : Group
        Observer, and condition where one is taken apart.
    model : str
        Its name.
    trials : Responses
        Answered trials of the observer.
    longest : float
        Longest response time in s.
    set_sizes : tuple of int
        Of all observers, which share tables.
    plan : FitPlan
    """

    group: Group
    model: str
    trials: Responses
    longest: float
    set_sizes: tuple[int, ...]
    plan: FitPlan

    @cached_property
    def digest(self) -> str:
        """Hash of the trials."""
        values = [self.trials.response, self.trials.rt, self.trials.target]
        values += [self.trials.columns.get(name, ()) for name in ("set_size", "block")]
        whole = b"".join(np.ascontiguousarray(each).tobytes() for each in values)
        return hashlib.sha256(whole).hexdigest()

    @cached_property
    def key(self) -> str:
        """Hash of everything that the result depends on."""
        plan = self.plan
        work = [plan.paths, plan.folds, plan.floor, plan.seed]
        inputs = [FORMAT, self.digest, self.model, self.longest, list(self.set_sizes), work]
        return hashlib.sha256(json.dumps(inputs).encode()).hexdigest()

    @property
    def file(self) -> str:
        """Of its result: a name that any file system takes, and different for different jobs."""
        who = "\0".join(filter(None, self.group))
        safe = "".join(c if c.isalnum() and c.isascii() else "_" for c in who)[:40]
        mark = hashlib.sha256(who.encode()).hexdigest()[:6]
        model = self.model.replace(":", "_").replace("+", "_")
        return f"{safe}-{mark}-{model}.json"

    def load(self, folder: Path) -> dict[str, Any] | None:
        """Return the stored result, or None if there is none of this job."""
        try:
            stored = json.loads((folder / self.file).read_bytes())
            return dict(stored["fit"]) if stored["key"] == self.key else None
        except (OSError, ValueError, KeyError, TypeError):
            return None

    def save(self, folder: Path, fit: Mapping[str, Any]) -> None:
        """Store the result, whole or not at all."""
        whole = {"format": FORMAT, "key": self.key, **self.group.as_dict(), "fit": fit}
        content = json.dumps(whole, allow_nan=False, ensure_ascii=False)
        write_whole(folder / self.file, f"{content}\n".encode())

    @property
    def made_model(self) -> Model:
        """The model itself."""
        if self.model == YARDSTICK:
            return ExGaussianCells.for_trials(self.trials, self.longest)
        return models([self.model], self.longest)[0]

    @property
    def tables(self) -> PassageTables:
        """Tables that the jobs of a process share."""
        return _tables(self.set_sizes, self.plan.paths, self.plan.seed)


_tables = lru_cache(maxsize=2)(PassageTables)


@lru_cache(maxsize=4)
def _known(
    trials: str, longest: float, set_sizes: tuple[int, ...], n_paths: int, seed: int
) -> dict[str, FittedModel]:
    """Return the fits to some trials that the jobs of a process share, by model.

    Many models start from a simpler one, which is a job of its own. A fit depends on nothing but
    these arguments, so it does not matter which job came first.
    """
    return {}


def run_job(job: FitJob, progress: Progress | None = None) -> ModelFit:
    """Fit a model to an observer.

    Parameters
    ----------
    job : FitJob
    progress : Progress, optional
    """
    model, plan = job.made_model, job.plan
    tables = job.tables if job.model != YARDSTICK else None
    known = _known(job.digest, job.longest, job.set_sizes, plan.paths, plan.seed)
    part = stretch(progress, 0.0, 0.8)
    fitted = model.fit_once(known, job.trials, tables, plan.seed, part)
    crossed, index = None, None
    if plan.folds:
        part = stretch(progress, 0.8, 0.95)
        crossed = cross_validate(fitted, job.trials, plan.folds, plan.seed, part)
    if isinstance(model, SearchModel) and model.stopping is Stopping.FREE:
        index = index_of(fitted, seed=plan.seed)
        if plan.floor:
            ideal = replace(model, stopping=Stopping.IDEAL)
            alike = ideal.fit_once(known, job.trials, tables, plan.seed)
            design = Design.of(alike.trials_by_size)
            wasted, excess = index_floor(
                alike.estimates, model, design, job.tables, plan.floor, plan.seed,
                stretch(progress, 0.95, 1.0),
            )  # fmt: skip
            index = replace(index, wasted_floor=wasted, excess_floor=excess)
    return ModelFit(fitted, index, crossed)


def answered(trials: Responses) -> Responses:
    """Return the trials that were answered; no model says when people give up.

    Examples
    --------
    >>> two = Responses(np.array([0, 1]), np.array([5.0, 0.5]), np.array([-1, -1]))
    >>> len(answered(two))
    1
    """
    return trials.where(trials.response != Action.WAIT)
