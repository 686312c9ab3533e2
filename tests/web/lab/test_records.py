"""What a participant's page may send, and what it may not."""

import pytest
from pydantic import ValidationError

from popout.web.lab.records import Arrival, Screen, TrialRecords

GOOD = {"index": 0, "response": "present", "rt": 0.5}


def test_good_records_come_through():
    late = {"index": 3, "response": None, "rt": None, "dropped_frames": 2, "input": None}
    records = TrialRecords.model_validate({"trials": [GOOD, late]}).trials
    assert [record.index for record in records] == [0, 3]
    assert records[1].response is None


@pytest.mark.parametrize(
    "trial",
    [
        {},
        {"index": -1},
        {"index": 1.5},
        {"index": True},
        {"index": 0, "response": "maybe"},
        {"index": 0, "response": "present"},
        {**GOOD, "rt": -0.1},
        {**GOOD, "rt": 1e300},
        {**GOOD, "rt": "0.5"},
        {**GOOD, "input": "thought"},
        {**GOOD, "dropped_frames": -1},
        {**GOOD, "full_screen": 1},
        {**GOOD, "correct": True},
        [],
        None,
    ],
)
def test_bad_records_are_refused(trial):
    with pytest.raises(ValidationError):
        TrialRecords.model_validate({"trials": [GOOD, trial]})


@pytest.mark.parametrize(
    ("model", "body"),
    [
        *(
            (TrialRecords, body)
            for body in (None, [], {}, {"trials": []}, {"trials": [GOOD] * 201})
        ),
        *((Screen, body) for body in ([], {"pixels_per_degree": 0}, {"serial_number": 1})),
    ],
)
def test_other_bodies_are_refused(model, body):
    with pytest.raises(ValidationError):
        model.model_validate(body)


def test_nothing_begins_without_consent():
    for body in ({}, {"consent": False}, {"consent": "yes"}, {"consent": 1}, None, []):
        with pytest.raises(ValidationError):
            Arrival.model_validate(body)
    assert Arrival(consent=True).parameters == {}


@pytest.mark.parametrize(
    "parameters",
    [{"a": 1}, {"a": "x" * 201}, {"a": "\x00"}, {str(n): "" for n in range(21)}, [], "x"],
)
def test_odd_parameters_are_refused(parameters):
    with pytest.raises(ValidationError):
        Arrival(consent=True, parameters=parameters)


@pytest.mark.parametrize("key", ["", "short", "x" * 65, "x" * 21 + "é", 22 * "1" + "\n", 7, ["k"]])
def test_a_key_that_could_be_guessed_is_refused(key):
    with pytest.raises(ValidationError):
        Arrival(consent=True, key=key)
    assert Arrival(consent=True, key="x" * 22).key == "x" * 22
