import json
from dataclasses import replace

import numpy as np
import pytest

from popout.people.fit_job import YARDSTICK, FitJob, FitRecord, answered, check_models, run_job
from popout.reports.store import load, save
from popout.task import InputError

from .conftest import shorten
from .lookalikes import shi_like, trials


def job(observers=None, **changes):
    """Return a job on made-up trials; tables as small as they can be."""
    settings = {
        "observer": "ag",
        "model": YARDSTICK,
        "trials": observers["ag"],
        "longest": 5.0,
        "set_sizes": (1, 4),
        "n_paths": 1000,
        "folds": 0,
        "floor": 0,
        "seed": 1,
    }
    return FitJob(**(settings | changes))


def test_a_job_is_known_by_everything_it_depends_on(observers):
    first = job(observers)
    assert job(observers).inputs["key"] == first.inputs["key"]
    keys = {first.inputs["key"]}
    blocks = {"block": np.arange(len(first.trials)) // 10}
    in_blocks = replace(first.trials, columns={**first.trials.columns, **blocks})
    for change in (
        {"model": "ideal-serial"},
        {"longest": 4.0},
        {"n_paths": 2000},
        {"seed": 2},
        {"folds": 2},
        {"floor": 2},
        {"set_sizes": (1, 4, 8)},
        {"trials": observers["ag"].where(np.arange(50))},
        {"trials": in_blocks},
    ):
        keys.add(job(observers, **change).inputs["key"])
    assert len(keys) == 10


def test_files_of_any_observer_have_names_of_their_own(observers):
    names = {job(observers, observer=name).name for name in ("a/b", "a_b", "ä", "x" * 300, "../..")}
    assert len(names) == 5
    assert all(len(name) < 80 and "/" not in name and name.isascii() for name in names)


def test_what_is_kept_is_what_was_found(observers, tmp_path):
    one = job(observers)
    data = run_job(one)
    save(tmp_path, one.inputs, data)
    kept = FitRecord(load(tmp_path, one.inputs).data)
    fitted = one.made_model.fit(one.trials)
    assert kept.model == YARDSTICK
    assert kept.aic == pytest.approx(fitted.aic)
    shown = json.loads(json.dumps(fitted.as_dict()))
    assert kept.fitted["parameters"] == shown["parameters"]
    np.testing.assert_allclose(kept.prediction.mean_rt(), fitted.predict().mean_rt(), rtol=1e-4)
    assert kept.index is None
    assert set(kept.why_not_determined) == {
        name for name, each in fitted.errors.items() if not each.determined
    }


def test_a_model_with_free_thresholds_has_an_index(fits):
    record = fits["ag"]["free-parallel"]
    assert record.index["model"] == "free-parallel"
    assert record.data["frontier_error"].size > 10
    assert fits["ag"]["ideal-parallel"].index is None


@pytest.fixture
def short(monkeypatch, tables):
    """Let the fits be as bad as they like, with the tables of all tests."""
    monkeypatch.setenv("POPOUT_CACHE", str(tables.folder))
    shorten(monkeypatch, 14)
    return {"n_paths": tables.n_paths, "seed": tables.seed, "set_sizes": tables.set_sizes}


def test_the_floor_is_that_of_ideal_observers_alike(observers, short, monkeypatch):
    asked = []
    monkeypatch.setattr(
        "popout.people.fit_job.index_floor", lambda *args: asked.append(args) or (1.5, 2.5)
    )
    some = observers["ag"].where(np.arange(0, 240, 2))  # of its own: fits are shared in a process
    one = job(observers, trials=some, model="free-parallel", floor=3, **short)
    record = FitRecord(run_job(one))
    assert (record.index["wasted_floor"], record.index["excess_floor"]) == (1.5, 2.5)
    ((ideal, model, design, _, n, *_),) = asked
    assert model.name == "free-parallel"
    assert "time_cost" in ideal
    assert (design.set_sizes, design.n_trials, n) == ((1, 4), 120, 3)
    without = FitRecord(run_job(replace(one, floor=0)))
    assert without.index["wasted_floor"] is None


def test_blocks_that_were_left_out_are_kept(observers):
    record = FitRecord(run_job(job(observers, folds=2)))
    assert record.fitted["cross_validated"] < record.fitted["log_likelihood"]


def test_jobs_of_one_observer_share_what_they_have_fitted(observers, short, monkeypatch):
    some = observers["ag"].where(np.arange(1, 240, 2))
    names = ("ideal-parallel", "free-parallel", "ideal-guided:1")
    simple, free, other = (job(observers, trials=some, model=name, **short) for name in names)
    run_job(free)  # fits the simpler model on its way
    monkeypatch.setattr("popout.people.search_models.fit_model", None)  # nothing may be fitted
    assert FitRecord(run_job(simple)).model == "ideal-parallel"
    with pytest.raises(TypeError):
        run_job(other)


def test_names_of_models():
    assert [m.name for m in check_models(("free-guided:2", YARDSTICK), 3.0)] == ["free-guided:2"]
    with pytest.raises(InputError, match="ideal-paralel"):
        check_models(("ideal-paralel",), 3.0)


def test_trials_without_an_answer_are_not_fitted(tmp_path):
    from popout.people.reading import read_trials

    path = tmp_path / "data.csv"
    path.write_text(shi_like(trials()))
    read = read_trials(path)
    assert len(answered(read["ag"])) < len(read["ag"])
    assert (answered(read["ag"]).response > 0).all()
