import math

import pytest
from paper_recursion import Oracle

from popout.analysis.thresholds import reached_thresholds, threshold_pair
from popout.policies.stopping import ASPRT, SPRT
from popout.simulation import simulate
from popout.task import Costs, MixtureSearchTask, PoissonSpikes, SceneSearchTask, SearchTask

COSTS = Costs(time=0.5)


def test_thresholds_are_computed_when_left_out():
    task = SearchTask(drift=(4.0, 8.0), prior=0.3, location_prior=(0.4, 0.6))
    lower, upper = threshold_pair(task, COSTS)
    for location, drift in enumerate(task.drifts):
        expected = Oracle((drift,), 0.5, spacing=0.05).thresholds()
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


UNEVEN = Costs(time=(0.5, 0.6), miss=1.5)
DRIFTS = {0: -4, 20: 0, 40: 4}
SPIKES = PoissonSpikes([[20.0, 2.0], [10.0, 5.0], [2.0, 20.0]])
TASKS = {
    "all alike": MixtureSearchTask.tied(3, [0, 20, 40], [0, 20, 40], DRIFTS, dt=0.05, prior=0.4),
    "apart": MixtureSearchTask.tied(3, [0], [20, 40], DRIFTS, dt=0.05),
    "spikes": MixtureSearchTask.tied(2, [0, 40], [0, 20], SPIKES, dt=0.05),
    "scene": SceneSearchTask.from_sets(4, [0], [20], [1, 3], {0: -4, 20: 4, "blank": -8}, dt=0.05),
}


@pytest.mark.parametrize("task", TASKS.values(), ids=TASKS)
def test_trials_end_and_no_pair_far_from_it_is_better(task):
    lower, upper = reached_thresholds(task, UNEVEN)
    assert lower < task.log_prior_odds < upper

    def risk(low, high):
        limit = 10 * UNEVEN.patience
        trials = simulate(task, SPRT.for_task(task, low, high), 400, seed=9, time_limit=limit)
        return trials.summary(UNEVEN)

    best = risk(lower, upper)
    assert best.undecided <= 4
    for factors in ((2.5, 1.0), (1.0, 2.5), (0.4, 1.0), (1.0, 0.4)):
        pair = [
            task.log_prior_odds + f * (tau - task.log_prior_odds)
            for f, tau in zip(factors, (lower, upper), strict=True)
        ]
        other = risk(*pair)
        # One that does not end has a risk that is only bounded from below.
        slack = 3 * math.hypot(best.risk_se, other.risk_se)
        assert best.risk < other.risk + slack


def test_patience_is_the_costliest_doubt_over_the_cheapest_second():
    assert Costs(time=0.5).patience == 1.0
    assert UNEVEN.patience == pytest.approx(1.5 / 2.5 / 0.5)
