"""Files hold tasks and costs without loss, and say all that is wrong with them."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

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
from popout.task.toml import load_problem

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


@settings(max_examples=20, deadline=None)
@given(task=tasks(), cost=cost)
def test_files(task, cost, tmp_path_factory):
    path = tmp_path_factory.mktemp("tasks") / "task.toml"
    save_task(task, path, Costs(cost))
    assert load_task(str(path)) == task
    assert load_costs(path) == Costs(cost)


def test_a_default_stays_a_default():
    """A uniform prior that nobody typed is not written, and still stretches after loading."""
    text = task_to_toml(SearchTask(2, 4.0))
    assert "location_prior" not in text
    assert task_from_toml(text.replace("n_locations = 2", "n_locations = 3")).n_locations == 3
    assert "location_prior" in task_to_toml(SearchTask(2, 4.0, location_prior=(0.5, 0.5)))


@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("*.toml")), ids=lambda p: p.stem)
def test_examples_load(path):
    task = load_task(path)
    assert task_from_toml(task_to_toml(task)) == task
    load_costs(path)


def test_there_is_an_example_of_every_kind():
    kinds = {type(load_task(path)) for path in EXAMPLES.glob("*.toml")}
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
    found = [line.split(": ")[:2] for line in lines]
    assert found == [
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


@pytest.mark.parametrize(
    ("text", "suggestion"),
    [
        ('kind = "Search"', "search"),
        ('kind = "mixture_search"', "mixture-search"),
        ('kind = "mixture search"', "mixture-search"),
        ('kind = "search"\nlocations = 3', "n_locations"),
        ('kind = "search"\ncost = 3', "costs"),
    ],
)
def test_suggestions(text, suggestion):
    assert any(line.endswith(f"did you mean {suggestion}?") for line in lines_of(text))


def test_what_is_far_from_everything_gets_no_suggestion():
    assert not any("did you mean" in line for line in lines_of('kind = "search"\nwxyz = 1'))


def test_task_and_costs_come_together(tmp_path):
    path = tmp_path / "task.toml"
    save_task(SearchTask(2, 4.0), path, Costs(0.2))
    assert load_problem(path) == (SearchTask(2, 4.0), Costs(0.2))
    save_task(SearchTask(2, 4.0), path)
    assert load_problem(path) == (SearchTask(2, 4.0), None)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("kind = ", "line 1: expected valid TOML, got 'kind ='"),
        ("drift = 4", 'task.kind: expected one of "search"'),
        ('kind = "hunt"', "got 'hunt'"),
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


def test_a_task_without_observation_says_so():
    lines = lines_of('kind = "discrimination"\norientations = [0]')
    assert any("observation: expected a GaussianWalk" in line for line in lines)


def test_missing_files_and_tables_are_named(tmp_path):
    with pytest.raises(InputError, match=r"nowhere\.toml: expected a TOML file that can be read"):
        load_task(tmp_path / "nowhere.toml")
    path = tmp_path / "task.toml"
    save_task(SearchTask(2, 4.0), path)
    with pytest.raises(InputError, match=r"expected a table \[costs\]"):
        load_costs(path)
