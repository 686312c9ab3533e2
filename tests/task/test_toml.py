"""Files hold tasks and costs without loss, and say all that is wrong with them."""

import copy
import tomllib
from pathlib import Path

import jsonschema
import pytest
import tomli_w
from hypothesis import given, settings
from hypothesis import strategies as st

from popout.analysis.sweep import Sweep
from popout.analysis.sweep.case import sweep_schema
from popout.task import (
    Costs,
    DiscriminationTask,
    GaussianWalk,
    InputError,
    LimitedSearchTask,
    MixtureSearchTask,
    PoissonSpikes,
    SceneSearchTask,
    SearchTask,
    Task,
    load_costs,
    load_task,
    save_task,
    task_from_toml,
    task_to_toml,
)
from popout.task.toml import load_problem, task_schema

EXAMPLES = Path(__file__).parents[2] / "examples" / "tasks"

positive = st.floats(1e-9, 1e9)
cost = st.floats(1e-4, 1e5)
prior = st.floats(1e-9, 1 - 1e-9)


@st.composite
def distributions(draw, n):
    weight = st.one_of(st.just(0.0), st.floats(1e-6, 1))
    weights = draw(st.lists(weight, min_size=n, max_size=n).filter(any))
    return [w / sum(weights) for w in weights]


@st.composite
def observations(draw, k):
    finite = st.floats(-1e9, 1e9)
    if draw(st.booleans()):
        return GaussianWalk(draw(st.lists(finite, min_size=k, max_size=k)))
    c = draw(st.integers(1, 3))
    spikes = draw(st.booleans())
    row = st.lists(positive if spikes else finite, min_size=c, max_size=c)
    matrix = draw(st.lists(row, min_size=k, max_size=k))
    return PoissonSpikes(matrix) if spikes else GaussianWalk(matrix)


def maybe(strategy):
    return st.one_of(st.none(), strategy)


@st.composite
def tasks(draw):
    kind = draw(st.sampled_from(["search", "limited", "discrimination", "mixture", "scene"]))
    m, k, j = (draw(st.integers(1, 4)) for _ in range(3))
    common = {"dt": draw(positive), "prior": draw(prior)}
    if kind == "search":
        drift = draw(st.one_of(positive, st.lists(positive, min_size=m, max_size=m)))
        return SearchTask(m, drift, location_prior=draw(maybe(distributions(m))), **common)
    if kind == "limited":
        seen = draw(st.one_of(positive, st.lists(positive, min_size=m, max_size=m)))
        where = draw(maybe(distributions(m)))
        return LimitedSearchTask(m, draw(positive), seen, location_prior=where, **common)
    if kind == "discrimination":
        labels = draw(st.lists(st.floats(-180, 180), min_size=k, max_size=k, unique=True))
        p, q = draw(distributions(k)), draw(distributions(k))
        return DiscriminationTask(labels, draw(observations(k)), p, q, **common)
    place = draw(maybe(distributions(m)))
    if kind == "mixture":
        mixtures = [draw(distributions(k)) for _ in range(j)]
        weights = draw(maybe(distributions(j)))
        target = draw(distributions(k))
        return MixtureSearchTask(
            m, range(k), draw(observations(k)), target, mixtures, weights, place, **common
        )
    counts = draw(st.lists(st.integers(1, m), min_size=1, unique=True))
    target, item = ([*draw(distributions(k)), 0] for _ in range(2))
    weights = draw(maybe(distributions(len(counts))))
    return SceneSearchTask(
        m, [*range(k), "blank"], draw(observations(k + 1)), target, item, counts, weights, place,
        **common,
    )  # fmt: skip


@settings(max_examples=80, deadline=None)
@given(tasks(), st.builds(Costs, st.one_of(cost, st.tuples(cost, cost)), cost))
def test_round_trip_without_loss(task, costs):
    text = task_to_toml(task, costs)
    again = task_from_toml(text)
    assert again == task
    assert repr(again) == repr(task)  # -0.0 and 1 against 1.0 would pass ==
    assert task_to_toml(again, costs) == text
    CHECK["task"].validate(tomllib.loads(text))


def test_a_default_stays_a_default():
    """A uniform prior that nobody typed is not written, and still stretches after loading."""
    text = task_to_toml(SearchTask(2, 4.0))
    assert "location_prior" not in text
    assert task_from_toml(text.replace("n_locations = 2", "n_locations = 3")).n_locations == 3
    assert "location_prior" in task_to_toml(SearchTask(2, 4.0, location_prior=(0.5, 0.5)))


def test_examples_of_every_kind_load():
    kinds = set()
    for path in EXAMPLES.glob("*.toml"):
        task = load_task(path)
        load_costs(path)
        kinds.add(type(task))
    assert kinds == set(Task.kinds.values())


def lines_of(text):
    with pytest.raises(InputError) as caught:
        task_from_toml(text)
    return caught.value.lines


def test_all_faults_of_a_file_are_reported_at_once():
    lines = lines_of(
        """
        kind = "mixture-search"
        n_locations = 0
        orientations = [0, 10]
        speed = 3
        mixtures = [[1, 0]]
        [observation]
        kind = "gaussian-walk"
        drift = ["steep", 1]
        gain = 2
        [costs]
        time = -1
        """
    )
    places = [line.split(": ")[:2] for line in lines]
    assert places == [
        ["line 2", "MixtureSearchTask.target_prior"],  # missing: the line that names the kind
        ["line 3", "MixtureSearchTask.n_locations"],
        ["line 5", "MixtureSearchTask.speed"],
        ["line 9", "GaussianWalk.drift[0]"],
        ["line 10", "GaussianWalk.gain"],
        ["line 12", "Costs.time"],
    ]
    assert "got nothing; give P(orientation | target)" in lines[0]


def test_a_wrong_key_gets_its_line_and_a_suggestion(tmp_path):
    path = tmp_path / "task.toml"
    path.write_text('kind = "search"\nn_locations = 2\ndrfit = 4.0\n[costs]\ntimes = 0.2\n')
    with pytest.raises(InputError) as caught:
        load_problem(path)
    missing, wrong, empty, times = caught.value.lines
    assert missing.startswith(
        f"{path}:1: SearchTask.drift: expected a positive number, got nothing"
    )
    assert wrong.startswith(f"{path}:3: SearchTask.drfit: expected one of n_locations, drift, ")
    assert wrong.endswith("got 'drfit'; did you mean drift?")
    assert empty.startswith(f"{path}:4: Costs.time: expected a positive number, got nothing")
    assert times.endswith("got 'times'; did you mean time?")


def test_suggestions():
    for text, meant in {
        'kind = "Search"': "search",
        'kind = "mixture_search"': "mixture-search",
        'kind = "mixture search"': "mixture-search",
        'kind = "search"\nlocations = 3': "n_locations",
        'kind = "search"\ncost = 3': "costs",
    }.items():
        assert any(line.endswith(f"did you mean {meant}?") for line in lines_of(text)), text
    assert not any("did you mean" in line for line in lines_of('kind = "search"\nwxyz = 1'))


def test_task_and_costs_come_together(tmp_path):
    path = tmp_path / "task.toml"
    save_task(SearchTask(2, 4.0), path, Costs(0.2))
    assert load_problem(path) == (load_task(str(path)), load_costs(path))
    assert load_problem(path) == (SearchTask(2, 4.0), Costs(0.2))
    save_task(SearchTask(2, 4.0), path)
    assert load_problem(path) == (SearchTask(2, 4.0), None)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("kind = ", "line 1: expected valid TOML, got 'kind ='"),
        ("drift = 4", 'task.kind: expected one of "search"'),
        ('kind = "hunt"', "got 'hunt'"),
        ('kind = "discrimination"\norientations = [0]', "observation: expected a GaussianWalk"),
        ('kind = "search"\ncosts = 3\nn_locations = 2\ndrift = 4', "Costs: expected a table"),
        (
            'kind = "discrimination"\norientations = [0]\ntarget_prior = [1]\n'
            'distractor_prior = [1]\n[observation]\nkind = "magic"',
            'observation.kind: expected one of "gaussian-walk", "poisson-spikes"',
        ),
    ],
)
def test_other_faults(text, expected):
    assert expected in lines_of(text)[0]


def test_missing_files_and_tables_are_named(tmp_path):
    with pytest.raises(InputError, match=r"nowhere\.toml: expected a TOML file that can be read"):
        load_task(tmp_path / "nowhere.toml")
    path = tmp_path / "task.toml"
    save_task(SearchTask(2, 4.0), path)
    with pytest.raises(InputError, match=r"expected a table \[costs\]"):
        load_costs(path)


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


@pytest.mark.parametrize("path", TASKS + SWEEPS, ids=lambda path: path.stem)
def test_examples_are_valid(path):
    CHECK[path.parent.name.removesuffix("s")].validate(tomllib.loads(path.read_text()))


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
    optional |= {"fixation", "saccade"}
    for key in table.keys() - optional:
        if key == "n_locations" and isinstance(table.get("drift"), list):
            continue
        broken = {name: value for name, value in table.items() if name != key}
        assert not CHECK["task"].is_valid(broken), key
        assert refused_by_program("task", broken), key
