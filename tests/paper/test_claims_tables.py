"""The tables behind the claims, against plain references that share no code with them."""

import io
import math

import numpy as np
import pytest
import xarray as xr

import popout as po
from popout.analysis.regret import regret
from popout.paper import EFFORT, FIGURES, TABLES
from popout.paper.claims.tables import larger_sets, lossless, time_varying
from popout.paper.claims.tables.decisions import optimal_rt
from popout.paper.claims.tables.recursion import PaperGrid, settle

# -- every table --------------------------------------------------------------------------------


@pytest.fixture(params=TABLES)
def table(request):
    return request.param


def test_tables_are_labelled_finite_and_survive_the_file(computed, table):
    data, reports = computed(table)
    assert reports == sorted(reports)
    for key, values in data.data_vars.items():
        assert np.isfinite(values).all(), key
    content = bytes(data.to_netcdf(engine="scipy", format="NETCDF3_64BIT"))
    with xr.open_dataset(io.BytesIO(content), engine="scipy") as back:
        xr.testing.assert_equal(back.load(), data)


def test_every_part_has_an_effort():
    assert set(EFFORT) == {*FIGURES, *TABLES}


# -- the paper's recursion ----------------------------------------------------------------------


def plain_step(R, nodes, drift, cost, dt=0.01):
    """One step of eq:dp as printed: a mixture of three Gaussians, summed over nodes one by one.

    Beyond the ends R is such that R (1 + odds) keeps the value of the end.
    """
    h, beyond = nodes[1] - nodes[0], 40
    wide = nodes[0] + h * np.arange(-beyond, nodes.size + beyond)
    inside = np.clip(np.arange(wide.size) - beyond, 0, nodes.size - 1)

    def odds(a, b):
        return (math.exp(a) + math.exp(b)) / 2

    V = np.array([[R[i, j] * (1 + odds(nodes[i], nodes[j])) for j in inside] for i in inside])
    later = V / (1 + np.array([[odds(a, b) for b in wide] for a in wide]))
    new = np.empty_like(R)
    for i, a in enumerate(nodes):
        for j, b in enumerate(nodes):
            weights = [1.0, math.exp(a) / 2, math.exp(b) / 2]
            waiting = cost * dt
            for place, weight in enumerate(weights):
                laws = []
                for location, z in ((1, a), (2, b)):
                    mean = z + (2 if place == location else -2) * drift**2 * dt
                    variance = 4 * drift**2 * dt
                    density = np.exp(-((wide - mean) ** 2) / (2 * variance))
                    laws.append(h * density / math.sqrt(2 * math.pi * variance))
                waiting += weight / sum(weights) * (laws[0] @ later @ laws[1])
            absent = 1 / (1 + odds(a, b))
            new[i, j] = min(1 - absent, absent, waiting)
    return new


def test_two_steps_of_the_paper_by_hand():
    task, cost = po.SearchTask(n_locations=2, drift=10.0), 3.0
    grid = PaperGrid(task, po.Costs(time=cost), -6.0, 6.0, 12)
    nodes = np.linspace(-6.0, 6.0, 13)
    ones = 1 + (np.exp(nodes)[:, None] + np.exp(nodes)[None, :]) / 2
    R = np.minimum(1 - 1 / ones, 1 / ones)
    np.testing.assert_allclose(grid.stop() / ones, R, rtol=1e-13)
    steps = grid.steps(grid.stop())
    for _ in range(2):
        R = plain_step(R, nodes, 10.0, cost)
        V, _ = next(steps)
        np.testing.assert_allclose(V / ones, R, rtol=1e-10)
    # Negative control: a cost that is a hundredth higher is told apart.
    dearer = plain_step(np.minimum(1 - 1 / ones, 1 / ones), nodes, 10.0, 1.01 * cost)
    V, _ = next(grid.steps(grid.stop()))
    assert np.abs(V / ones - dearer).max() > 1e-6


@pytest.mark.parametrize("seconds", [0.1, 0.5])
def test_steps_are_horizons(seconds):
    task, costs = po.SearchTask(n_locations=2, drift=5.0), po.Costs(time=0.2)
    grid = PaperGrid(task, costs, -14.0, 12.0, 260)
    steps = grid.steps(grid.stop())
    for _ in range(round(seconds / task.dt)):
        V, _ = next(steps)
    exact = po.solve_deadline(task, costs, seconds, rtol=1e-4)
    assert grid.risk(V) == pytest.approx(exact.risk, rel=3e-4)
    assert grid.risk(next(steps)[0]) < grid.risk(V)


def test_one_location_and_a_biased_prior():
    task = po.SearchTask(n_locations=1, drift=4.0, prior=0.2)
    costs = po.Costs(time=0.2)
    grid = PaperGrid(task, costs, -14.0, 14.0, 1400)
    assert grid.risk(settle(grid)[0]) == pytest.approx(po.solve(task, costs).risk, rel=1e-4)


# -- thresholds in time -------------------------------------------------------------------------


def test_losses_follow_each_path():
    rng = np.random.default_rng(1)
    S = rng.normal(size=(50, 6)).cumsum(axis=1)
    waited, absent, present = (rng.random(S.shape) for _ in range(3))
    paths = time_varying.Paths(S, waited, absent, present)
    lower, upper = np.linspace(-2.0, -1.0, 6), np.linspace(2.0, 1.0, 6)
    expected = []
    for trial in range(50):
        for look in range(6):
            s = S[trial, look]
            if s >= upper[look] or s <= lower[look] or look == 5:
                answer = present if s >= (lower[look] + upper[look]) / 2 else absent
                expected.append(waited[trial, look] + answer[trial, look])
                break
    np.testing.assert_allclose(paths.losses(lower, upper), expected)


def test_constant_thresholds_lose_what_the_regret_says():
    solution = po.solve(time_varying.TASK, time_varying.COSTS, 1e-4)
    tau = solution.thresholds[0]
    paths = time_varying.Paths.draw(solution, 4000, seed=3)
    ones = np.ones(time_varying.LOOKS + 1)
    lost = paths.losses(tau[0] * ones, tau[1] * ones)
    se = lost.std(ddof=1) / math.sqrt(lost.size)
    sprt = po.SPRT.for_task(time_varying.TASK, *tau)
    known = regret(solution, sprt, n_trials=4000, seed=5)
    assert abs(lost.mean() - known.value) < 4 * math.hypot(se, known.se)
    # Negative control: thresholds a third further out lose more than this could hide.
    further = paths.losses(4 * tau[0] / 3 * ones, 4 * tau[1] / 3 * ones)
    assert abs(further.mean() - known.value) > 4 * math.hypot(se, known.se)


def test_more_knots_lose_no_more(computed):
    data, _ = computed("time-varying")
    one, more = data["regret"].to_numpy()
    assert more < one + 3 * float(data["gain_se"].max())


# -- evidence, response times, asymptotes -------------------------------------------------------


def test_enumeration_by_hand():
    task = po.MixtureSearchTask.independent(1, [10], [0, 20], {0: -1.0, 10: 1.0, 20: 2.0})
    order = [task.orientations.index(v) for v in (0, 10, 20)]
    L = np.array([[0.3, -1.2, 0.7]])
    by_name = [L[0, k] for k in order]
    expected = by_name[1] - math.log((math.exp(by_name[0]) + math.exp(by_name[2])) / 2)
    assert lossless.enumerated(task, L) == pytest.approx(expected, abs=1e-12)


def test_response_times_of_the_optimum_are_slopes_of_its_risk():
    task, costs = po.SearchTask(n_locations=2, drift=12.0), po.Costs(time=0.5)
    trials = po.simulate(task, po.solve(task, costs, 1e-5).strategy, 200_000, seed=2)
    summary = trials.summary(costs)
    for present, found in ((False, summary.absent), (True, summary.present)):
        rt, error = optimal_rt(task, costs, present)
        assert abs(rt - found.mean_rt) < 4 * found.mean_rt_se + error
        assert error < found.mean_rt_se  # else the comparison would say little


def test_a_wrong_threshold_shows_far_out(monkeypatch):
    solution = po.solve(po.SearchTask(n_locations=2, drift=12.0), po.Costs(time=0.5), 1e-4)
    assert np.abs(larger_sets.asymptote(solution)).max() < 1e-3
    wrong = po.thresholds(11.0, po.Costs(time=0.5))
    monkeypatch.setattr(larger_sets, "thresholds", lambda *_, **__: wrong)
    assert np.abs(larger_sets.asymptote(solution)).max() > 1e-2
