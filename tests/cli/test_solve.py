"""``popout solve``: keys, exit codes, fixed rates and limited information."""

import json
import math
import re

import pytest
from command_line import refusal, run, run_json
from threadpoolctl import threadpool_info, threadpool_limits

import popout as po

TWO = ("--drift", "4", "--locations", "2", "--time-cost", "0.2")
LIMITED = ("--information", "32", "--locations", "2", "--time-cost", "0.2")
GAZE = ("--items", "0:0,1:0", "--information", "20", "--falloff", "0.8", "--time-cost", "0.2")
KEYS = {"risk", "risk_error", "converged", "grid", "seconds", "a_plus", "a_minus", "thresholds"}


def test_solve_has_the_documented_keys_and_the_numbers_of_the_library():
    result = run_json("solve", *TWO)
    expected = po.solve(po.SearchTask(n_locations=2, drift=4.0), po.Costs(time=0.2), 1e-4)
    assert set(result) >= KEYS
    assert result["converged"] is True
    assert (result["risk"], result["risk_error"]) == (expected.risk, expected.risk_error)
    scales = expected.scales
    assert (result["a_plus"], result["a_minus"]) == (scales.a_plus, scales.a_minus)
    pairs = [(pair["lower"], pair["upper"]) for pair in result["thresholds"]]
    assert pairs == list(expected.thresholds)
    assert result["grid"]["nodes_per_axis"] == list(expected.diagnostics.nodes_per_axis)
    assert all(math.isfinite(number) for number in numbers(result))


def test_the_rate_of_information_is_the_one_that_was_given():
    said = run("solve", *GAZE, "--rtol", "0.05").stdout
    assert "information 20 (1/s) at the point of gaze" in said


def numbers(value):
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        for item in value:
            yield from numbers(item)
    elif isinstance(value, float):
        yield value


def test_limited_information_has_the_same_keys_and_says_where_to_look():
    result = run_json("solve", *LIMITED)
    expected = po.solve(po.LimitedSearchTask(2, 32.0), po.Costs(time=0.2))
    assert set(result) >= KEYS | {"attention"}
    assert result["risk"] == expected.risk
    assert result["attention"]["name"] == "optimal"
    assert result["inputs"].keys() >= {"information", "visibility", "attention"}
    assert "drift" not in result["inputs"]


def test_the_best_stopping_for_an_attention_and_visibilities():
    seen = ("--information=32", "--visibility", "1,0.5", "--time-cost", "0.2", "--rtol", "1e-2")
    result = run("solve", *seen, "--attention", "parallel")
    assert result.exit_code == 0, result.stderr
    assert "parallel" in result.stdout


def test_one_location_has_no_scale():
    assert run_json("solve", "--drift", "4", "--time-cost", "0.2")["a_plus"] is None  # not NaN
    assert "a_plus" not in run("solve", "--drift", "4", "--time-cost", "0.2").stdout
    assert "a_plus" in run("solve", *TWO).stdout


def test_continuous_time_does_not_guess_where_looking_pays():
    result = run_json("solve", "--drift", "1", "--time-cost", "2", "--dt", "0")
    assert result["risk"] == pytest.approx(0.46891, abs=5e-6)  # c / mu^2 (sinh b + b) = 1
    assert result["method"] == "closed form"
    two = ("--drift", "1", "--locations", "2", "--time-cost", "2", "--dt", "0", "--rtol", "0.1")
    result = run_json("solve", *two)
    assert result["bounds"]["lower"] < 0.4842 < result["bounds"]["upper"]
    assert result["risk"] < 0.5
    assert abs(result["risk"] - 0.4842) <= result["risk_error"]


def test_continuous_time_is_extrapolated():
    rough = ("--time-cost", "0.5", "--dt", "0", "--rtol", "0.05")
    result = run_json("solve", "--drift", "2", "--locations", "2", *rough)
    assert {"risk", "risk_error", "a_plus", "a_plus_error", "thresholds", "steps"} <= set(result)
    limited = run("solve", "--information", "8", "--locations", "1", *rough)
    assert "continuous time" in limited.stdout


def test_a_deadline_costs_risk_and_is_kept():
    hurried = run_json("solve", *TWO, "--deadline", "0.2")
    assert hurried["deadline"] == pytest.approx(0.2)
    assert hurried["converged"] is True
    assert hurried["risk"] > 1.5 * run_json("solve", *TWO)["risk"]
    assert re.search(r"deadline +0\.2 s, 20 looks", run("solve", *TWO, "--deadline", "0.2").stdout)
    # No whole number of steps.
    assert run_json("solve", *TWO, "--rtol", "1e-2", "--deadline", "0.055")["deadline"] == 0.05


@pytest.mark.parametrize(
    ("args", "words"),
    [
        ((*TWO, "--memory", "-1"), "--memory: expected a positive number of GiB"),
        ((*TWO, "--memory", "1e-9"), "--memory"),
        ((*TWO, "--deadline", "0"), "deadline"),
        ((*TWO, "--dt", "0", "--deadline", "1"), "--dt 0 alone, got --deadline with it"),
        ((*TWO, "--deadline", "1", "--memory", "1"), "--deadline alone, got --memory with it"),
        ((*TWO, "--information", "32"), "expected --drift or --information, got both; leave one"),
        (TWO[2:], "expected --drift or --information, got neither"),
        ((*TWO, "--attention", "serial"), "write e.g. --information 60 in place of --drift"),
        ((*LIMITED, "--attention", "serail"), "did you mean serial?"),
        ((*LIMITED, "--deadline", "1"), "got it with --information; a deadline is solved where"),
        ((*GAZE, "--deadline", "1"), "expected --deadline with --drift, got it with --items"),
        ((*TWO, "--dynamic", "0.11", "--deadline", "1"), "--deadline without --dynamic, got both"),
        ((*TWO, "--dynamic", "0.11", "--dt", "0"), "--dt 0 without --dynamic, got both"),
        ((*GAZE, "--attention", "random:1"), "got 'random but for 1'; simulate it"),
        (("--information", "-1", *LIMITED[2:], "--prior", "2"), "--prior: expected"),
        (("--information", "32", "--locations", "9", "--time-cost", "1"), "at most 6 locations"),
        ((*TWO[:3], "8", *TWO[4:], "--memory", "1"), "fits in 1 GiB, got one that needs about"),
        ((*TWO[:3], "12", *TWO[4:]), "`popout certify` bounds the risk"),
        ((*TWO, "--deadline", "500"), "deadline is in seconds: did you mean 0.5?"),
    ],
)
def test_bad_input_names_the_remedy(args, words):
    assert words in refusal("solve", *args, "--json")


def test_a_step_in_milliseconds_does_not_pass_in_silence():
    result = run("solve", *TWO, "--dt", "10")
    assert result.exit_code == 0
    (note,) = run_json("solve", *TWO, "--dt", "10")["notes"]
    assert "dt is in seconds" in note
    assert note in " ".join(result.stdout.split())
    assert run_json("solve", *TWO)["notes"] == []


def test_threads_bound_matrix_products_and_are_put_back():
    with threadpool_limits(2, user_api="blas"):
        assert run("solve", *TWO, "--rtol", "1e-2", "--threads", "1").exit_code == 0
        assert {library["num_threads"] for library in threadpool_info()} >= {2}


def test_not_converged_is_exit_1_and_no_result():
    too_fine = ("solve", *TWO, "--rtol", "1e-9", "--memory", "0.002")
    result = run(*too_fine, "--json")
    assert result.exit_code == 1
    message = json.loads(result.stdout)
    assert message["converged"] is False
    assert "risk" not in message
    result = run(*too_fine)
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr.splitlines()[-1].startswith("Not converged: ")  # after progress, if any
