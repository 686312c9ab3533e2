"""``popout compare``: a thin layer over the library."""

import pytest
from command_line import refusal, run, run_json

import popout as po
from popout.policies.stopping import RECIPES

PROBLEM = ("--drift", "4", "--locations", "2", "--time-cost", "0.5")
LIMITED = ("--information", "32", "--locations", "2", "--time-cost", "0.2")
GAZE = ("--items", "0:0,1:0", "--information", "20", "--falloff", "0.8", "--time-cost", "0.2")
QUICK = ("--trials", "2000", "--tune-trials", "2000", "--seed", "3")
KEYS = {"strategy", "locations", "time_cost", "risk", "risk_se", "excess", "excess_se"}


def test_compare_gives_the_rows_of_the_library():
    several = ("--drift", "4", "--locations", "1,4", "--time-cost", "0.5,1", *QUICK)
    rows = run_json("compare", *several, "--strategies", "a-sprt,hardmax")
    assert len(rows) == 2 * 2 * 2
    assert all(set(row) >= KEYS for row in rows)
    expected = po.compare(
        [po.SearchTask(n_locations=m, drift=4.0) for m in (1, 4)],
        [po.Costs(time=c) for c in (0.5, 1.0)],
        [RECIPES[name] for name in ("a-sprt", "hardmax")],
        n_trials=2000,
        tune_trials=2000,
        seed=3,
    )
    assert [row["risk"] for row in rows] == expected.risk.tolist()
    with_one = [row for row in rows if row["locations"] == 1]
    assert all(0 <= row["excess"] < 1e-6 for row in with_one)  # one location: one strategy


def test_slopes_are_printed_and_in_the_json():
    sizes = ("--drift", "4", "--locations", "1,2", "--time-cost", "absent=0.5:present=1")
    several = ("compare", *sizes, "--strategies", "sprt", *QUICK)
    assert "absent (ms/item)" in run(*several).stdout
    rows = run_json(*several)
    assert rows[0]["time_cost"] == {"absent": 0.5, "present": 1.0}
    assert rows[0]["rt_slope"]["absent"] == rows[1]["rt_slope"]["absent"] > 0
    assert all(row["risk_trials"] == row["excess_trials"] <= row["trials"] for row in rows)


def test_ways_to_look_are_compared_over_set_sizes():
    few = ("--trials", "1000", "--strategies", "sprt", "--seed", "3")
    args = ("--information", "60", "--attention", "parallel,guided:2,serial")
    sizes = ("--locations", "4,8", "--time-cost", "0.1")
    rows = run_json("compare", *args, *sizes, *few)
    keys = KEYS | {"attention", "mean_rt", "error_rate", "rt_slope", "rt_slope_se"}
    assert all(keys <= set(row) for row in rows)
    assert [row["attention"] for row in rows[:3]] == ["parallel", "guided, g = 2", "serial"]
    assert [row["locations"] for row in rows] == [4] * 3 + [8] * 3
    assert set(rows[0]["mean_rt"]) == {"absent", "present"}
    assert sum(row["is_reference"] for row in rows) == 2
    said = run("compare", *args, *sizes, *few).stdout
    assert "Attention compared: SPRT, information 60 /s" in said


def test_optimal_stopping_is_left_out_where_none_is_known():
    few = ("--trials", "1000", "--tune-trials", "1000", "--strategies", "optimal,sprt")
    said = run("compare", *GAZE, *few).stdout
    assert "Left out: optimal stopping for random, which cannot be solved." in said
    rows = run_json("compare", *GAZE, *few)
    assert [(row["attention"], row["strategy"]) for row in rows if row["attention"] != "ELM"] == [
        ("MAP", "optimal"),
        ("MAP", "sprt"),
        ("ideal searcher", "optimal"),
        ("ideal searcher", "sprt"),
        ("random", "sprt"),
        ("stay at 1", "optimal"),
        ("stay at 1", "sprt"),
    ]


def test_a_single_place_is_compared_as_the_search_it_is():
    alone = ("--items", "0:0", *GAZE[2:], "--trials", "1000", "--tune-trials", "1000")
    (row,) = run_json("compare", *alone)
    assert row["drift"] == pytest.approx((20.0 * 0.2 / 0.23) ** 0.5)
    assert 0 <= row["excess"] < 1e-3


def test_the_help_says_where_gaze_rests_unless_told():
    said = " ".join(run("compare", "--help").stdout.split())
    assert "with --items map,elm,ideal,random and stay in the middle]" in said
    said = " ".join(run("simulate", "--help").stdout.split())
    assert "[default: serial; with --items elm]" in said


@pytest.mark.parametrize(
    ("args", "words"),
    [
        ((*PROBLEM, "--strategies", "luck,sprt,hope"), "got 'hope'"),
        ((*GAZE, "--attention", "random", "--strategies", "optimal"), "got 'random'; simulate it"),
        ((*GAZE, "--fixation", "free", "--strategies", "optimal"), "choose e.g. sprt-opt"),
        ((*PROBLEM, "--strategies", "sprt,sprt"), "expected each name once"),
        ((*PROBLEM, "--tune-trials", "0"), "--tune-trials: expected"),
        (("--drift", "8,3", "--locations", "3", "--time-cost", "0.5"), "--drift: expected"),
        (("--drift", "4", "--locations", "2", "--time-cost", "0.5,nan"), "--time-cost: expected"),
        ((*LIMITED, "--attention", "serail,luck"), "did you mean serial?"),
        ((*LIMITED, "--attention", "guided:x"), "--attention: expected one of optimal"),
        ((*LIMITED, "--locations", "0,2"), "--locations: expected"),
    ],
)
def test_bad_input_names_the_remedy(args, words):
    assert words in refusal("compare", *args, "--json")
