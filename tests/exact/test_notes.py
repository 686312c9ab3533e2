"""What looks wrong with a problem, and the response time from which that is judged."""

import numpy as np
import pytest

import popout as po
from popout.exact.notes import (
    COARSE_STEP,
    looks_per_trial,
    mean_response_time,
    problem_notes,
)

COSTS = po.Costs(time=0.2)


@pytest.mark.parametrize(
    ("task", "costs"),
    [
        (po.SearchTask(n_locations=1, drift=4.0), COSTS),
        (po.SearchTask(n_locations=2, drift=12.0, prior=0.3), po.Costs(time=(0.2, 0.6), miss=2.0)),
        (po.SearchTask(drift=(8.0, 3.0), location_prior=(0.3, 0.7)), COSTS),
    ],
)
def test_the_response_time_is_that_of_the_strategy_followed(task, costs):
    solution = po.solve(task, costs, rtol=1e-4)
    followed = po.evaluate(task, solution.strategy, costs, rtol=1e-4)
    expected = (1 - task.prior) * followed.rt_absent + task.prior * followed.rt_present
    assert mean_response_time(solution.value_grid) == pytest.approx(expected, rel=3e-3)
    assert solution.mean_rt == pytest.approx(expected, rel=3e-3)
    looks = looks_per_trial(solution.value_grid.discretisation)
    assert 0.4 < looks / (expected / task.dt) < 2.0


def test_the_step_raises_the_risk_by_about_what_the_note_says():
    coarse, fine = (
        po.solve(po.SearchTask(n_locations=2, drift=12.0, dt=dt), COSTS, rtol=1e-3)
        for dt in (0.01, 0.0005)
    )
    said = float(coarse.notes[0].split("some ")[1].split(" %")[0])
    assert said == pytest.approx(100 * (coarse.risk / fine.risk - 1), rel=0.3)
    assert fine.notes == ()


@pytest.mark.parametrize("n_locations", [1, 2, 64])
def test_a_step_is_named_from_a_tenth_of_the_response_time(n_locations):
    task = po.SearchTask(n_locations=n_locations, drift=4.0)
    limit = task.dt / COARSE_STEP
    assert problem_notes(task, COSTS, 1.01 * limit) == ()
    (note,) = problem_notes(task, COSTS, 0.99 * limit)
    assert "10 % of the mean response time" in note
    assert problem_notes(task, COSTS, np.inf) == ()


def test_why_looking_does_not_pay():
    (seconds,) = problem_notes(po.SearchTask(n_locations=2, drift=4.0, dt=10.0), COSTS, 0.0)
    assert "One look of 10 s costs 2, and answering at once risks only 0.5" in seconds
    (slow,) = problem_notes(po.SearchTask(n_locations=2, drift=0.1), po.Costs(time=5.0), 0.0)
    assert "At drift 0.1 (1/s) the evidence comes too slowly" in slow
    unknown = po.MixtureSearchTask.tied(3, [10], [0, 20], {0: -4, 10: 4, 20: 0})
    (slow,) = problem_notes(unknown, po.Costs(time=20.0), 0.0)
    assert slow.endswith("The evidence comes too slowly for what time costs, which is per second.")


def test_a_look_and_a_guess_are_priced_by_prior_and_costs():
    costs = po.Costs(time=(0.4, 1.0), miss=0.5, false_alarm=2.0)
    (note,) = problem_notes(po.SearchTask(drift=(4.0, 2.0), prior=0.3, dt=1.0), costs, 0.0)
    assert "One look of 1 s costs 0.58, and answering at once risks only 0.15" in note
    (note,) = problem_notes(po.SearchTask(drift=(4.0, 2.0), prior=0.9, dt=1.0), costs, 0.0)
    assert "One look of 1 s costs 0.94, and answering at once risks only 0.2" in note
