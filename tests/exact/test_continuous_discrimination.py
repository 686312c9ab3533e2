"""Discrimination in continuous time against Wald's formulas, minimised without the solution."""

import math

import numpy as np
import pytest
from scipy.optimize import minimize
from wald import wald

import popout as po
from popout.exact.continuous_discrimination import ContinuousDiscrimination

PROBLEMS = [
    (4.0, po.Costs(time=0.2), 0.5),
    (2.0, po.Costs(time=(0.3, 0.1), miss=2.0, false_alarm=0.5), 0.3),
    (1.0, po.Costs(time=0.5, miss=1.0, false_alarm=0.2), 0.17),
]


@pytest.mark.parametrize(("drift", "costs", "prior"), PROBLEMS)
def test_thresholds_minimise_the_risk_of_two_bounds(drift, costs, prior):
    found = ContinuousDiscrimination.of(drift, costs)
    odds = math.log(prior / (1 - prior))
    assert found.lower < odds < found.upper

    def risk(low, high):
        return (1 - prior) * wald(low, high, odds, drift, costs)

    def risk_at(u):  # distances from the start, so that it stays inside
        return risk(odds - math.exp(u[0]), odds + math.exp(u[1]))

    best = minimize(risk_at, np.log([1.0, 1.0]), method="Nelder-Mead", options={"xatol": 1e-8})
    assert (1 - prior) * found.value(odds) == pytest.approx(best.fun, rel=1e-9)
    assert odds - math.exp(best.x[0]) == pytest.approx(found.lower, abs=1e-3)
    assert odds + math.exp(best.x[1]) == pytest.approx(found.upper, abs=1e-3)
    # A pair that is off by a tenth of a nat risks more than rounding.
    assert risk(found.lower + 0.1, found.upper) > best.fun * (1 + 1e-6)


def test_outside_the_thresholds_it_answers_at_once():
    found = ContinuousDiscrimination.of(4.0, po.Costs(time=0.2))
    assert found.value(found.lower - 1.0) == pytest.approx(math.exp(found.lower - 1.0))
    assert found.value(found.upper + 1.0) == 1.0
    assert found.value(found.lower + 1e-9) == pytest.approx(found.value(found.lower), rel=1e-6)


def test_thresholds_of_the_library():
    pair = po.thresholds(4.0, po.Costs(time=0.2), dt=0)
    assert 0.2 / 16 * (math.sinh(pair.upper) + pair.upper) == pytest.approx(1.0)
    assert pair.lower == pytest.approx(-pair.upper)
    assert "-5.01" in str(pair.card())
    with pytest.raises(po.InputError, match="costs"):
        po.thresholds(4.0, 0.2, dt=0)
