"""Anderson's method finds the fixed point that a linear solve finds; order of the risk.

How the boundary lies between the nodes gives the error a sign and a factor that jump about, so each
point of the curve of the risk is the largest error of several neighbouring spacings.
"""

import numpy as np
import pytest

import popout as po
from popout.exact.backend import get_backend
from popout.exact.discretisation import RateDiscretisation
from popout.exact.fixed_point import fixed_point, stationary

NEIGHBOURS = (1.0, 0.93, 0.87, 0.81)
MARGIN = 8.0
TASKS = {
    "one location": po.SearchTask(n_locations=1, drift=4.0),
    "two equal": po.SearchTask(n_locations=2, drift=4.0),
    "two unequal": po.SearchTask(drift=(6.0, 3.0), prior=0.4),
}
COSTS = po.Costs(time=0.4)


@pytest.fixture(scope="module")
def contraction():
    """A linear map of spectral radius 0.97 and its fixed point."""
    rng = np.random.default_rng(4)
    A = rng.random((40, 40))
    A *= 0.97 / np.abs(np.linalg.eigvals(A)).max()
    A = 0.5 * A + 0.5 * 0.97 * np.eye(40)  # several slow directions
    b = rng.normal(size=40)
    return A, b, np.linalg.solve(np.eye(40) - A, b)


@pytest.mark.parametrize("memory", [0, 1, 3, 8])
def test_linear_fixed_point(contraction, memory):
    A, b, exact = contraction
    found = fixed_point(
        get_backend(), lambda x: A @ x + b, np.zeros(40), tolerance=1e-12, memory=memory
    )
    assert found.converged
    assert found.residual <= 1e-12
    np.testing.assert_allclose(found.value, exact, rtol=0, atol=1e-10)


def test_memory_saves_iterations(contraction):
    A, b, _ = contraction

    def iterations(memory):
        return fixed_point(
            get_backend(), lambda x: A @ x + b, np.zeros(40), tolerance=1e-10, memory=memory
        ).iterations

    assert iterations(8) < 0.2 * iterations(0)


def test_limits_and_failures_are_told():
    slow = fixed_point(
        get_backend(), lambda x: x + 1.0, np.zeros(3), tolerance=1e-9, memory=0, max_iterations=7
    )
    assert (slow.iterations, slow.converged) == (7, False)
    stalled = fixed_point(
        get_backend(), lambda x: x + 1.0, np.zeros(3), tolerance=1e-9, memory=0, patience=4
    )
    assert not stalled.converged
    assert stalled.iterations < 10
    broken = fixed_point(get_backend(), lambda x: x * np.nan, np.ones(3), tolerance=1e-9)
    assert (broken.iterations, broken.converged) == (1, False)


def test_progress_is_reported(contraction):
    A, b, _ = contraction
    seen = []
    found = fixed_point(
        get_backend(),
        lambda x: A @ x + b,
        np.zeros(40),
        tolerance=1e-8,
        progress=lambda share, words: seen.append((share, words)),
    )
    assert len(seen) == found.iterations
    shares = [share for share, _ in seen]
    assert shares == sorted(shares)
    assert (shares[0], shares[-1]) == (0.0, 1.0)
    middle = shares[len(shares) // 2]
    assert 0.2 < middle < 0.8  # the residual falls steadily
    assert seen[-1][1] == f"iteration {found.iterations}, residual {found.residual:.1e}"


def risk(task, factor):
    problem = RateDiscretisation(task, COSTS, get_backend())
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
    monkeypatch.setattr("popout.exact.kinks.Kinks.correction", lambda *_: None)
    errors = envelope(task, (0.6, 0.3), exact)
    assert 1.2 < np.log2(errors[0] / errors[1]) < 3.2
