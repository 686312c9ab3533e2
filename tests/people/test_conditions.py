"""Conditions within observers: people are the sample; against plain sums."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from popout.people.fitting import fit_report
from popout.people.fitting.fit_observers import fit_observers
from popout.people.reading.description import ALL, means_over_people, paired_differences
from popout.people.reading.reader import read_trials

from .lookalikes import trials

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


@pytest.fixture(scope="module")
def fits(tmp_path_factory):
    read = read_trials(table(), split="display")
    folder = tmp_path_factory.mktemp("split")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(fit_report, "picture", lambda figure, kind: kind.encode())
        return fit_observers(read, folder, models=["ex-gaussian"], workers=1)


def test_fits_by_observer_and_condition(fits):
    assert [*fits.observers] == [(name, c) for name in PEOPLE for c in "ab"]
    assert fits.n_observers == 3
    assert fits["ag", "a"].group == ("ag", "a")
    assert len(fits["ag", "a"].trials) == len(fits.data.groups["ag", "a"])
    own = fits.to_pandas()
    assert own.groupby("condition")["observer"].nunique().tolist() == [3, 3]
    assert repr(fits).startswith("FittedObservers(3 observers")


def test_fits_compared_within_people(fits):
    """A parameter of every fit, subtracted by hand."""
    fitted = {key: own.best.fitted for key, own in fits.observers.items()}
    errors = [each.errors for each in fitted.values()]
    name = next(k for k in errors[0] if all(each[k].determined for each in errors))
    values = {key: each.estimates[name] for key, each in fitted.items()}
    differences = [values[p, "a"] - values[p, "b"] for p in PEOPLE]
    (row,) = fits.differences().query("measure == @name").to_dict("records")
    assert (row["difference"], row["se"], row["n"]) == pytest.approx((*by_hand(differences), 3))
    (mean,) = fits.means().query("measure == @name and condition == 'b'").to_dict("records")
    assert mean["mean"] == pytest.approx(by_hand([values[p, "b"] for p in PEOPLE])[0])
    assert fits.common_model() is None, "the yardstick is no model of search"


def test_counts_of_models_are_for_each_condition(fits):
    found = fits.as_dict()
    rows = [(row["condition"], row["observers"], row["best"]) for row in found["conditions"]]
    assert rows == [(c, 3, {"ex-gaussian": 3}) for c in "ab"]
    assert found["differences"]
    assert "ex-gaussian for 3 of 3" in str(fits)
    page = Path(fits.report).read_text()
    said = ("3 observers, set sizes", "a: ex-gaussian for 3 of 3", "All observers, b")
    assert all(words in page for words in (*said, "Observer mz, b", "Conditions compared"))
    folder = Path(fits.report).parent
    for name in ("conditions", "differences"):
        assert len(pd.read_parquet(folder / f"{name}.parquet"))
    numbers = json.loads((folder / "report.json").read_text())["numbers"]
    assert len(numbers["differences"]) == len(found["differences"])
