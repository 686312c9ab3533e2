"""Runs over observers: kept, resumed, failed, on a cluster."""

import json
import math
import shutil
from pathlib import Path
from unittest.mock import Mock

import pytest

from popout.people import fit_report
from popout.people import observers as module
from popout.people.fit_job import _known, run_job
from popout.people.observers import FitPlan, fit_observers
from popout.task import InputError


@pytest.fixture(autouse=True)
def short_report(monkeypatch):
    """Write a page without pictures, which take longer than all else; see test_fit_report."""

    def write(folder, trials, fits, plan, seconds):
        (folder / "report.html").write_text("".join(str(one.failed) for one in fits.values()))
        return folder / "report.html"

    monkeypatch.setattr(fit_report, "write_fit_report", write)


ONE = {"models": ("ex-gaussian",), "workers": 1}


def test_a_repeated_run_computes_nothing_and_says_the_same(observers, tmp_path):
    first = fit_observers(observers, tmp_path, **ONE)
    again = fit_observers(observers, tmp_path, **ONE)
    assert (first.computed, again.computed) == (2, 0)
    assert first.as_dict()["observers"] == again.as_dict()["observers"]


def test_a_run_that_was_killed_goes_on(observers, tmp_path, monkeypatch):
    done = []

    def killed(job, progress=None):
        if done:
            raise KeyboardInterrupt
        done.append(job)
        return run_job(job, progress)

    monkeypatch.setattr(module, "run_job", killed)
    with pytest.raises(KeyboardInterrupt):
        fit_observers(observers, tmp_path, **ONE)
    assert not (tmp_path / "report.html").exists()
    monkeypatch.setattr(module, "run_job", run_job)
    assert fit_observers(observers, tmp_path, **ONE).computed == 1


def test_a_torn_file_is_fitted_again(observers, tmp_path):
    fit_observers(observers, tmp_path, **ONE)
    (data,) = (tmp_path / "fits").glob("ag-*.nc")
    data.write_bytes(data.read_bytes()[:-100])
    assert fit_observers(observers, tmp_path, **ONE).computed == 1


def test_a_failed_fit_does_not_stop_the_others(observers, tmp_path, monkeypatch):
    def fails(job, progress=None):
        if job.observer == "ag":
            raise ArithmeticError("no way")
        return run_job(job, progress)

    monkeypatch.setattr(module, "run_job", fails)
    fits = fit_observers(observers, tmp_path, **ONE)
    assert fits.n_failed == 1
    assert fits["ag"].failed == {"ex-gaussian": "ArithmeticError: no way"}
    assert fits["ag"].best is None
    assert fits["km"].best.model == "ex-gaussian"
    assert "no way" in Path(fits.report).read_text()


def test_progress_is_unknown_until_the_model_has_run_and_ends_at_the_end(observers, tmp_path):
    told = []
    _known.cache_clear()
    fit_observers(observers, tmp_path, progress=lambda share, words: told.append(share), **ONE)
    assert math.isnan(told[0])
    known = [share for share in told if share == share]
    assert all(0.0 < share <= 1.0 for share in known)
    assert known[-1] == told[-1] == 1.0


def test_a_forecast_comes_from_what_has_run(monkeypatch):
    """Three observers, one model ten times slower: nothing before it has run, then 22 of 33 s."""
    jobs = [Mock(model=model) for _ in range(3) for model in ("quick", "slow")]
    clock, told = [0.0], []
    monkeypatch.setattr(module.time, "perf_counter", lambda: clock[0])
    forecast = module.FitForecast(lambda share, words: told.append(share), jobs, workers=1)
    for job, seconds in zip(jobs, [1.0, 10.0] * 3, strict=True):
        clock[0] += seconds
        forecast.done(job, seconds)
        forecast(1.0)
    assert math.isnan(told[0])
    assert told[1:] == pytest.approx([11 / 33, 12 / 33, 22 / 33, 23 / 33, 1.0])


def test_workers_change_no_number(observers, tmp_path):
    alone = fit_observers(observers, tmp_path / "one", **ONE)
    two = fit_observers(observers, tmp_path / "two", models=("ex-gaussian",), workers=2)

    def numbers(fits):
        rows = fits.to_pandas().to_dict("records")
        return json.dumps(rows, default=str)

    assert two.computed == 2
    assert numbers(alone) == numbers(two)


def test_a_cluster_that_is_there_already_changes_no_number(observers, tmp_path):
    from distributed import LocalCluster

    alone = fit_observers(observers, tmp_path / "one", **ONE)
    page = {"scheduler_kwargs": {"dashboard_address": "127.0.0.1:0"}, "dashboard_address": None}
    _known.cache_clear()  # the worker lives in this process, and must not find these fits
    with LocalCluster(
        n_workers=1, processes=False, protocol="tcp", host="127.0.0.1", **page
    ) as local:
        address = local.scheduler_address
        fits = fit_observers(
            observers, tmp_path / "two", models=("ex-gaussian",), scheduler=address
        )
    assert fits.computed == 2
    for name in ("ag", "km"):
        (here,), (there,) = alone[name].records, fits[name].records
        assert here.fitted["parameters"] == there.fitted["parameters"]


def test_few_trials_are_refused_before_anything_is_written(observers, tmp_path):
    few = observers.choose(["ag"])
    few = type(few)({"ag": few["ag"].where(range(10))}, few.reading, few.dropped)
    with pytest.raises(InputError, match="at least 20 answers of ag"):
        fit_observers(few, tmp_path / "out", **ONE)
    assert not (tmp_path / "out").exists()


def test_all_faults_of_a_plan_at_once():
    with pytest.raises(InputError) as caught:
        FitPlan(models=("luck", "luck"), paths=1, folds=-1, seed=-1)
    assert len(caught.value.faults) >= 5


def test_bad_arguments(observers, tmp_path):
    with pytest.raises(InputError, match="workers"):
        fit_observers(observers, tmp_path, models=("ex-gaussian",), workers=0)
    with pytest.raises(InputError, match="read_trials"):
        fit_observers("data.csv", tmp_path, **ONE)
    shutil.rmtree(tmp_path)
    tmp_path.write_text("in the way")
    with pytest.raises(InputError, match="takes files"):
        fit_observers(observers, tmp_path, **ONE)
