"""Answers: the numbers of the command line, and plots that agree with them."""

import json
import tomllib

import numpy as np
import pytest
from command_line import run_json

from popout.drawing.plain import plain
from popout.exact import solve
from popout.policies.stopping import Hardmax
from popout.task import Costs, InputError, SearchTask
from popout.web.explorer.answers import InPlane, boundary_curves
from popout.web.explorer.questions import QUESTIONS

from ..conftest import ROOT

TWO = {"task": {"kind": "search", "n_locations": 2, "drift": 4.0}, "costs": {"time": 0.2}}
LIMITED = {
    "task": {"kind": "limited-search", "n_locations": 2, "information": 32.0},
    "costs": {"time": 0.5},
}
LOOKED_AT = {
    "task": {
        "kind": "gaze-search",
        "items": [[0, 0], [1, 0], [3, 0]],
        "information": 20.0,
        "falloff": 0.8,
        "prior": 0.3,
        "location_prior": [0.2, 0.3, 0.5],
    },
    "costs": {"time": 0.2},
}
THREE = SearchTask(n_locations=3, drift=4.0)
FEW = {"trials": 2000, "tune_trials": 1000}


def answer(name, body):
    answer = QUESTIONS[name].model_validate(body).answer(lambda share, words: None)
    return json.loads(json.dumps(plain(answer), allow_nan=False))


def test_it_says_what_the_command_line_says():
    ours = answer("simulate", {**TWO, "strategy": "sprt", "trials": 2000})
    typed = "--drift 4 --time-cost 0.2 --locations 2 --strategy sprt --trials 2000"
    theirs = run_json("simulate", *typed.split())
    counts = ours.pop("histogram")
    assert ours == {name: theirs[name] for name in theirs if name not in ("inputs", "seconds")}
    total = sum(np.sum(n) for side in ("present", "absent") for n in counts[side].values())
    assert 0.99 * 2000 <= total <= 2000  # the slowest in a thousand are beyond


def test_bars_of_response_times_begin_where_answers_can_come():
    """One bar for each fixation of 0.23 s: none begins before the first has ended."""
    gaze = {"kind": "gaze-search", "items": [[0, 0], [1, 0]], "information": 20.0, "falloff": 0.8}
    asked = {"task": gaze, "costs": {"time": 0.2}, "strategy": "sprt", "attention": "elm"}
    counts = answer("simulate", {**asked, "trials": 500})["histogram"]
    answered = np.sum([n for side in ("present", "absent") for n in counts[side].values()], axis=0)
    assert counts["edges"][np.flatnonzero(answered)[0]] == pytest.approx(0.23)


def test_the_boundary_is_that_of_the_solution():
    shown = answer("boundary", TWO)
    sums = np.add(shown["present"]["Z1"], shown["present"]["Z2"])
    assert shown["strategy"] == "optimal"
    assert shown["risk"] == pytest.approx(
        solve(SearchTask(n_locations=2, drift=4.0), Costs(time=0.2)).risk, rel=0.01
    )
    assert np.diff(np.subtract(shown["present"]["Z1"], shown["present"]["Z2"])).min() >= 0
    assert sums.max() > 3
    sprt = answer("boundary", {**TWO, "strategy": "sprt"})
    assert sprt["risk"] is None
    assert len(sprt["absent"]["Z1"]) > 50


def test_one_location_has_no_plane():
    with pytest.raises(InputError, match="two or more"):
        answer("boundary", {**TWO, "task": {"kind": "search", "n_locations": 1, "drift": 4.0}})


def test_where_information_is_limited_the_boundary_comes_with_attention():
    shown = answer("boundary", {**LIMITED, "strategy": "sprt", "attention": "parallel"})
    shares = np.array(shown["attention"]["share"], dtype=float)
    assert set(np.unique(shares[np.isfinite(shares)])) == {0.5}
    assert np.isnan(shares[-1, -1])  # answered


def test_slopes_are_fitted_to_the_rows():
    body = {**TWO, **FEW, "strategy": "sprt", "locations": [2, 4, 8]}
    shown = answer("slopes", body)
    sizes = [row["locations"] for row in shown["rows"]]
    times = [row["mean_rt"]["absent"] for row in shown["rows"]]
    assert sizes == [2, 4, 8]
    assert shown["slope"]["absent"] == pytest.approx(1000 * np.polyfit(sizes, times, 1)[0])
    with pytest.raises(InputError, match="the same about every location"):
        answer("slopes", {**body, "task": {"kind": "search", "drift": [4, 3]}})


def test_the_frontier_trades_speed_for_accuracy():
    shown = answer("frontier", {**TWO, **FEW, "strategy": "sprt", "points": 5, "span": 100})
    points = shown["points"]
    assert points[shown["chosen"]]["time_cost"] == pytest.approx(0.2)
    assert points[-1]["time_cost"] / points[0]["time_cost"] == pytest.approx(100)
    assert np.all(np.diff([point["mean_rt"] for point in points]) < 0)
    assert np.all(np.diff([point["error_rate"] for point in points]) > 0)


@pytest.mark.parametrize("body", [TWO, LIMITED], ids=["search", "limited"])
def test_examples_end_where_the_strategy_stops(body):
    shown = answer("example-trials", {**body, "strategy": "sprt", "n": 3})
    for trial in shown["trials"]:
        assert trial["t"][-1] == pytest.approx(trial["rt"])
        assert len(trial["t"]) == len(trial["Z"]) == len(trial["posterior"])
        assert trial["posterior"][0] == pytest.approx(0.5)
        assert (trial["posterior"][-1] > 0.5) == (trial["response"] == "present")
        assert trial["correct"] == ((trial["response"] == "present") == trial["present"])
        assert (trial["shares"] is None) == (body is TWO)


@pytest.mark.parametrize("others", [None, -1.0])
def test_curves_are_where_a_margin_is_zero(others):
    strategy = Hardmax.for_task(THREE, -3.0, 3.0)
    flat = InPlane(strategy, (0, 2), others, 3)
    for side, curve in enumerate(boundary_curves(flat).values()):
        Z = np.full((len(curve["Z1"]), 3), -80.0 if others is None else others)
        Z[:, 0], Z[:, 2] = curve["Z1"], curve["Z3"]
        assert np.abs(strategy.margins(Z, 0.0)[side]).max(initial=0.0) < 1e-6


def test_where_distractors_are_unknown_there_is_no_plane():
    task = tomllib.loads((ROOT / "examples" / "tasks" / "tied_distractors.toml").read_text())
    body = {"costs": task.pop("costs"), "task": task, "strategy": "sprt"}
    with pytest.raises(InputError, match="with a boundary"):
        answer("boundary", body)


GAZE = "--items 0:0,1:0,3:0 --information 20 --falloff 0.8 --prior 0.3 --time-cost 0.2"


def test_of_gazes_it_says_what_the_command_line_says():
    task = {key: value for key, value in LOOKED_AT["task"].items() if key != "location_prior"}
    body = {**LOOKED_AT, "task": task, "attention": "elm"}
    solved = answer("solve", body)
    typed = run_json("solve", *GAZE.split(), "--attention", "elm", "--rtol", "0.01")
    for name in ("risk", "risk_error", "attention", "grid"):
        assert solved[name] == typed[name]
    ours = answer("simulate", {**body, "strategy": "sprt", "trials": 2000})
    typed = run_json("simulate", *GAZE.split(), "--strategy", "sprt", "--trials", "2000")
    for name in ("attention", "parameters", "risk", "risk_se", "error_rate", "mean_rt"):
        assert ours[name] == typed[name]


def test_fixations_come_with_the_posterior_of_every_item():
    shown = answer("example-trials", {**LOOKED_AT, "attention": "map", "strategy": "sprt", "n": 5})
    moved = 0
    for trial in shown["trials"]:
        assert len(trial["fixations"]) == len(trial["t"]) - 1
        for fixation, Z, present in zip(
            trial["fixations"], trial["Z"][1:], trial["posterior"][1:], strict=True
        ):
            # Bayes in so many words: the prior of each item times its likelihood ratio.
            weight = [0.3 * p * np.exp(z) for p, z in zip((0.2, 0.3, 0.5), Z, strict=True)]
            assert fixation["likely"] == pytest.approx([w / (0.7 + sum(weight)) for w in weight])
            assert sum(fixation["likely"]) == pytest.approx(present)
            assert [fixation["x"], fixation["y"]] == LOOKED_AT["task"]["items"][fixation["gaze"]]
        moved += len({fixation["gaze"] for fixation in trial["fixations"]}) > 1
    assert moved
    (still,) = answer("example-trials", {**TWO, "strategy": "sprt", "n": 1})["trials"]
    assert still["fixations"] is None


def test_fixations_are_counted_by_class():
    body = {**LOOKED_AT, "attention": "map", "strategy": "sprt", "trials": 2000}
    shown = answer("simulate", body)
    for side in ("absent", "present"):
        number = shown["fixations"][f"fixations_{side}"]
        assert number == pytest.approx(shown["mean_rt"][side] / 0.23)
