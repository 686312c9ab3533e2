"""``popout solve``: keys, exit codes, and JSON alone on stdout."""

import json
import math
import re

import pytest
from click.testing import CliRunner
from threadpoolctl import threadpool_info, threadpool_limits

import popout as po
from popout.cli import group

TWO = ("--drift", "4", "--locations", "2", "--time-cost", "0.2")


def run(*args):
    return CliRunner().invoke(group.main, args)


def run_json(*args):
    """Return the result of a command that must write one JSON document and nothing else."""
    result = run(*args, "--json")
    assert result.exit_code == 0, result.stderr
    return json.loads(result.stdout)  # fails on anything before or after the document


def test_solve_has_the_documented_keys_and_the_numbers_of_the_library():
    found = run_json("solve", *TWO)
    assert {"risk", "risk_error", "converged", "grid", "seconds"} <= set(found)
    assert {"a_plus", "a_minus", "thresholds"} <= set(found)
    expected = po.solve(po.SearchTask(n_locations=2, drift=4.0), po.Costs(time=0.2), 1e-4)
    assert found["converged"] is True
    assert found["risk"] == expected.risk
    assert found["risk_error"] == expected.risk_error
    assert (found["a_plus"], found["a_minus"]) == (expected.scales.a_plus, expected.scales.a_minus)
    pairs = [(pair["lower"], pair["upper"]) for pair in found["thresholds"]]
    assert pairs == list(expected.thresholds)
    assert found["grid"]["nodes_per_axis"] == list(expected.diagnostics.nodes_per_axis)


def test_unequal_drifts_have_their_own_thresholds():
    found = run_json("solve", "--drift", "8,3", "--time-cost", "0.2", "--rtol", "1e-3")
    first, second = found["thresholds"]
    assert first["upper"] > second["upper"]
    assert len(found["grid"]["nodes_per_axis"]) == 2


def test_one_location_has_no_scale():
    found = run_json("solve", "--drift", "4", "--time-cost", "0.2")
    assert found["a_plus"] is None  # NaN has no place in JSON
    result = run("solve", "--drift", "4", "--time-cost", "0.2")
    assert "a_plus" not in result.stdout


def test_continuous_time_does_not_guess_where_looking_pays():
    found = run_json("solve", "--drift", "1", "--time-cost", "2", "--dt", "0")
    assert found["risk"] == pytest.approx(0.46891, abs=5e-6)  # c / mu^2 (sinh b + b) = 1
    assert found["method"] == "closed form"
    two = ("--drift", "1", "--locations", "2", "--time-cost", "2", "--dt", "0", "--rtol", "0.1")
    found = run_json("solve", *two)
    assert found["bounds"]["lower"] < 0.4842 < found["bounds"]["upper"]
    assert found["risk"] < 0.5
    assert abs(found["risk"] - 0.4842) <= found["risk_error"]


def test_deadline_costs_risk():
    hurried = run_json("solve", *TWO, "--deadline", "0.2")
    assert hurried["deadline"] == pytest.approx(0.2)
    assert hurried["converged"] is True
    assert hurried["risk"] > 1.5 * run_json("solve", *TWO)["risk"]


def test_a_deadline_that_is_no_whole_number_of_steps_is_kept():
    assert run_json("solve", *TWO, "--rtol", "1e-2", "--deadline", "0.055")["deadline"] == 0.05


def test_tables_show_risk_and_deadline():
    result = run("solve", *TWO, "--deadline", "0.2")
    assert result.exit_code == 0
    assert re.search(r"deadline +0\.2 s, 20 looks", result.stdout)
    assert "a_plus (present)" in run("solve", *TWO).stdout


# -- what can go wrong ------------------------------------------------------------------------

BAD = {
    "zero drift": ("--drift", "0", "--locations", "2", "--time-cost", "0.2"),
    "negative drift": ("--drift=-4", "--locations", "2", "--time-cost", "0.2"),
    "nan": ("--drift", "nan", "--time-cost", "0.2"),
    "free time": ("--drift", "4", "--time-cost", "0"),
    "prior": ("--drift", "4", "--time-cost", "0.2", "--prior", "1"),
    "three time costs": ("--drift", "4", "--time-cost", "0.2,0.3,0.4"),
    "rtol": ("--drift", "4", "--time-cost", "0.2", "--rtol", "0"),
    "not a number": ("--drift", "fast", "--time-cost", "0.2"),
    "no cost": ("--drift", "4"),
}


@pytest.mark.parametrize("command", ["thresholds", "solve"])
@pytest.mark.parametrize("fault", BAD)
def test_bad_input_is_one_message_and_exit_2(command, fault):
    args = [a for a in BAD[fault] if command == "solve" or a not in ("--locations", "2")]
    result = run(command, *args, "--json")
    assert result.exit_code == 2
    assert result.stdout == ""
    assert result.stderr.count("Error: ") == 1
    assert "Traceback" not in result.stderr


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("--memory", "-1"),
        ("--memory", "1e-9"),
        ("--deadline", "0"),
        ("--deadline", "nan"),
        ("--backend", "abacus"),
        ("--threads", "0"),
    ],
)
def test_bad_solver_options_are_one_message_and_exit_2(option, value):
    result = run("solve", *TWO, option, value, "--json")
    assert result.exit_code == 2
    assert result.stdout == ""
    assert result.stderr.count("Error: ") == 1
    assert option.strip("-") in result.stderr.lower() or "fits in" in result.stderr


def test_every_fault_is_named_at_once():
    result = run("solve", "--drift", "0", "--time-cost", "0", "--dt", "-1", "--prior", "2")
    assert result.exit_code == 2
    assert len(result.stderr.splitlines()) == 4


def test_no_memory_is_refused_with_numbers():
    result = run("solve", "--drift", "4", "--locations", "8", "--time-cost", "0.2", "--memory", "1")
    assert result.exit_code == 2
    assert "fits in 1 GiB, got one that needs about" in result.stderr


def test_what_no_table_holds_is_sent_to_bounds_and_to_a_sprt():
    result = run("solve", "--drift", "4", "--locations", "12", "--time-cost", "0.2")
    assert result.exit_code == 2
    assert "`popout certify` bounds the risk" in result.stderr
    assert "--strategy a-sprt" in result.stderr


@pytest.mark.parametrize(("deadline", "code"), [("500", 2), ("100", 1)])
def test_a_deadline_in_milliseconds_is_refused_with_a_hint(deadline, code):
    four = ("--drift", "4", "--locations", "4", "--time-cost", "0.2")
    result = run("solve", *four, "--deadline", deadline)
    assert result.exit_code == code
    assert f"deadline is in seconds: did you mean {float(deadline) / 1000:g}?" in result.stderr


def test_a_step_in_milliseconds_does_not_pass_in_silence():
    result = run("solve", *TWO, "--dt", "10")
    assert result.exit_code == 0
    assert "Looking never pays" in result.stdout
    assert "dt is in seconds" in result.stdout
    (note,) = run_json("solve", *TWO, "--dt", "10")["notes"]
    assert note in " ".join(result.stdout.split())
    assert run_json("solve", *TWO)["notes"] == []


def test_a_step_that_is_a_third_of_the_response_time_is_named():
    fast = ("--drift", "12", "--time-cost", "0.2")
    assert "31 % of the mean response" in run("solve", *fast, "--locations", "2").stdout
    assert "35 % of the mean response" in run("thresholds", *fast).stdout
    table = run("thresholds", "--drift", "12,4", "--time-cost", "0.2").stdout
    assert table.splitlines()[-1].startswith("Drift 12: The step of 10 ms is 35 %")
    assert len(run_json("thresholds", *fast)["notes"]) == 1


def test_threads_bound_matrix_products_and_are_put_back():
    with threadpool_limits(2, user_api="blas"):
        assert run("solve", *TWO, "--rtol", "1e-2", "--threads", "1").exit_code == 0
        assert {library["num_threads"] for library in threadpool_info()} >= {2}


TOO_FINE = ("solve", *TWO, "--rtol", "1e-9", "--memory", "0.002")


def test_not_converged_is_exit_1_and_no_result():
    result = run(*TOO_FINE, "--json")
    assert result.exit_code == 1
    found = json.loads(result.stdout)
    assert found["converged"] is False
    assert "risk" not in found
    assert "not met before the memory ran out" in result.stderr


def test_not_converged_without_json_leaves_stdout_empty():
    result = run(*TOO_FINE)
    assert result.exit_code == 1
    assert result.stdout == ""
    assert result.stderr.splitlines()[-1].startswith("Not converged: ")  # after progress, if any


# -- help -------------------------------------------------------------------------------------


@pytest.mark.parametrize("command", ["thresholds", "solve"])
def test_help_has_examples_of_this_command(command):
    text = run(command, "--help").stdout
    assert len(re.findall(rf"^ +popout {command} --drift", text, re.MULTILINE)) >= 2


def test_json_numbers_are_finite():
    def numbers(value):
        if isinstance(value, dict):
            value = list(value.values())
        if isinstance(value, list):
            for item in value:
                yield from numbers(item)
        elif isinstance(value, float):
            yield value

    found = list(numbers(run_json("solve", *TWO)))
    assert len(found) > 8
    assert all(math.isfinite(number) for number in found)
