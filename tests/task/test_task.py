"""What every task has: a card, words, a picture, and perhaps an equivalent search."""

import math

import numpy as np
import pytest
from example_tasks import TASKS
from matplotlib.figure import Figure

import popout as po
from popout.drawing.display_picture import TARGET
from popout.evidence import Evidence
from popout.task import (
    DiscriminationTask,
    GaussianWalk,
    MixtureSearchTask,
    PoissonSpikes,
    SceneSearchTask,
)
from popout.task.display_law import likely_display


@pytest.mark.parametrize("task", TASKS, ids=lambda task: type(task).__name__)
def test_plot_draws_the_items_and_colours_one(task):
    ax = Figure().subplots()
    assert task.plot(ax) is ax
    bars = [line for line in ax.lines if len(line.get_xdata()) == 2]
    display, _ = likely_display(task.displays())
    assert len(bars) == sum(math.isfinite(task.tilts[k]) for k in display)
    assert [bar.get_color() for bar in bars].count(TARGET) == 1
    assert "target" in ax.get_xlabel()


@pytest.mark.parametrize("task", TASKS, ids=lambda task: type(task).__name__)
def test_text_names_the_numbers_and_repr_gives_the_task_back(task):
    names = {name: getattr(po, name) for name in po.__all__ if name[0].isupper()}
    assert eval(repr(task), names) == task
    text = str(task)
    assert f"{task.prior:g}" in text
    assert f"{task.dt:g} s" in text
    assert "0x" not in text
    assert task._repr_html_().count("<table>") == 1 + hasattr(task, "orientations")


@pytest.mark.parametrize("task", TASKS, ids=lambda task: type(task).__name__)
def test_a_description_is_whole_sentences(task):
    for sentence in task.describe():
        assert sentence[0].isupper()
        assert sentence[-1] in ".?"
    assert len(task.describe()) == 2 + (len(set(task.location_prior)) > 1)


def test_equivalent_search_has_the_same_law_of_evidence():
    # Two channels; the log likelihood ratio of one location moves by N(+-d, 2 d).
    task = MixtureSearchTask(
        3, [0, 45], GaussianWalk([[1.0, -2.0], [4.0, 2.0]]), [1, 0], [[0, 1], [0, 1]]
    )
    assert task.search.drifts == (2.5,) * 3  # half of |(-3, -4)|
    assert task.n_states == 3
    for each in (task, task.search):
        sample = Evidence(each).sample(20_000, 20, 3, condition=1)
        L = Evidence(each).log_likelihood(sample.observations, 20 * each.dt)
        Z = Evidence(each).local_llr(L)
        mean = 2 * 2.5**2 * 20 * each.dt
        se = np.sqrt(2 * mean / 20_000)
        np.testing.assert_allclose(Z.mean(axis=0), [-mean, mean, -mean], atol=4 * se)
        np.testing.assert_allclose(Z.var(axis=0), 2 * mean, rtol=0.05)


@pytest.mark.parametrize(
    ("task", "words"),
    [
        (MixtureSearchTask.independent(4, [10], [0, 20], {0: -4, 10: 4, 20: 0}), "is unknown"),
        (DiscriminationTask.from_sets([30, 10], [20], {10: -2, 20: 0, 30: 2}), "more than one"),
        (
            SceneSearchTask.from_sets(3, [0], [20], [1, 2], {0: 4, 20: -4, "blank": -8}),
            "number of items is unknown",
        ),
        (
            MixtureSearchTask(2, [0, 90], PoissonSpikes([[9, 2], [2, 9]]), [1, 0], [[0, 1]]),
            "spike counts",
        ),
        (MixtureSearchTask.independent(2, [0], [90], {0: 1.0, 90: 1.0}), "the same observations"),
    ],
)
def test_other_tasks_have_no_search_and_say_why(task, words):
    assert task.search is None
    assert task.n_states == 1
    assert words in task.why_no_search
