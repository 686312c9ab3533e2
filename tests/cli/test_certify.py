"""``popout certify``."""

import json

from click.testing import CliRunner

from popout.cli import group

TWO = ("--drift", "5", "--locations", "2", "--time-cost", "1", "--trials", "1024")


def test_json_has_the_documented_keys():
    result = CliRunner().invoke(group.main, ("certify", *TWO, "--json"))
    assert result.exit_code == 0, result.stderr
    found = json.loads(result.stdout)
    keys = {"lower", "lower_se", "upper", "upper_se", "gap", "gap_se", "strategy", "method"}
    assert keys | {"seconds"} <= set(found)
    assert found["method"] == "exact"


def test_text_says_what_it_means():
    result = CliRunner().invoke(group.main, ("certify", *TWO))
    assert result.exit_code == 0, result.stderr
    assert "no strategy is below" in result.stdout


def test_errors_from_a_few_blocks_are_refused():
    result = CliRunner().invoke(group.main, ("certify", *TWO[:-1], "256"))
    assert result.exit_code == 2
    assert "at least 1024" in result.stderr
    assert "16 blocks" in result.stderr
