"""The units of work of `fit_observers`, and the file that is kept of each.

A `FitJob` fits a model to an observer and, where its thresholds are free, finds how far from
optimal the observer is; with `vary`, some parameters differ between conditions. A `ChainJob`
samples a population over observers. The result is one JSON file: numbers as numbers, every digit
kept. It carries `FORMAT` and a digest of all that the result depends on: the trials, the model, the
tables of first passages and the seed. A run that was interrupted finds it again; a run with other
trials or settings does not, and neither does a popout whose fits give other numbers (raise `FORMAT`
then).
"""

from __future__ import annotations

import hashlib
import json
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from popout.people.fitting.fitted_model import FittedModel
from popout.people.fitting.frontier import Index, has_index, index_of
from popout.people.fitting.model_comparison import cross_validate
from popout.people.fitting.population import Chain, Hierarchy, find_modes, sample_chain
from popout.people.fitting.recovery import index_floor
from popout.people.fitting.synthetic import Design
from popout.people.models.conditioned import Conditioned, Vary, vary_words
from popout.people.models.ex_gaussian import ExGaussianCells
from popout.people.models.layouts import LAYOUT, VISIBILITY, Display
from popout.people.models.model import Model
from popout.people.models.prediction import Prediction
from popout.people.models.rule_models import RuleModel, is_rule, rule_models, rules_named
from popout.people.models.search_models import MODELS, SearchModel, Stopping, models
from popout.people.models.situation import FIELDS
from popout.people.passages.passage_tables import PassageTables
from popout.progress import Progress, stretch
from popout.reports.store import write_whole
from popout.simulation.responses import Responses
from popout.task import Faults, InputError

FORMAT = 3
"""Of the files; raise it whenever a fit of the same trials and settings would differ."""
MADE_BY = "popout fit"
"""What writes the report of fits."""
YARDSTICK = ExGaussianCells.name
DEFAULT_MODELS = (*MODELS, "free-guided+slips", YARDSTICK)
"""Models that are fitted when none is named."""
SEEN = (LAYOUT, VISIBILITY)
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
    rules_named([name for name in names if is_rule(name)])
    return models([name for name in names if name != YARDSTICK and not is_rule(name)], longest)


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
    vary : str
        What differs between conditions, as `conditions.vary_words` writes it; empty is nothing.
    group : bool or str
        Whether there is a population over observers, or the column whose levels differ in it.
    sweeps : int
        Of each chain of the population.
    name : str
        In the report.
    """

    models: tuple[str, ...] = DEFAULT_MODELS
    paths: int = 100_000
    folds: int = 0
    floor: int = 0
    seed: int = 1
    vary: str = ""
    group: bool | str = False
    sweeps: int = 1500
    name: str = "fit"

    def __post_init__(self) -> None:
        """Check everything at once."""
        faults = Faults("fit_observers")
        paths = {"at_least": FEWEST_PATHS, "at_most": MOST_PATHS}
        faults.integer("paths", self.paths, "100000 will do", **paths)
        faults.integer("folds", self.folds, "5 will do, 0 is none", at_most=100)
        faults.integer("floor", self.floor, "8 will do, 0 is none", at_most=1000)
        faults.integer("sweeps", self.sweeps, "1500 will do", at_least=20, at_most=10**6)
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
        model, about = self.fitted.model, dict[str, Any]()
        if isinstance(model, Conditioned):
            about, model = {"vary": model.vary, "levels": model.levels}, model.model
        about |= {"name": model.name, "longest": model.longest, "fastest": model.fastest}
        if isinstance(model, ExGaussianCells):
            about |= {"set_sizes": model.set_sizes, "own_errors": model.own_errors}
        if isinstance(model, RuleModel):
            about["displays"] = [[*display, n] for display, n in model.displays]
        index = None if self.index is None else self.index.to_dict()
        fit = {"model": about, "fitted": self.fitted.to_dict(), "index": index}
        return {**fit, "cross_validated": self.cross_validated}

    @classmethod
    def from_dict(cls, stored: Mapping[str, Any], tables: PassageTables | None = None) -> ModelFit:
        """Return a fit from `to_dict`, with the tables of its predictions."""
        about, index = stored["model"], stored["index"]
        window = (about["longest"], about["fastest"])
        model: Model
        if about["name"] == YARDSTICK:
            own = tuple((int(M), bool(present)) for M, present in about["own_errors"])
            model, tables = ExGaussianCells(tuple(about["set_sizes"]), own, *window), None
        elif is_rule(about["name"]):
            (rule,) = rules_named([about["name"]])
            shown = ((Display(tuple(layout), v), n) for layout, v, n in about["displays"])
            model = RuleModel(rule, tuple(shown), *window)
        else:
            (model,) = models([about["name"]], *window)
        if "vary" in about:
            pairs = ({k: tuple(v) for k, v in about[name].items()} for name in ("vary", "levels"))
            model = Conditioned(model, *pairs)
        fitted = FittedModel.from_dict(stored["fitted"], model, tables)
        known = None if index is None else Index.from_dict(index)
        return cls(fitted, known, stored["cross_validated"])


def file_of(words: str) -> str:
    """Return a file name that any file system takes, and different for different words."""
    safe = "".join(c if c.isalnum() and c.isascii() else "_" for c in words)[:60]
    return f"{safe}-{hashlib.sha256(words.encode()).hexdigest()[:6]}.json"


class StoredJob(ABC):
    """A unit of work, with a file for its result."""

    plan: FitPlan
    set_sizes: tuple[int, ...]

    @property
    @abstractmethod
    def words(self) -> str:
        """What it is about; different for different jobs of a run."""

    @property
    @abstractmethod
    def inputs(self) -> list[Any]:
        """Everything that the result depends on."""

    @abstractmethod
    def run(self, progress: Progress | None = None) -> dict[str, Any]:
        """Return the result, as it is stored."""

    @cached_property
    def key(self) -> str:
        """Hash of everything that the result depends on."""
        whole = [FORMAT, list(self.set_sizes), self.plan.paths, self.plan.seed, *self.inputs]
        return hashlib.sha256(json.dumps(whole).encode()).hexdigest()

    @property
    def file(self) -> str:
        """Of its result; see `file_of`."""
        return file_of(self.words)

    def load(self, folder: Path) -> dict[str, Any] | None:
        """Return the stored result, or None if there is none of this job."""
        try:
            stored = json.loads((folder / self.file).read_bytes())
            return dict(stored["fit"]) if stored["key"] == self.key else None
        except (OSError, ValueError, KeyError, TypeError):
            return None

    def save(self, folder: Path, result: Mapping[str, Any]) -> None:
        """Store the result, whole or not at all."""
        whole = {"format": FORMAT, "key": self.key, "job": self.words, "fit": result}
        content = json.dumps(whole, allow_nan=False, ensure_ascii=False)
        write_whole(folder / self.file, f"{content}\n".encode())

    @property
    def tables(self) -> PassageTables:
        """Tables that the jobs of a process share."""
        return _tables(self.set_sizes, self.plan.paths, self.plan.seed)


@dataclass(frozen=True, eq=False)
class FitJob(StoredJob):
    """A model to fit to an observer.

    Attributes
    ----------
    observer : str
    model : str
        Its name.
    trials : Responses
    window : tuple of float
        Longest and fastest response time that was kept, in s.
    set_sizes : tuple of int
        Of all observers, which share tables.
    plan : FitPlan
    vary : mapping of str to tuple of str
        Parameters that differ between the levels of columns.
    levels : mapping of str to tuple of str
        Of these columns.
    candidate : str
        What it is called among those that are compared; empty for a plain fit.
    known : FittedModel, optional
        Fit of the model without variation to the same trials.
    """

    observer: str
    model: str
    trials: Responses
    window: tuple[float, float]
    set_sizes: tuple[int, ...]
    plan: FitPlan
    vary: Vary = field(default_factory=dict)
    levels: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    candidate: str = ""
    known: FittedModel | None = None

    @property
    def words(self) -> str:
        """Observer, model, and what varies."""
        return ", ".join(filter(None, (self.observer, self.model, self.candidate)))

    @cached_property
    def digest(self) -> str:
        """Hash of the trials."""
        return digest_of(self.trials, tuple(self.levels))

    @property
    def inputs(self) -> list[Any]:
        """Everything that the result depends on."""
        varied = [vary_words(self.vary), {name: list(v) for name, v in self.levels.items()}]
        return [self.digest, self.model, self.window, self.plan.folds, self.plan.floor, *varied]

    @property
    def made_model(self) -> Model:
        """The model itself."""
        if self.model == YARDSTICK:
            return ExGaussianCells.for_trials(self.trials, *self.window)
        if is_rule(self.model):
            return rule_models(self.trials, [self.model], *self.window)[0]
        return varied_model(self.model, self.window, self.vary, self.levels)

    def run(self, progress: Progress | None = None) -> dict[str, Any]:
        """Return the fit, as it is stored."""
        return run_job(self, progress).to_dict()


def varied_model(
    name: str,
    window: tuple[float, float],
    vary: Vary,
    levels: Mapping[str, tuple[str, ...]],
) -> Model:
    """Return a model of search by name, with parameters that vary if there are any."""
    (model,) = models([name], *window)
    return Conditioned(model, vary, levels) if vary else model


def digest_of(trials: Responses, columns: tuple[str, ...] = ()) -> str:
    """Return a hash of trials: all that a likelihood depends on, and some columns."""
    names = ("set_size", "block", *FIELDS, *columns, *(k for k in SEEN if k in trials.columns))
    values: list[NDArray[Any]] = [trials.response, trials.rt, trials.target]
    values.append(np.array([trials.prior]))
    values += [np.asarray(trials.columns.get(name, ())) for name in names]
    plain = (each.astype(str) if each.dtype == object else each for each in values)
    whole = b"\0".join(np.ascontiguousarray(each).tobytes() for each in plain)
    return hashlib.sha256(whole).hexdigest()


_tables = lru_cache(maxsize=2)(PassageTables)


@lru_cache(maxsize=4)
def _known(
    trials: str, window: tuple[float, float], set_sizes: tuple[int, ...], n_paths: int, seed: int
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
    known = _known(job.digest, job.window, job.set_sizes, plan.paths, plan.seed)
    if job.known is not None:
        known.setdefault(job.known.name, replace(job.known, tables=tables))
    part = stretch(progress, 0.0, 0.8)
    fitted = model.fit_once(known, job.trials, tables, plan.seed, part)
    crossed, index = None, None
    if plan.folds:
        part = stretch(progress, 0.8, 0.95)
        crossed = cross_validate(fitted, job.trials, plan.folds, part)
    if has_index(model, fitted.situations) and not job.candidate:
        index = index_of(fitted, seed=plan.seed)
        if plan.floor:
            assert isinstance(model, SearchModel)
            ideal = replace(model, stopping=Stopping.IDEAL)
            alike = ideal.fit_once(known, job.trials, tables, plan.seed)
            design = Design.of(alike.trials_by_size, alike.situations)
            wasted, excess = index_floor(
                alike.estimates, model, design, job.tables, plan.floor, plan.seed,
                stretch(progress, 0.95, 1.0),
            )  # fmt: skip
            index = replace(index, wasted_floor=wasted, excess_floor=excess)
    return ModelFit(fitted, index, crossed)


@dataclass(frozen=True, eq=False)
class ChainJob(StoredJob):
    """One chain of a population.

    Attributes
    ----------
    chain : int
        From 0.
    people : mapping of str to Responses
    model : str
    window, set_sizes, plan, vary, levels
        As for `FitJob`.
    groups : mapping of str to str
        The level of each observer, where means differ; empty if they do not.
    starts : mapping of str to mapping of str to float
        Separate estimates of the observers.
    sweeps : int
    """

    chain: int
    people: Mapping[str, Responses]
    model: str
    window: tuple[float, float]
    set_sizes: tuple[int, ...]
    plan: FitPlan
    vary: Vary
    levels: Mapping[str, tuple[str, ...]]
    groups: Mapping[str, str]
    starts: Mapping[str, Mapping[str, float]]
    sweeps: int

    @property
    def words(self) -> str:
        """Which chain."""
        return f"population, chain {self.chain + 1}"

    @property
    def inputs(self) -> list[Any]:
        """Everything that the result depends on."""
        trials = [[k, digest_of(own, tuple(self.levels))] for k, own in self.people.items()]
        starts = [[k, {p: str(v) for p, v in own.items()}] for k, own in self.starts.items()]
        varied = [vary_words(self.vary), {name: list(v) for name, v in self.levels.items()}]
        own = [self.chain, self.sweeps, dict(self.groups)]
        return [trials, starts, self.model, self.window, *varied, *own]

    @property
    def hierarchy(self) -> Hierarchy:
        """The observers and their population."""
        model = varied_model(self.model, self.window, self.vary, self.levels)
        return Hierarchy(model, self.people, self.tables, self.groups)

    def run(self, progress: Progress | None = None) -> dict[str, Any]:
        """Return the draws, as they are stored."""
        hierarchy = self.hierarchy
        modes = find_modes(hierarchy, self.starts)
        drawn = (self.sweeps, self.plan.seed, self.chain)
        chain = sample_chain(hierarchy, modes, *drawn, progress=progress)
        return {name: draws.tolist() for name, draws in vars(chain).items()}


def chain_from(stored: Mapping[str, Any]) -> Chain:
    """Return the draws of a `ChainJob`."""
    return Chain(**{name: np.array(draws) for name, draws in stored.items()})
