"""Questions: read as task files are, within bounds, with every fault at once."""

import pickle

import pytest
from pydantic import ValidationError

from popout.web.explorer.questions import MOST_LOCATIONS, QUESTIONS
from popout.web.http.refusals import faults_of

GOOD = {"task": {"kind": "search", "n_locations": 2, "drift": 4.0}, "costs": {"time": 0.2}}


def read(name, body):
    return QUESTIONS[name].model_validate(body)


def places(name, body):
    with pytest.raises(ValidationError) as refused:
        read(name, body)
    return {(*fault.table, *fault.path) for fault in faults_of(refused.value.errors())}


@pytest.mark.parametrize("name", QUESTIONS)
def test_every_question_has_defaults_and_can_be_sent(name):
    question = read(name, GOOD)
    assert question.task.drifts == (4.0, 4.0)
    assert pickle.loads(pickle.dumps(question)) == question


def test_what_is_left_to_defaults_is_the_same_question():
    longer = {**GOOD, "rtol": 0.01, "costs": {"time": 0.2, "miss": 1}}
    assert {read("boundary", GOOD): 1}[read("boundary", longer)] == 1
    assert read("simulate", GOOD) != read("boundary", GOOD)
    assert read("boundary", GOOD).observer == read("simulate", {**GOOD, "trials": 100}).observer


def test_faults_of_all_parts_come_at_once_with_paths():
    body = {"task": {"kind": "search", "drift": [4, -1]}, "costs": {}, "rtol": 7, "colour": 1}
    assert places("simulate", body) == {
        ("task", "drift", 1),
        ("costs", "time"),
        ("rtol",),
        ("colour",),
    }


@pytest.mark.parametrize("body", [None, [], "x", 3, {}, {"task": 1, "costs": []}])
def test_what_is_no_question_is_refused(body):
    with pytest.raises(ValidationError):
        read("simulate", body)


@pytest.mark.parametrize(
    ("name", "field", "value"),
    [
        ("simulate", "trials", 10**7),
        ("simulate", "trials", True),
        ("simulate", "seed", "1"),
        ("simulate", "strategy", "luck"),
        ("simulate", "time_limit", float("nan")),
        ("slopes", "locations", [4]),
        ("slopes", "locations", [4, 4]),
        ("slopes", "locations", [4, MOST_LOCATIONS + 1]),
        ("boundary", "plane", [0]),
        ("boundary", "plane", [0, 1, 2]),
        ("boundary", "plane", [1, 1]),
        ("frontier", "span", 1.0),
    ],
)
def test_what_a_server_does_not_do_is_refused(name, field, value):
    assert {place[0] for place in places(name, {**GOOD, field: value})} == {field}


def test_large_displays_are_for_the_command_line():
    task = {"kind": "search", "n_locations": MOST_LOCATIONS + 1, "drift": 4.0}
    assert places("simulate", {**GOOD, "task": task}) == {("task", "n_locations")}
