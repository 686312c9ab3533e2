import numpy as np
import pandas as pd
import pytest

from popout.people.reading.coding import (
    UNDECIDED,
    UNKNOWN,
    classes_of,
    correctness_of,
    keys_of,
    read_answers,
    unit_of,
)
from popout.people.reading.datafile import Column, from_frame
from popout.people.reading.roles import assign_roles
from popout.task import Faults


def column(*words, name="x"):
    return Column(name, np.array(words, dtype=object))


CLASS_WORDS = "present/absent Yes/no TRUE/False 1/0 1.0/0.0 TP/TA Target_Present/target-absent p/a"


@pytest.mark.parametrize("words", CLASS_WORDS.split())
def test_words_for_classes(words):
    faults = Faults("")
    both = column(*words.replace("_", " ").split("/"), "")
    assert classes_of(both, None, "target", faults)[0].tolist() == [1, 0, UNKNOWN]
    assert not faults


def test_numbers_that_say_nothing_are_asked_about():
    faults = Faults("")
    classes_of(column("1", "2"), None, "target", faults)
    assert "target=1/2" in faults.lines[0]
    faults = Faults("")
    assert classes_of(column("1", "2"), ("2", "1"), "target", faults)[0].tolist() == [0, 1]
    classes_of(column("1", "2"), ("3", "1"), "target", faults)
    assert "it holds 1, 2" in faults.lines[0]


def test_right_and_wrong():
    faults = Faults("")
    for words, is_error, codes in (
        (("1", "0", "-1", ""), False, [1, 0, UNDECIDED, UNDECIDED]),
        (("correct", "Error", "timeout"), False, [1, 0, UNDECIDED]),
        (("1", "0"), True, [0, 1]),
    ):
        assert correctness_of(column(*words), is_error, None, faults)[0].tolist() == codes
    assert correctness_of(column("1", "-1"), False, ("1", "-1"), faults)[0].tolist() == [1, 0]
    assert not faults


@pytest.mark.parametrize("words", [("5", "7"), ("1", "-1")])
def test_right_and_wrong_that_nobody_can_tell(words):
    """-1 for wrong, or for no answer with everything right?"""
    faults = Faults("")
    correctness_of(column(*words), False, None, faults)
    assert "codes correct=1/-1" in faults.lines[0]


TARGET = np.tile([0, 1], 50)


def test_keys_from_right_and_wrong():
    """Keys that are wrong half of the time still have a meaning, if it is known when."""
    said = np.random.default_rng(1).integers(0, 2, 100)
    keys, faults = column(*np.where(said == 1, "z", "m")), Faults("")
    codes, words = keys_of(keys, None, TARGET, (said == TARGET).astype(int), faults)
    assert (codes == said).all()
    assert "right and wrong" in words
    assert not faults


def test_keys_without_right_and_wrong_follow_the_class_or_are_refused():
    said = TARGET ^ (np.arange(100) % 10 < 3)
    codes, words = keys_of(column(*np.where(said == 1, "z", "m")), None, TARGET, None, Faults(""))
    assert (codes == said).all()
    assert "more often" in words
    chance, faults = np.arange(100) // 2 % 2, Faults("")
    keys_of(column(*np.where(chance == 1, "z", "m")), None, TARGET, None, faults)
    assert "say which is which" in faults.lines[0]


@pytest.mark.parametrize("n", [1, 40])
def test_a_third_key_is_unknown_if_rare_and_refused_if_not(n):
    said, faults = np.where(TARGET == 1, "j", "f").astype(object), Faults("")
    said[:n] = "space"
    codes, _ = keys_of(column(*said), None, TARGET, None, faults)
    assert n > 1 or codes[0] == UNKNOWN
    assert bool(faults) == (n > 1)


def test_actions_as_numbers():
    said = column(*np.where(np.arange(100) == 5, 0, TARGET + 1).astype(str))
    codes, _ = keys_of(said, None, TARGET, None, Faults(""))
    assert (codes == np.where(np.arange(100) == 5, UNDECIDED, TARGET)).all()


@pytest.mark.parametrize(
    ("name", "median", "unit"),
    [
        ("RT", 0.6, "s"),
        ("RT", 600.0, "ms"),
        ("rt_ms", 600.0, "ms"),
        ("RT (s)", 30.0, "s"),
        ("RT", 50.0, None),
        ("RT", 6e5, None),
        ("RT", 0.01, None),
        ("rt_ms", 0.6, None),
    ],
)
def test_units(name, median, unit):
    faults = Faults("")
    read, _ = unit_of(column(name=name), np.array([median] * 3), faults)
    assert unit in (read, None)
    assert bool(faults) == (unit is None)


CLASSES = np.tile([0, 1], 20)
SAID = np.where(np.arange(40) % 10 == 3, 1 - CLASSES, CLASSES)


@pytest.mark.parametrize(
    "columns",
    [
        {"response": SAID},
        {"response": np.where(SAID == 1, "j", "f")},
        {"correct": (SAID == CLASSES).astype(int)},
        {"error": (SAID != CLASSES).astype(int)},
        {"key": np.where(SAID == 1, "z", "m"), "correct": (SAID == CLASSES).astype(int)},
    ],
    ids=lambda columns: "+".join(columns),
)
def test_the_same_answers_from_any_columns(columns):
    frame = from_frame(pd.DataFrame({"rt": 0.5, "set_size": 4, "target": CLASSES, **columns}))
    faults = Faults("")
    roles = assign_roles(frame, None, faults).columns
    answers = read_answers(roles, {}, np.ones(40, bool), faults)
    assert not faults
    assert (answers.target == CLASSES).all()
    assert (answers.response == SAID).all()
    assert not answers.disagree.any()
