"""The paper's own dynamic programming, against plain references that share no code with it."""

import math

import numpy as np
import pytest

import popout as po
from popout.paper.recursion import PaperGrid, settle


def plain_step(R, nodes, drift, cost, dt=0.01):
    """One step of Equation 7 as printed: a mixture of three Gaussians, summed node by node.

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
    costlier = plain_step(np.minimum(1 - 1 / ones, 1 / ones), nodes, 10.0, 1.01 * cost)
    V, _ = next(grid.steps(grid.stop()))
    assert np.abs(V / ones - costlier).max() > 1e-6


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
