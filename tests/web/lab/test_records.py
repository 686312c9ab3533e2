"""What a participant's page may send, and what it may not."""

import pytest

from popout.task import InputError
from popout.web.lab.records import read_arrival, read_records, read_screen

GOOD = {"index": 0, "response": "present", "rt": 0.5}


def test_good_records_come_through():
    late = {"index": 3, "response": None, "rt": None, "dropped_frames": 2, "input": None}
    records = read_records({"trials": [GOOD, late]}, 4)
    assert [record.index for record in records] == [0, 3]
    assert records[1].response is None


@pytest.mark.parametrize(
    "trial",
    [
        {},
        {"index": -1},
        {"index": 4},
        {"index": 1.5},
        {"index": 0, "response": "maybe"},
        {"index": 0, "response": "present"},
        {**GOOD, "rt": -0.1},
        {**GOOD, "rt": 1e300},
        {**GOOD, "rt": "0.5"},
        {**GOOD, "input": "thought"},
        {**GOOD, "dropped_frames": -1},
        {**GOOD, "correct": True},
        [],
        None,
    ],
)
def test_bad_records_are_refused(trial):
    with pytest.raises(InputError):
        read_records({"trials": [GOOD, trial]}, 4)


@pytest.mark.parametrize("body", [None, [], {}, {"trials": []}, {"trials": [GOOD] * 201}, {"a": 1}])
def test_a_body_without_trials_is_refused(body):
    with pytest.raises(InputError):
        read_records(body, 4)


def test_nothing_begins_without_consent():
    for body in ({}, {"consent": False}, {"consent": "yes"}, {"consent": 1}, None, []):
        with pytest.raises(InputError, match="ask the participant first"):
            read_arrival(body)
    assert read_arrival({"consent": True}).parameters == {}


@pytest.mark.parametrize(
    "parameters",
    [{"a": 1}, {"a": "x" * 201}, {"a": "\x00"}, {str(n): "" for n in range(21)}, [], "x"],
)
def test_odd_parameters_are_refused(parameters):
    with pytest.raises(InputError):
        read_arrival({"consent": True, "parameters": parameters})


@pytest.mark.parametrize("key", ["", "short", "x" * 65, "x" * 21 + "é", 22 * "1" + "\n", 7, ["k"]])
def test_a_key_that_could_be_guessed_is_refused(key):
    with pytest.raises(InputError, match="at random"):
        read_arrival({"consent": True, "key": key})
    assert read_arrival({"consent": True, "key": "x" * 22}).key == "x" * 22


def test_a_screen_is_what_was_measured():
    assert read_screen({"pixels_per_degree": 41.5}).pixels_per_degree == 41.5
    for bad in ([], {"pixels_per_degree": 0}, {"serial_number": 1}):
        with pytest.raises(InputError):
            read_screen(bad)
