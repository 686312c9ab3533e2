"""Regret of a pair of attention and strategy, without noise."""

import pytest

import popout as po

TASK, COSTS = po.LimitedSearchTask(n_locations=2, information=8.0), po.Costs(time=0.5)
BEST = po.solve(TASK, COSTS, 1e-3)


def test_the_optimum_has_none():
    lost = po.joint_regret(BEST, BEST.attention, BEST.strategy, 1e-3)
    assert abs(lost.value) <= lost.error + 1e-4 * BEST.risk
    assert lost.error < 0.01 * BEST.risk


def test_its_error_is_that_of_the_optimum_and_of_the_pair():
    lost = po.joint_regret(BEST, po.Serial.for_task(TASK), po.SPRT.for_task(TASK, -1.5, 1.2))
    assert min(BEST.risk_error, lost.evaluation.risk_error) > 0
    assert lost.error == pytest.approx(BEST.risk_error + lost.evaluation.risk_error, rel=1e-12)
    assert lost.value == lost.evaluation.risk - BEST.risk


def test_it_is_what_simulation_loses():
    stop, serial = po.SPRT.for_task(TASK, -1.5, 1.5), po.Serial.for_task(TASK)
    lost = po.joint_regret(BEST, serial, stop)
    summary = po.simulate(TASK, po.Observer(serial, stop), 100_000, seed=1).summary(COSTS)
    assert abs(summary.risk - BEST.risk - lost.value) < 4 * summary.risk_se + lost.error
    assert lost.value > 10 * lost.error
    assert lost.relative == pytest.approx(lost.as_dict()["relative"])
    assert "regret" in str(lost.card())
