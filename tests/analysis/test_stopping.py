"""Observers by name: stopping for an attention that is given."""

import numpy as np
import pytest

import popout as po
from popout.analysis.stopping import make_joint

COSTS = po.Costs(time=0.2)
TASK = po.LimitedSearchTask(n_locations=2, information=32.0)
SERIAL = po.Serial.for_task(TASK)


def test_tuned_thresholds_come_close_to_the_best_stopping():
    observer = make_joint(TASK, COSTS, "serial", "sprt-opt", n_trials=8000, seed=1)
    best = po.solve(TASK, COSTS, 1e-3, attention=SERIAL).risk
    found = po.evaluate(TASK, po.Observer(SERIAL, observer.strategy), COSTS, 1e-3).risk
    assert best < found < 1.01 * best
    # Thresholds that nobody tuned are told apart.
    hasty = po.SPRT.for_task(TASK, -1.0, 1.0)
    assert po.evaluate(TASK, po.Observer(SERIAL, hasty), COSTS, 1e-3).risk > 1.5 * best


def test_errors_of_tuned_thresholds_cover_other_noise():
    found = [
        make_joint(TASK, COSTS, SERIAL, po.SPRTOpt, n_trials=16_000, seed=seed).made
        for seed in range(6)
    ]
    for name in ("tau_minus", "tau_plus"):
        values = np.array([made.numbers[name] for made in found])
        errors = np.array([made.errors[name] for made in found])
        score = (values - values.mean()) / errors
        assert (np.abs(score) < 4).all()
        assert values.std() > 0.1 * np.median(errors)  # nor do they claim to know nothing


def test_observers_by_name():
    optimum = make_joint(TASK, COSTS, "optimal", "optimal")
    assert optimum.as_dict()["attention"] == "optimal"
    assert optimum.strategy.n_locations == 2
    assert optimum.solution is not None
    plain = make_joint(TASK, COSTS, "guided:2", "sprt")
    assert plain.attention.g == 2.0
    assert plain.strategy.tau_plus == pytest.approx(po.thresholds(32**0.5, COSTS).upper, abs=1e-3)
    assert "guided" in str(plain.card())
    with pytest.raises(po.InputError, match="one of optimal, a-sprt, sprt-opt"):
        make_joint(TASK, COSTS, "serial", "luck")
