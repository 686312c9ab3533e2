import pandas as pd
import pytest

from popout.people.reading.datafile import from_frame
from popout.people.reading.roles import assign_roles
from popout.task import Faults, InputError

GOOD = {"Subject": ["ag"] * 2, "SetSize": [3, 6], "TargetPresent": [0, 1]}
GOOD |= {"ACC": [1, 0], "RT": [500, 600]}


def roles(columns=None, **changes):
    return assigned(pd.DataFrame({**GOOD, **changes}), columns)


def assigned(frame, columns=None):
    faults = Faults("read_trials")
    found = assign_roles(from_frame(frame), columns, faults)
    faults.raise_if_any()
    return {role: column.name for role, column in found.columns.items()}


def test_names_are_compared_without_case_and_underscores():
    known = {"observer": "Subject", "set_size": "SetSize", "target": "TargetPresent"}
    assert roles() == {**known, "correct": "ACC", "rt": "RT"}


def test_the_last_word_of_a_name_decides_where_no_name_is_known():
    frame = pd.DataFrame(GOOD).rename(columns={"RT": "Slide1.RT", "ACC": "Slide1.ACC"})
    found = assigned(frame)
    assert (found["rt"], found["correct"]) == ("Slide1.RT", "Slide1.ACC")


def test_a_column_that_cannot_be_is_passed_over():
    assert roles(**{"rt_ms": [500, 600], "RT": ["fast", "slow"]})["rt"] == "rt_ms"


def test_the_expected_answer_is_not_the_answer():
    assert "response" not in roles(correct_response=["f", "j"])


def test_a_part_of_the_experiment_is_practice_only_if_it_says_so():
    assert "practice" not in roles(phase=["main", "late"])
    assert roles(phase=["practice", "main"])["practice"] == "phase"


def test_what_the_user_says_counts():
    found = roles({"correct": "ok", "set_size": "8"}, ok=[1, 1])
    assert found["correct"] == "ok"
    assert "set_size" not in found


@pytest.mark.parametrize(
    ("columns", "words"),
    [
        ({"rt": "R"}, "columns.rt"),
        ({"reaction": "RT"}, "one of rt, observer"),
        ({"set_size": "0"}, "columns.set_size"),
        ({"rt": "Rt"}, "did you mean RT?"),
    ],
)
def test_columns_that_are_not_there(columns, words):
    with pytest.raises(InputError, match="columns") as caught:
        roles(columns)
    assert words in str(caught.value)


def test_all_that_is_missing_is_said_at_once():
    with pytest.raises(InputError) as caught:
        assigned(pd.DataFrame({"a": [1, 2], "b": [3, 4]}))
    assert len(caught.value.faults) == 4
