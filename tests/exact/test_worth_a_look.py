"""Which locations are worth a look: verdicts against what is known without them."""

import importlib.util
import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import popout as po
from popout.exact.continuous_discrimination import ContinuousDiscrimination
from popout.exact.worth_a_look import leftover_costs, own_look

COSTS = po.Costs(time=0.1)
UNEQUAL = po.LimitedSearchTask(
    information=2.0, visibility=(1.0, 0.3, 0.03), prior=0.3, location_prior=(0.2, 0.5, 0.3)
)
PAY = po.Costs(time=(0.02, 0.03), miss=1.5, false_alarm=0.8)


@pytest.fixture(scope="module")
def search():
    """The script with the slow dynamic program, which shares no code with popout."""
    path = Path(__file__).parents[2] / "benchmarks" / "search_worth_a_look.py"
    spec = importlib.util.spec_from_file_location("search_worth_a_look", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def limited(M, information=32.0, **more):
    return po.LimitedSearchTask(n_locations=M, information=information, **more)


@pytest.mark.parametrize(
    ("task", "costs", "verdict"),
    [
        (limited(2, prior=0.7), po.Costs(time=0.2), True),
        (limited(2, prior=0.9), po.Costs(time=0.2), True),
        (limited(3, prior=0.8), po.Costs(time=0.2), True),
        (limited(2), po.Costs(time=0.2, miss=5.0), True),
        (limited(2), po.Costs(time=0.2, false_alarm=0.4), True),
        (limited(6, 60.0, prior=0.5), po.Costs(time=0.1), True),
        (limited(6, 60.0, prior=0.55), po.Costs(time=0.1), True),
        (limited(1, 1.0, prior=0.9), po.Costs(time=5.0), False),
        (limited(1, prior=0.9), po.Costs(time=0.2), True),
        (limited(2, prior=0.9999), po.Costs(time=0.2), False),
        (limited(2, prior=0.001), po.Costs(time=0.2), False),
    ],
)
def test_likely_targets_and_costly_misses(task, costs, verdict):
    assert po.worth_a_look(task, costs) == (verdict,) * task.n_locations
    guess = min(costs.miss * task.prior, costs.false_alarm * (1 - task.prior))
    if task.n_locations == 6:  # no table: what an observer with these thresholds achieves
        stop = po.SPRT.for_task(task, -3.5, 4.0)
        seen = po.simulate(task, po.Observer(po.Serial, stop), n_trials=2000, seed=1)
        summary = seen.summary(costs)
        assert (summary.risk + 5 * summary.risk_se < guess) == verdict
    else:
        best = po.solve(task, costs, rtol=1e-2)
        assert (best.risk + best.risk_error < guess) == verdict


@pytest.mark.parametrize("M", [1, 2, 3])
def test_no_verdict_of_random_tasks_is_wrong(search, M):
    # The whole search is the script; some of its tasks, on a coarser lattice.
    rng = np.random.default_rng([1, M])
    seen = []
    for _ in range({1: 12, 2: 8, 3: 6}[M]):
        seen += search.judge(*search.random_task(rng, M), {1: 0.15, 2: 0.4, 3: 0.6}[M])
    assert not any(wrong for *_, wrong in seen)
    assert len({verdict for verdict, *_ in seen}) > 1


def test_a_wrong_verdict_would_be_noticed(search, monkeypatch):
    task, costs = limited(2, 1.0, prior=0.7), po.Costs(time=0.02)
    monkeypatch.setattr(search.po, "worth_a_look", lambda task, costs: (False, True))
    assert [wrong for *_, wrong in search.judge(task, costs, 0.5)] == [True, False]
    costly = po.Costs(time=5.0)
    assert [wrong for *_, wrong in search.judge(task, costly, 0.05)] == [False, True]


def test_the_slow_program_has_the_closed_form_of_one_location(search):
    task, costs = limited(1, 2.0, prior=0.3), PAY
    odds = 0.3 / 0.7
    truth = ContinuousDiscrimination.of(math.sqrt(2.0), costs).value(math.log(odds))
    coarse, fine = (search.least_cost([odds], [2.0], costs, h) for h in (0.4, 0.2))
    assert truth < fine < coarse < truth * 1.001  # an observer who exists
    assert po.worth_a_look(task, costs) == (True,)


def test_with_steps_a_verdict_is_that_of_the_exact_optimum():
    # Two locations, the second seen worse: a yes from the least visibility on, as in the optimum.
    dt, costs = 0.05, po.Costs(time=(0.12, 0.1), miss=1.2)
    task = po.LimitedSearchTask(information=1.0, visibility=(1.0, 1.0), dt=dt, prior=0.45)
    least = po.least_visibility(task, costs, dt=dt)
    risks = []
    for factor, verdict in ((0.3, None), (2.0, True)):
        seen = replace(task, visibility=(1.0, factor * least))
        assert po.worth_a_look(seen, costs, dt=dt) == (True, verdict)
        risks.append(po.solve(seen, costs, rtol=1e-3))
    worse, better = risks
    assert better.risk + better.risk_error < worse.risk - worse.risk_error


def test_alone_the_odds_decide():
    # One location: the lower threshold of discrimination; the closed form gives the rate.
    for M in (2, 3, 5):
        target = math.sinh(math.log(M)) + math.log(M)
        rate = target * 0.1
        assert own_look(rate, COSTS, 0.0)[0] == pytest.approx(1 / M, rel=1e-6)
        assert own_look(0.9 * rate, COSTS, 0.0)[0] > 1 / M


def test_odds_elsewhere_change_the_costs():
    left = leftover_costs(po.Costs(time=(0.2, 0.1), miss=2.0, false_alarm=1.0), 0.25)
    assert (left.time_absent, left.time_present) == (0.225, 0.1)
    assert (left.miss, left.false_alarm) == (2.0, 0.5)
    assert leftover_costs(COSTS, 1.0) is None
    assert own_look(1.0, COSTS, 1.0) == (0.0, 0.0)


def test_the_lower_threshold_is_concave_in_the_odds_elsewhere():
    # On that rests that its highest value over a range is found.
    odds = np.linspace(0.0, PAY.false_alarm / PAY.miss, 41)
    for rate in (0.01, 0.1, 1.0, 10.0):
        low = np.array([own_look(rate, PAY, rho)[0] for rho in odds])
        assert (np.diff(low, 2) < 1e-9).all()


def test_the_odds_left_are_a_fixed_point():
    left = po.leftover_odds(UNEQUAL, PAY)
    prior = 3 / 7 * np.array(UNEQUAL.location_prior)
    for place, seen in enumerate(UNEQUAL.visibilities):
        stop, _ = own_look(2.0 * seen, PAY, sum(left) - left[place])
        assert left[place] == pytest.approx(min(prior[place], stop), abs=1e-8)
    assert left[0] < left[1] < prior[1]
    assert left[2] == pytest.approx(prior[2])
    assert po.worth_a_look(UNEQUAL, PAY) == (True, True, None)
    # A likely target leaves as little behind; where no look pays, everything stays.
    assert max(po.leftover_odds(limited(2, prior=0.9), po.Costs(time=0.2))) < 0.01
    assert po.leftover_odds(limited(1, 1.0, prior=0.9), po.Costs(time=5.0)) == pytest.approx((9,))


@pytest.mark.parametrize(
    ("task", "costs", "location"),
    [
        (limited(2, 1.0), COSTS, -1),
        (limited(2, 1.0, prior=0.8), COSTS, 0),
        (UNEQUAL, PAY, 2),
        (limited(1, prior=0.9), po.Costs(time=0.2), 0),
    ],
)
def test_least_visibility_is_where_the_answer_changes(task, costs, location):
    least = po.least_visibility(task, costs, location)
    place = location % task.n_locations
    for factor, expected in ((0.99, False), (1.01, True)):
        visibility = list(task.visibilities)
        visibility[place] = factor * least
        seen = replace(task, visibility=tuple(visibility))
        assert (po.worth_a_look(seen, costs)[place] is True) == expected
    # Only the ratio of cost and information matters.
    faster = replace(task, information=10 * task.information)
    costlier = replace(costs, time=(10 * costs.time_absent, 10 * costs.time_present))
    assert po.least_visibility(faster, costlier, location) == pytest.approx(least, rel=1e-4)


def test_any_visibility_and_none():
    # At even odds a single location is worth a look however badly it is seen ...
    assert po.least_visibility(limited(1), po.Costs(time=0.2)) == 0.0
    # ... and no visibility helps where "present" is said whatever is seen there.
    elsewhere = limited(2, location_prior=(0.999, 0.001), prior=0.9999)
    assert math.isnan(po.least_visibility(elsewhere, po.Costs(time=0.2)))
    never = limited(2, location_prior=(1.0, 0.0))
    assert math.isnan(po.least_visibility(never, po.Costs(time=0.2)))
    assert po.worth_a_look(never, po.Costs(time=0.2)) == (True, False)


def test_a_pair_of_thresholds_with_odds_left_is_that_of_costs_in_proportion():
    # Dividing everything by 1 + rho gives discrimination with a cheaper false alarm.
    rho = 0.3
    scaled = po.Costs(time=0.1, miss=1.0, false_alarm=(1 - rho) / (1 + rho))
    pair = ContinuousDiscrimination.of(1.0, scaled)
    expected = [(1 + rho) * math.exp(x) for x in (pair.lower, pair.upper)]
    assert own_look(1.0, COSTS, rho) == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("function", [po.worth_a_look, po.leftover_odds, po.least_visibility])
def test_faults(function):
    with pytest.raises(po.InputError, match=f"{function.__name__}.*LimitedSearchTask"):
        function(po.SearchTask(n_locations=2, drift=1.0), COSTS)


def test_a_location_that_is_not_there():
    with pytest.raises(po.InputError, match="location: expected a location from 0 to 1, got 2"):
        po.least_visibility(limited(2), COSTS, location=2)
