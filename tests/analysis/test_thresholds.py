import math

import pytest

from popout.analysis.thresholds import threshold_pair
from popout.policies.stopping import ASPRT
from popout.simulation import simulate
from popout.task import Costs, MixtureSearchTask, SearchTask

COSTS = Costs(time=0.5)


def test_thresholds_are_computed_when_left_out(oracle):
    task = SearchTask(drift=(4.0, 8.0), prior=0.3, location_prior=(0.4, 0.6))
    lower, upper = threshold_pair(task, COSTS)
    for location, drift in enumerate(task.drifts):
        expected = oracle((drift,), 0.5, spacing=0.05).thresholds()
        assert (lower[location], upper[location]) == pytest.approx(expected, abs=2e-3)


def test_a_location_without_prior_needs_no_thresholds():
    task = SearchTask(drift=(4.0, 8.0), location_prior=(1.0, 0.0))
    alone = SearchTask(n_locations=1, drift=4.0)
    (lower, _), (upper, _) = threshold_pair(task, COSTS)
    assert ((lower,), (upper,)) == threshold_pair(alone, COSTS)
    trials = simulate(task, ASPRT.for_task(task, *threshold_pair(task, COSTS)), 2000, seed=1)
    assert (trials.target <= 0).all()


def test_one_location_is_solved_once(monkeypatch):
    task = SearchTask(n_locations=3, drift=4.321)
    first = threshold_pair(task, COSTS)
    monkeypatch.setattr("popout.analysis.thresholds.thresholds", None)
    assert threshold_pair(SearchTask(n_locations=8, drift=4.321), COSTS) == (
        first[0][:1] * 8,
        first[1][:1] * 8,
    )


def test_unknown_distractors_have_a_place_to_start_within_reach():
    task = MixtureSearchTask.tied(3, [0, 20], [0, 20], {0: -4, 20: 4})
    lower, upper = threshold_pair(task, COSTS)
    assert math.log(1 / 2) < lower < 0 < upper  # where a target looks like the distractors S stays
