"""The finite horizon: closed form for one look, the stationary limit, and its own strategy."""

import itertools
import math

import numpy as np
import pytest
from scipy.stats import norm

import popout as po
from popout.exact import deadline as deadline_module
from popout.exact import refinement

COSTS = po.Costs(time=0.2)
UNEQUAL_COSTS = po.Costs(time=(0.1, 0.2), miss=1.5, false_alarm=0.8)


def several_looks(drift, dt, prior, costs, looks):
    """Return the risk with a deadline of some looks: backward induction, plain trapezoids."""
    z = np.linspace(-14.0, 14.0, 2801)
    sd, odds = 2 * drift * math.sqrt(dt), prior / (1 - prior)
    step = norm.pdf(z[None, :] - z[:, None], -(sd**2) / 2, sd) * (z[1] - z[0])
    w = odds * np.exp(z)
    stop = np.minimum(costs.false_alarm, costs.miss * w)
    price = dt * (costs.time_absent + costs.time_present * w)
    V = stop
    for _ in range(looks):
        V = np.minimum(stop, price + step @ V)
    return (1 - prior) * V[len(z) // 2]


@pytest.mark.parametrize(
    ("deadline", "looks"),
    [(0.29, 29), (0.07, 7), (0.055, 5), (0.0599, 5), (0.06, 6), (0.01, 1), (0.57, 57), (1.13, 113)],
)
def test_the_last_look_ends_by_the_deadline(deadline, looks):
    task = po.SearchTask(n_locations=1, drift=4.0, prior=0.3)
    found = po.solve_deadline(task, UNEQUAL_COSTS, deadline, rtol=1e-2)
    assert found.n_looks == looks
    assert found.deadline == pytest.approx(0.01 * looks)
    assert found.deadline <= deadline * (1 + 1e-12)


@pytest.mark.parametrize(("deadline", "looks"), [(0.29, 29), (0.055, 5), (0.01, 1)])
def test_its_risk_is_that_of_as_many_looks(deadline, looks):
    task = po.SearchTask(n_locations=1, drift=4.0, prior=0.3)
    found = po.solve_deadline(task, UNEQUAL_COSTS, deadline, rtol=1e-5)
    fewer, right, more = (
        several_looks(4.0, 0.01, 0.3, UNEQUAL_COSTS, n) for n in (looks - 1, looks, looks + 1)
    )
    assert abs(found.risk - right) < found.risk_error + 2e-6
    assert min(fewer - right, right - more) > 1e-4  # one look more or less would be seen


def test_times_of_the_thresholds_are_those_of_the_looks():
    task = po.SearchTask(n_locations=1, drift=4.0, prior=0.3)
    found = po.solve_deadline(task, UNEQUAL_COSTS, 0.115, rtol=1e-4)
    times, lower, upper = found.thresholds()
    np.testing.assert_allclose(times, 0.01 * np.arange(11))
    # Ten steps later one look is left, as at the start of a trial with a deadline of one step.
    (start,), *pair = po.solve_deadline(task, UNEQUAL_COSTS, 0.01, rtol=1e-4).thresholds()
    assert start == 0.0
    assert (lower[-1], upper[-1]) == pytest.approx((pair[0][0], pair[1][0]), abs=1e-3)


@pytest.mark.parametrize("n_locations", [1, 2, 3])
def test_more_time_helps_until_the_stationary_risk_is_reached(n_locations):
    task = po.SearchTask(n_locations=n_locations, drift=6.0)
    stationary = po.solve(task, COSTS, rtol=1e-4)
    found = [po.solve_deadline(task, COSTS, T, rtol=1e-4) for T in (0.05, 0.1, 0.3, 1.5)]
    risks = [f.risk for f in found]
    assert all(a > b for a, b in itertools.pairwise(risks))
    assert abs(risks[-1] - stationary.risk) <= found[-1].risk_error + stationary.risk_error


def test_boundaries_close_towards_the_deadline_and_open_to_the_stationary_pair():
    task = po.SearchTask(n_locations=1, drift=4.0, prior=0.3)
    pair = po.thresholds(4.0, COSTS)
    times, lower, upper = po.solve_deadline(task, COSTS, 2.0, rtol=1e-5).thresholds()
    assert times.shape == lower.shape == upper.shape == (200,)
    assert lower[0] == pytest.approx(pair.lower, abs=2e-3)
    assert upper[0] == pytest.approx(pair.upper, abs=2e-3)
    assert (np.diff(upper[-30:]) < 0).all()
    assert (np.diff(lower[-30:]) > 0).all()


@pytest.mark.parametrize("drift", [(4.0, 4.0), (8.0, 3.0)])
def test_its_strategy_followed_forwards_has_its_risk(drift):
    task = po.SearchTask(drift=drift, prior=0.4)
    found = po.solve_deadline(task, COSTS, 0.25, rtol=1e-4)
    followed = po.evaluate(task, found.strategy, COSTS, rtol=1e-4)
    assert abs(followed.risk - found.risk) <= followed.risk_error + found.risk_error
    assert max(followed.rt_absent, *followed.rt_at) < found.deadline
    actions = found.strategy.decide(np.random.default_rng(1).normal(0, 3, (50, 2)), 0.25)
    assert (actions != po.Action.WAIT).all()


def test_the_error_covers_a_range_that_is_too_short(monkeypatch):
    task = po.SearchTask(drift=(15.0, 3.0))
    truth = po.solve_deadline(task, COSTS, 0.4, rtol=1e-5)
    monkeypatch.setattr(deadline_module, "MARGIN", 2.5)
    monkeypatch.setattr(refinement, "RANGE_BUDGET", math.inf)
    short = po.solve_deadline(task, COSTS, 0.4, rtol=1e-2)
    assert short.risk_error == pytest.approx(sum(short.errors.values()))
    assert short.errors["spacing"] < abs(short.risk - truth.risk) <= short.risk_error


def test_progress_tells_every_look_of_every_level():
    told = []
    task = po.SearchTask(n_locations=2, drift=4.0)
    po.solve_deadline(task, COSTS, 0.2, 1e-3, progress=lambda *what: told.append(what))
    words = [words.split(", ") for _, words in told]
    levels = [level for level, _ in itertools.groupby(what[0] for what in words)]
    assert levels[0] == "range"
    assert levels[1:] == [f"level {k}" for k in range(1, len(levels))]
    last = [what for what in words if what[0] == levels[-1]]
    assert [look for _, look, _ in last] == [f"look {k} of 20" for k in range(1, 20)]
    changes = [float(change.split()[1]) for _, _, change in last]
    assert all(a >= b > 0 for a, b in itertools.pairwise(changes))  # each look adds less


def test_card_and_dict():
    found = po.solve_deadline(po.SearchTask(n_locations=1, drift=4.0), COSTS, 0.05, rtol=1e-2)
    assert found.as_dict()["grid"] == {"nodes_per_axis": found.nodes_per_axis}
    assert {"risk", "risk_error", "converged", "deadline", "seconds"} < set(found.as_dict())
    assert "deadline  0.05 s, 5 looks" in str(found)


def test_two_locations_have_a_value_at_every_look_and_no_pair_of_thresholds():
    found = po.solve_deadline(po.SearchTask(n_locations=2, drift=4.0), COSTS, 0.1, rtol=1e-2)
    first, last = found.advantage(0), found.advantage(found.n_looks - 1)
    assert (first < 0).sum() > (last < 0).sum()  # less is worth waiting for at the last look
    values = found.value_grid(3)
    D = values.grid.dense(values.waiting - values.stopping)
    np.testing.assert_allclose(D, found.advantage(3), atol=1e-12)
    with pytest.raises(po.InputError, match="one location"):
        found.thresholds()


@pytest.mark.parametrize(
    ("deadline", "remedy"),
    [
        (0.0, "seconds"),
        (0.0099, "more time"),
        (float("nan"), "seconds"),
        ("soon", "seconds"),
        (500, r"in seconds: did you mean 0\.5\?"),
    ],
)
def test_deadlines_that_make_no_sense(deadline, remedy):
    with pytest.raises(po.InputError, match=f"deadline.*{remedy}"):
        po.solve_deadline(po.SearchTask(n_locations=1, drift=4.0), COSTS, deadline)


def test_a_late_deadline_that_is_solved_all_the_same_says_so():
    found = po.solve_deadline(po.SearchTask(n_locations=1, drift=4.0, dt=0.1), COSTS, 40.0, 1e-2)
    assert found.notes == ("Deadline is in seconds: did you mean 0.04?",)
    assert found.notes[0] in str(found)
    soon = po.solve_deadline(po.SearchTask(n_locations=1, drift=4.0), COSTS, 0.2, rtol=1e-2)
    assert soon.as_dict()["notes"] == []


def test_a_deadline_where_looking_never_pays():
    found = po.solve_deadline(po.SearchTask(n_locations=1, drift=4.0, dt=10.0), COSTS, 20.0, 1e-2)
    assert "One look of 10 s costs 2" in found.notes[0]


def test_a_horizon_too_long_to_store_is_not_a_result():
    with pytest.raises(po.NotConvergedError, match="looks"):
        po.solve_deadline(po.SearchTask(n_locations=4, drift=2.0), COSTS, 100.0)
