"""The grid of a sweep: points, identity, and every fault with its line, in Python and a file."""

import itertools
import pickle
import time

import numpy as np
import pytest
import tomli_w
from hypothesis import example, given, settings
from hypothesis import strategies as st

import popout as po
from popout.analysis.sweep import Sweep
from popout.analysis.sweep.case import Settings
from popout.analysis.sweep.grid import MAX_POINTS
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
    assert (last.costs.miss, last.costs.time) == (2.0, (0.1, 0.2))
    assert last.settings == Settings("simulated", "sprt", n_trials=20, time_limit=5.0, seed=3)


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


# -- faults ----------------------------------------------------------------------------------------


def faults_of(text):
    with pytest.raises(InputError) as caught:
        Sweep.from_toml(text, "s.toml")
    return caught.value.lines


def test_every_fault_has_its_line_and_all_come_together():
    text = """\
kind = "search"
drfit = 3
result = "exat"
n_trials = -1
[grid]
n_locations = [2, 3]
drift = [4.0,
  [8, 3], -1]
strategy = ["sprt", "optimul"]
costs.time = [0.1, -2]
prior = []
dt = [0.1, 0.1]
kind = ["search"]
"""
    lines = faults_of(text)
    places = [line.split(": ")[0] for line in lines]
    assert [int(place.removeprefix("s.toml:")) for place in places] == [
        *(2, 3, 4, 7, 7, 9, 10, 11, 12, 13)
    ]
    said = "\n".join(lines)
    for words in (
        "did you mean drift?",
        "did you mean exact?",
        "did you mean optimal?",
        "got -1; +drift",
        "n_locations = 3, drift = (8, 3)",
        "grid.prior: expected a list of values",
        "grid.dt: expected distinct values",
        "grid.kind: expected one kind",
    ):
        assert words in said


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("[grid]", "[gird]"), "grid: expected a table of axes, got nothing"),
        (("time = 0.2", "tmie = 0.2"), "did you mean time?"),
        (('"sprt"', '"optimal"\n[parameters]\na_plus = 1'), "expected no parameters"),
        (('"sprt"', '"a-sprt"\n[parameters]\na_plus = 1'), "all of a_minus, a_plus"),
        (('"sprt"', '"a-sprt"\n[parameters]\na_plus = nan\na_minus=1'), "a finite number, got nan"),
        (('"sprt"', '"sprt"\n[parameters]\na_plus = 1'), "one of tau_minus, tau_plus with sprt"),
        (('simulated"\nstrategy = "sprt', 'tuned"\nstrategy = "optimal'), "for tuned results"),
        (('"simulated"', '"simulated"\ntime_limit = 0.005'), "time_limit: expected at least dt"),
        (("drift = [3, 4.0, 5.0]", "drift = [4, 4.0]"), "grid.drift: expected distinct values"),
        (("drift = [3, 4.0, 5.0]", "drift = [[8, 3], [8.0, 3]]"), "expected distinct values"),
        (("[costs]\ntime = 0.2", "costs = 3"), "costs: expected a table, as costs.time has it"),
        (('"search"', '"scene"'), "task.kind: expected one of"),
        (("drift = [3", 'drift = ["3"'), "drift: expected a positive number, got '3'"),
    ],
)
def test_a_fault_says_what_is_wrong(change, message):
    assert change[0] in FILE
    assert message in "\n".join(faults_of(FILE.replace(*change)))


def test_time_limits_are_compared_with_every_time_step():
    text = FILE + "dt = [0.01, 0.1]\ntime_limit = [5.0,\n0.05]\n"
    (line,) = faults_of(text)
    assert line == (
        "s.toml:14: time_limit: expected at least dt = 0.1 s, got 0.05; give at least one step of "
        "dt (at n_locations = 2, drift = 3, costs.time = 0.2, dt = 0.1, time_limit = 0.05)"
    )
    Sweep.from_toml(FILE + "dt = [0.01, 0.05]\ntime_limit = [5.0, 0.05]\n")


def test_what_only_the_solver_can_do_is_refused_where_there_is_no_equivalent_search():
    axes = {"result": ["exact", "simulated"], "strategy": ["optimal", "sprt"]}
    known = po.MixtureSearchTask.tied(2, [0], [20], {0: 1.0, 20: -1.0})
    assert known.search is not None
    assert Sweep(known, po.Costs(time=1.0), axes).n_points == 4
    unknown = po.MixtureSearchTask.tied(2, [0], [20, 40], {0: 1.0, 20: -1.0, 40: -2.0})
    with pytest.raises(InputError) as caught:
        Sweep(unknown, po.Costs(time=1.0), axes)
    assert [line.split(":")[0] for line in caught.value.lines] == ["result", "strategy"]
    assert unknown.why_no_search in caught.value.lines[0]
    assert not any(line.startswith("line") for line in caught.value.lines)
    assert Sweep(unknown, po.Costs(time=1.0), {"strategy": ["sprt"]}, result="simulated")


def test_whether_there_is_a_search_is_asked_at_every_point_of_the_grid():
    drifts = {0: 1.0, 20: -1.0, 40: -2.0}
    task = po.MixtureSearchTask.independent(2, [0], [20, 40], drifts).as_dict()
    task["mixtures"] = [[1.0, 0.0, 0.0]]
    axes = {"mixtures": [[[1.0, 0.0, 0.0]], [[0.5, 0.5, 0.0]]]}
    with pytest.raises(InputError, match="result: expected simulated or tuned") as caught:
        Sweep(task, po.Costs(time=1.0), axes, result="exact")
    assert len(caught.value.lines) == 1
    del axes["mixtures"][1]
    assert Sweep(task, po.Costs(time=1.0), axes, result="exact").n_points == 1


def test_a_billion_points_are_refused_at_once():
    values = list(range(1, 1001))
    table = {"kind": "search", "result": "exact", "costs": {"time": 0.2}}
    table["grid"] = {"n_locations": values, "drift": values, "dt": values}
    text = tomli_w.dumps(table)
    began = time.process_time()
    (line,) = faults_of(text)
    assert time.process_time() - began < 10
    assert f"at most {MAX_POINTS} points, got '1000 x 1000 x 1000 = 1000000000'" in line


def test_a_pair_of_values_that_do_not_go_together_is_found_in_a_large_grid():
    drifts = [float(k) for k in range(1, 400)]
    table = {"kind": "search", "result": "exact", "costs": {"time": 0.2}}
    table["grid"] = {"dt": [0.01 * k for k in range(1, 101)], "n_locations": [2, 3]}
    table["grid"]["drift"] = [*drifts, [8.0, 3.0]]
    assert "drift = (8.0, 3.0)" in "\n".join(faults_of(tomli_w.dumps(table)))


KEYS = ["kind", "n_locations", "drift", "dt", "prior", "result", "strategy", "seed", "rates"]
KEYS += ["parameters", "costs", "grid", "observation", "a.b", "time_limit", "", "n_trials"]
SCALARS = st.one_of(
    st.integers(-(2**63), 2**63 - 1),
    st.floats(),
    st.booleans(),
    st.text(max_size=5),
    st.sampled_from(["search", "exact", "sprt", "optimal", "tuned"]),
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from([*KEYS, "time", "miss", "a_plus"]), inner, max_size=3)
    ),
    max_leaves=8,
)


@settings(max_examples=200)
@given(st.dictionaries(st.sampled_from(KEYS), VALUES, max_size=6), st.booleans())
@example({"grid": {"a.b": [1], "a": {"b": [2]}}}, True)
@example({"grid": {"costs": [1], "costs.time": [2]}}, True)
def test_whatever_a_file_holds_it_is_a_sweep_or_an_input_error(table, on_top):
    base = {"kind": "search", "n_locations": 2, "drift": 4.0, "result": "exact"}
    whole = {**base, "costs": {"time": 0.2}, "grid": {"drift": [1.0, 2.0]}, **table}
    text = tomli_w.dumps(whole if on_top else table)
    lines = []
    try:
        sweep = Sweep.from_toml(text)
        assert sweep.case(sweep.n_points - 1) is not None
        assert sweep.sha256
    except InputError as error:
        lines = error.lines
    assert all(": expected " in line for line in lines)
