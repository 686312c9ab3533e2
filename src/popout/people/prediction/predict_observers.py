"""`predict_observers`: fitted observers in another experiment, nothing refitted.

Information, guidance, non-decision time and the cost of time belong to an observer and stay; ideal
thresholds follow what is at stake. Each observer is a job (`PredictJob`) that runs and is kept like
a fit (`popout.people.fitting.fit_job`): on all cores, stored as soon as it is done, taken up again
after an interruption.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from popout.analysis.cluster import check_main
from popout.drawing.plain import plain
from popout.drawing.representation import listing
from popout.people.fitting.fit_job import FitPlan, StoredJob, digest_of
from popout.people.fitting.fit_observers import FEWEST_TRIALS, Work
from popout.people.fitting.fitted_model import FittedModel
from popout.people.models.changes import MOST_CONDITIONS, SET_SIZE, Changes, check_limit
from popout.people.models.model import set_sizes_of
from popout.people.models.search_models import SearchModel
from popout.people.models.situation import FIELDS, Situation, limits_of, situations_of
from popout.people.prediction.held_against import FEWEST_DRAWS, log_scores, realised_share
from popout.people.prediction.parameter_draws import draw_parameters
from popout.people.prediction.predicted_cells import (
    notes_of,
    notes_on_fit,
    observed_cells,
    predict_cells,
    widened,
)
from popout.people.prediction.predicted_observers import PredictedObserver, PredictedObservers
from popout.people.prediction.stored_fits import SUBJECT, StoredFits, read_fits
from popout.people.reading.observed import ObservedTrials
from popout.policies.stopping import Action
from popout.progress import Progress, stretch
from popout.reports.publish import check_no_other_report
from popout.reports.store import writable_folder
from popout.simulation.responses import Responses
from popout.task import Faults

MADE_BY = "popout predict"
SHARE_DRAWS = 40
"""Of the draws, how many the interval of a share rests on."""
Where = Mapping[Situation, tuple[int, ...]]
"""Situations with their set sizes."""


@dataclass(frozen=True)
class PredictPlan:
    """How much work goes into predictions, for the report."""

    fits: str
    draws: int
    folds: int
    paths: int
    seed: int
    name: str = "predict"


def predict_observers(
    folder: str | Path,
    changes: Mapping[str, Any] | None = None,
    *,
    against: ObservedTrials | None = None,
    out: str | Path | None = None,
    models: Sequence[str] | None = None,
    draws: int = 200,
    folds: int = 5,
    workers: int | None = None,
    progress: Progress | None = None,
) -> PredictedObservers:
    """Predict fitted observers in another experiment.

    Parameters
    ----------
    folder : path
        That `fit_observers` wrote.
    changes : mapping, optional
        What is different: ``prior``, ``miss``, ``false_alarm``, ``deadline`` (s), ``dynamic``
        (seconds between reshuffles), ``set_size``; a number each, or several for several
        conditions. All else is as it was in the fit or, with data, as it is in them.
    against : ObservedTrials, optional
        What the same observers did there, by name.
    out : path, optional
        Folder for a page, pictures and data.
    models : sequence of str, optional
        To choose from, with ideal thresholds; of several the one of least AIC. All when left out.
    draws : int
        Parameters drawn for intervals.
    folds : int
        Parts of the cross-validation of what is refitted to the data.
    workers : int, optional
        Processes; one for each core when left out. One computes in this process.
    progress : Progress, optional

    Returns
    -------
    PredictedObservers

    Raises
    ------
    InputError
        If an argument is bad, or the folder holds no complete fits.

    Notes
    -----
    A script has to call this under ``if __name__ == "__main__":`` unless ``workers=1``.

    Examples
    --------
    >>> import tempfile, popout as po
    >>> trials = po.read_trials("examples/people/two_observers.csv", observers=["ag"])
    >>> how = {"models": ["ideal-parallel"], "paths": 1000, "workers": 1}
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     fits = po.fit_observers(trials, folder, **how)
    ...     rare = po.predict_observers(folder, {"prior": 0.1}, draws=20, workers=1)
    >>> table = rare.to_pandas().set_index(["set_size", "target"])
    >>> bool(table.loc[(18, "present"), "error_rate"] > fits["ag"].best.prediction.error_rate[3, 1])
    True
    """
    began = time.perf_counter()
    if workers != 1:
        check_main("popout.predict_observers")
    faults = Faults(SUBJECT)
    draws = faults.integer("draws", draws, "200 will do", at_least=FEWEST_DRAWS, at_most=10**5)
    folds = faults.integer("folds", folds, "5 will do", at_least=2, at_most=100)
    if workers is not None:
        faults.integer("workers", workers, "count the processes", at_least=1, at_most=10_000)
    faults.place("folder", folder, "name what popout fit wrote, e.g. results")
    if models is not None:
        models = faults.words("models", models, 'write e.g. ["ideal-serial"]')
    if changes is not None and not isinstance(changes, Mapping):
        remedy = 'write e.g. {"prior": 0.2}'
        faults.add("changes", "a mapping from names to numbers", changes, remedy)
    elif not changes and against is None:
        remedy = "say what is different, e.g. prior=0.2, or give data of the other experiment"
        faults.add("changes", "another experiment", "the same one", remedy)
    if against is not None and not isinstance(against, ObservedTrials):
        faults.add("against", "ObservedTrials", against, "read them with popout.read_trials")
    if out is not None and faults.place("out", out, "name a folder, e.g. predicted"):
        check_no_other_report(Path(out), MADE_BY, faults)
    faults.raise_if_any()
    if out is not None and Path(out).resolve() == Path(folder).resolve():
        faults.add("out", "another folder than that of the fits", str(out), "name another folder")
        faults.raise_if_any()
    asked, stored = Changes.of(changes or {}), read_fits(folder, models)
    if against is None:
        people, places = None, _places(stored, asked)
        notes = stored.notes
    else:
        people, notes = _matched(stored, against, asked)
        places = {name: _situations(own) for name, own in people.items()}
    jobs = _jobs(stored, asked, places, people, against, draws, folds)
    with ExitStack() as stack:
        place = stack.enter_context(tempfile.TemporaryDirectory()) if out is None else str(out)
        work = Work(writable_folder(writable_folder(Path(place)) / "predictions"), workers, None)
        missing = [job for job in jobs if job.load(work.store) is None]
        _make_tables(missing, stretch(progress, 0.0, 0.0))
        kept = work.run(jobs, stretch(progress, 0.0, 1.0), "observers")
    observers = {
        job.observer: PredictedObserver.from_dict(kept[job]) for job in jobs if job in kept
    }
    failed = {job.observer: why for job, why in work.failed.items() if isinstance(job, PredictJob)}
    about = (str(folder), asked.fields, notes, failed)
    seconds = time.perf_counter() - began
    made = PredictedObservers(observers, *about, seconds=seconds, against=against)
    if out is None:
        return made
    from popout.people.prediction.prediction_report import write_prediction_report

    plan = PredictPlan(str(folder), draws, folds, stored.paths, stored.seed)
    return replace(made, report=str(write_prediction_report(Path(out), made, plan)))


def _places(stored: StoredFits, asked: Changes) -> dict[str, Where]:
    """Return the situations and set sizes of each observer in an experiment on paper."""
    faults, places = Faults(SUBJECT), dict[str, Where]()
    for name, fitted in stored.fits.items():
        there = asked.applied(fitted.situations)
        for situation in there if not faults else ():
            check_limit(fitted.model, situation, faults)
        places[name] = dict.fromkeys(there, asked.set_sizes or fitted.set_sizes)
    faults.raise_if_any()
    return places


def _matched(
    stored: StoredFits, against: ObservedTrials, asked: Changes
) -> tuple[dict[str, Responses], tuple[str, ...]]:
    """Return the trials of the observers that were fitted, and who is missing where."""
    faults = Faults(SUBJECT)
    if asked.set_sizes:
        remedy = "leave it out, or choose trials with where"
        sizes = ",".join(map(str, asked.set_sizes))
        faults.add("changes", "set sizes of the data", f"{SET_SIZE}={sizes}", remedy)
    if len(asked.conditions) > 1:
        remedy = "leave it out: the file, or prior, pay and deadline, tell conditions apart"
        faults.add("changes", "one value each beside data", len(asked.conditions), remedy)
    if against.reading.split is not None:
        remedy = "leave it out, or choose with where"
        faults.add("against", "conditions that are not taken apart", against.reading.split, remedy)
    common = [name for name in stored.fits if name in against.observers]
    if not common:
        known = listing([*stored.fits][:12])
        remedy = "observers are matched by name; name the column with columns"
        faults.add("against", f"some of {known}", listing([*against.observers][:12]), remedy)
    people = {}
    for name in common:
        own = _set(against[name], asked.conditions[0])
        if (n := int((own.response != Action.WAIT).sum())) < FEWEST_TRIALS:
            remedy = "leave the observer out with observers"
            faults.add("against", f"at least {FEWEST_TRIALS} answers of {name}", n, remedy)
        if (late := own.rt[own.rt > limits_of(own)]).size:
            expected = f"answers of {name} by the time limit that was set"
            faults.add("changes", expected, f"{late.max():g} s", "set a later one, or none")
        if (n := len(situations_of(own)[0])) > MOST_CONDITIONS:
            remedy = "give one value for each level with prior, pay and deadline"
            faults.add("against", f"{MOST_CONDITIONS} situations at most", n, remedy)
        people[name] = own
    faults.raise_if_any()
    notes = [*stored.notes, *against.notes]
    lacking = [name for name in stored.fits if name not in against.observers]
    unknown = [name for name in against.observers if name not in stored.fits]
    if lacking:
        notes.append(f"Without data, and left out: {listing(lacking)}.")
    if unknown:
        notes.append(f"Never fitted, and left out: {listing(unknown)}.")
    return people, tuple(notes)


def _set(trials: Responses, fields: Mapping[str, float]) -> Responses:
    """Return trials in situations some of whose fields are said."""
    columns = {name: np.full(len(trials), float(value)) for name, value in fields.items()}
    return replace(
        trials, prior=fields.get("prior", trials.prior), columns={**trials.columns, **columns}
    )


def _situations(trials: Responses) -> Where:
    """Return the situations that occur with their set sizes."""
    some, number = situations_of(trials)
    sizes = set_sizes_of(trials)
    return {each: tuple(np.unique(sizes[number == k]).tolist()) for k, each in enumerate(some)}


def _jobs(
    stored: StoredFits,
    asked: Changes,
    places: Mapping[str, Where],
    people: Mapping[str, Responses] | None,
    against: ObservedTrials | None,
    draws: int,
    folds: int,
) -> list[PredictJob]:
    sizes = {M for where in places.values() for own in where.values() for M in own}
    window = (against.reading.slowest, against.reading.fastest) if against is not None else None
    jobs = []
    for name, where in places.items():
        fitted = stored.fits[name]
        plan = FitPlan((fitted.name,), paths=stored.paths, seed=stored.seed)
        trials = None if people is None else people[name]
        about = (tuple(sorted(sizes)), plan, where, asked.fields, trials, window, draws, folds)
        jobs.append(PredictJob(name, fitted, *about))
    return jobs


def _make_tables(jobs: Sequence[PredictJob], progress: Progress) -> None:
    """Make the tables that are needed once, on all cores; workers find them on the disk."""
    guidances = sorted({g for job in jobs for g in job.search.guidances})
    if guidances:
        jobs[0].tables.prepare(guidances, progress)


@dataclass(frozen=True, eq=False)
class PredictJob(StoredJob):
    """An observer to predict.

    Attributes
    ----------
    observer : str
    fitted : FittedModel
    set_sizes : tuple of int
        Of all observers, which share tables.
    plan : FitPlan
        Paths and seed of the tables.
    where : mapping of Situation to tuple of int
        Situations with their set sizes.
    fields : tuple of str
        Of a situation, that were changed.
    trials : Responses, optional
        That were done there.
    window : tuple of float, optional
        Longest and fastest response time that was kept of them, in s.
    draws, folds : int
    """

    observer: str
    fitted: FittedModel
    set_sizes: tuple[int, ...]
    plan: FitPlan
    where: Where
    fields: tuple[str, ...]
    trials: Responses | None
    window: tuple[float, float] | None
    draws: int
    folds: int

    @property
    def words(self) -> str:
        """Whom it is about."""
        return f"prediction of {self.observer}"

    @property
    def inputs(self) -> list[Any]:
        """Everything that the result depends on."""
        trials = None if self.trials is None else digest_of(self.trials)
        where = [[str(getattr(each, k)) for k in FIELDS] for each in self.where]
        sizes = [list(own) for own in self.where.values()]
        how = [self.window, self.draws, self.folds, list(self.fields)]
        return [self.observer, self.fitted.name, self.fitted.to_dict(), trials, where, sizes, *how]

    @property
    def search(self) -> SearchModel:
        """The model."""
        assert isinstance(self.fitted.model, SearchModel)
        return self.fitted.model

    def run(self, progress: Progress | None = None) -> dict[str, Any]:
        """Return cells, notes, scores and share, as they are stored."""
        fitted = replace(self.fitted, tables=self.tables)
        draws = draw_parameters(fitted, self.draws, self.plan.seed)
        sizes = tuple(sorted({M for own in self.where.values() for M in own}))
        cells, notes = list[dict[str, Any]](), notes_on_fit(fitted, sizes)
        for i, (situation, own) in enumerate(self.where.items()):
            model = self.windowed(fitted, situation)
            rows = predict_cells(fitted, model, situation, own, draws)
            notes += notes_of(fitted, model, situation, own, self.fields, rows)
            if self.trials is not None:
                some, number = situations_of(self.trials)
                seen = observed_cells(self.trials.where(number == some.index(situation)), own)
                rows = [{**row, **each} for row, each in zip(rows, seen, strict=True)]
            cells += rows
            stretch(progress, 0.0, 0.4)((i + 1) / len(self.where), self.words)
        scores, share = None, None
        if self.trials is not None:
            model = self.windowed(fitted, next(iter(self.where)))
            part = stretch(progress, 0.4, 0.9)
            scores = log_scores(fitted, model, self.trials, self.folds, part)
            few = draws[:: max(1, len(draws) // SHARE_DRAWS)]
            share = vars(realised_share(fitted, model, self.trials, few, self.plan.seed))
        whole = {"observer": self.observer, "model": fitted.name, "cells": cells, "notes": notes}
        made: dict[str, Any] = plain({**whole, "log_score": scores, "share": share})
        return made

    def windowed(self, fitted: FittedModel, situation: Situation) -> SearchModel:
        """Return the model with the window of the data, or of an experiment on paper."""
        if self.window is None:
            return widened(fitted, situation, self.where[situation])
        model = self.search.within(*self.window)
        assert isinstance(model, SearchModel)
        return model
