"""Exact evaluation of pairs, against today's evaluator and against simulation."""

from dataclasses import replace

import numpy as np
import pytest

import popout as po
from popout.exact import joint_evaluation
from popout.exact.evaluation import Evaluation
from popout.exact.joint_evaluation import evaluate_joint
from popout.exact.joint_solver import best_stopping
from popout.policies.looking import Guided, Parallel, Serial
from popout.simulation import simulate
from popout.task import LimitedSearchTask

COSTS = po.Costs(time=0.2)
TASK = LimitedSearchTask(n_locations=2, information=32.0)
STOP = po.SPRT.for_task(TASK.with_shares(), -3.0, 3.5)
UNEQUAL = LimitedSearchTask(
    information=32.0, visibility=(1.0, 0.5), location_prior=(0.3, 0.7), prior=0.4
)


def scores(task, found, summary):
    """Return how many standard errors simulation and evaluation are apart."""
    pairs = [
        (summary.risk, summary.risk_se, found.risk),
        (summary.absent.error_rate, summary.absent.error_rate_se, found.false_alarm),
        (summary.present.error_rate, summary.present.error_rate_se, found.miss),
        (summary.absent.mean_rt, summary.absent.mean_rt_se, found.rt_absent),
        (summary.present.mean_rt, summary.present.mean_rt_se, found.rt_present),
    ]
    return np.array([(value - exact) / se for value, se, exact in pairs])


def test_fixed_shares_are_todays_evaluation():
    found = evaluate_joint(TASK, Parallel.for_task(TASK), STOP, COSTS, 1e-4)
    known = po.evaluate(TASK.with_shares(), STOP, COSTS, 1e-4)
    assert abs(found.risk - known.risk) <= found.risk_error + known.risk_error
    for name in ("false_alarm", "miss"):
        error = found.rate_error + known.rate_error
        assert abs(getattr(found, name) - getattr(known, name)) <= error
    assert abs(found.rt_present - known.rt_present) <= found.rt_error + known.rt_error


@pytest.mark.parametrize("policy", [Serial, Guided])
@pytest.mark.parametrize("task", [TASK, UNEQUAL], ids=["equal", "unequal"])
def test_simulation_agrees(policy, task):
    stop = po.SPRT.for_task(task.with_shares((0.5, 0.5)), -3.0, 3.5)
    attention = policy.for_task(task)
    found = evaluate_joint(task, attention, stop, COSTS, 1e-3)
    summary = simulate(task, po.Observer(attention, stop), 200_000, seed=4).summary(COSTS)
    assert np.abs(scores(task, found, summary)).max() < 3.7  # 1 in 1000 for five of them
    # Negative control: three percent less information must be seen.
    slower = LimitedSearchTask(
        information=0.97 * task.information,
        visibility=task.visibilities,
        location_prior=task.location_prior,
        prior=task.prior,
    )
    wrong = simulate(slower, po.Observer(attention, stop), 200_000, seed=4).summary(COSTS)
    assert np.abs(scores(task, found, wrong)).max() > 6.0


def test_three_locations():
    task = LimitedSearchTask(n_locations=3, information=48.0)
    stop = po.SPRT.for_task(task.with_shares(), -3.0, 3.0)
    found = evaluate_joint(task, Serial.for_task(task), stop, COSTS, 1e-2)
    summary = simulate(task, po.Observer(Serial, stop), 200_000, seed=5).summary(COSTS)
    assert np.abs(scores(task, found, summary)).max() < 3.7


def test_the_best_stopping_achieves_the_risk_it_promises():
    best = best_stopping(TASK, Serial.for_task(TASK), COSTS, 1e-3)
    found = evaluate_joint(TASK, best.attention, best.strategy, COSTS, 1e-3)
    assert abs(found.risk - best.risk) <= found.risk_error + best.risk_error


def test_a_strategy_that_never_stops_is_refused():
    endless = po.SPRT.for_task(TASK.with_shares(), -200.0, 3.0)
    with pytest.raises(po.InputError, match="stops on every axis"):
        evaluate_joint(TASK, Serial.for_task(TASK), endless, COSTS)


def pretended(monkeypatch, policy, risk_on):
    """Evaluate a pair whose risk on a grid is a given function of that grid."""

    def summary(problem, pair):
        grid = pair.grid
        at = {place: (0.0, 0.0) for place in problem.locations}
        free = po.Costs(time=1e-9)
        found = Evaluation.of(problem.task, free, 0.0, 0.0, at, grid.shape)
        return replace(found, risk=risk_on(grid))

    monkeypatch.setattr(joint_evaluation, "_summary", summary)
    stop = po.SPRT.for_task(UNEQUAL.with_shares((0.5, 0.5)), -3.0, 3.5)
    return evaluate_joint(UNEQUAL, policy.for_task(UNEQUAL), stop, COSTS, 1e-2)


def test_each_part_of_the_error_is_in_the_sum(monkeypatch):
    # Shares alone: half as many parts change the risk by 0.003 and nothing else does.
    found = pretended(monkeypatch, Guided, lambda grid: 1.0 + 0.003 * (grid.lattice.q < 4))
    assert found.risk_error == pytest.approx(0.003)
    # Nobody divides anything in serial search.
    serial = pretended(monkeypatch, Serial, lambda grid: 1.0 + 0.003 * (grid.lattice.q < 1))
    assert serial.risk_error == 0.0
    # The range alone: the first grid's axes are shorter than those of all others. And both.
    seen = []

    def cut(grid):
        seen.append(min(axis.lower for axis in grid.axes))
        return 0.001 * (seen[-1] == seen[0])

    short = pretended(monkeypatch, Guided, lambda grid: 1.0 + cut(grid))
    assert short.risk_error == pytest.approx(0.001)
    seen.clear()
    both = pretended(
        monkeypatch, Guided, lambda grid: 1.0 + cut(grid) + 0.003 * (grid.lattice.q < 4)
    )
    assert both.risk_error == pytest.approx(0.004)
