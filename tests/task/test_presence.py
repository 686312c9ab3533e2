"""Tasks as cards and as displays."""

import math
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.figure import Figure

import popout as po
from popout.drawing.displays import TARGET
from popout.task.displays import share_out

EXAMPLES = sorted((Path(__file__).parents[2] / "examples" / "tasks").glob("*.toml"))
TASKS = [
    *(po.load_task(path) for path in EXAMPLES),
    po.SearchTask(n_locations=3, drift=4.0, location_prior=(0.2, 0.5, 0.3)),
    po.SearchTask(n_locations=1, drift=4.0),
    po.SceneSearchTask.from_sets(1, [0], [20], [1], {20: -4, 0: 4, "blank": -12}),
    po.MixtureSearchTask.independent(1, [0], [20], {20: -4, 0: 4}),
]


def probabilities(task):
    """Return P(orientation) of the target and of a non-target location, for any kind of task."""
    if isinstance(task, po.SearchTask):
        return (0.0, 25.0), (0.0, 1.0), (1.0, 0.0), False
    distractor = getattr(task, "distractor_prior", None) or getattr(task, "item_prior", None)
    if distractor is None:
        distractor = [sum(phi[k] for phi in task.mixtures) for k in range(len(task.orientations))]
    blank = "blank" in task.orientations
    return task.orientations, distractor, task.target_prior, blank


@pytest.mark.parametrize("task", TASKS, ids=lambda task: type(task).__name__)
def test_a_display_is_one_that_the_task_can_show(task):
    tilts, target, _ = task._example()
    labels, distractor, of_target, may_be_blank = probabilities(task)
    assert len(tilts) == task.n_locations
    assert getattr(task, "location_prior", (1.0,))[target] == max(
        getattr(task, "location_prior", (1.0,))
    )
    assert of_target[labels.index(tilts[target])] == max(of_target)
    for place, tilt in enumerate(tilts):
        if place != target:
            possible = may_be_blank if math.isnan(tilt) else distractor[labels.index(tilt)] > 0
            assert possible
    if isinstance(task, po.SceneSearchTask):
        assert sum(math.isfinite(tilt) for tilt in tilts) in task.counts


@pytest.mark.parametrize("task", TASKS, ids=lambda task: type(task).__name__)
def test_plot_draws_the_items_and_colours_one(task):
    ax = Figure().subplots()
    assert task.plot(ax) is ax
    bars = [line for line in ax.lines if len(line.get_xdata()) == 2]
    tilts, _, words = task._example()
    assert len(bars) == sum(math.isfinite(tilt) for tilt in tilts)
    assert [bar.get_color() for bar in bars].count(TARGET) == 1
    assert ax.get_xlabel() == words


@pytest.mark.parametrize("task", TASKS, ids=lambda task: type(task).__name__)
def test_text_names_the_numbers_and_repr_gives_the_task_back(task):
    names = {name: getattr(po, name) for name in po.__all__ if name[0].isupper()}
    assert eval(repr(task), names) == task
    text = str(task)
    assert f"{task.prior:g}" in text
    assert f"{task.dt:g} s" in text
    assert "0x" not in text
    assert task._repr_html_().count("<table>") == 1 + (not isinstance(task, po.SearchTask))


def test_costs_say_the_unit_of_time():
    assert "0.2 /s" in str(po.Costs(time=0.2))
    assert "0.1 /s while absent, 0.3 /s while present" in str(po.Costs(time=(0.1, 0.3)))


@given(st.lists(st.integers(0, 5), min_size=1, max_size=5).filter(any), st.integers(0, 40))
def test_places_are_shared_out_as_the_probabilities_say(weights, n):
    p = [w / sum(weights) for w in weights]
    given_out = Counter(share_out(p, n))
    assert sum(given_out.values()) == n
    for k, share in enumerate(p):
        # A greedy share is within one place of its due for two outcomes, and close for a few.
        assert abs(given_out[k] - share * n) < len(p)
        assert share > 0 or given_out[k] == 0
