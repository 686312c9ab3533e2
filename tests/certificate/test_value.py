"""Splines by least squares, against a dense fit with SciPy's B-splines; the exact table."""

import numpy as np
from scipy.interpolate import BSpline

from popout.certificate.problem import Prices
from popout.certificate.value import FEWEST_STATES, RIDGE, SMOOTHNESS, Mesh, fit_mesh, table_value
from popout.exact import solve
from popout.task import Costs, SearchTask

PRICES = Prices(1.0, 1.0, 1e-3, 1e-3)
SHAPE = (7, 6)


def states(n=4000, seed=1):
    return np.random.default_rng(seed).normal(size=(2, n))


def dense_basis(mesh, S):
    """Return every product of two cubic B-splines at states inside the mesh, and which are."""
    columns, inside = [], np.ones(S.shape[1], dtype=bool)
    for row in range(2):
        n = mesh.shape[row]
        x = (S[row] - mesh.origin[row]) * mesh.per_unit[row]
        inside &= (x >= 0) & (x < n - 3)
        knots = np.arange(-3.0, n + 1)
        columns.append(BSpline.design_matrix(np.clip(x, 0, n - 3 - 1e-9), knots, 3).toarray())
    both = np.einsum("na,nb->nab", *columns).reshape(S.shape[1], -1)
    return both, inside


def dense_fit(basis, q, stiffness=1.0):
    """Return the penalised least-squares fit at the states of a basis; the level is held alike."""
    first, second = (bend.T @ bend for bend in (np.diff(np.eye(n), 2, axis=0) for n in SHAPE))
    rough = np.kron(first, np.eye(SHAPE[1])) + np.kron(np.eye(SHAPE[0]), second)
    n_powers = basis.shape[1] // len(rough)
    ridge = RIDGE * np.array([1.0, *[stiffness] * (n_powers - 1)])
    penalty = np.kron(stiffness * SMOOTHNESS * rough, np.eye(n_powers))
    penalty += np.kron(np.eye(len(rough)), np.diag(ridge))
    matrix = basis.T @ basis + len(q) / len(rough) * penalty
    return basis @ np.linalg.solve(matrix, basis.T @ q)


def known(value, S):
    """Return whether training has met states like these."""
    return ~np.isnan(value.waiting(S))


def test_it_is_the_penalised_least_squares_fit():
    chance = np.random.default_rng(1)
    S = chance.uniform(-2.0, 2.0, (2, 4000))
    q = 0.2 + 0.05 * np.sin(2 * S[0]) * np.cos(S[1]) + 0.05 * chance.normal(size=4000)
    mesh = Mesh.around(S, np.eye(2), SHAPE, degree=0)
    value = fit_mesh(mesh, None, PRICES, [(S[:, :1500], q[:1500]), (S[:, 1500:], q[1500:])])
    basis, inside = dense_basis(mesh, S)
    assert inside.mean() > 0.99
    best = dense_fit(basis[inside], q[inside])
    assert known(value, S[:, inside]).all()
    np.testing.assert_allclose(value.waiting(S[:, inside]), best, atol=1e-9)
    assert np.std(best) > 0.02  # the fit is no constant
    plain = basis[inside] @ np.linalg.lstsq(basis[inside], q[inside], rcond=None)[0]
    assert np.abs(plain - best).max() > 1e-6  # and the penalty does something


def test_stiff_splines_with_powers_of_a_third_statistic():
    chance = np.random.default_rng(5)
    S = chance.uniform(-1.0, 1.0, (3, 3000))
    q = 0.2 + 0.1 * np.sin(3 * S[0]) * S[2] + 0.05 * chance.normal(size=3000)
    mesh = Mesh.around(S, np.eye(3), SHAPE, degree=2)
    both, inside = dense_basis(mesh, S)
    u = (S[2] - mesh.origin[2]) * mesh.per_unit[2]
    basis = np.einsum("na,nm->nam", both, u[:, None] ** mesh.powers.T).reshape(len(u), -1)[inside]
    fits = []
    for stiffness in (1.0, 1e3):
        best = dense_fit(basis, q[inside], stiffness)
        value = fit_mesh(mesh, None, PRICES, [(S, q)], stiffness)
        np.testing.assert_allclose(value.waiting(S[:, inside]), best, atol=1e-9)
        fits.append(best)
    assert np.abs(fits[0] - fits[1]).max() > 1e-3


def test_where_training_has_not_been_nothing_is_gained_by_waiting():
    S = states()
    mesh = Mesh.around(S, np.eye(2), SHAPE, degree=0)
    value = fit_mesh(mesh, None, PRICES, [(S, np.full(S.shape[1], 0.01))])
    far = np.array([[30.0, 0.0], [0.0, 30.0]])
    assert not known(value, far).any()
    assert (value.advantage(far) == 0.0).all()
    middle = np.zeros((2, 1))
    assert known(value, middle).all()
    assert abs(value.advantage(middle)[0] - (0.5 - 0.01)) < 1e-3


def test_too_few_states_are_not_trusted():
    S = states(FEWEST_STATES - 1)
    mesh = Mesh.around(S, np.eye(2), (20, 20), degree=0)
    assert not known(fit_mesh(mesh, None, PRICES, [(S, np.ones(S.shape[1]))]), S).any()


def test_waiting_never_seems_cheaper_than_its_time():
    S = states()
    mesh = Mesh.around(S, np.eye(2), SHAPE, degree=0)
    value = fit_mesh(mesh, None, PRICES, [(S, np.full(S.shape[1], -1.0))])
    inside = S[:, known(value, S)]
    most = PRICES.stop(inside[0]) - PRICES.wait(inside[0])
    np.testing.assert_allclose(value.advantage(inside), most)


def test_states_that_cannot_pay_are_left_out_of_the_mesh():
    S = np.concatenate([states(2000), [[20.0], [0.0]]], axis=1)
    whole = Mesh.around(S, np.eye(2), SHAPE, degree=2)
    paying = Mesh.around(S, np.eye(2), SHAPE, degree=2, prices=Prices(1.0, 1.0, 0.2, 0.2))
    assert paying.per_unit[0] > whole.per_unit[0]  # a shorter range in as many cells
    assert whole.powers.shape == (1, 0)


def test_a_table_gives_the_exact_value_at_the_start_and_its_own_boundary():
    task, costs = SearchTask(drift=(4.0, 3.0)), Costs(time=0.5)
    solution = solve(task, costs, 1e-4)
    prices = Prices.of(costs, task.dt)
    value = table_value(solution.strategy, prices, np.array([0.8, 0.6]))
    chance = np.random.default_rng(1)
    Z = np.concatenate([np.zeros((2, 1)), chance.normal(size=(2, 2000)) * 3], axis=1)
    S = value.statistics.of(value.statistics.exponentials(Z), Z)
    A = value.advantage(S)
    assert abs(prices.stop(S[0, :1])[0] - A[0] - solution.risk) < 2e-4 * solution.risk
    waits = solution.strategy.decide(Z.T, 0.0) == 0
    assert np.mean(waits != (A > 0)) < 0.002
