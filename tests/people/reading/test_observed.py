import json

import pytest

from popout.drawing.plain import plain
from popout.people.reading.reader import read_trials
from popout.task import Faults, InputError

from ..lookalikes import trials, wolfe_like


@pytest.fixture
def read(tmp_path):
    path = tmp_path / "data.csv"
    path.write_text(wolfe_like(trials()), newline="")
    return read_trials(path, slowest=0.8)


def test_everything_that_was_read_is_said(read):
    said = ("data.csv", "rt=RT", "semicolons", "in ms", "slower than 0.8 s", "0.15 to 0.8 s")
    assert [words for words in said if words not in str(read)] == []
    assert len(read.to_pandas()) == read.n_trials
    numbers = f"{read.n_trials} trials, {read.n_dropped} dropped"
    assert repr(read) == f"ObservedTrials(2 observers, {numbers})"


def test_the_numbers_add_up(read):
    found = json.loads(json.dumps(plain(read.as_dict())))
    assert found["trials"] + sum(found["dropped"].values()) == found["rows"] == 800
    for one in found["observers"]:
        assert one["trials"] + sum(one["dropped"].values()) == 400
    assert found["sha256"] == read.reading.sha256


def test_some_observers(read):
    one = read.choose(["km"])
    assert list(one.observers) == ["km"]
    assert one.n_dropped == sum(read.dropped_of("km").values()) > 0
    assert read.dropped_of("nobody") == {}
    with pytest.raises(InputError, match="some of ag, km"):
        read.choose(["x"])


def test_levels_of_conditions():
    table = trials(n=80).rename(columns={"said": "response"})
    table["age"] = table["observer"].map({"ag": "young", "km": "old"})
    table["soa"] = table.index % 3 / 10
    table["blank"] = table["soa"].astype(str).where(table.index > 4, "")
    table["trial"], table["task"] = table.index, "search"
    read = read_trials(table)
    assert {name: {*each} for name, each in read.levels("age").items()} == {
        "ag": {"young"},
        "km": {"old"},
    }
    assert {*read.levels("soa")["ag"]} == {"0", "0.1", "0.2"}
    assert {*read.levels("set_size")["km"]} == {"3", "6", "12", "18"}
    faults = Faults("x")
    assert read.check_condition("soa", faults) == ("0", "0.1", "0.2")
    assert not faults
    for name, words in {
        "trial": "trial, with 160 values",
        "task": "task, with 1 value",
        "ages": "did you mean age",
        "blank": "5 without",
    }.items():
        read.check_condition(name, faults, "vary")
        assert words in faults.lines[-1]
    read.choose(["ag"]).check_condition("age", faults)
    assert "young alone" in faults.lines[-1]
    with pytest.raises(InputError, match="did you mean soa"):
        read.levels("sao")
