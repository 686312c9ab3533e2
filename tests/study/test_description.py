"""Tasks in words."""

import pytest

from popout.study.assignment import Assignment
from popout.study.description import task_section
from popout.study.effort import EFFORTS
from popout.task import Costs, MixtureSearchTask, SearchTask, task_to_toml


@pytest.mark.parametrize(
    ("task", "words"),
    [
        (SearchTask(drift=(8.0, 3.0)), "drifts ±8 and ±3 per second"),
        (SearchTask(n_locations=2, drift=4.0, location_prior=(0.25, 0.75)), "0.25 and 0.75"),
        (MixtureSearchTask.tied(2, [0], [30, 60], {0: 4, 30: 1, 60: -1}), "one of 2 mixtures"),
    ],
)
def test_the_words_name_what_matters(task, words):
    assert words in " ".join(task.describe())


def test_the_section_holds_the_task_as_a_file():
    task, costs = SearchTask(n_locations=2, drift=4.0), Costs(time=0.2)
    section = task_section(Assignment(task, costs, EFFORTS["quick"], 1), task_to_toml(task, costs))
    text, table, code = section.blocks
    assert "2 locations" in text.paragraphs[0]
    assert ("risk of guessing at once", "0.500") in table.rows
    assert "n_locations = 2" in code.lines
