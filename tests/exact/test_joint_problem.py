"""From a task to grids."""

import numpy as np
import pytest

from popout.exact.joint_problem import JointProblem
from popout.policies.looking import Guided, Parallel
from popout.task import Costs, LimitedSearchTask

COSTS = Costs(time=0.2)


@pytest.mark.parametrize(
    ("task", "attention", "classes"),
    [
        (LimitedSearchTask(3, 48.0), None, ((0, 1, 2),)),
        (LimitedSearchTask(information=48.0, visibility=(1, 0.5, 1)), None, ((0, 2), (1,))),
        (LimitedSearchTask(3, 48.0), Parallel((0.5, 0.25, 0.25)), ((0,), (1, 2))),
        (LimitedSearchTask(3, 48.0), Guided(1.0, (-1.1, -1.1, -1.1)), ((0, 1, 2),)),
    ],
)
def test_locations_are_exchangeable_if_nothing_tells_them_apart(task, attention, classes):
    assert JointProblem(task, COSTS, attention).classes == classes


def test_the_strategy_can_tell_them_apart():
    task = LimitedSearchTask(2, 32.0)
    problem = JointProblem(task, COSTS, None, lambda Z, t: Z[..., 0])
    assert problem.classes == ((0,), (1,))


def test_the_origin_is_a_node_and_the_range_holds_the_thresholds():
    problem = JointProblem(LimitedSearchTask(2, 32.0), COSTS)
    grid = problem.grid(0.37, 3.0, 4)
    assert grid.states[grid.at_origin].tolist() == [0.0, 0.0]
    lower, upper = problem.thresholds[0]
    nodes = grid.axes[0].nodes
    assert nodes[0] <= lower + np.log(2.0) - 3.0
    assert nodes[-1] >= upper + np.log(2.0)


def test_weights_are_the_odds_of_each_place():
    task = LimitedSearchTask(3, 40.0, prior=0.3, location_prior=(0.6, 0.0, 0.4))
    problem = JointProblem(task, COSTS)
    assert problem.locations == (0, 2)
    assert problem.weight == pytest.approx((0.6 * 0.3 / 0.7, 0.4 * 0.3 / 0.7))
