"""``popout describe``: how a file was read, and what it says."""

from pathlib import Path

import click
import pytest
from command_line import refusal, run, run_json
from malformed_trials import good

from popout.cli.describe import Pairs, Words

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


@pytest.mark.parametrize(
    ("kind", "text", "value", "wrong"),
    [
        (
            Pairs("rt=RT", "ROLE=NAME"),
            "rt=RT, observer = Sub ject",
            {"rt": "RT", "observer": "Sub ject"},
            ["rt", "rt=", "=RT", "rt=RT,", "rt=a,rt=b", ""],
        ),
        (Words(), "1, ag", ("1", "ag"), ["", "1,,2", ","]),
    ],
)
def test_pairs_and_words(kind, text, value, wrong):
    assert kind.convert(text, None, None) == value
    for words in wrong:
        with pytest.raises(click.BadParameter, match=r"write e|commas"):
            kind.convert(words, None, None)
