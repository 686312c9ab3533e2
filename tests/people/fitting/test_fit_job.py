import json
import math
from dataclasses import replace

import numpy as np
import pytest

from popout.people.fitting.fit_job import YARDSTICK, FitJob, FitPlan, ModelFit, run_job
from popout.people.fitting.fitted_model import FittedModel, Interval
from popout.people.models.search_models import models

from ..conftest import shorten


def job(observers, **changes):
    """Return a job on made-up trials; tables as small as they can be."""
    work = {"paths", "folds", "floor", "seed"} & {*changes}
    plan = FitPlan(**({"paths": 1000} | {name: changes.pop(name) for name in work}))
    own = FitJob("ag", YARDSTICK, observers["ag"], (5.0, 0.15), (1, 4), plan)
    return replace(own, **changes)


def test_a_job_is_known_by_everything_it_depends_on(observers, monkeypatch):
    first = job(observers)
    assert job(observers, observer="km").key == first.key
    blocks = {"block": np.arange(len(first.trials)) // 10}
    in_blocks = replace(first.trials, columns={**first.trials.columns, **blocks})
    changes = {"model": "ideal-serial", "window": (4.0, 0.15), "paths": 2000, "seed": 2, "folds": 2}
    changes |= {"floor": 2, "set_sizes": (1, 4, 8), "trials": first.trials.where(np.arange(50))}
    limit = {"deadline": np.full(len(first.trials), 9.0)}
    limited = replace(first.trials, columns={**first.trials.columns, **limit})
    keys = {job(observers, trials=some).key for some in (first.trials, in_blocks, limited)}
    changes |= {"vary": {"lapse": ("block",)}, "levels": {"block": ("1", "2", "3", "4")}}
    keys |= {job(observers, **{name: value}).key for name, value in changes.items()}
    monkeypatch.setattr("popout.people.fitting.fit_job.FORMAT", 0)
    assert len({*keys, job(observers).key}) == 14


def test_files_of_any_observer_have_names_of_their_own(observers):
    people = ("a/b", "a_b", "ä", "x" * 300, "../..")
    names = {job(observers, observer=name).file for name in people}
    assert len(names) == 5
    assert all(len(name) < 80 and "/" not in name and name.isascii() for name in names)


def test_what_is_kept_is_what_was_found(observers, tmp_path):
    """Every number to the last digit, through a file that any reader of JSON takes."""
    own = job(observers)
    fit = run_job(own)
    own.save(tmp_path, fit.to_dict())
    assert "fit" in json.loads((tmp_path / own.file).read_text(), parse_constant=pytest.fail)
    kept = ModelFit.from_dict(own.load(tmp_path))
    assert kept.fitted.model == fit.fitted.model
    assert kept.as_dict() == fit.as_dict()
    assert kept.fitted.to_dict() == fit.fitted.to_dict()
    np.testing.assert_array_equal(kept.prediction.density, fit.prediction.density)
    assert replace(own, window=(4.0, 0.15)).load(tmp_path) is None
    (tmp_path / own.file).write_bytes((tmp_path / own.file).read_bytes()[:-100])
    assert own.load(tmp_path) is None


def test_a_serial_observer_and_any_guidance_can_be_kept():
    (guided, odd) = models(["free-guided", "ideal-guided:0.1234567891"])
    values = {parameter.name: 0.25 for parameter in guided.parameters} | {"guidance": math.inf}
    errors = {name: Interval(0.1, value, False, "why") for name, value in values.items()}
    fitted = FittedModel(guided, values, errors, -1.5, 9, {3: 9}, covariance=np.eye(2))
    stored = json.loads(json.dumps(ModelFit(fitted).to_dict(), allow_nan=False))
    kept = ModelFit.from_dict(stored).fitted
    assert kept.estimates == values
    assert kept.errors == errors
    assert kept.trials_by_size == {3: 9}
    assert ModelFit.from_dict(ModelFit(replace(fitted, model=odd)).to_dict()).fitted.model == odd


def test_a_model_with_free_thresholds_has_an_index(fits):
    fit = fits["ag"]["free-parallel"]
    assert fit.index.model == "free-parallel"
    again = ModelFit.from_dict(fit.to_dict(), fit.fitted.tables)
    assert again.index.as_dict() == fit.index.as_dict()
    assert again.index.frontier.wasted_ms == fit.index.wasted_ms
    assert fits["ag"]["ideal-parallel"].index is None


@pytest.fixture
def short(monkeypatch, tables):
    """Let the fits be as bad as they like, with the tables of all tests."""
    monkeypatch.setenv("POPOUT_CACHE", str(tables.folder))
    shorten(monkeypatch, 14)
    return {"paths": tables.n_paths, "seed": tables.seed, "set_sizes": tables.set_sizes}


def test_the_floor_is_that_of_ideal_observers_alike(observers, short, monkeypatch):
    asked = []
    monkeypatch.setattr(
        "popout.people.fitting.fit_job.index_floor", lambda *args: asked.append(args) or (1.5, 2.5)
    )
    some = observers["ag"].where(np.arange(0, 240, 2))  # of its own: fits are shared in a process
    own = job(observers, trials=some, model="free-parallel", floor=3, **short)
    index = run_job(own).index
    assert (index.wasted_floor, index.excess_floor) == (1.5, 2.5)
    ((ideal, model, design, _, n, *_),) = asked
    assert model.name == "free-parallel"
    assert "time_cost" in ideal
    assert (design.set_sizes, design.n_trials, n) == ((1, 4), 120, 3)
    assert run_job(replace(own, plan=replace(own.plan, floor=0))).index.wasted_floor is None


def test_blocks_that_were_left_out_are_kept(observers):
    fit = run_job(job(observers, folds=2))
    assert fit.cross_validated < fit.fitted.log_likelihood


def test_jobs_of_one_observer_share_what_they_have_fitted(observers, short, monkeypatch):
    some = observers["ag"].where(np.arange(1, 240, 2))
    names = ("ideal-parallel", "free-parallel", "ideal-guided:1")
    simple, free, other = (job(observers, trials=some, model=name, **short) for name in names)
    run_job(free)  # fits the simpler model on its way
    monkeypatch.setattr("popout.people.models.search_models.fit_model", None)
    assert run_job(simple).name == "ideal-parallel"
    with pytest.raises(TypeError):
        run_job(other)
