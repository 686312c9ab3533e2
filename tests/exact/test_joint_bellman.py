"""The Bellman equation of looking and stopping."""

import numpy as np
import pytest

from popout.exact.joint_bellman import JointBellman
from popout.exact.joint_problem import JointProblem
from popout.exact.joint_refine import solve_on
from popout.task import Costs, LimitedSearchTask


@pytest.fixture(scope="module", params=[(2, 32.0, 0.2), (3, 12.0, 0.5)])
def solved(request):
    M, information, cost = request.param
    task, costs = LimitedSearchTask(M, information), Costs(time=cost)
    problem = JointProblem(task, costs)
    bellman = JointBellman(problem.looking(problem.grid(0.6, 3.0, 2)), costs, task.dt)
    return bellman, solve_on(bellman, bellman.start(), 1e-6, task.prior)


def test_the_fixed_point_is_fixed(solved):
    bellman, found = solved
    again = bellman(found.state)
    assert np.abs(again - found.state).max() <= 1e-6 * bellman.costs.time_absent * bellman.dt
    assert found.uncertainty < 1e-5


def test_looking_never_costs_more_than_the_answers(solved):
    bellman, found = solved
    V = np.minimum(bellman.stop, bellman.wait(found.state))
    assert (bellman.stop >= V).all()
    assert (V > 0).all()
    assert bellman.origin(found.state) == pytest.approx(2 * found.risk)


def test_fixing_the_sides_changes_nothing_at_the_solution(solved):
    bellman, found = solved
    waits = bellman.wait(found.state) < bellman.stop
    np.testing.assert_array_equal(bellman(found.state, waits), bellman(found.state))


def test_answers_and_price_in_terms_of_the_odds(solved):
    grid, dt = solved[0].grid, solved[0].dt
    costs = Costs(time=(0.3, 0.5), miss=2.0, false_alarm=0.7)
    bellman = JointBellman(solved[0].looking, costs, dt)
    np.testing.assert_allclose(bellman.stop, np.minimum(2.0 * grid.odds, 0.7))
    np.testing.assert_allclose(bellman.price, dt * (0.3 + 0.5 * grid.odds))
