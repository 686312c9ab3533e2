"""All faults of an input in one message, and values in their stored form."""

import json
import math
import pickle

import numpy as np
import pytest

from popout.task import Fault, Faults, InputError
from popout.task.faults import NOTHING


def test_message_says_what_was_expected_what_came_and_what_to_do():
    faults = Faults("Rig")
    faults.positive("distance", -3, "measure it in cm")
    assert faults.lines == ["Rig.distance: expected a positive number, got -3; measure it in cm"]
    assert faults
    with pytest.raises(InputError, match=r"Rig\.distance") as caught:
        faults.raise_if_any()
    assert str(caught.value) == faults.lines[0]


def test_positive_numbers_and_integers_refuse():
    numbers = [math.nan, math.inf, -math.inf, 0, -1.0, "4", None, True, [1.0]]
    integers = [0, 2.0, "2", True, None, np.float64(2)]
    faults = Faults("")
    for n, value in enumerate(numbers, 1):
        faults.positive("x", value, "-")
        assert len(faults.lines) == n, value
    for n, value in enumerate(integers, len(numbers) + 1):
        faults.integer("n", value, "-", at_least=1)
        assert len(faults.lines) == n, value


def test_integer_accepts_numpy_and_returns_python():
    assert type(Faults("").integer("n", np.int32(3), "-", at_least=1, at_most=3)) is int


def test_long_values_are_cut():
    faults = Faults("")
    faults.add("x", "less", list(range(1000)), "-")
    assert len(faults.lines[0]) < 120


def test_error_survives_a_process_boundary():
    error = InputError([Fault("Rig", ("screen", 1), "a", "b", "c", file="x", line=3)])
    for copy in (pickle.loads(pickle.dumps(error)), pickle.loads(pickle.dumps(InputError("a")))):
        assert isinstance(copy, ValueError)
        assert str(copy) in (str(error), "a")
        assert copy.faults in (error.faults, (Fault(text="a"),))
    assert pickle.loads(pickle.dumps(NOTHING)) is NOTHING


@pytest.mark.parametrize(
    ("fault", "text"),
    [
        (Fault("A", ("b", 1, "c"), "x", "y", "z"), "A.b[1].c: expected x, got y; z"),
        (Fault("A", (), "x", "y", "z", line=2), "line 2: A: expected x, got y; z"),
        (Fault("", ("b",), "x", "y", "z", file="f", line=2), "f:2: b: expected x, got y; z"),
        (Fault("", (), "x", "y", "z", file="f", note=" (!)"), "f: expected x, got y; z (!)"),
        (Fault(text="whole"), "whole"),
    ],
)
def test_a_fault_is_one_line(fault, text):
    assert str(fault) == text


def test_a_fault_is_data_for_programs():
    fault = Fault("Walk", ("drift", 0), "x", "y", "z", table=("observation",), file="f", line=2)
    table = json.loads(json.dumps(fault.as_dict()))
    assert table["path"] == ["observation", "drift", 0]
    assert (table["expected"], table["got"], table["remedy"]) == ("x", "y", "z")
    assert (table["file"], table["line"], table["message"]) == ("f", 2, str(fault))


def test_faults_of_a_part_know_where_it_stands():
    faults = Faults("Rig")
    faults.absorb(InputError([Fault("Screen", ("gamma",), "x", "y", "z")]), ("screens", 1))
    assert faults.faults[0].as_dict()["path"] == ["screens", 1, "gamma"]
    assert faults.lines == ["Screen.gamma: expected x, got y; z"]


def test_words_are_a_sequence_and_no_word():
    faults = Faults("Rig")
    assert faults.words("names", np.array(["a", "b"]), "-") == ("a", "b")
    assert faults.words("names", {"a": 1}.keys(), "-") == ("a",)
    assert not faults
    for n, bad in enumerate(("ab", b"ab", 3, None, [3], {"a": 1}), 1):
        assert faults.words("names", bad, "-") == ()
        assert len(faults.lines) == n


def test_a_place_is_a_path(tmp_path):
    faults = Faults("Rig")
    assert faults.place("out", "x", "-")
    assert faults.place("out", tmp_path, "-")
    assert not faults.place("out", None, "-")
    assert faults.lines == ["Rig.out: expected a path, got None; -"]
