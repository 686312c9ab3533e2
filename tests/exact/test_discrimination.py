r"""Optimal thresholds of discrimination against the closed form of continuous time.

As dt -> 0 and with even costs the thresholds are -b and b, where b minimises the risk

    r(b) = 1 / (1 + exp(b)) + C b tanh(b / 2) / (2 mu**2).

With steps of standard deviation s = 2 mu sqrt(dt) the optimal bound lies -zeta(1/2)/sqrt(2 pi) =
0.5826 s inside the continuous one, to first order in s (Chernoff 1965; Siegmund 1979: the mean
overshoot of a Gaussian walk), so the bound converges at order 1 in s, the bound with that
correction at order 2 or better, and the risk at order 2.
"""

import math

import numpy as np
import pytest
from scipy.optimize import minimize_scalar

import popout as po

MEAN_OVERSHOOT = 0.5825971579390107
PROBLEMS = [(4.0, 0.2), (2.0, 0.1), (8.0, 1.0)]


def in_continuous_time(mu, C):
    def r(b):
        return 1.0 / (1.0 + math.exp(b)) + C * b * math.tanh(0.5 * b) / (2.0 * mu**2)

    best = minimize_scalar(r, bounds=(0.01, 15.0), method="bounded", options={"xatol": 1e-11})
    return float(best.x), float(best.fun)


@pytest.mark.parametrize(("mu", "C"), PROBLEMS)
def test_order_of_convergence_to_continuous_time(mu, C):
    b, r = in_continuous_time(mu, C)
    sd = np.array([0.8, 0.4, 0.2])
    found = [
        po.thresholds(mu, po.Costs(time=C), dt=float(s / (2 * mu)) ** 2, rtol=1e-7) for s in sd
    ]
    shift = np.array([b - pair.upper for pair in found])
    error = np.array([pair.upper_error for pair in found])
    assert np.all(error < 1e-3 * shift)
    # The bound alone: first order, with the constant of the overshoot.
    np.testing.assert_allclose(np.log2(shift[:-1] / shift[1:]), 1.0, atol=0.01)
    np.testing.assert_allclose(shift / sd, MEAN_OVERSHOOT, atol=0.003)
    # With the correction: second order at least.
    rest = np.abs(shift - MEAN_OVERSHOOT * sd)
    assert rest[1] <= 0.25 * rest[0] + error[1]
    assert rest[2] <= 0.25 * rest[1] + error[2]
    # The risk: second order in sd, that is first in dt.
    excess = np.array([pair.risk - r for pair in found])
    order = np.log2(excess[:-1] / excess[1:])
    assert np.all(excess > 0)  # looking less often cannot help
    np.testing.assert_allclose(order, 2.0, atol=0.08)
    assert abs(order[1] - 2.0) < abs(order[0] - 2.0)


@pytest.mark.parametrize("prior", [0.05, 0.3, 0.8])
def test_thresholds_do_not_depend_on_the_prior(prior):
    costs = po.Costs(time=(0.2, 0.4), miss=2.0, false_alarm=0.7)
    even = po.thresholds(4.0, costs, rtol=1e-7)
    other = po.thresholds(4.0, costs, prior=prior, rtol=1e-7)
    assert math.isclose(other.log_prior_odds, math.log(prior / (1 - prior)), rel_tol=1e-12)
    assert abs(other.lower - even.lower) <= other.lower_error + even.lower_error
    assert abs(other.upper - even.upper) <= other.upper_error + even.upper_error
    assert max(other.lower_error, other.upper_error) < 1e-3


@pytest.mark.parametrize("prior", [0.5, 0.3, 0.9])
@pytest.mark.parametrize(("miss", "false_alarm"), [(1.0, 1.0), (3.0, 0.5)])
def test_time_too_costly_to_wait(prior, miss, false_alarm):
    costs = po.Costs(time=100.0, miss=miss, false_alarm=false_alarm)
    pair = po.thresholds(1.0, costs, prior=prior)
    assert pair.lower == pair.upper
    assert math.isclose(pair.lower, math.log(false_alarm / miss), abs_tol=1e-12)
    assert math.isclose(pair.risk, min(prior * miss, (1 - prior) * false_alarm), rel_tol=1e-9)


def test_a_step_as_long_as_the_response_is_named():
    (note,) = po.thresholds(12.0, po.Costs(time=0.2), rtol=1e-2).notes
    assert "35 % of the mean response time" in note
    assert po.thresholds(4.0, po.Costs(time=0.2), rtol=1e-2).notes == ()
