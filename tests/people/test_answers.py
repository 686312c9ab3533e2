import numpy as np
import pandas as pd
import pytest

from popout.people.answers import read_answers
from popout.people.datafile import from_frame
from popout.people.roles import assign_roles
from popout.task import Faults

TARGET = np.tile([0, 1], 20)
SAID = np.where(np.arange(40) % 10 == 3, 1 - TARGET, TARGET)


def read(**columns):
    frame = from_frame(pd.DataFrame({"rt": 0.5, "set_size": 4, "target": TARGET, **columns}))
    faults = Faults("")
    return read_answers(assign_roles(frame, None, faults), {}, np.ones(40, bool), faults), faults


@pytest.mark.parametrize(
    "columns",
    [
        {"response": SAID},
        {"response": np.where(SAID == 1, "j", "f")},
        {"correct": (SAID == TARGET).astype(int)},
        {"error": (SAID != TARGET).astype(int)},
        {"key": np.where(SAID == 1, "z", "m"), "correct": (SAID == TARGET).astype(int)},
    ],
    ids=lambda columns: "+".join(columns),
)
def test_the_same_answers_from_any_columns(columns):
    found, faults = read(**columns)
    assert not faults
    assert (found.target == TARGET).all()
    assert (found.response == SAID).all()
    assert not found.disagree.any()


def test_contradictions_are_marked_if_few_and_refused_if_many():
    right = (SAID == TARGET).astype(int)
    few = np.where(np.arange(40) < 1, 1 - right, right)
    found, faults = read(response=SAID, correct=few)
    assert found.disagree.tolist() == [True] + [False] * 39
    assert not faults
    _, faults = read(response=SAID, correct=1 - right)
    assert "agree with the column correct" in faults.lines[0]
