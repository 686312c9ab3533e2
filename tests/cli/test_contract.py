"""What every command promises: JSON alone on stdout, faults on stderr, exit code 2.

As a user runs them, through the group; some in a process of their own, where compiled kernels and
progress bars could write what they should not.
"""

import json
import subprocess
import sys

import pytest
from click.testing import CliRunner

from popout.cli import group

TWO = ("--drift", "4", "--locations", "2", "--dt", "0.05", "--time-cost", "1")
FEW = ("--trials", "1000", "--tune-trials", "1000")
SIMULATE = ("simulate", "--strategy", "sprt", *TWO, *FEW)
COMPARE = ("compare", *TWO, "--strategies", "sprt,hardmax", *FEW)
ROW = {"strategy", "locations", "time_cost", "risk", "risk_se", "excess", "excess_se"}


def run(*args):
    return CliRunner().invoke(group.main, args)


def test_simulate_has_the_documented_keys():
    result = run(*SIMULATE, "--json")
    assert result.exit_code == 0, result.stderr
    found = json.loads(result.stdout)
    assert {"risk", "risk_se", "error_rate", "mean_rt", "undecided"} <= set(found)
    assert set(found["error_rate"]) == set(found["mean_rt"]) == {"present", "absent"}


def test_compare_has_the_documented_keys():
    result = run(*COMPARE, "--json")
    assert result.exit_code == 0, result.stderr
    rows = json.loads(result.stdout)
    assert [row["strategy"] for row in rows] == ["SPRT", "Hardmax"]
    assert all(set(row) >= ROW for row in rows)


def test_the_same_seed_gives_the_same_numbers():
    first, again = (json.loads(run(*SIMULATE, "--seed", "7", "--json").stdout) for _ in range(2))
    other = json.loads(run(*SIMULATE, "--seed", "8", "--json").stdout)
    assert first == again
    assert first["risk"] != other["risk"]


@pytest.mark.parametrize(
    "args",
    [
        ("thresholds", "--drift", "4", "--time-cost", "0.5"),
        ("solve", *TWO),
        SIMULATE,
        COMPARE,
    ],
    ids=lambda args: args[0],
)
def test_a_process_writes_json_and_nothing_else_to_stdout(args):
    done = subprocess.run(
        [sys.executable, "-m", "popout", *args, "--json"], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    json.loads(done.stdout)
    assert "Warning" not in done.stderr


@pytest.mark.parametrize(
    "args",
    [
        ("simulate", "--strategy", "luck", *TWO),
        ("simulate", "--strategy", "sprt", *TWO, "--trials", "0"),
        ("simulate", "--strategy", "sprt", *TWO, "--time-limit", "0.001"),
        ("simulate", "--strategy", "sprt", "--drift", "0", "--time-cost", "0.5"),
        ("simulate", *TWO),
        ("compare", *TWO, "--strategies", "luck"),
        ("compare", *TWO, "--strategies", "sprt", "--trials", "0"),
        ("compare", *TWO, "--tune-trials", "0"),
        ("compare", "--drift", "4", "--locations", "2,0", "--time-cost", "0.5"),
        ("compare", "--drift", "4", "--locations", "2", "--time-cost", "0.5,nan"),
        ("compare", "--drift", "8,3", "--locations", "3", "--time-cost", "0.5"),
    ],
    ids=" ".join,
)
def test_bad_input_is_one_message_and_exit_2(args):
    result = run(*args, "--json")
    assert result.exit_code == 2, repr(result.exception)
    assert result.stdout == ""
    assert result.stderr.count("Error: ") == 1
    assert "Traceback" not in result.stderr
