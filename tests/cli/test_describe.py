import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from popout.cli import group

from .malformed import good

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
    assert [one["observer"] for one in found["observers"]] == ["ag 4", "ag 8", "km 4", "km 8"]


def test_the_example_is_read_without_options():
    result = run("describe", EXAMPLE)
    assert result.exit_code == 0, result.stderr
    assert "2 observers" in result.stdout
