"""Stopping for an observer whose attention is given."""

import pytest

import popout as po
from popout.analysis.stopping import make_joint, tune_stopping

COSTS = po.Costs(time=0.2)
TASK = po.LimitedSearchTask(n_locations=2, information=32.0)
SERIAL = po.Serial.for_task(TASK)


def test_tuned_thresholds_come_close_to_the_best_stopping():
    stop = tune_stopping(TASK, SERIAL, COSTS, n_trials=4000, seed=1)
    best = po.best_stopping(TASK, SERIAL, COSTS, 1e-3).risk
    found = po.evaluate_joint(TASK, SERIAL, stop, COSTS, 1e-3).risk
    assert best < found < 1.05 * best
    # Thresholds that nobody tuned are told apart.
    hasty = po.SPRT.for_task(TASK, -1.0, 1.0)
    assert po.evaluate_joint(TASK, SERIAL, hasty, COSTS, 1e-3).risk > 1.5 * best


def test_observers_by_name():
    optimum = make_joint(TASK, COSTS, "optimal", "optimal")
    assert optimum.as_dict()["attention"] == "optimal"
    assert optimum.strategy.n_locations == 2
    plain = make_joint(TASK, COSTS, "guided:2", "sprt")
    assert plain.attention.g == 2.0
    assert plain.strategy.tau_plus == pytest.approx(po.thresholds(32**0.5, COSTS).upper, abs=1e-3)
    assert "guided" in str(plain.card())
    with pytest.raises(po.InputError, match="one of optimal, sprt-opt, sprt"):
        make_joint(TASK, COSTS, "serial", "luck")
