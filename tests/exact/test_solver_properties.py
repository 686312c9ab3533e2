"""Properties of the optimum that hold for every task."""

import dataclasses
import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import popout as po

RTOL = 1e-3
few = settings(max_examples=12, derandomize=True, deadline=None)


@st.composite
def problems(draw):
    M = draw(st.integers(1, 2))
    drift = st.floats(1.5, 12.0)
    equal = draw(st.booleans())
    drifts = (draw(drift),) * M if equal else tuple(draw(drift) for _ in range(M))
    share = draw(st.floats(0.2, 0.8))
    location_prior = (share, 1.0 - share) if M == 2 and draw(st.booleans()) else None
    task = po.SearchTask(
        drift=drifts,
        dt=draw(st.sampled_from([0.005, 0.01, 0.02])),
        prior=draw(st.floats(0.15, 0.85)),
        location_prior=location_prior,
    )
    cost = st.floats(0.5, 2.0)
    costs = po.Costs(
        time=(draw(st.floats(0.1, 1.5)), draw(st.floats(0.1, 1.5))),
        miss=draw(cost),
        false_alarm=draw(cost),
    )
    return task, costs


def posterior_of_absence(task, value):
    """P(C = 0 | Z) at every node of a labelled value function, from Bayes' rule."""
    odds = 0.0
    for name, p in zip(value.dims, task.location_prior, strict=True):
        odds = odds + task.prior / (1 - task.prior) * p * np.exp(value.coords[name])
    return 1.0 / (1.0 + odds)


@few
@given(problems())
def test_the_value_is_at_most_that_of_answering(problem):
    task, costs = problem
    solution = po.solve(task, costs, rtol=RTOL)
    value = solution.value
    P0 = posterior_of_absence(task, value)
    answering = np.minimum(costs.miss * (1 - P0), costs.false_alarm * P0)
    assert float((value - answering).max()) <= 1e-12
    assert float(value.min()) > 0
    # It is less exactly where waiting has an advantage.
    waits = solution.advantage < 0
    np.testing.assert_array_equal((value < answering - 1e-9) <= waits, True)
    np.testing.assert_allclose(
        value, answering + np.minimum(solution.advantage, 0.0), rtol=0, atol=1e-12
    )
    at_once = min(task.prior * costs.miss, (1 - task.prior) * costs.false_alarm)
    assert solution.risk <= at_once * (1 + 1e-12)


@few
@given(problems(), st.sampled_from(["absent", "present", "miss", "false_alarm"]))
def test_costlier_time_and_costlier_errors_raise_the_risk(problem, which):
    task, costs = problem
    time = [costs.time_absent, costs.time_present]
    if which in ("absent", "present"):
        time[which == "present"] *= 1.3
        costlier = dataclasses.replace(costs, time=tuple(time))
    else:
        costlier = dataclasses.replace(costs, **{which: 1.3 * getattr(costs, which)})
    before, after = (po.solve(task, c, rtol=RTOL) for c in (costs, costlier))
    slack = before.risk_error + after.risk_error
    assert after.risk >= before.risk - slack
    # The optimum is concave in each cost and vanishes with all of them.
    assert after.risk <= 1.3 * before.risk + 1.3 * slack


@few
@given(problems())
def test_stronger_evidence_lowers_the_risk(problem):
    task, costs = problem
    stronger = dataclasses.replace(task, drift=tuple(1.25 * mu for mu in task.drifts))
    before, after = (po.solve(t, costs, rtol=RTOL) for t in (task, stronger))
    assert after.risk <= before.risk + before.risk_error + after.risk_error


@few
@given(problems(), st.floats(0.3, 3.0))
def test_the_unit_of_time_does_not_matter(problem, k):
    task, costs = problem
    faster = tuple(k * mu for mu in task.drifts)
    other = dataclasses.replace(task, drift=faster, dt=task.dt / k**2)
    quicker = dataclasses.replace(costs, time=(costs.time_absent * k**2, costs.time_present * k**2))
    one, two = po.solve(task, costs, rtol=RTOL), po.solve(other, quicker, rtol=RTOL)
    assert abs(one.risk - two.risk) <= one.risk_error + two.risk_error


@few
@given(problems(), st.floats(0.5, 2.0))
def test_a_prior_can_be_traded_for_the_costs_of_presence(problem, k):
    """The odds enter only in product with the costs of a miss and of time when present."""
    task, costs = problem
    odds = task.prior / (1 - task.prior) / k
    other = dataclasses.replace(task, prior=odds / (1 + odds))
    paid = dataclasses.replace(
        costs, miss=k * costs.miss, time=(costs.time_absent, k * costs.time_present)
    )
    one, two = po.solve(task, costs, rtol=RTOL), po.solve(other, paid, rtol=RTOL)
    a, b = (s.risk / (1 - s.task.prior) for s in (one, two))
    slack = sum(s.risk_error / (1 - s.task.prior) for s in (one, two))
    assert abs(a - b) <= slack


def permuted(task, order):
    drift, prior = (tuple(v[k] for k in order) for v in (task.drifts, task.location_prior))
    return dataclasses.replace(task, drift=drift, location_prior=prior)


@pytest.mark.parametrize(
    ("task", "rtol"),
    [
        (po.SearchTask(drift=(6.0, 3.0), location_prior=(0.3, 0.7)), 1e-4),
        (po.SearchTask(drift=(4.0, 6.0, 4.0), prior=0.4), 5e-3),
    ],
)
def test_permuting_locations_permutes_the_value(task, rtol):
    costs = po.Costs(time=0.5, miss=2.0)
    plain = po.solve(task, costs, rtol=rtol)
    for order in itertools.permutations(range(task.n_locations)):
        other = po.solve(permuted(task, order), costs, rtol=rtol)
        assert abs(other.risk - plain.risk) <= 0.05 * rtol * plain.risk
        expected = plain.value.values.transpose(order)
        # The order of the axes changes the order of sums and so the path of the iteration.
        np.testing.assert_allclose(other.value.values, expected, rtol=0, atol=0.1 * rtol)


@pytest.mark.parametrize(
    ("drifts", "rtol"), [((4.0, 4.0), 1e-5), ((4.0, 4.0, 4.0), 2e-3), ((6.0, 6.0, 4.0), 5e-3)]
)
def test_exchangeable_storage_changes_nothing(drifts, rtol):
    costs = po.Costs(time=0.6)
    # Differences of 1e-9 in drift make every location its own group.
    apart = tuple(mu * (1.0 + 1e-9 * k) for k, mu in enumerate(drifts))
    grouped = po.solve(po.SearchTask(drift=drifts), costs, rtol=rtol)
    single = po.solve(po.SearchTask(drift=apart), costs, rtol=rtol)
    assert len(grouped.diagnostics.nodes_per_axis) < len(single.diagnostics.nodes_per_axis)
    assert grouped.diagnostics.nodes < single.diagnostics.nodes
    # Same nodes, same equation; only the iteration's own tolerance remains.
    assert abs(grouped.risk - single.risk) <= 0.05 * rtol * grouped.risk
    assert grouped.value.shape == single.value.shape
    np.testing.assert_allclose(grouped.value, single.value, rtol=0, atol=0.1 * rtol)


def test_a_location_that_never_holds_the_target_changes_nothing():
    costs = po.Costs(time=0.5, miss=2.0)
    two = po.solve(po.SearchTask(drift=(6.0, 3.0), location_prior=(0.3, 0.7)), costs)
    for place in range(3):
        drifts, prior = [6.0, 3.0], [0.3, 0.7]
        drifts.insert(place, 9.0)
        prior.insert(place, 0.0)
        task = po.SearchTask(drift=tuple(drifts), location_prior=tuple(prior))
        three = po.solve(task, costs)
        assert three.risk == two.risk
        np.testing.assert_array_equal(three.value.values, two.value.values)
        Z = np.random.default_rng(place).normal(0.0, 4.0, size=(500, 2))
        wider = np.insert(Z, place, 7.0, axis=1)
        np.testing.assert_array_equal(
            three.strategy.decide(wider, 0.0), two.strategy.decide(Z, 0.0)
        )


def test_a_location_ruled_out_leaves_the_smaller_problem(solve_on):
    """M = 3 with one Z at its lowest node against M = 2 with what is left of the prior."""
    costs = po.Costs(time=0.5)
    nodes = np.linspace(-12.0, 6.0, 61)  # the same for both, so nothing is interpolated
    three = solve_on(po.SearchTask(n_locations=3, drift=4.0), costs, nodes).risk
    # Odds of presence without the third location are two thirds of what they were: prior 0.4.
    two = solve_on(po.SearchTask(n_locations=2, drift=4.0, prior=0.4), costs, nodes).risk
    gap = np.abs(three.isel(Z3=0) - two)
    # The third location still holds a share exp(-12) of the odds, at most so much of the risk.
    assert float(gap.max()) < 3.0 * np.exp(-12.0)
    # One unit further up it is not ruled out by as much, and it shows.
    assert float(np.abs(three.sel(Z3=-6.0, method="nearest") - two).max()) > 1e-4
