"""The published schemas: equal to the code, and of one mind with it about files."""

import copy
import json
import tomllib
from pathlib import Path

import jsonschema
import pytest
import tomli_w
from hypothesis import given, settings
from hypothesis import strategies as st

from popout.analysis.sweep import Sweep
from popout.analysis.sweep.case import sweep_schema
from popout.task import Costs, InputError, task_from_toml, task_to_toml
from popout.task.schema import task_schema

from .test_toml import cost, tasks

ROOT = Path(__file__).parents[2]
TASKS = sorted((ROOT / "examples" / "tasks").glob("*.toml"))
SWEEPS = sorted((ROOT / "examples" / "sweeps").glob("*.toml"))
CHECK = {
    "task": jsonschema.Draft202012Validator(task_schema()),
    "sweep": jsonschema.Draft202012Validator(sweep_schema()),
}


def refused_by_program(kind, table):
    try:
        text = tomli_w.dumps(table)
        task_from_toml(text) if kind == "task" else Sweep.from_toml(text)
    except InputError:
        return True
    return False


@pytest.mark.parametrize("kind", CHECK)
def test_the_published_file_is_that_of_the_code(kind):
    text = (ROOT / "schemas" / f"{kind}.schema.json").read_text()
    remedy = f"run: popout schema {kind} > schemas/{kind}.schema.json"
    assert json.loads(text) == CHECK[kind].schema, remedy
    jsonschema.Draft202012Validator.check_schema(json.loads(text))


@pytest.mark.parametrize("path", TASKS + SWEEPS, ids=lambda path: path.stem)
def test_examples_are_valid(path):
    CHECK[path.parent.name.removesuffix("s")].validate(tomllib.loads(path.read_text()))


@settings(max_examples=100, deadline=None)
@given(tasks(), st.builds(Costs, st.one_of(cost, st.tuples(cost, cost)), cost))
def test_what_is_saved_is_valid(task, costs):
    CHECK["task"].validate(tomllib.loads(task_to_toml(task, costs)))


# Faults of shape, each put into every table of every example that has the key.
WRONG = {
    "kind": ["hunt", 1],
    "n_locations": [0, -1, 2.5, "two", 10**9, [2]],
    "drift": ["fast", [], True],
    "information": [0, -1, "much", [4]],
    "visibility": ["well", [], 0, [0]],
    "dt": [0, -0.01, "short"],
    "prior": [0, 1, 1.5, "half", [0.5]],
    "location_prior": [[], [-0.5, 1.5], 0.5],
    "target_prior": [[], "sure", [-1, 1, 1]],
    "mixtures": [[], 1, [1, 0], [["a"]]],
    "orientations": [[], 20, [20, 20], ["empty"]],
    "counts": [[], [0], [1.5], 3],
    "rate": [[], [[0, 1]], [1, 2], "high"],
    "time": [0, -1, [0.1], [0.1, 0.2, 0.3], "long"],
    "miss": [0, "one"],
    "observation": [3, {"kind": "magic"}, {}],
    "costs": [3, "low"],
    "result": ["guessed", 1],
    "strategy": ["luck", 3],
    "n_trials": [1, 0.5, "many", 10**18],
    "tune_trials": [1],
    "seed": [-1, "x"],
    "rtol": [0, 1, "fine"],
    "rates": ["yes", 1],
    "time_limit": [0, -1],
    "grid": [3, {}, {"drift": 4}, {"drift": []}, {"drfit": [4]}],
}
WRONG_AXES = {
    "n_locations": [[0], [2.5], [], 3, [2, 2]],
    "drift": [["fast"], [[]], [-1.0]],
    "prior": [[0.5, 1]],
    "strategy": [["luck"]],
    "n_trials": [[1]],
    "kind": [["search"]],
}


def faulty_files():
    for path in TASKS + SWEEPS:
        kind = path.parent.name.removesuffix("s")
        table = tomllib.loads(path.read_text())
        places = [(), *[(key,) for key, value in table.items() if isinstance(value, dict)]]
        for place in places:
            if place == ("parameters",):
                continue
            wrong = WRONG_AXES if place == ("grid",) else WRONG
            inside = table[place[0]] if place else table
            varied = table.get("grid", {}) if not place else {}  # an axis replaces the base
            for key, values in wrong.items():
                for value in values if key in inside and key not in varied else []:
                    yield kind, path, table, place, key, value
            yield kind, path, table, place, "colour", "red"


def test_both_refuse_faults_of_shape():
    agreed = 0
    for kind, path, table, place, key, value in faulty_files():
        broken = copy.deepcopy(table)
        (broken[place[0]] if place else broken)[key] = value
        said = f"{path.stem}: {place} {key} = {value!r}"
        assert not CHECK[kind].is_valid(broken), f"the schema accepts {said}"
        assert refused_by_program(kind, broken), f"the program accepts {said}"
        agreed += 1
    assert agreed > 250


@pytest.mark.parametrize("path", TASKS, ids=lambda path: path.stem)
def test_both_refuse_a_missing_key(path):
    table = tomllib.loads(path.read_text())
    optional = {"costs", "dt", "prior", "location_prior", "mixture_prior", "count_prior"}
    for key in table.keys() - optional:
        if key == "n_locations" and isinstance(table.get("drift"), list):
            continue
        broken = {name: value for name, value in table.items() if name != key}
        assert not CHECK["task"].is_valid(broken), key
        assert refused_by_program("task", broken), key
