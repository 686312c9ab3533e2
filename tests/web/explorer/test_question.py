"""Bodies of questions: read as task files are, with every fault at once."""

import pytest

from popout.task import InputError
from popout.web.explorer.question import QUESTIONS, read_question

GOOD = {"task": {"kind": "search", "n_locations": 2, "drift": 4.0}, "costs": {"time": 0.2}}


@pytest.mark.parametrize("name", QUESTIONS)
def test_every_question_has_defaults(name):
    asked = read_question(name, GOOD)
    assert asked.task.drifts == (4.0, 4.0)
    assert asked.settings == QUESTIONS[name].settings()


def test_what_is_left_to_defaults_is_the_same_question():
    longer = {**GOOD, "rtol": 0.001, "costs": {"time": 0.2, "miss": 1}}
    assert read_question("solve", GOOD).key == read_question("solve", longer).key
    assert read_question("solve", GOOD).key != read_question("boundary", GOOD).key
    assert read_question("solve", GOOD).problem == read_question("boundary", GOOD).problem


def test_faults_of_all_parts_come_at_once_with_paths():
    body = {"task": {"kind": "search", "drift": [4, -1]}, "costs": {}, "rtol": 7, "colour": 1}
    with pytest.raises(InputError) as caught:
        read_question("solve", body, ("body",))
    paths = {(*fault.table, *fault.path) for fault in caught.value.faults}
    assert paths == {
        ("body", "task", "drift", 1),
        ("body", "costs", "time"),
        ("body", "rtol"),
        ("body", "colour"),
    }


@pytest.mark.parametrize("body", [None, [], "x", 3, {}, {"task": 1, "costs": []}])
def test_what_is_no_question_is_refused(body):
    with pytest.raises(InputError):
        read_question("simulate", body)


def test_large_displays_are_for_the_command_line():
    body = {**GOOD, "task": {"kind": "search", "n_locations": 65, "drift": 4.0}}
    with pytest.raises(InputError, match="at most 64 locations"):
        read_question("simulate", body)
