"""`fit_observers`: models fitted to every observer, kept as they come, and a report on all of them.

There are up to three rounds of work: every model for every observer; candidates for what a
condition changes, in the model that is best for all observers together; and the chains of a
population, in the same model. Jobs (`fit_job`) run on all cores, on a Dask cluster, or in this
process if there is one worker; each is stored whole as soon as it is done, so that a run that was
interrupted, however, goes on with what is missing. A job that fails is recorded with its message
and does not stop the others. Numbers depend on the trials, the models, the tables and the seed,
never on the workers or on interruptions.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from popout._version import __version__
from popout.analysis.cluster import (
    check_main,
    check_version,
    cluster,
    cluster_faults,
    default_workers,
)
from popout.people.fitting.conditions import (
    ANY,
    FOLDS,
    KINDS,
    ConditionFits,
    candidates,
    check_group,
    check_vary,
    in_folds,
    levels_of,
    read_vary,
)
from popout.people.fitting.fit_job import (
    DEFAULT_MODELS,
    MADE_BY,
    ChainJob,
    FitJob,
    FitPlan,
    ModelFit,
    StoredJob,
    chain_from,
    check_models,
)
from popout.people.fitting.fitted_population import CHAINS, SWEEPS, FittedPopulation
from popout.people.fitting.observer_fits import FittedObservers, ObserverFits
from popout.people.models.conditioned import Conditioned, levels_in, vary_words
from popout.people.models.layouts import LAYOUT
from popout.people.models.rule_models import RuleModel
from popout.people.reading.observed import ObservedTrials
from popout.policies.stopping import Action
from popout.progress import Progress, stretch
from popout.reports.publish import check_no_other_report
from popout.reports.store import writable_folder
from popout.simulation.responses import Responses
from popout.task import Faults, InputError

FEWEST_TRIALS = 20
"""Answered trials of an observer below which nothing is fitted."""
Result = Mapping[str, Any] | str
"""What is stored, or the message of a failure."""
Vary = str | Mapping[str, str | Sequence[str]]


def fit_observers(
    trials: ObservedTrials,
    out: str | Path,
    *,
    models: Sequence[str] = DEFAULT_MODELS,
    paths: int = 100_000,
    folds: int = 0,
    floor: int = 0,
    vary: Vary | None = None,
    group: bool | str = False,
    sweeps: int = SWEEPS,
    seed: int = 1,
    workers: int | None = None,
    scheduler: str | None = None,
    progress: Progress | None = None,
) -> FittedObservers:
    """Fit models to every observer and write a report.

    Parameters
    ----------
    trials : ObservedTrials
        As `read_trials` returns them.
    out : path
        Folder for the page, the pictures and the data; made if need be.
    models : sequence of str
        Names: ``ideal-`` or ``free-`` thresholds, then ``parallel``, ``guided`` (g fitted),
        ``guided:1`` (g given) or ``serial``, with ``+slips`` if wrong keys have a rate of their
        own; stopping rules, ``rule:a-sprt``, ``rule:sprt``, ``rule:hardmax-per-location`` and
        ``rule:hardmax`` (`popout.people.models.rule_models`); and ``ex-gaussian``, the yardstick.
    paths : int
        Of each table of first passages; the error of log likelihoods falls with its root.
    folds : int
        Of a cross-validation over blocks.
    floor : int
        Ideal observers that are simulated and fitted for each observer, for the floor of indices.
    vary : str or mapping, optional
        What differs between conditions: ``{"information": "orientation"}``, or as on the command
        line, ``"information=orientation,guidance=orientation*familiarity"``; all other parameters
        are one per observer. A column alone, ``"orientation"``, asks what it changes: information,
        guidance, thresholds or non-decision time (`popout.people.fitting.conditions`).
    group : bool or str
        Whether observers come from a population (`popout.people.fitting.population`); a column
        that is constant within observers, such as age, tells groups whose means differ.
    sweeps : int
        Of each chain of the population.
    seed : int
    workers : int, optional
        Processes; one for each core when left out. One fits in this process.
    scheduler : str, optional
        Address of a running Dask cluster to use instead.
    progress : Progress, optional

    Returns
    -------
    FittedObservers

    Raises
    ------
    InputError
        If an argument is bad or the folder takes no files.

    Notes
    -----
    A script has to call this under ``if __name__ == "__main__":`` unless ``workers=1``.

    Examples
    --------
    >>> import tempfile
    >>> import numpy as np, pandas as pd, popout as po
    >>> random = np.random.default_rng(1)
    >>> present = random.random(200) < 0.5
    >>> table = pd.DataFrame({"set_size": 4, "present": present, "response": present})
    >>> trials = po.read_trials(table.assign(rt=0.3 + random.gamma(4.0, 0.05, 200)))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     fits = po.fit_observers(trials, folder, models=["ex-gaussian"], workers=1)
    ...     (Path(folder) / "report.html").is_file(), fits["1"].best.name
    (True, 'ex-gaussian')
    """
    began = time.perf_counter()
    if workers != 1:
        check_main("popout.fit_observers")
    faults = Faults("fit_observers")
    names = faults.words("models", models, 'write e.g. ["ideal-serial", "ex-gaussian"]')
    several = "True for all observers, or the name of a column"
    faults.kind("group", group, (bool, str), several, 'write e.g. "age"')
    if workers is not None:
        faults.integer("workers", workers, "count the processes", at_least=1, at_most=10_000)
    if not isinstance(trials, ObservedTrials):
        faults.add("trials", "ObservedTrials", trials, "read them with popout.read_trials")
    if faults.place("out", out, "name a folder, e.g. results"):
        check_no_other_report(Path(out), MADE_BY, faults)
    asked: Mapping[str, tuple[str, ...]] = {}
    try:
        asked = {} if vary is None else read_vary(vary)
    except InputError as error:
        faults.absorb(error)
    faults.raise_if_any()
    options = {"vary": vary_words(asked), "group": group, "sweeps": sweeps}
    plan = FitPlan(names, paths, folds, floor, seed, **options)  # type: ignore[arg-type]
    people = _people(trials, plan, asked)
    window = (trials.reading.slowest, trials.reading.fastest)
    shared = (window, trials.set_sizes, plan)
    if folds:  # a layout that is left out as a whole would be unknown
        people = {
            k: in_folds(v, (), folds) if LAYOUT in v.columns else v for k, v in people.items()
        }
    jobs = [FitJob(k, name, own, *shared) for k, own in people.items() for name in plan.models]
    rounds = 1 + bool(asked) + bool(group)
    effects, population = None, None
    with _new_folder(Path(out)) as folder:
        work = Work(writable_folder(folder / "fits"), workers, scheduler)
        _make_tables([job for job in jobs if job.load(work.store) is None], stretch(progress, 0, 1))
        first = "fits" if rounds == 1 else "fits of models"
        kept = work.run(jobs, stretch(progress, 0.0, 1.0 / rounds), first)
        observers = _gathered(trials, people, jobs, kept, work.failed)
        fits = FittedObservers(observers, trials, "", 0, 0.0)
        if asked:
            part = stretch(progress, 1.0 / rounds, 2.0 / rounds)
            effects = _effects(fits, people, asked, shared, work, part)
        if group:
            part = stretch(progress, 1.0 - 1.0 / rounds, 1.0)
            population = _population(fits, effects, people, shared, work, part)
    stretch(progress, 0.0, 1.0)(1.0, "writing the report")
    from popout.people.fitting.fit_report import write_fit_report

    seconds = time.perf_counter() - began
    fits = FittedObservers(
        observers, trials, "", work.computed, seconds, effects, population, work.others_failed
    )
    return replace(fits, report=str(write_fit_report(folder, fits, plan)))


@contextmanager
def _new_folder(folder: Path) -> Iterator[Path]:
    """Make a folder, and leave none behind that is empty when an input turns out to be bad."""
    made = [each for each in (folder / "fits", folder) if not each.exists()]
    try:
        yield writable_folder(folder)
    except InputError:
        for each in made:
            with suppress(OSError):  # it holds something, or was never made
                each.rmdir()
        raise


def _people(
    trials: ObservedTrials, plan: FitPlan, vary: Mapping[str, tuple[str, ...]]
) -> dict[str, Responses]:
    """Return the trials of each observer, or all that is wrong with them."""
    faults = Faults("fit_observers")
    people = dict(trials.observers)
    if trials.reading.split is not None:
        remedy = f"ask what it changes with vary ({trials.reading.split}), or choose with where"
        faults.add("trials", "conditions that are not taken apart", "split", remedy)
    for name, own in people.items():
        if (n := int((own.response != Action.WAIT).sum())) < FEWEST_TRIALS:
            remedy = "leave the observer out with observers"
            faults.add("trials", f"at least {FEWEST_TRIALS} answers of {name}", n, remedy)
    if vary:
        check_vary(vary, check_models(plan.models, 1.0), trials, faults)
    if plan.group is not False:
        check_group(plan.group, check_models(plan.models, 1.0), trials, faults)
    faults.raise_if_any()
    return people


def _make_tables(jobs: Sequence[FitJob], progress: Progress) -> None:
    """Make the tables that are needed once, on all cores; workers find them on the disk."""
    needed = check_models(tuple(sorted({job.model for job in jobs})), 1.0)
    guidances = sorted({g for model in needed for g in model.guidances})
    if guidances:
        jobs[0].tables.prepare(guidances, stretch(progress, 0.0, 0.0))
    for job in jobs:
        if isinstance(model := job.made_model, RuleModel):
            model.tables(job.tables, stretch(progress, 0.0, 0.0))


class Work:
    """Where results are kept, who computes them, and what has failed.

    Parameters
    ----------
    store : Path
        A folder that takes files.
    workers : int, optional
        Processes; one for each core when left out.
    scheduler : str, optional
        Address of a running Dask cluster to use instead.
    """

    def __init__(self, store: Path, workers: int | None, scheduler: str | None) -> None:
        self.store, self.workers, self.scheduler = store, workers, scheduler
        self.computed = 0
        self.failed: dict[StoredJob, str] = {}

    @property
    def others_failed(self) -> dict[str, str]:
        """Messages of jobs after the first round."""
        return {
            job.words: why
            for job, why in self.failed.items()
            if not isinstance(job, FitJob) or job.candidate
        }

    def run(
        self, jobs: Sequence[StoredJob], tell: Progress, what: str = "fits"
    ) -> dict[StoredJob, dict[str, Any]]:
        """Return the results of all jobs that did not fail; those that are there are not redone."""
        kept = {job: fit for job in jobs if (fit := job.load(self.store)) is not None}
        missing = [job for job in jobs if job not in kept]
        count = min(self.workers or default_workers(), len(missing))
        for k, (job, result) in enumerate(_results(missing, count, self.scheduler, tell), 1):
            if isinstance(result, str):
                self.failed[job] = result
            else:
                job.save(self.store, result)
                kept[job] = dict(result)
                self.computed += 1
            tell(k / len(missing), f"{len(kept)} of {len(jobs)} {what}")
        return kept


def _results(
    jobs: Sequence[StoredJob], workers: int, scheduler: str | None, progress: Progress
) -> Iterator[tuple[StoredJob, Result]]:
    """Yield the jobs as they are done, with their results."""
    if workers <= 1 and scheduler is None:
        for k, job in enumerate(jobs):
            part = stretch(progress, k / len(jobs), (k + 1) / len(jobs), job.words)
            yield job, _result(job, __version__, part)
    elif jobs:
        from distributed import KilledWorker, as_completed

        with cluster(workers, scheduler) as client:
            futures = {client.submit(_result, job, __version__, pure=False): job for job in jobs}
            for future in as_completed(futures, loop=client.loop):
                try:
                    with cluster_faults():
                        result = future.result()
                except KilledWorker:
                    result = "KilledWorker: several workers died of this fit (out of memory?)"
                yield futures.pop(future), result
                future.release()


def _result(job: StoredJob, version: str, progress: Progress | None = None) -> Result:
    """Run a job, here or on a worker; return what is to be kept, or why it failed."""
    check_version(version)
    try:
        return job.run(progress)
    except Exception as error:  # whatever it was, it is recorded and the others go on
        return f"{type(error).__name__}: {error}"


def _gathered(
    trials: ObservedTrials,
    people: Mapping[str, Responses],
    jobs: Sequence[FitJob],
    kept: Mapping[StoredJob, Mapping[str, Any]],
    failed: Mapping[StoredJob, str],
) -> dict[str, ObserverFits]:
    """Return the fits by observer, models in the order of the plan."""
    fits = {}
    for name, some in people.items():
        own = [job for job in jobs if job.observer == name]
        models = tuple(ModelFit.from_dict(kept[j], j.tables) for j in own if j in kept)
        why = {job.model: failed[job] for job in own if job in failed}
        fits[name] = ObserverFits(name, some, trials.dropped_of(name), models, why)
    return fits


def _effects(
    fits: FittedObservers,
    people: Mapping[str, Responses],
    vary: Mapping[str, tuple[str, ...]],
    shared: tuple[Any, ...],
    work: Work,
    tell: Progress,
) -> ConditionFits | None:
    """Fit the candidates for what a condition changes; None if there is no model to vary."""
    wanted = [*KINDS] if ANY in vary else [*vary]
    if (name := fits.common_model(wanted)) is None:
        return None
    window, set_sizes, plan = shared
    plan = replace(plan, folds=plan.folds or FOLDS, floor=0)
    columns = tuple(dict.fromkeys(column for each in vary.values() for column in each))
    levels = levels_of(columns, people.values())
    (base,) = check_models((name,), window[0])
    jobs = []
    for observer, own in people.items():
        folded = in_folds(own, columns, plan.folds)
        known = replace(fits[observer][name].fitted, tables=None)
        for candidate, varied in candidates(base, vary).items():
            job = FitJob(observer, name, folded, window, set_sizes, plan, varied, levels)
            jobs.append(replace(job, candidate=candidate, known=known))
    kept = work.run(jobs, tell, "fits of conditions")
    made: dict[str, dict[str, ModelFit]] = {observer: {} for observer in people}
    for job in jobs:
        if job in kept:
            made[job.observer][job.candidate] = ModelFit.from_dict(kept[job], job.tables)
    whole = {k: own for k, own in made.items() if len(own) == len(candidates(base, vary))}
    return ConditionFits(whole, columns) if whole else None


def _population(
    fits: FittedObservers,
    effects: ConditionFits | None,
    people: Mapping[str, Responses],
    shared: tuple[Any, ...],
    work: Work,
    tell: Progress,
) -> FittedPopulation | None:
    """Sample the population, in the model that varies if there is one; None if none fits all."""
    window, set_sizes, plan = shared
    if effects is not None:
        separate = {name: own[effects.varied].fitted for name, own in effects.fits.items()}
    elif (common := fits.common_model()) is not None:
        separate = {name: own[common].fitted for name, own in fits.observers.items()}
    else:
        return None
    model = next(iter(separate.values())).model
    varied = (model.vary, model.levels) if isinstance(model, Conditioned) else ({}, {})
    base = model.model if isinstance(model, Conditioned) else model
    some = {name: people[name] for name in separate}
    column = plan.group if isinstance(plan.group, str) else ""
    groups = {k: levels_in(own.columns[column][:1])[0] for k, own in some.items() if column}
    starts = {name: dict(fit.estimates) for name, fit in separate.items()}
    about = (some, base.name, window, set_sizes, plan, *varied, groups, starts, plan.sweeps)
    jobs = [ChainJob(chain, *about) for chain in range(CHAINS)]
    kept = work.run(jobs, tell, "chains of the population")
    chains = tuple(chain_from(kept[job]) for job in jobs if job in kept)
    return FittedPopulation(jobs[0].hierarchy, chains, separate, column) if chains else None
