"""Continuous time."""

import numpy as np
import pytest
from scipy.optimize import minimize_scalar

from popout.attention import Serial
from popout.exact.joint_limit import OF_RISK, OF_SCALE, continuous_time, extrapolate
from popout.task import Costs, InputError, LimitedSearchTask, SearchTask


def closed_form(information, cost):
    """One location, even prior: the bound b minimises 1/(1+e^b) + C b/(2 mu^2) tanh(b/2)."""

    def risk(b):
        return 1 / (1 + np.exp(b)) + cost * b / (2 * information) * np.tanh(b / 2)

    return minimize_scalar(risk, bounds=(0.01, 30.0), method="bounded").fun


@pytest.mark.parametrize(("information", "cost"), [(32.0, 0.2), (4.0, 0.5), (8.0, 0.05)])
def test_one_location_has_a_closed_form(information, cost):
    found = continuous_time(LimitedSearchTask(1, information), Costs(time=cost), rtol=1e-4)
    exact = closed_form(information, cost)
    assert abs(found.risk - exact) <= found.risk_error
    assert found.risk_error < 1e-3 * exact
    assert abs(found.risks[-1] - exact) > 10 * found.risk_error  # the extrapolation is needed


def test_only_cost_over_information_matters():
    risks = [
        continuous_time(LimitedSearchTask(1, 16.0 * k), Costs(time=0.2 * k), 1e-3).risk
        for k in (1.0, 3.0)
    ]
    assert risks[0] == pytest.approx(risks[1], rel=1e-9)


def test_serial_attention_is_optimal_in_continuous_time():
    task, costs = LimitedSearchTask(2, 32.0), Costs(time=0.2)
    best = continuous_time(task, costs, 3e-3)
    serial = continuous_time(task, costs, 3e-3, attention=Serial.for_task(task))
    assert abs(serial.risk - best.risk) <= serial.risk_error + best.risk_error
    # At long steps it is not, and the difference is seen.
    assert serial.risks[0] - best.risks[0] > 2 * (serial.risk_error + best.risk_error)


def test_it_says_what_it_is():
    limit = continuous_time(LimitedSearchTask(1, 16.0), Costs(time=0.2), 1e-2)
    assert "continuous time" in str(limit.card())
    assert len(limit.dt) == len(limit.risks)


def test_scales_and_thresholds_of_the_papers_task():
    costs = Costs(time=0.2)
    limit = continuous_time(SearchTask(n_locations=2, drift=2.0), costs, 3e-3)
    assert 0.0 < limit.a_plus < 1.0 < limit.a_minus < 4.0
    # The error covers what one more halving of the step says.
    minus, plus = zip(*limit.scales, strict=True)
    assert abs(minus[-1] - limit.a_minus) > limit.a_minus_error  # the extrapolation is needed
    assert limit.a_plus_error < 0.1 * limit.a_plus
    (low, high), _ = limit.thresholds
    assert low == pytest.approx(-high)
    assert 0.2 / 4 * (np.sinh(high) + high) == pytest.approx(1.0)
    found = limit.as_dict()
    assert found["dt"] == 0.0
    assert [step["a_plus"] for step in found["steps"]] == list(plus)


@pytest.mark.parametrize("powers", [OF_RISK, OF_SCALE])
def test_extrapolation_is_exact_for_what_it_expands_in_and_covers_the_next_term(powers):
    dt = [0.32, 0.16, 0.08, 0.04]
    values = [1.0 + 2.0 * h ** powers[1] - 3.0 * h ** powers[2] for h in dt]
    limit, error, slope = extrapolate(dt, values, powers)
    assert (limit, error, slope) == pytest.approx((1.0, 0.0, 2.0), abs=1e-9)
    more = [v + 0.5 * h ** (powers[2] + 0.5) for v, h in zip(values, dt, strict=True)]
    limit, error, _ = extrapolate(dt, more, powers)
    assert 1e-6 < abs(limit - 1.0) < error


def test_faults():
    task = SearchTask(n_locations=2, drift=2.0)
    with pytest.raises(InputError, match="LimitedSearchTask for attention"):
        continuous_time(task, Costs(time=0.2), attention=Serial((0.0, 0.0)))
