"""Thresholds that trials reach, where distractors are unknown."""

import math

import pytest

from popout.analysis.reach import reached_thresholds
from popout.policies.stopping import SPRT
from popout.simulation import simulate
from popout.simulation.time_limit import patience
from popout.task import Costs, MixtureSearchTask, PoissonSpikes, SceneSearchTask

COSTS = Costs(time=(0.5, 0.6), miss=1.5)
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
    lower, upper = reached_thresholds(task, COSTS)
    assert lower < task.log_prior_odds < upper

    def risk(low, high):
        limit = 10 * patience(COSTS)
        trials = simulate(task, SPRT.for_task(task, low, high), 400, seed=9, time_limit=limit)
        return trials.summary(COSTS)

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
    assert patience(Costs(time=0.5)) == 1.0
    assert patience(COSTS) == pytest.approx(1.5 / 2.5 / 0.5)
