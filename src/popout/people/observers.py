"""`fit_observers`: models fitted to every observer, kept as they come, and a report on all of them.

The work is one job for each observer and model (`fit_job`). Jobs run on all cores, on a Dask
cluster, or in this process if there is one worker; each is stored whole as soon as it is done, so
that a run that was interrupted, however, goes on with what is missing. How long the rest takes is
said once every model has run, from the times that they took: models differ tenfold. A job that
fails is recorded with its message and does not stop the others. Numbers depend on the trials, the
models, the tables and the seed, never on the workers or on interruptions.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import xarray as xr

from popout._version import __version__
from popout.analysis.sweep.cluster import (
    check_main,
    check_version,
    cluster,
    cluster_faults,
    default_workers,
)
from popout.people.fit import needs
from popout.people.fit_job import (
    DEFAULT_MODELS,
    YARDSTICK,
    FitJob,
    FitRecord,
    answered,
    check_models,
    run_job,
)
from popout.people.fitted_conditions import Key
from popout.people.fitted_observers import FittedObservers, ObserverFits
from popout.people.observed import Group, ObservedTrials
from popout.people.tables import Tables
from popout.progress import UNKNOWN, Progress, stretch
from popout.reports.store import load, save, writable_folder
from popout.task import Faults, InputError

if TYPE_CHECKING:
    from distributed import Client

FEWEST_PATHS, MOST_PATHS = 1000, 10**7
FEWEST_TRIALS = 20
"""Answered trials of an observer below which nothing is fitted."""


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
        faults.integer(
            "paths", self.paths, "100000 will do", at_least=FEWEST_PATHS, at_most=MOST_PATHS
        )
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


def fit_observers(
    trials: ObservedTrials,
    out: str | Path,
    *,
    models: Sequence[str] = DEFAULT_MODELS,
    paths: int = 100_000,
    folds: int = 0,
    floor: int = 0,
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
        own; and ``ex-gaussian``, the yardstick.
    paths : int
        Of each table of first passages; the error of log likelihoods falls with its root.
    folds : int
        Of a cross-validation over blocks.
    floor : int
        Ideal observers that are simulated and fitted for each observer, for the floor of indices.
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
    ...     (Path(folder) / "report.html").is_file(), fits["1"].best.model
    (True, 'ex-gaussian')
    """
    began = time.perf_counter()
    if workers != 1:
        check_main()
    plan = FitPlan(tuple(models), paths, folds, floor, seed)
    faults = Faults("fit_observers")
    if workers is not None:
        faults.integer("workers", workers, "count the processes", at_least=1, at_most=10_000)
    if not isinstance(trials, ObservedTrials):
        faults.add("trials", "ObservedTrials", trials, "read them with popout.read_trials")
    faults.raise_if_any()
    _check_libraries(plan)
    jobs = _jobs(trials, plan)
    with _new_folder(Path(out)) as folder:
        store = writable_folder(folder / "fits")
        kept = {job: stored.data for job in jobs if (stored := load(store, job.inputs)) is not None}
        missing = [job for job in jobs if job not in kept]
        count = min(workers or default_workers(), len(missing))
        forecast = FitForecast(progress, missing, count)
        _make_tables(missing, plan, forecast)
        failed: dict[FitJob, str] = {}
        for job, result, seconds in _results(missing, count, scheduler, forecast):
            if isinstance(result, str):
                failed[job] = result
            else:
                kept[job] = save(store, job.inputs, result).data
            forecast.done(job, seconds)
            forecast(1.0, f"{len(kept)} of {len(jobs)} fits")
    forecast(1.0, "writing the report")
    from popout.people.fit_report import write_fit_report

    fits = _gathered(trials, jobs, kept, failed)
    seconds = time.perf_counter() - began
    report = write_fit_report(folder, trials, fits, plan, seconds)
    return FittedObservers(fits, trials, str(report), len(missing) - len(failed), seconds)


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


def _check_libraries(plan: FitPlan) -> None:
    try:
        if plan.models != (YARDSTICK,):
            needs("cma")
    except ImportError as error:
        raise InputError(str(error)) from error


def _jobs(trials: ObservedTrials, plan: FitPlan) -> list[FitJob]:
    """Return one job for each observer and model."""
    reading, faults = trials.reading, Faults("fit_observers")
    jobs = []
    for group, one in trials.groups.items():
        some = answered(one)
        if len(some) < FEWEST_TRIALS:
            remedy = "leave the observer out with observers"
            expected = f"at least {FEWEST_TRIALS} answers of {group.label}"
            faults.add("trials", expected, len(some), remedy)
        jobs += [
            FitJob(
                observer=group.observer,
                condition=group.condition,
                model=model,
                trials=some,
                longest=reading.slowest,
                set_sizes=trials.set_sizes,
                n_paths=plan.paths,
                folds=plan.folds,
                floor=plan.floor,
                seed=plan.seed,
            )
            for model in plan.models
        ]
    faults.raise_if_any()
    return jobs


def _make_tables(jobs: Sequence[FitJob], plan: FitPlan, progress: Progress) -> None:
    """Make the tables that are needed once, on all cores; workers find them on the disk."""
    names = {job.model for job in jobs} - {YARDSTICK}
    if not names:
        return
    needed = check_models(tuple(sorted(names)), 1.0)
    guidances = sorted({g for model in needed for g in model.guidances})
    tables = Tables(jobs[0].set_sizes, n_paths=plan.paths, seed=plan.seed)
    tables.prepare(guidances, progress)


class FitForecast:
    """How far the fits are, as a share of the time that they take: from those that have run.

    Parameters
    ----------
    progress : Progress, optional
        Told `UNKNOWN` until every model that is missing has run once; then the time passed over
        itself and what is left, a mean time of its model for every missing job.
    jobs : sequence of FitJob
    workers : int
    """

    def __init__(self, progress: Progress | None, jobs: Sequence[FitJob], workers: int) -> None:
        self.progress, self.missing, self.workers = progress, set(jobs), max(workers, 1)
        self.seconds: dict[str, list[float]] = {}
        self.began = self.latest = time.perf_counter()

    def done(self, job: FitJob, seconds: float) -> None:
        """Note that a job is done, and what it took."""
        self.missing.discard(job)
        self.seconds.setdefault(job.model, []).append(seconds)
        self.latest = time.perf_counter()

    def __call__(self, share: float, words: str = "") -> None:
        """Tell words; the share of the part at hand says nothing about the whole."""
        if self.progress is None:
            return
        whole, now = UNKNOWN, time.perf_counter()
        if all(job.model in self.seconds for job in self.missing):
            means = {model: sum(each) / len(each) for model, each in self.seconds.items()}
            left = sum(means[job.model] for job in self.missing) / self.workers
            left = max(left - (now - self.latest), 0.0)
            whole = (now - self.began) / max(now - self.began + left, 1e-9)
        self.progress(whole, words)


def _results(
    jobs: Sequence[FitJob], workers: int, scheduler: str | None, progress: Progress
) -> Iterator[tuple[FitJob, xr.Dataset | str, float]]:
    """Yield the jobs as they are done, with data or the message of a failure, and seconds."""
    if not jobs:
        return
    if workers == 1 and scheduler is None:
        for job in jobs:
            words = f"observer {Group(job.observer, job.condition).label}, {job.model}"
            yield job, *_timed(job, stretch(progress, 0.0, 1.0, words))
        return
    with cluster(workers, scheduler) as client:
        yield from _on_cluster(jobs, client)


def _on_cluster(
    jobs: Sequence[FitJob], client: Client
) -> Iterator[tuple[FitJob, xr.Dataset | str, float]]:
    from distributed import KilledWorker, as_completed

    handed_out = {client.submit(_run_on_worker, job, __version__, pure=False): job for job in jobs}
    for future in as_completed(handed_out, loop=client.loop):
        try:
            with cluster_faults():
                result, seconds = future.result()
        except KilledWorker:
            result, seconds = "KilledWorker: several workers died of this fit (out of memory?)", 0.0
        yield handed_out.pop(future), result, seconds
        future.release()


def _run_on_worker(job: FitJob, version: str) -> tuple[xr.Dataset | str, float]:
    """Run a job on a cluster."""
    check_version(version)
    return _timed(job)


def _timed(job: FitJob, progress: Progress | None = None) -> tuple[xr.Dataset | str, float]:
    """Run a job; return its data, or the message of its failure, and the seconds it took."""
    began = time.perf_counter()
    result: xr.Dataset | str
    try:
        result = run_job(job, progress)
    except Exception as error:  # whatever it was, it is recorded and the others go on
        result = f"{type(error).__name__}: {error}"
    return result, time.perf_counter() - began


def _gathered(
    trials: ObservedTrials,
    jobs: Sequence[FitJob],
    kept: dict[FitJob, xr.Dataset],
    failed: dict[FitJob, str],
) -> dict[Key, ObserverFits]:
    """Return the fits by observer (and condition), models in the order of the plan."""
    found = {}
    for group, one in trials.groups.items():
        own = [job for job in jobs if (job.observer, job.condition) == group]
        found[group.key] = ObserverFits(
            observer=group.observer,
            trials=answered(one),
            no_answer=len(one) - len(answered(one)),
            dropped=trials.dropped_of(*group),
            records=tuple(FitRecord(kept[job]) for job in own if job in kept),
            failed={job.model: failed[job] for job in own if job in failed},
            condition=group.condition,
        )
    return found
