"""Results: no line that was written is lost, none half written believed; the store is whole."""

import json
import resource

import numpy as np
import pytest
import xarray as xr

import popout as po
from popout.analysis.sweep import Sweep, results
from popout.analysis.sweep.point import Outcome
from popout.analysis.sweep.results import Lines
from popout.task import InputError

OUTCOMES = [
    Outcome(0, 0.5, {"risk": 0.1 + 0.2, "a_plus": float("inf"), "point_seed": 2**63 - 1}),
    Outcome(7, 1.5, {}, "ValueError: no\nluck \N{GREEK SMALL LETTER MU}"),
    Outcome(3, 0.25, {"risk": 1e-300}),
]


@pytest.fixture
def place(tmp_path):
    """Return where a store may go."""
    return tmp_path / "s.zarr"


@pytest.fixture
def lines(make, place):
    """Return lines of three points."""
    lines = Lines(place, make())
    lines.append(OUTCOMES)
    return lines


def test_torn_anywhere_the_points_before_are_kept_and_the_next_ones_follow(make, lines, place):
    assert list(Lines(place, make())) == OUTCOMES
    whole = lines.path.read_bytes()
    ends = [k + 1 for k, byte in enumerate(whole) if byte == ord("\n")]
    near = {end + k for end in ends for k in (-2, -1, 0, 1)}
    for length in sorted({*range(0, len(whole), 37), *near} & set(range(len(whole)))):
        lines.path.write_bytes(whole[:length])
        kept = max(0, sum(end <= length for end in ends) - 1)
        again = Lines(place, make())
        assert list(again) == OUTCOMES[:kept]
        assert again.is_new == (length < ends[0])
        again.append(OUTCOMES[:1])
        assert list(again) == [*OUTCOMES[:kept], OUTCOMES[0]]


@pytest.mark.parametrize(
    ("seed", "version", "message"),
    [
        (2, results.__version__, "belongs to another sweep"),
        (1, "9.9", "expected a store begun by popout 9.9"),
    ],
)
def test_foreign_lines_are_refused_and_left_alone(
    make, lines, place, monkeypatch, seed, version, message
):
    before = lines.path.read_bytes()
    monkeypatch.setattr(results, "__version__", version)
    with pytest.raises(InputError, match=message):
        Lines(place, make(seed=seed))
    assert lines.path.read_bytes() == before


def test_a_full_disk_is_one_message_and_loses_nothing_before(make, lines, place):
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (lines.path.stat().st_size + 10, limits[1]))
    try:
        with pytest.raises(InputError, match="File too large"):
            lines.append(OUTCOMES[:1])
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert list(Lines(place, make())) == OUTCOMES


# -- the dataset ----------------------------------------------------------------------------------


def good(index, risk):
    return Outcome(index, 1.0, {"risk": risk, "undecided": 0.0, "point_seed": index})


def test_dataset_is_labelled_and_tells_what_is_missing(make, place):
    sweep = make({"costs.time": [0.1, 0.2], "strategy": ["sprt", "hardmax"], "drift": [4, 5.5]})
    outcomes = [good(0, 0.5), Outcome(5, 1.0, {}, "ValueError: no luck"), good(7, 0.25)]
    results.write_store(results.dataset(sweep, outcomes), place)
    data = xr.open_dataset(place, engine="zarr")
    assert dict(data.sizes) == {"costs_time": 2, "strategy": 2, "drift": 2}
    assert data["drift"].values.tolist() == [4.0, 5.5]
    last = data.sel(costs_time=0.2, strategy="hardmax", drift=5.5)
    assert [last[name].item() for name in ("risk", "point_seed", "status")] == [0.25, 7, "done"]
    assert np.count_nonzero(np.isnan(data["risk"])) == 6
    failed = data.sel(costs_time=0.2, strategy="sprt", drift=5.5)
    assert (failed["status"].item(), failed["message"].item()) == ("failed", "ValueError: no luck")
    assert data["status"].values.ravel().tolist().count("missing") == 5


def test_units_seed_versions_and_the_sweep_are_inside(make, place):
    sweep = make(seed=9)
    results.write_store(results.dataset(sweep, []), place)
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
    data = results.dataset(sweep, [])
    assert data["drift"].values.tolist() == ["8.0, 3.0", "15, 3", "4.0"]
    assert data["costs_time"].values.tolist() == ["0.1, 0.2", "0.1"]


def test_only_quantities_that_can_be_there_are_there(make):
    exact = results.variables(make(result="exact", strategy="optimal"))
    assert {"risk_error", "error_rate_error"} <= set(exact)
    assert not {"risk_se", "undecided", "a_plus"} & set(exact)
    both = make({"result": ["exact", "simulated"]}, strategy="a-sprt")
    assert {"risk_error", "risk_se", "a_plus", "a_plus_se"} <= set(results.variables(both))


def test_a_later_outcome_replaces_an_earlier_one(make):
    outcomes = [Outcome(1, 1.0, {}, "failed first"), good(1, 0.5)]
    data = results.dataset(make(), outcomes)
    assert data["status"].values.ravel()[:2].tolist() == ["missing", "done"]
    assert (data["message"] == "").all()


@pytest.mark.parametrize("moment", ["to_zarr", "rename"])
def test_an_interrupted_writing_leaves_the_old_store(make, place, monkeypatch, moment):
    sweep = make()
    results.write_store(results.dataset(sweep, [good(0, 0.5)]), place)
    owner = xr.Dataset if moment == "to_zarr" else type(place)
    real = getattr(owner, moment)

    def cut(*args, **settings):
        if moment == "to_zarr":
            real(*args, **settings)
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(owner, moment, cut)
        with pytest.raises(KeyboardInterrupt):
            results.write_store(results.dataset(sweep, [good(0, 0.7)]), place)
    assert xr.open_dataset(place, engine="zarr")["risk"].values.ravel()[0] == 0.5
    results.write_store(results.dataset(sweep, [good(0, 0.7)]), place)
    assert xr.open_dataset(place, engine="zarr")["risk"].values.ravel()[0] == 0.7
    assert [path.name for path in place.parent.iterdir()] == [place.name]
