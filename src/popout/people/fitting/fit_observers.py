"""`fit_observers`: models fitted to every observer, kept as they come, and a report on all of them.

The work is one job for each observer and model (`fit_job`). Jobs run on all cores, on a Dask
cluster, or in this process if there is one worker; each is stored whole as soon as it is done, so
that a run that was interrupted, however, goes on with what is missing. A job that fails is recorded
with its message and does not stop the others. Numbers depend on the trials, the models, the tables
and the seed, never on the workers or on interruptions.
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
from popout.people.fitting.fit_job import (
    DEFAULT_MODELS,
    FitJob,
    FitPlan,
    ModelFit,
    answered,
    check_models,
    run_job,
)
from popout.people.fitting.observer_fits import FittedObservers, Key, ObserverFits
from popout.people.reading.observed import ObservedTrials
from popout.progress import Progress, stretch
from popout.reports.store import writable_folder
from popout.task import Faults, InputError

FEWEST_TRIALS = 20
"""Answered trials of an observer below which nothing is fitted."""
Result = Mapping[str, Any] | str
"""`ModelFit.to_dict`, or the message of a failure."""


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
    ...     (Path(folder) / "report.html").is_file(), fits["1"].best.name
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
    jobs = _jobs(trials, plan)
    with _new_folder(Path(out)) as folder:
        store = writable_folder(folder / "fits")
        kept = {job: fit for job in jobs if (fit := job.load(store)) is not None}
        missing = [job for job in jobs if job not in kept]
        count = min(workers or default_workers(), len(missing))
        tell = stretch(progress, 0.0, 1.0)
        _make_tables(missing, tell)
        failed: dict[FitJob, str] = {}
        for k, (job, result) in enumerate(_results(missing, count, scheduler, tell), 1):
            if isinstance(result, str):
                failed[job] = result
            else:
                job.save(store, result)
                kept[job] = dict(result)
            tell(k / len(missing), f"{len(kept)} of {len(jobs)} fits")
    tell(1.0, "writing the report")
    from popout.people.fitting.fit_report import write_fit_report

    observers, computed = _gathered(trials, jobs, kept, failed), len(missing) - len(failed)
    fits = FittedObservers(observers, trials, "", computed, time.perf_counter() - began)
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


def _jobs(trials: ObservedTrials, plan: FitPlan) -> list[FitJob]:
    """Return one job for each observer and model."""
    faults, jobs = Faults("fit_observers"), []
    for group, whole in trials.groups.items():
        some = answered(whole)
        if len(some) < FEWEST_TRIALS:
            remedy = "leave the observer out with observers"
            expected = f"at least {FEWEST_TRIALS} answers of {group.label}"
            faults.add("trials", expected, len(some), remedy)
        shared = (some, trials.reading.slowest, trials.set_sizes, plan)
        jobs += [FitJob(group, model, *shared) for model in plan.models]
    faults.raise_if_any()
    return jobs


def _make_tables(jobs: Sequence[FitJob], progress: Progress) -> None:
    """Make the tables that are needed once, on all cores; workers find them on the disk."""
    needed = check_models(tuple(sorted({job.model for job in jobs})), 1.0)
    guidances = sorted({g for model in needed for g in model.guidances})
    if guidances:
        jobs[0].tables.prepare(guidances, stretch(progress, 0.0, 0.0))


def _results(
    jobs: Sequence[FitJob], workers: int, scheduler: str | None, progress: Progress
) -> Iterator[tuple[FitJob, Result]]:
    """Yield the jobs as they are done, with their results."""
    if workers <= 1 and scheduler is None:
        for k, job in enumerate(jobs):
            words = f"observer {job.group.label}, {job.model}"
            part = stretch(progress, k / len(jobs), (k + 1) / len(jobs), words)
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


def _result(job: FitJob, version: str, progress: Progress | None = None) -> Result:
    """Run a job, here or on a worker; return what is to be kept, or why it failed."""
    check_version(version)
    try:
        return run_job(job, progress).to_dict()
    except Exception as error:  # whatever it was, it is recorded and the others go on
        return f"{type(error).__name__}: {error}"


def _gathered(
    trials: ObservedTrials,
    jobs: Sequence[FitJob],
    kept: Mapping[FitJob, Mapping[str, Any]],
    failed: Mapping[FitJob, str],
) -> dict[Key, ObserverFits]:
    """Return the fits by observer (and condition), models in the order of the plan."""
    fits = {}
    for group, whole in trials.groups.items():
        own, some = [job for job in jobs if job.group == group], answered(whole)
        silent, dropped = len(whole) - len(some), trials.dropped_of(*group)
        models = tuple(ModelFit.from_dict(kept[j], j.tables) for j in own if j in kept)
        why = {job.model: failed[job] for job in own if job in failed}
        fits[group.key] = ObserverFits(group, some, silent, dropped, models, why)
    return fits
