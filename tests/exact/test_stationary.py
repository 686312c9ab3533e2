"""Order of convergence of the risk in the spacing.

How the boundary lies between the nodes gives the error a sign and a factor that jump about, so each
point of the curve is the largest error of several neighbouring spacings.
"""

import numpy as np
import pytest

import popout as po
from popout.exact.backend import get_backend
from popout.exact.discretisation import Discretisation
from popout.exact.stationary import stationary

NEIGHBOURS = (1.0, 0.93, 0.87, 0.81)
MARGIN = 8.0
TASKS = {
    "one location": po.SearchTask(n_locations=1, drift=4.0),
    "two equal": po.SearchTask(n_locations=2, drift=4.0),
    "two unequal": po.SearchTask(drift=(6.0, 3.0), prior=0.4),
}
COSTS = po.Costs(time=0.4)


def risk(task, factor):
    problem = Discretisation(task, COSTS, get_backend())
    found = stationary(problem.bellman(problem.grid(factor, MARGIN)), None, 1e-9)
    assert found.converged
    return (1.0 - task.prior) * found.origin


def envelope(task, factors, exact):
    return np.array([max(abs(risk(task, f * k) - exact) for k in NEIGHBOURS) for f in factors])


@pytest.mark.parametrize("name", TASKS)
def test_the_risk_converges_at_fourth_order_or_better(name):
    task = TASKS[name]
    exact = risk(task, 0.12)
    errors = envelope(task, (0.9, 0.45), exact)
    assert errors[1] > 20 * abs(risk(task, 0.14) - exact)  # the reference is good enough
    assert np.log2(errors[0] / errors[1]) > 4.0


@pytest.mark.parametrize("name", TASKS)
def test_without_sub_grid_boundaries_it_is_second_order(name, monkeypatch):
    task = TASKS[name]
    exact = risk(task, 0.12)
    monkeypatch.setattr("popout.exact.compiled_kinks.CompiledKinks.correction", lambda *_: None)
    errors = envelope(task, (0.6, 0.3), exact)
    assert 1.2 < np.log2(errors[0] / errors[1]) < 3.2
