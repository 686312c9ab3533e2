"""Limited information on the command line."""

import json

import pytest
from click.testing import CliRunner

import popout as po
from popout.cli import group, names
from popout.policies.looking.names import ATTENTION, OPTIMAL

TWO = ("--information", "32", "--locations", "2", "--time-cost", "0.2")


def run(*args):
    return CliRunner().invoke(group.main, args)


def test_solve_finds_the_joint_optimum():
    result = run("solve", *TWO, "--json")
    assert result.exit_code == 0, result.stderr
    found = json.loads(result.stdout)
    known = po.solve(po.LimitedSearchTask(2, 32.0), po.Costs(time=0.2))
    assert found["risk"] == known.risk
    assert found["attention"]["name"] == "optimal"
    assert {"risk_error", "converged", "grid", "a_plus", "a_minus", "thresholds"} <= set(found)


def test_solve_for_a_given_attention_and_visibilities():
    result = run(
        "solve", "--information=32", "--visibility", "1,0.5", "--time-cost", "0.2",
        "--attention", "parallel", "--rtol", "1e-2",
    )  # fmt: skip
    assert result.exit_code == 0, result.stderr
    assert "parallel" in result.stdout


def test_simulate_has_the_documented_keys():
    few = ("--attention", "serial", "--trials", "1000", "--strategy", "sprt")
    result = run("simulate", *TWO, *few, "--json")
    assert result.exit_code == 0, result.stderr
    found = json.loads(result.stdout)
    keys = {"attention", "strategy", "seed", "risk", "risk_se", "error_rate", "mean_rt"}
    assert keys <= set(found)
    assert found["attention"] == "serial"
    assert "serial attention" in run("simulate", *TWO, *few).stdout


def test_the_names_of_attention_are_those_of_the_library():
    assert set(names.ATTENTION) == {OPTIMAL, *ATTENTION}


def test_compare_has_the_documented_keys_and_slopes():
    few = ("--trials", "1000", "--strategies", "sprt", "--seed", "3")
    args = ("--information", "60", "--attention", "parallel,guided:2,serial")
    sizes = ("--locations", "4,8", "--time-cost", "0.1")
    result = run("compare", *args, *sizes, *few, "--json")
    assert result.exit_code == 0, result.stderr
    rows = json.loads(result.stdout)
    keys = {"attention", "strategy", "locations", "time_cost", "risk", "risk_se", "excess"}
    keys |= {"excess_se", "mean_rt", "error_rate", "rt_slope", "rt_slope_se"}
    assert all(keys <= set(row) for row in rows)
    assert [row["attention"] for row in rows[:3]] == ["parallel", "guided, g = 2", "serial"]
    assert [row["locations"] for row in rows] == [4] * 3 + [8] * 3
    assert set(rows[0]["mean_rt"]) == {"absent", "present"}
    assert sum(row["is_reference"] for row in rows) == 2
    said = run("compare", *args, *sizes, *few).stdout
    assert "Attention compared: SPRT, information 60 /s" in said
    assert "absent / present" in said


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (("solve", *TWO, "--drift", "4"), "--drift or --information, got both"),
        (("solve", *TWO, "--attention", "serail"), "did you mean serial?"),
        (("solve", *TWO[2:], "--information", "-1", "--prior", "2"), "--prior: expected"),
        (("simulate", *TWO, "--strategy", "luck"), "expected one of optimal, a-sprt, sprt-opt"),
        (("compare", *TWO, "--attention", "serail,luck"), "did you mean serial?"),
        (("compare", *TWO, "--attention", "guided:x"), "--attention: expected one of optimal"),
        (("compare", *TWO, "--attention", "serial,serial"), "expected each name once"),
        (("compare", *TWO, "--locations", "0,2"), "--locations: expected"),
        (("compare", *TWO, "--drift", "4"), "--drift or --information, got both"),
        (("solve", *TWO[:2], "--locations", "9", "--time-cost", "1"), "at most 6 locations"),
        (("solve", *TWO, "--deadline", "1"), "--deadline"),
    ],
)
def test_faults(args, said):
    result = run(*args)
    assert result.exit_code == 2
    assert said in result.stderr
    assert not result.stdout


def test_help_shows_the_options_of_the_problem_that_is_meant():
    assert "--attention" not in run("solve", "--help").stdout
    assert "--information" in run("solve", "--help").stdout
    assert "--attention" in run("solve", "--information", "1", "--help").stdout


def test_continuous_time_is_solved_and_refused_elsewhere():
    found = json.loads(
        run("thresholds", "--drift", "4", "--time-cost", "0.2", "--dt", "0", "--json").stdout
    )
    assert found["upper"] == pytest.approx(5.0105, abs=1e-3)
    rough = ("--dt", "0", "--rtol", "0.05")
    one = run("solve", "--drift", "2", "--locations", "2", "--time-cost", "0.5", *rough, "--json")
    found = json.loads(one.stdout)
    assert {"risk", "risk_error", "a_plus", "a_plus_error", "thresholds", "steps"} <= set(found)
    joint = run("solve", "--information", "8", "--locations", "1", "--time-cost", "0.5", *rough)
    assert "continuous time" in joint.stdout
    for args in (
        ("simulate", "--strategy", "sprt", "--drift", "2", "--locations", "2"),
        ("simulate", "--information", "8", "--locations", "2"),
        ("compare", "--information", "8", "--locations", "2"),
        ("compare", "--drift", "2", "--locations", "2"),
    ):
        refused = run(*args, "--time-cost", "0.5", "--dt", "0")
        assert refused.exit_code == 2
        assert "--dt" in refused.stderr
        assert "expected a positive number" in refused.stderr
    both = run("solve", "--drift", "2", "--time-cost", "0.5", "--dt", "0", "--deadline", "1")
    assert both.exit_code == 2
    assert "--dt 0 alone" in both.stderr
