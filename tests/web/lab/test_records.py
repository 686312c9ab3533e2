"""What a participant's page may send, and what it may not."""

import pytest
from pydantic import ValidationError

from popout.web.lab.records import Arrival, Screen, TrialRecords

GOOD = {"index": 0, "response": "present", "rt": 0.5}


BAD = [
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
]
ODD = [{"a": 1}, {"a": "x" * 201}, {"a": "\x00"}, {str(n): "" for n in range(21)}, [], "x"]
GUESSABLE = ["", "short", "x" * 65, "x" * 21 + "é", 22 * "1" + "\n", 7, ["k"]]
BODIES = {
    TrialRecords: [
        *(None, [], {}, {"trials": []}, {"trials": [GOOD] * 201}),
        *({"trials": [GOOD, trial]} for trial in BAD),
    ],
    Screen: [[], {"pixels_per_degree": 0}, {"serial_number": 1}],
    Arrival: [
        *({}, {"consent": False}, {"consent": "yes"}, {"consent": 1}, None, []),
        *({"consent": True, "parameters": parameters} for parameters in ODD),
        *({"consent": True, "key": key} for key in GUESSABLE),
    ],
}


@pytest.mark.parametrize("model", BODIES)
def test_bad_bodies_are_refused(model):
    for body in BODIES[model]:
        with pytest.raises(ValidationError):
            model.model_validate(body)


def test_good_bodies_come_through():
    late = {"index": 3, "response": None, "rt": None, "dropped_frames": 2, "input": None}
    records = TrialRecords.model_validate({"trials": [GOOD, late]}).trials
    assert [(record.index, record.response) for record in records] == [(0, "present"), (3, None)]
    arrival = Arrival.model_validate({"consent": True, "key": "x" * 22})
    assert (arrival.parameters, arrival.key) == ({}, "x" * 22)
