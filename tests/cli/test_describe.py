import json
from pathlib import Path

import click
import pytest
from click.testing import CliRunner
from malformed_trials import good

from popout.cli import group
from popout.cli.describe import Pairs, Words

EXAMPLE = Path(__file__).parents[2] / "examples" / "people" / "two_observers.csv"


def run(*args):
    return CliRunner().invoke(group.main, [*map(str, args)])


@pytest.fixture
def data(tmp_path):
    path = tmp_path / "data.csv"
    good().to_csv(path, index=False)
    return path


def test_the_card_says_how_the_file_was_read(data):
    result = run("describe", data)
    assert result.exit_code == 0, result.stderr
    for words in ("60 trials of 2 observers", "rt=rt", "j is present", "ms/item"):
        assert words in result.stdout


def test_json_has_cells_and_slopes(data):
    found = json.loads(run("describe", data, "--json").stdout)
    assert found["rt_unit"] == "s"
    assert {"cells", "slopes", "columns", "dropped", "sha256", "notes"} <= set(found)
    assert len(found["cells"]) == 12
    assert found["trials"] == 60


def test_options_overrule_the_guesses(data, tmp_path):
    table = good().rename(columns={"rt": "When", "observer": "Who"})
    table["When"] *= 1000
    path = tmp_path / "other.tsv"
    table.to_csv(path, sep="\t", index=False)
    args = ("--columns", "rt=When,observer=Who", "--rt-unit", "ms", "--codes", "response=f/j")
    found = json.loads(run("describe", path, *args, "--json").stdout)
    assert found["columns"]["rt"] == "When"
    assert found["rt_unit_reason"] == "as given"
    assert found["meanings"]["response"] == "f is present, j is absent"
    args = ("--observers", "km", "--where", "set_size=4", "--fastest", "0.3", "--slowest", "2")
    found = json.loads(run("describe", data, *args, "--json").stdout)
    assert [one["observer"] for one in found["observers"]] == ["km"]
    assert found["set_sizes"] == [4]
    assert (found["fastest"], found["slowest"]) == (0.3, 2.0)
    found = json.loads(run("describe", data, "--split", "set_size", "--json").stdout)
    groups = [(one["observer"], one["condition"]) for one in found["observers"]]
    assert groups == [("ag", "4"), ("ag", "8"), ("km", "4"), ("km", "8")]


def test_the_example_is_read_without_options():
    result = run("describe", EXAMPLE)
    assert result.exit_code == 0, result.stderr
    assert "2 observers" in result.stdout


def read_json(path, table, *args):
    table.to_csv(path, index=False)
    result = run("describe", path, *args, "--json")
    assert result.exit_code == 0, result.stderr
    return json.loads(result.stdout)


@pytest.mark.parametrize("args", [(), ("--codes", "response=1/-1,target=T+/T-")])
def test_signs_of_codes_count(tmp_path, args):
    table = good()
    plain = read_json(tmp_path / "plain.csv", table)
    table["response"] = table["response"].map({"j": "1", "f": "-1"})
    table["target"] = table["target"].map({1: "T+", 0: "T-", "present": "T+", "absent": "T-"})
    found = read_json(tmp_path / "signed.csv", table, *args)
    assert found["cells"] == plain["cells"]


def test_time_outs_and_practice_of_any_program(tmp_path):
    table = good()
    table["Trial Type"] = ["practice"] * 8 + ["experimental"] * (len(table) - 8)
    for k, word in enumerate(["None", "null", "", "NA", "timeout"]):
        table.loc[len(table) - 1 - k, "response"] = word
    found = read_json(tmp_path / "data.csv", table)
    assert found["dropped"] == {"practice": 8}
    assert sum(one["no_answer"] for one in found["observers"]) == 5
    assert found["columns"]["practice"] == "Trial Type"


def test_all_faults_of_a_file_at_once(tmp_path):
    path = tmp_path / "data.csv"
    good().drop(columns=["rt", "set_size"]).assign(target="T").to_csv(path, index=False)
    result = run("describe", path, "--split", "nothing")
    assert result.exit_code == 2
    for words in ("response times, got nothing", "set sizes, got nothing", "--split"):
        assert words in " ".join(result.stderr.split()), result.stderr


def test_conditions_are_compared_within_observers(tmp_path):
    table = good().assign(display=["a", "b"] * 30)
    found = read_json(tmp_path / "data.csv", table, "--split", "display")
    assert found["n_observers"] == 2
    rows = [(row["observer"], row["condition"]) for row in found["slopes"]]
    assert rows == [(name, c) for name in ("ag", "km", "all") for c in "ab"]
    assert {(row["condition"], row["against"]) for row in found["differences"]} == {("a", "b")}
    result = run("describe", tmp_path / "data.csv", "--split", "display")
    assert "60 trials of 2 observers" in result.stdout
    assert "a - b" in result.stdout


def test_a_base_rate_that_is_off_is_said(data, tmp_path):
    assert "as if they were on half" not in run("describe", data).stdout
    table = good()
    rare = table[(table["target"] == "absent") | (table.index % 6 == 0)]
    found = read_json(tmp_path / "rare.csv", rare)
    assert found["base_rate"]["off"]
    assert "Targets are on" in found["notes"][0]
    words = " ".join(run("describe", tmp_path / "rare.csv").stdout.split())
    assert "as if they were on half" in words


def test_pairs():
    pairs = Pairs("rt=RT", "ROLE=NAME")
    assert pairs.convert("rt=RT, observer = Sub ject", None, None) == {
        "rt": "RT",
        "observer": "Sub ject",
    }
    for wrong in ("rt", "rt=", "=RT", "rt=RT,", "rt=a,rt=b", ""):
        with pytest.raises(click.BadParameter, match="write e"):
            pairs.convert(wrong, None, None)


def test_words():
    assert Words().convert("1, ag", None, None) == ("1", "ag")
    for wrong in ("", "1,,2", ","):
        with pytest.raises(click.BadParameter, match="commas"):
            Words().convert(wrong, None, None)
