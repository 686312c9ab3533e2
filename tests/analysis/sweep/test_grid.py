"""The grid of a sweep: points and identity, in Python and in a file."""

import itertools
import pickle

import numpy as np
import pytest

import popout as po
from popout.analysis.sweep import Sweep
from popout.task import InputError

FILE = """\
kind = "search"
n_locations = 2
result = "simulated"
strategy = "sprt"

[costs]
time = 0.2

[grid]
n_locations = [2, 4]
drift = [3, 4.0, 5.0]
costs.time = [0.2, 0.5]
"""


def test_points_are_the_product_of_the_axes_the_last_fastest():
    sweep = Sweep.from_toml(FILE)
    wanted = list(itertools.product([2, 4], [3, 4.0, 5.0], [0.2, 0.5]))
    assert sweep.n_points == len(wanted)
    assert sweep.dims == ("n_locations", "drift", "costs_time")
    for index, (n, drift, cost) in enumerate(wanted):
        case = sweep.case(index)
        assert (case.task.n_locations, case.task.drift, case.costs.time) == (n, drift, cost)


def test_python_and_file_describe_the_same_sweep():
    here = Sweep(
        {"kind": "search", "n_locations": 2},
        po.Costs(time=0.2),
        {"n_locations": range(2, 5, 2), "drift": np.array([3.0, 4.0]), "costs.time": (0.2, 0.5)},
        result="simulated",
        strategy="sprt",
    )
    assert Sweep.from_toml(here.text) == here
    assert Sweep.from_toml(here.text).sha256 == here.sha256


def test_any_parameter_can_be_an_axis():
    sweep = Sweep(
        po.MixtureSearchTask.tied(2, [0], [20], {0: 1.0, 20: -1.0}),
        po.Costs(time=1.0),
        {
            "observation.drift": [[1.0, -1.0], [2.0, -2.0]],
            "mixture_prior": [[1.0]],
            "costs.miss": [1.0, 2.0],
            "costs.time": [[0.1, 0.2]],
            "result": ["simulated"],
            "strategy": ["a-sprt", "sprt"],
            "n_trials": [10, 20],
            "seed": [1, 2, 3],
        },
        time_limit=5.0,
    )
    last = sweep.case(sweep.n_points - 1)
    assert last.task.observation.drift[0] == pytest.approx(2.0)
    assert (last.costs.miss, last.costs.time, last.strategy) == (2.0, (0.1, 0.2), "sprt")
    assert (last.n_trials, last.seed, last.time_limit) == (20, 3, 5.0)


def test_comments_leave_the_identity_and_values_change_it():
    sha = Sweep.from_toml(FILE).sha256
    assert Sweep.from_toml("# words\n" + FILE.replace("0.2\n", "0.20 # words\n")).sha256 == sha
    assert Sweep.from_toml(FILE + "prior = [0.5]\n").sha256 != sha
    assert Sweep.from_toml("seed = 2\n" + FILE).sha256 != sha
    assert Sweep.from_toml("n_trials = 100000\n" + FILE).sha256 == sha  # the default


@pytest.mark.parametrize("value", [None, {1.0}, object()])
def test_what_no_file_could_hold_is_refused(value):
    with pytest.raises(InputError, match="sweep: expected numbers, strings, lists and tables"):
        Sweep(
            {"kind": "search", "n_locations": 2}, {"time": 0.2}, {"drift": [value]}, result="exact"
        )


def test_a_sweep_travels_to_a_worker():
    sweep = Sweep.from_toml(FILE)
    again = pickle.loads(pickle.dumps(sweep))
    assert (again, again.sha256, again.case(3)) == (sweep, sweep.sha256, sweep.case(3))
