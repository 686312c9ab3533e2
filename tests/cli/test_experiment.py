"""``popout experiment check``: the documented keys, and the picture."""

import json
from pathlib import Path

from click.testing import CliRunner

from popout.cli import group

DESIGN = Path(__file__).parents[2] / "examples" / "experiments" / "visibility.toml"


def test_check_has_the_documented_keys(tmp_path, monkeypatch):
    monkeypatch.setenv("POPOUT_CACHE", str(tmp_path))
    options = ["--trials", "4000", "--rivals", "known", "--out", str(tmp_path), "--json"]
    result = CliRunner().invoke(group.main, ["experiment", "check", str(DESIGN), *options])
    assert result.exit_code == 0, result.stderr
    said = json.loads(result.stdout)
    assert {"trials", "expected_se", "minutes", "conditions", "recovery", "rivals"} <= set(said)
    assert len(said["rivals"]["pairs"]) == 20
    assert said["trials"] == 400
    assert Path(said["displays"]).is_file()


def test_an_unknown_action_is_bad_input():
    result = CliRunner().invoke(group.main, ["experiment", "chekc", str(DESIGN)])
    assert result.exit_code == 2
    assert "did you mean check?" in result.stderr


def test_rivals_are_known_or_free():
    result = CliRunner().invoke(group.main, ["experiment", "check", str(DESIGN), "--rivals", "fre"])
    assert result.exit_code == 2
    assert "did you mean free?" in result.stderr
