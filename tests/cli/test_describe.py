"""``popout describe``: how a file was read, and what it says."""

from pathlib import Path

import click
import numpy as np
import pytest
from command_line import refusal, run, run_json
from malformed_trials import good

from popout.cli.describe import Pairs, PerLevel, Words

EXAMPLE = Path(__file__).parents[2] / "examples" / "people" / "two_observers.csv"


@pytest.fixture
def data(tmp_path):
    path = tmp_path / "data.csv"
    good().to_csv(path, index=False)
    return path


def test_text_and_json_say_how_the_file_was_read(data):
    shown = run("describe", data).stdout
    for words in ("60 trials of 2 observers", "rt=rt", "j is present", "ms/item"):
        assert words in shown
    assert "2 observers" in run("describe", EXAMPLE).stdout  # without options
    result = run_json("describe", data)
    assert result["rt_unit"] == "s"
    assert {"cells", "slopes", "columns", "dropped", "sha256", "notes"} <= set(result)
    assert len(result["cells"]) == 12
    assert result["trials"] == 60


def test_options_overrule_the_guesses(data, tmp_path):
    table = good().rename(columns={"rt": "When", "observer": "Who"})
    table["When"] *= 1000
    path = tmp_path / "other.tsv"
    table.to_csv(path, sep="\t", index=False)
    args = ("--columns", "rt=When,observer=Who", "--rt-unit", "ms", "--codes", "response=f/j")
    result = run_json("describe", path, *args)
    assert result["columns"]["rt"] == "When"
    assert result["rt_unit_reason"] == "as given"
    assert result["meanings"]["response"] == "f is present, j is absent"
    args = ("--observers", "km", "--where", "set_size=4", "--fastest", "0.3", "--slowest", "2")
    result = run_json("describe", data, *args)
    assert [row["observer"] for row in result["observers"]] == ["km"]
    assert result["set_sizes"] == [4]
    assert (result["fastest"], result["slowest"]) == (0.3, 2.0)
    result = run_json("describe", data, "--split", "set_size")
    groups = [(row["observer"], row["condition"]) for row in result["observers"]]
    assert groups == [("ag", "4"), ("ag", "8"), ("km", "4"), ("km", "8")]


def test_all_faults_of_a_file_at_once(tmp_path):
    path = tmp_path / "data.csv"
    good().drop(columns=["rt", "set_size"]).assign(target="T").to_csv(path, index=False)
    said = refusal("describe", path, "--split", "nothing")
    for words in ("response times, got nothing", "set sizes, got nothing", "--split"):
        assert words in said


def read_json(path, table, *args):
    table.to_csv(path, index=False)
    return run_json("describe", path, *args)


def test_conditions_are_compared_within_observers(tmp_path):
    table = good().assign(display=["a", "b"] * 30)
    result = read_json(tmp_path / "data.csv", table, "--split", "display")
    assert result["n_observers"] == 2
    rows = [(row["observer"], row["condition"]) for row in result["slopes"]]
    assert rows == [(name, c) for name in ("ag", "km", "all") for c in "ab"]
    assert {(row["condition"], row["against"]) for row in result["differences"]} == {("a", "b")}
    assert "a - b" in run("describe", tmp_path / "data.csv", "--split", "display").stdout


def test_what_is_at_stake_is_said_and_given(tmp_path):
    table = good().assign(reward=["Absent", "Present"] * 30)
    table.loc[[3, 7, 11], ["response", "rt"]] = ["timeout", 2.0]
    plain = read_json(tmp_path / "data.csv", table)
    assert {(row["prior"], row["miss"], row["deadline"]) for row in plain["situations"]} == {
        (0.5, 1.0, 2.0)
    }
    args = (
        "--prior",
        "0.2",
        "--pay",
        "reward:Absent=1/2,Present=2/1",
        "--deadline",
        "reward:Absent=3",
    )
    stakes = run_json("describe", tmp_path / "data.csv", *args)["situations"]
    rows = [(row["observer"], row["prior"], row["miss"], row["false_alarm"]) for row in stakes]
    assert rows == [(name, 0.2, *pay) for name in ("ag", "km") for pay in ((1, 2), (2, 1))]
    assert [row["deadline"] for row in stakes] == [3.0, 2.0] * 2
    shown = run("describe", tmp_path / "data.csv", *args).stdout
    for words in (
        "20 %; as given",
        "Absent: 3 s",
        "Absent: a miss costs 1, a false alarm 2; Present",
    ):
        assert words in " ".join(shown.split())
    assert "--pay" in refusal("describe", tmp_path / "data.csv", "--pay", "-1/2")


def test_places_are_said_and_given(tmp_path):
    sides = np.tile(["left", "left", "right", "right"], 15)
    good().assign(set_size=2, side=sides).to_csv(tmp_path / "data.csv", index=False)
    args = ("describe", tmp_path / "data.csv", "--visibility", "side:left=1,right=0.3")
    assert "visibility 1 at 1, 0.3 at 1; as given" in run(*args).stdout
    assert "visibility 1 at 1" not in run(*args[:2]).stdout
    assert "add right=1" in refusal(*args[:3], "side:left=1")


@pytest.mark.parametrize(
    ("kind", "text", "value", "wrong"),
    [
        (
            Pairs("rt=RT", "ROLE=NAME"),
            "rt=RT, observer = Sub ject",
            {"rt": "RT", "observer": "Sub ject"},
            ["rt", "rt=", "=RT", "rt=RT,", "rt=a,rt=b", ""],
        ),
        (
            PerLevel("A/B", "2/1", "x:a=2/1"),
            "x : a=2/1,b=1/3",
            {"x": {"a": (2.0, 1.0), "b": (1.0, 3.0)}},
            ["2", "x:a=2", "x:a=2/1,a=1/1", ":a=2/1", "x:", "x:=2/1", "a=2/1", ""],
        ),
        (Words(), "1, ag", ("1", "ag"), ["", "1,,2", ","]),
    ],
)
def test_pairs_and_words(kind, text, value, wrong):
    assert kind.convert(text, None, None) == value
    for words in wrong:
        with pytest.raises(click.BadParameter, match=r"write e|commas"):
            kind.convert(words, None, None)
