"""Runs over observers: kept, resumed, failed, on a cluster."""

import json
import shutil
from pathlib import Path

import pytest

from popout.people.fitting import fit_job, fit_report
from popout.people.fitting.fit_job import FitPlan, _known, run_job
from popout.people.fitting.fit_observers import fit_observers
from popout.task import InputError


@pytest.fixture(autouse=True)
def short_report(monkeypatch):
    """Write a page without pictures, which take longer than all else; see test_fit_report."""

    def write(folder, fits, plan):
        failed = [str(own.failed) for own in fits.observers.values()]
        (folder / "report.html").write_text("".join(failed))
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

    monkeypatch.setattr(fit_job, "run_job", killed)
    with pytest.raises(KeyboardInterrupt):
        fit_observers(observers, tmp_path, **ONE)
    assert not (tmp_path / "report.html").exists()
    monkeypatch.setattr(fit_job, "run_job", run_job)
    assert fit_observers(observers, tmp_path, **ONE).computed == 1


def test_a_failed_fit_does_not_stop_the_others(observers, tmp_path, monkeypatch):
    def fails(job, progress=None):
        if job.observer == "ag":
            raise ArithmeticError("no way")
        return run_job(job, progress)

    monkeypatch.setattr(fit_job, "run_job", fails)
    fits = fit_observers(observers, tmp_path, **ONE)
    assert fits.n_failed == 1
    assert fits["ag"].failed == {"ex-gaussian": "ArithmeticError: no way"}
    assert fits["ag"].best is None
    assert fits["km"].best.name == "ex-gaussian"
    assert "no way" in Path(fits.report).read_text(encoding="utf-8")


def test_progress_rises_and_ends_at_the_end(observers, tmp_path):
    shares = []
    _known.cache_clear()
    fit_observers(observers, tmp_path, progress=lambda share, words: shares.append(share), **ONE)
    assert shares == sorted(shares)
    assert 0.5 in shares  # of two fits
    assert shares[-1] == 1.0


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
        assert alone[name].best.fitted.estimates == fits[name].best.fitted.estimates


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


def test_arguments_of_another_kind_are_refused(observers, tmp_path):
    with pytest.raises(InputError) as caught:
        fit_observers("data.csv", None, models=3, vary=["age"], group=3, workers=1)
    named = [fault.path[0] for fault in caught.value.faults]
    assert named == ["models", "group", "trials", "out", "vary"]
    for bad in (3, [3], None):
        with pytest.raises(InputError, match="a sequence of words") as caught:
            fit_observers(observers, tmp_path / "out", vary={"information": bad}, **ONE)
        assert caught.value.faults[0].path == ("vary", "information")
    assert not (tmp_path / "out").exists()


def test_the_report_of_another_command_is_kept(observers, tmp_path):
    (tmp_path / "report.json").write_text('{"run": {"made_by": "popout predict"}}')
    with pytest.raises(InputError, match="without a report of popout predict"):
        fit_observers(observers, tmp_path, **ONE)
    assert [path.name for path in tmp_path.iterdir()] == ["report.json"]
