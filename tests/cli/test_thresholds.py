"""``popout thresholds``: numbers of the library, a card for one drift and a table for several."""

import re

import pytest
from command_line import run, run_json

import popout as po


def test_every_option_of_thresholds_reaches_the_solver():
    problem = ("--dt", "0.02", "--prior", "0.3", "--miss", "2", "--false-alarm", "3")
    result = run_json(
        "thresholds", "--drift", "4", "--time-cost", "present=0.4:absent=0.2", *problem
    )
    costs = po.Costs(time=(0.2, 0.4), miss=2.0, false_alarm=3.0)
    expected = po.thresholds(4.0, costs, dt=0.02, prior=0.3, rtol=1e-4)
    assert (result["lower"], result["upper"]) == (expected.lower, expected.upper)
    assert result["risk"] == expected.risk


def test_one_drift_prints_a_card_and_several_a_table():
    result = run("thresholds", "--drift", "4", "--time-cost", "0.2")
    assert re.search(r"risk +0\.0380", result.stdout)
    assert 'say "present"  at or above 4.5' in result.stdout
    table = run("thresholds", "--drift", "4,8", "--time-cost", "0.2").stdout
    assert "error of risk" in table
    assert len(table.splitlines()) == 5  # title, headings, two rows, a note on the step


def test_a_step_that_is_a_third_of_the_response_time_is_named():
    (note,) = run_json("thresholds", "--drift", "12", "--time-cost", "0.2")["notes"]
    assert note.startswith("The step of 10 ms is 35 % of the mean response")
    table = run("thresholds", "--drift", "12,4", "--time-cost", "0.2").stdout
    assert table.splitlines()[-1] == f"Drift 12: {note}"


def test_continuous_time_is_in_closed_form():
    result = run_json("thresholds", "--drift", "4", "--time-cost", "0.2", "--dt", "0")
    assert result["upper"] == pytest.approx(5.0105, abs=1e-3)


def test_errors_of_thresholds_are_bounds():
    costs = ("--time-cost", "5.198", "--miss", "20", "--false-alarm", "0.1")
    result = run_json("thresholds", "--drift", "16.856", *costs)
    assert abs(result["upper"] + 1.26714) <= result["upper_error"] + 5e-6  # an integral equation's
    assert result["upper_error"] < 1e-9
