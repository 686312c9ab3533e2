"""``popout experiment check``: the documented keys, and the picture."""

import json
from pathlib import Path

from click.testing import CliRunner

from popout.cli import group

DESIGN = Path(__file__).parents[2] / "examples" / "experiments" / "visibility.toml"


def test_check_has_the_documented_keys(tmp_path):
    args = [
        "experiment",
        "check",
        str(DESIGN),
        "--trials",
        "4000",
        "--out",
        str(tmp_path),
        "--json",
    ]
    result = CliRunner().invoke(group.main, args)
    assert result.exit_code == 0, result.stderr
    said = json.loads(result.stdout)
    assert {"trials", "expected_se", "minutes", "conditions"} <= set(said)
    assert said["trials"] == 400
    assert Path(said["displays"]).is_file()


def test_an_unknown_action_is_bad_input():
    result = CliRunner().invoke(group.main, ["experiment", "chekc", str(DESIGN)])
    assert result.exit_code == 2
    assert "did you mean check?" in result.stderr


def test_rules_are_told_apart_only_where_places_have_rates_of_their_own():
    mixed = DESIGN.with_name("tied_distractors.toml")
    result = CliRunner().invoke(
        group.main, ["experiment", "check", str(mixed), "--rivals", "known"]
    )
    assert result.exit_code == 2
    assert "one target and one distractor orientation" in result.stderr
    result = CliRunner().invoke(group.main, ["experiment", "check", str(DESIGN), "--rivals", "fre"])
    assert result.exit_code == 2
    assert "did you mean free?" in result.stderr
