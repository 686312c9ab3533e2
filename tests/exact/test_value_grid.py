"""The value function on the nodes, between them and beyond them."""

import numpy as np
import pytest

import popout as po
from popout.exact import grid as grid_module
from popout.exact.value_grid import RiskSpline
from popout.policies.stopping.exact_table import ExactTable

COSTS = po.Costs(time=(0.2, 0.4), miss=1.5)
TASKS = {
    "one": po.SearchTask(n_locations=1, drift=4.0, prior=0.3),
    "equal": po.SearchTask(n_locations=2, drift=4.0),
    "unequal": po.SearchTask(drift=(8.0, 3.0), location_prior=(0.6, 0.4)),
    "one never": po.SearchTask(drift=(4.0, 5.0, 6.0), location_prior=(0.5, 0.0, 0.5)),
}


@pytest.fixture(scope="module", params=TASKS)
def solution(request):
    return po.solve(TASKS[request.param], COSTS, rtol=1e-4)


def nodes_of(values):
    """Return Z of every node of the full product, all other locations at zero, shape (..., M)."""
    Z = np.zeros((*(axis.n for axis in values.axes.values()), values.task.n_locations))
    axes = [axis.nodes for axis in values.axes.values()]
    for place, z in zip(values.locations, np.meshgrid(*axes, indexing="ij"), strict=True):
        Z[..., place] = z
    return Z


def test_at_the_nodes_it_is_the_labelled_array(solution):
    values = solution.value_grid
    np.testing.assert_allclose(values.V(nodes_of(values)), solution.value, atol=1e-6)


def test_one_step_of_the_paper_recursion_by_quadrature(solution):
    """Q of waiting is the price of a step and the mean of V after it, under the mixture."""
    values, task = solution.value_grid, solution.task
    rng = np.random.default_rng(1)
    Z = rng.normal(0.0, 1.5, (20, task.n_locations))
    prior, pi = task.prior, np.asarray(task.location_prior)
    joint = np.column_stack([np.full(20, 1 - prior), prior * pi * np.exp(Z)])
    posterior = joint / joint.sum(axis=1, keepdims=True)
    expected = task.dt * (posterior @ np.append(0.2, np.full(task.n_locations, 0.4)))
    x = np.linspace(-6.0, 6.0, 101)  # dense: V has kinks
    weight = np.exp(-(x**2) / 2)
    steps = np.stack(np.meshgrid(*[x] * len(values.locations), indexing="ij"), axis=-1)
    chance = np.prod(np.meshgrid(*[weight / weight.sum()] * len(values.locations)), axis=0)
    sd = 2 * np.asarray(task.drifts) * np.sqrt(task.dt)
    for target in (None, *values.locations):
        mean = -(sd**2) / 2
        if target is not None:
            mean[target] *= -1
        after = np.broadcast_to(Z, (*steps.shape[:-1], *Z.shape)).copy()
        for column, place in enumerate(values.locations):
            after[..., place] += mean[place] + sd[place] * steps[..., column, None]
        V = values.V(after)
        mixed = posterior[:, 0 if target is None else target + 1]
        expected += mixed * np.tensordot(chance, V, axes=chance.ndim)
    Q = values.Q(Z)
    np.testing.assert_allclose(Q[:, po.Action.WAIT], expected, atol=2e-4)
    # The spline rounds off the kink of the better answer, where both cost about the same.
    preference = np.log(Q[:, po.Action.ABSENT] / Q[:, po.Action.PRESENT])
    away = np.abs(preference) > 0.5
    assert away.sum() >= 10
    np.testing.assert_allclose(Q[away, po.Action.WAIT], expected[away], atol=1e-5)


def test_the_best_action_is_that_of_the_strategy(solution):
    Z = np.random.default_rng(2).normal(0.0, 4.0, (500, solution.task.n_locations))
    Q = solution.value_grid.Q(Z)
    two_best = np.sort(Q, axis=-1)[:, :2]
    clear = np.diff(two_best, axis=-1)[:, 0] > 1e-4
    assert clear.mean() > 0.8
    assert (Q.argmin(axis=-1) == solution.strategy.decide(Z, 0.0))[clear].all()


def test_wider_agrees_where_both_are_and_goes_on():
    values = po.solve(TASKS["equal"], COSTS, rtol=1e-4).value_grid
    wider = values.wider()
    n = values.axes[0].n
    same = wider.grid.dense(wider.waiting)[:n, :n] / values.grid.dense(values.waiting)
    assert np.abs(same - 1.0).max() < 1e-12
    # Far above the grid no step leads back: waiting costs its price and nothing else.
    far = wider.axes[0].upper
    odds = np.exp(far) * values.weights[0] + np.exp(values.axes[1].nodes[0]) * values.weights[1]
    lost = wider.grid.dense(wider.waiting)[-1, 0] - COSTS.false_alarm
    assert lost == pytest.approx(0.01 * (0.2 + 0.4 * odds), rel=1e-3)


def test_a_table_too_large_to_unfold_is_refused(monkeypatch):
    values = po.solve(TASKS["equal"], COSTS, rtol=1e-2).value_grid
    monkeypatch.setattr(grid_module, "DENSE_LIMIT", 100)
    for unfold in (values.table, values.wider, lambda: values.risk):
        with pytest.raises(po.InputError, match="full table of at most 100 entries"):
            unfold()


# Between the nodes of a table, against the closed form of a made-up one.

LOWER, SPACING, N = -6.0, 0.25, 49


def smooth(Z1, Z2):
    return 0.3 * np.sin(0.5 * Z1) * np.cos(0.4 * Z2)


def made_up():
    z = LOWER + SPACING * np.arange(N)
    log_weight = (np.log(0.5), -np.inf, np.log(0.5))  # the second location never holds the target
    table = smooth(z[:, None], z[None, :]).astype(np.float32)
    return ExactTable(
        table, (LOWER,) * 2, (SPACING,) * 2, (0, 2), log_weight, po.Costs(0.2, miss=2.0)
    )


def answers(Z):
    odds = 0.5 * np.exp(Z[..., 0]) + 0.5 * np.exp(Z[..., 2])
    return 2.0 * odds / (1.0 + odds), 1.0 / (1.0 + odds)


def test_between_the_nodes_risks_follow_a_cubic_spline():
    Z = np.random.default_rng(1).uniform(-5.0, 5.0, (4, 50, 3))
    Q = RiskSpline(made_up())(Z)
    absent, present = answers(Z)
    np.testing.assert_allclose(Q[..., po.Action.ABSENT], absent)
    np.testing.assert_allclose(Q[..., po.Action.PRESENT], present)
    waiting = np.exp(smooth(Z[..., 0], Z[..., 2])) / (1 / absent + 1 / present)
    np.testing.assert_allclose(Q[..., po.Action.WAIT], waiting, atol=2e-5)


def test_outside_waiting_loses_what_it_loses_at_the_edge():
    spline = RiskSpline(made_up())
    edge, far = np.array([6.0, 0.0, 0.0]), np.array([9.0, 0.0, 0.0])
    lost = [spline(Z)[po.Action.WAIT] - spline(Z)[1:].min() for Z in (edge, far)]
    np.testing.assert_allclose(lost[1], lost[0], rtol=1e-12)
