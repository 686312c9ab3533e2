"""Continuous time."""

import math

import numpy as np
import pytest
from scipy.optimize import minimize
from wald import wald

import popout as po
from popout.exact import continuous_limit
from popout.exact.continuous_limit import OF_RISK, OF_SCALE, continuous_time, extrapolate
from popout.policies.looking import Serial
from popout.task import Costs, InputError, LimitedSearchTask, SearchTask


def one_location(drift, costs, prior):
    """The best of an answer at once and of two thresholds on both sides of start and kink."""
    x, kink = math.log(prior / (1 - prior)), math.log(costs.false_alarm / costs.miss)

    def risk(u):
        ends = x - math.exp(min(u[0], 5.0)), x + math.exp(min(u[1], 5.0))
        return (1 - prior) * wald(*ends, x, drift, costs)

    options = {"xatol": 1e-10, "fatol": 1e-18, "maxiter": 2000}
    found = [min(prior * costs.miss, (1 - prior) * costs.false_alarm)]
    for width in (1e-3, 0.3):
        first = np.log([max(x - kink, 0.0) + width, max(kink - x, 0.0) + width])
        found.append(minimize(risk, first, method="Nelder-Mead", options=options).fun)
    return min(found)


def random_problem(rng):
    """A drift, costs and a prior whose odds lie next to a threshold, or anywhere around both."""
    drift, k = np.exp(rng.uniform(-1.0, 3.0)), 10 ** rng.uniform(-2.3, 1.0)
    spread = 10 ** rng.uniform(-1.0, 1.0, 3) if rng.random() < 0.5 else np.ones(3)
    time = (k * drift**2 * spread[0], k * drift**2)
    costs = Costs(time=time, miss=spread[1], false_alarm=spread[2])
    pair = po.thresholds(drift, costs, dt=0)
    width, place = pair.upper - pair.lower, rng.uniform(-0.1, 1.1)
    if rng.random() < 0.4:
        place = rng.integers(2) + 0.03 * rng.normal()
    return drift, costs, 1 / (1 + math.exp(-(pair.lower + place * width)))


def test_one_location_is_exact_for_any_prior_and_costs():
    rng = np.random.default_rng(24)
    methods = set()
    for k in range(30):
        drift, costs, prior = random_problem(rng)
        task = SearchTask(n_locations=1, drift=drift, prior=prior)
        if k % 3 == 0:
            task = LimitedSearchTask(1, drift**2, prior=prior)
        found = continuous_time(task, costs)
        exact = one_location(drift, costs, prior)
        assert abs(found.risk - exact) <= found.risk_error
        assert found.risk_error < 1e-11 * exact
        methods.add(found.method)
    assert methods == {"closed form"}


@pytest.mark.parametrize(
    ("ratio", "prior", "exact"),
    [
        (2.0, 0.5, 0.46891),
        (4.0, 0.5, 0.48440),
        (100.0, 0.5, 0.49938),
        (0.0129, 0.991734, 0.008138),
        (0.2, 0.840419, 0.157480),
    ],
)
def test_looking_pays_between_the_thresholds_of_steps_and_those_without(ratio, prior, exact):
    found = continuous_time(SearchTask(n_locations=1, drift=1.0, prior=prior), Costs(time=ratio))
    assert found.risk == pytest.approx(exact, abs=6e-6)
    assert found.risk < min(prior, 1 - prior)


def test_a_location_that_alone_can_hold_the_target_is_one_location():
    costs = Costs(time=0.5)
    alone = continuous_time(LimitedSearchTask(1, 16.0), costs).risk
    shared = LimitedSearchTask(information=32.0, visibility=(1.0, 0.5), location_prior=(0.0, 1.0))
    assert continuous_time(shared, costs).risk == pytest.approx(alone, rel=1e-12)
    beside = SearchTask(drift=(4.0, 2.0), location_prior=(1.0, 0.0))
    assert continuous_time(beside, costs).risk == pytest.approx(alone, rel=1e-12)


def test_two_locations_next_to_the_boundary_are_bounded():
    # Steps down to 40 ms answer at once; those of 2 ms, an upper bound, have 0.48519.
    task, costs = SearchTask(n_locations=2, drift=1.0), Costs(time=2.0)
    found = continuous_time(task, costs, 1e-2)
    assert found.risks[0] == 0.5
    assert found.method == "bounds"
    assert found.bounds[1] < 0.488
    # The limit, from steps of 0.02 to 1.25 ms (expanded as in the module): 0.48420.
    assert found.bounds[0] < 0.48420 < found.bounds[1]
    assert found.risk_error == pytest.approx(0.5 * (found.bounds[1] - found.bounds[0]))
    assert "lower and an upper bound" in str(found.card())
    assert math.isnan(found.slope)


def test_limited_information_next_to_the_boundary_is_bounded(monkeypatch):
    monkeypatch.setattr(continuous_limit, "MOST_STEPS", {2: 6})
    task, costs = LimitedSearchTask(n_locations=2, information=1.0), Costs(time=1.0)
    found = continuous_time(task, costs, 2e-2)
    assert found.method == "bounds"
    assert found.bounds[0] < 0.482 < found.bounds[1] + 0.002  # with steps of 1.25 ms: 0.48262
    alone = continuous_time(SearchTask(n_locations=1, drift=1.0), costs).risk
    assert alone < found.bounds[0]  # two locations, each with everything, are harder than one


def test_an_answer_at_once_is_exact_where_even_the_location_would_not_help():
    found = continuous_time(SearchTask(n_locations=2, drift=1.0, prior=0.97), Costs(time=0.5), 1e-2)
    assert found.risk == pytest.approx(0.03)
    assert found.risk_error < 1e-12


def test_steps_are_halved_until_the_start_is_inside():
    found = continuous_time(SearchTask(drift=(1.0, 0.4)), Costs(time=0.3), 2e-3)
    assert found.method == "extrapolation"
    assert len(found.dt) > 4
    # Steps of 1.25 and 0.625 ms (0.439895, 0.439848) and the slope between them: 0.439801.
    assert abs(found.risk - 0.439801) <= found.risk_error < 1e-3
    assert found.bounds[0] < 0.439801 < found.bounds[1]


def test_serial_attention_is_optimal_in_continuous_time():
    task, costs = LimitedSearchTask(2, 32.0), Costs(time=0.2)
    best = continuous_time(task, costs, 1.5e-3)
    serial = continuous_time(task, costs, 1.5e-3, attention=Serial.for_task(task))
    assert abs(serial.risk - best.risk) <= serial.risk_error + best.risk_error
    # At long steps it is not, and the difference is seen.
    assert serial.risks[0] - best.risks[0] > 2 * (serial.risk_error + best.risk_error)


def test_it_says_what_it_is():
    limit = continuous_time(LimitedSearchTask(1, 16.0), Costs(time=0.2), 1e-2)
    assert "continuous time" in str(limit.card())
    assert "closed form" in str(limit.card())
    assert limit.as_dict()["steps"] == []


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
    assert (limit, slope) == pytest.approx((1.0, 2.0), abs=1e-9)
    assert error > 0.01  # no better than what the last term changes
    more = [v + 0.5 * h ** (powers[2] + 0.5) for v, h in zip(values, dt, strict=True)]
    limit, error, _ = extrapolate(dt, more, powers)
    assert 1e-6 < abs(limit - 1.0) < error


def test_faults():
    task = SearchTask(n_locations=2, drift=2.0)
    with pytest.raises(InputError, match="attention: expected no attention"):
        continuous_time(task, Costs(time=0.2), attention=Serial((0.0, 0.0)))
