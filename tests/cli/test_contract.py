"""What every command promises: JSON alone on stdout, what was asked, one seed, one spelling.

As a user runs them, through the group; some in a process of their own, where compiled kernels and
progress bars could write what they should not.
"""

import json
import re
import subprocess
from pathlib import Path

import pytest
from command_line import PROGRAM, refusal, run_json

import popout as po
from popout.cli import options

TWO = ("--drift", "4", "--locations", "2", "--dt", "0.05", "--time-cost", "1")
FEW = ("--trials", "1000", "--tune-trials", "1000")
SIMULATE = ("simulate", "--strategy", "sprt", *TWO, *FEW)
COMPARE = ("compare", *TWO, "--strategies", "sprt,hardmax", *FEW)


def test_one_spelling_for_one_thing():
    """Names as they are typed, thresholds as lower and upper, rates by class."""
    alone, (row, other) = run_json(*SIMULATE), run_json(*COMPARE)
    pair = run_json("thresholds", *TWO[:2], *TWO[4:])
    for result in (alone, row):
        assert result["strategy"] == "sprt"
        assert result["parameters"].keys() == {"lower", "upper", "a_minus", "a_plus"}
        assert result["parameters"]["upper"] == pytest.approx(pair["upper"], rel=0.01)
    for what in ("error_rate", "error_rate_se", "mean_rt", "mean_rt_se"):
        assert alone[what].keys() == row[what].keys() == {"absent", "present"}
    assert other["strategy"] == "hardmax"


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
    result = run_json(*args)
    assert ("inputs" in result) == (inputs is not None)  # a schema is a document of its own
    assert inputs is None or inputs.items() <= result["inputs"].items()


def test_every_seed_that_may_be_left_out_is_one():
    """One seed everywhere, so that Python and the command line show the same numbers."""
    source = Path(po.__file__).parent
    defaults = [
        match
        for path in source.rglob("*.py")
        for match in re.findall(r"\bseed: int = (?:Field\()?(\w+)", path.read_text())
    ]
    assert len(defaults) > 20
    assert set(defaults) == {"1"}
    assert options.seed(lambda: None).__click_params__[0].default == 1


def test_the_command_line_and_python_show_the_same_certificate():
    certificate = run_json("certify", *TWO, "--trials", "1024")
    task = po.SearchTask(n_locations=2, drift=4.0, dt=0.05)
    same = po.certify(task, po.Costs(time=1.0), most_trials=1024)
    assert certificate["lower"] == same.lower
    assert certificate["strategy"] in ("optimal", "a-sprt")


def test_numbers_that_stand_apart_are_to_be_joined():
    said = refusal("recover", "--trials-per-cell", "50", "--set-sizes", "4", "8", "16")
    assert "unexpected extra arguments (8 16); numbers of one option are joined by commas" in said
    said = refusal("recover", "--set-sizes", "4,", "8", "16")
    assert "Invalid value for '--set-sizes'" in said
    assert said.endswith("write --set-sizes 4,8,16")


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
    done = subprocess.run([*PROGRAM, *args, "--json"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    json.loads(done.stdout)
    assert "Warning" not in done.stderr
