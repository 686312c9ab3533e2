"""The store: labelled, with units and the sweep inside, and always whole."""

import json

import numpy as np
import pytest
import xarray as xr

import popout as po
from popout.analysis.sweep import Sweep, store
from popout.analysis.sweep.journal import journal_folder
from popout.analysis.sweep.point import Outcome


@pytest.fixture
def place(tmp_path):
    """Return where a store may go; the folder of the journal is there, as in a run."""
    journal_folder(tmp_path / "s.zarr").mkdir()
    return tmp_path / "s.zarr"


def good(index, risk):
    return Outcome(index, 1.0, {"risk": risk, "undecided": 0.0, "point_seed": index})


def test_dataset_is_labelled_and_tells_what_is_missing(make, place):
    sweep = make({"costs.time": [0.1, 0.2], "strategy": ["sprt", "hardmax"], "drift": [4, 5.5]})
    outcomes = [good(0, 0.5), Outcome(5, 1.0, {}, "ValueError: no luck"), good(7, 0.25)]
    store.write_store(store.dataset(sweep, outcomes), place)
    data = xr.open_dataset(place, engine="zarr")
    assert dict(data.sizes) == {"costs_time": 2, "strategy": 2, "drift": 2}
    assert data["drift"].values.tolist() == [4.0, 5.5]
    one = data.sel(costs_time=0.2, strategy="hardmax", drift=5.5)
    assert (one["risk"].item(), one["point_seed"].item(), one["status"].item()) == (0.25, 7, "done")
    assert np.count_nonzero(np.isnan(data["risk"])) == 6
    failed = data.sel(costs_time=0.2, strategy="sprt", drift=5.5)
    assert (failed["status"].item(), failed["message"].item()) == ("failed", "ValueError: no luck")
    assert data["status"].values.ravel().tolist().count("missing") == 5


def test_units_seed_versions_and_the_sweep_are_inside(make, place):
    sweep = make(seed=9)
    store.write_store(store.dataset(sweep, []), place)
    data = xr.open_dataset(place, engine="zarr")
    assert data["mean_rt_absent"].attrs["units"] == "s"
    assert data["drift"].attrs["units"] == "1/s"
    assert all(data[name].attrs["long_name"] for name in data.variables)
    assert data.attrs["seed"] == "9"
    assert data.attrs["popout_version"] == po.__version__
    assert json.loads(data.attrs["versions"])["numpy"] == np.__version__
    assert Sweep.from_toml(data.attrs["sweep"]) == sweep


def test_lists_are_labelled_by_their_text(make):
    sweep = make({"drift": [[8.0, 3.0], [15, 3], 4.0], "costs.time": [[0.1, 0.2], 0.1]})
    data = store.dataset(sweep, [])
    assert data["drift"].values.tolist() == ["8.0, 3.0", "15, 3", "4.0"]
    assert data["costs_time"].values.tolist() == ["0.1, 0.2", "0.1"]


def test_only_quantities_that_can_be_there_are_there(make):
    exact = store.variables(make(result="exact", strategy="optimal"))
    assert {"risk_error", "error_rate_error"} <= set(exact)
    assert not {"risk_se", "undecided", "a_plus"} & set(exact)
    both = make({"result": ["exact", "simulated"]}, strategy="a-sprt")
    assert {"risk_error", "risk_se", "a_plus", "a_plus_se"} <= set(store.variables(both))


def test_a_later_outcome_replaces_an_earlier_one(make):
    outcomes = [Outcome(1, 1.0, {}, "failed first"), good(1, 0.5)]
    data = store.dataset(make(), outcomes)
    assert data["status"].values.ravel()[:2].tolist() == ["missing", "done"]
    assert (data["message"] == "").all()


@pytest.mark.parametrize("moment", ["to_zarr", "rename"])
def test_an_interrupted_writing_leaves_the_old_store(make, place, monkeypatch, moment):
    sweep = make()
    store.write_store(store.dataset(sweep, [good(0, 0.5)]), place)
    owner = xr.Dataset if moment == "to_zarr" else type(place)
    real = getattr(owner, moment)

    def cut(*args, **settings):
        if moment == "to_zarr":
            real(*args, **settings)
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(owner, moment, cut)
        with pytest.raises(KeyboardInterrupt):
            store.write_store(store.dataset(sweep, [good(0, 0.7)]), place)
    assert xr.open_dataset(place, engine="zarr")["risk"].values.ravel()[0] == 0.5
    store.write_store(store.dataset(sweep, [good(0, 0.7)]), place)
    assert xr.open_dataset(place, engine="zarr")["risk"].values.ravel()[0] == 0.7
    assert list(journal_folder(place).iterdir()) == []
