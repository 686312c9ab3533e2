"""Conditions within observers: people are the sample; against plain sums."""

import json

import numpy as np
import pandas as pd
import pytest

from popout.people.reading.description import ALL, means_over_people, paired_differences
from popout.people.reading.reader import read_trials

from ..lookalikes import trials

PEOPLE = ("ag", "km", "mz")


def table():
    """Return three people in two conditions; b is slower, by more for some than for others."""
    frame = trials(n=240, observers=PEOPLE, sizes=(4, 8)).rename(columns={"said": "response"})
    frame["display"] = np.where(frame["block"] % 2 == 0, "a", "b")
    more = frame["observer"].map({"ag": 0.1, "km": 0.2, "mz": 0.4})
    frame["rt"] += np.where(frame["display"] == "b", more, 0.0)
    return frame


def by_hand(values):
    """Return mean and standard error of a list of numbers."""
    n, mean = len(values), sum(values) / len(values)
    return mean, (sum((v - mean) ** 2 for v in values) / (n - 1) / n) ** 0.5


def test_means_and_differences_by_hand():
    rows = {"ag": (1.0, 4.0, 9.0), "km": (2.0, 7.0, 1.0), "mz": (4.0, 5.0, np.nan)}
    wide = pd.DataFrame(rows.values(), columns=[*"abc"]).assign(observer=[*rows], measure="x")
    long = wide.melt(["observer", "measure"], var_name="condition")
    found = means_over_people(long).set_index("condition")
    assert found.loc["a", ["mean", "se", "n"]].tolist() == pytest.approx([*by_hand([1, 2, 4]), 3])
    assert found.loc["c", ["mean", "se", "n"]].tolist() == pytest.approx([*by_hand([9, 1]), 2])
    apart = paired_differences(long).set_index(["condition", "against"])
    assert [*apart.index] == [("a", "b"), ("a", "c"), ("b", "c")]
    for pair, values in ((("a", "b"), [-3, -5, -1]), (("b", "c"), [-5, 6])):
        expected = [*by_hand(values), len(values)]
        assert apart.loc[pair, ["difference", "se", "n"]].tolist() == pytest.approx(expected)


def test_observers_stay_observers():
    read = read_trials(table(), split="display")
    found = read.describe()
    assert len(read) == found.n_observers == 3
    assert read.conditions == found.conditions == ("a", "b")
    own = found.slopes[found.slopes["observer"] != ALL]
    assert [*zip(own["observer"], own["condition"], strict=True)] == [
        (name, c) for name in PEOPLE for c in "ab"
    ]
    for c in "ab":
        (mean,) = found.slopes.query("observer == @ALL and condition == @c").to_dict("records")
        values = own.loc[own["condition"] == c, "absent"].tolist()
        assert (mean["absent"], mean["absent_se"]) == pytest.approx(by_hand(values))
    alone = {c: read_trials(table(), where={"display": c}).describe() for c in "ab"}
    for c, only in alone.items():
        columns = [name for name in only.cells if name != "observer"]
        apart = found.cells[found.cells["condition"] == c]
        pd.testing.assert_frame_equal(
            apart[columns].reset_index(drop=True), only.cells[columns], check_like=True
        )


def test_differences_are_within_people():
    """The difference of response times, cell by cell, with plain loops; people are the sample."""
    found = read_trials(table(), split="display").describe()
    frame = table()
    right = frame[frame["present"] & frame["response"]]
    values = []
    for name in PEOPLE:
        apart = []
        for size in (4, 8):
            some = right[(right["observer"] == name) & (right["set_size"] == size)]
            a, b = (some.loc[some["display"] == c, "rt"].mean() for c in "ab")
            apart.append(a - b)
        values.append(sum(apart) / 2)
    row = found.differences.set_index("measure").loc["rt_present"]
    assert row["n"] == 3
    assert (row["difference"], row["se"]) == pytest.approx(by_hand(values))
    assert "a - b" in str(found)
    json.dumps(found.as_dict(), default=float)


def test_one_person_has_no_standard_error_and_set_sizes_that_differ_are_not_compared():
    one = read_trials(table(), split="display", observers=["ag"]).describe()
    assert len(one.differences) == 0
    apart = read_trials(table(), split="set_size").describe().differences
    assert (apart.loc[apart["measure"] == "rt_absent", "n"] == 0).all()
    assert "nan" not in str(read_trials(table(), split="set_size").describe())


def test_dropped_trials_by_observer_and_condition():
    frame = table()
    frame.loc[frame.index[:3], "rt"] = 0.01
    frame.loc[frame.index[5:7], "display"] = ""
    read = read_trials(frame, split="display")
    assert read.n_trials + read.n_dropped == len(frame)
    assert read.dropped_of("ag") == {"no display": 2, "faster than 0.15 s": 3}
    assert read.dropped_of("ag", "b") == {"faster than 0.15 s": 3}
    assert read.choose(["km"]).n_dropped == 0
