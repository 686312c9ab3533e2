"""What every command promises: JSON alone on stdout, faults on stderr, exit code 2.

As a user runs them, through the group; some in a process of their own, where compiled kernels and
progress bars could write what they should not.
"""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

import popout as po
from popout.cli import group
from popout.cli.options import seed_option

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
    assert [row["strategy"] for row in rows] == ["sprt", "hardmax"]
    assert all(set(row) >= ROW for row in rows)
    assert all(set(row["error_rate"]) == {"present", "absent"} for row in rows)
    assert set(rows[0]["parameters"]) == {"lower", "upper", "a_minus", "a_plus"}


def numbers_of(name):
    """Return what a command writes about SPRT, of which every number is known."""
    args = {"simulate": SIMULATE, "compare": ("compare", *TWO, "--strategies", "sprt", *FEW)}[name]
    found = json.loads(run(*args, "--json").stdout)
    return found[0] if isinstance(found, list) else found


def test_one_spelling_for_one_thing():
    """Names as they are typed, thresholds as lower and upper, rates by class."""
    alone, row = numbers_of("simulate"), numbers_of("compare")
    pair = json.loads(run("thresholds", *TWO[:2], *TWO[4:], "--json").stdout)
    for found in (alone, row):
        assert found["strategy"] == "sprt"
        assert found["parameters"].keys() == {"lower", "upper", "a_minus", "a_plus"}
        assert found["parameters"]["upper"] == pytest.approx(pair["upper"], rel=0.01)
    for what in ("error_rate", "error_rate_se", "mean_rt", "mean_rt_se"):
        assert alone[what].keys() == row[what].keys() == {"absent", "present"}


@pytest.mark.parametrize(
    ("args", "inputs"),
    [
        (("solve", *TWO), {"drift": [4.0], "locations": 2, "dt": 0.05, "time_cost": 1.0}),
        (("solve", *TWO, "--deadline", "0.2"), {"deadline": 0.2, "rtol": 1e-4}),
        (SIMULATE, {"strategy": "sprt", "trials": 1000, "seed": 1, "prior": 0.5}),
        (("schema", "task"), None),
        (
            ("thresholds", "--drift", "4", "--time-cost", "present=0.1:absent=0.2"),
            {"time_cost": {"absent": 0.2, "present": 0.1}, "miss": 1.0},
        ),
    ],
    ids=lambda item: item[0] if isinstance(item, tuple) else "",
)
def test_json_has_what_was_asked(args, inputs):
    found = json.loads(run(*args, "--json").stdout)
    assert ("inputs" in found) == (inputs is not None)  # a schema is a document of its own
    assert inputs is None or inputs.items() <= found["inputs"].items()


def test_every_seed_that_may_be_left_out_is_one():
    """One seed everywhere, so that Python and the command line show the same numbers."""
    source = Path(po.__file__).parent
    defaults = [
        match
        for path in source.rglob("*.py")
        for match in re.findall(r"\bseed: int = (\w+)", path.read_text())
    ]
    assert len(defaults) > 20
    assert set(defaults) == {"1"}
    assert seed_option(lambda: None).__click_params__[0].default == 1


def test_the_command_line_and_python_show_the_same_certificate():
    found = json.loads(run("certify", *TWO, "--trials", "1024", "--json").stdout)
    task = po.SearchTask(n_locations=2, drift=4.0, dt=0.05)
    same = po.certify(task, po.Costs(time=1.0), most_trials=1024)
    assert found["lower"] == same.lower
    assert found["strategy"] in ("optimal", "a-sprt")


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (("certify", *TWO, "--information", "60"), "has no --information: it takes --drift"),
        (("solve", *TWO, "--attention", "serial"), "write e.g. --information 60 in place of"),
        (("solve", "--locations", "2", "--time-cost", "1"), "or '--information' in its place"),
        (
            ("recover", "--trials-per-cell", "50", "--set-sizes", "4", "8", "16"),
            "Error: Got unexpected extra arguments (8 16); numbers of one option are joined by "
            "commas, write --set-sizes 4,8,16",
        ),
        (
            ("recover", "--set-sizes", "4", "8", "16"),
            "Error: Missing option '--trials-per-cell'; numbers of one option are joined by commas",
        ),
    ],
    ids=lambda item: item[0] if isinstance(item, tuple) else "",
)
def test_a_line_that_cannot_be_read_gets_the_remedy(args, words):
    result = run(*args)
    assert result.exit_code == 2
    assert result.stderr.count("Error: ") == 1
    assert words in " ".join(result.stderr.split())
    assert "Did you mean" not in result.stderr


def test_help_does_not_require_a_drift_where_information_takes_its_place():
    for command in ("solve", "simulate", "compare"):
        text = " ".join(run(command, "--help").stdout.split())
        drift = text[text.index("--drift NUMBER") :].partition(" --information")[0]
        assert "[this or" in drift
        assert "[required]" not in drift
    assert "[required]" in run("certify", "--help").stdout


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
