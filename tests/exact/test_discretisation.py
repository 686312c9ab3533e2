"""From a task and its costs to grids: classes, ranges, spacings."""

import itertools
import math

import numpy as np
import pytest

import popout as po
from popout.exact.backend import get_backend
from popout.exact.discretisation import (
    EDGE_NODES,
    GazeDiscretisation,
    RateDiscretisation,
    ShareDiscretisation,
    coarse_to_fine,
)
from popout.policies.looking import Guided, Parallel
from popout.task import LimitedSearchTask

COSTS = po.Costs(time=0.2)


def discretised(**task):
    return RateDiscretisation(po.SearchTask(**task), COSTS, get_backend())


def test_locations_that_share_drift_and_prior_share_an_axis():
    prior = (0.2, 0.2, 0.0, 0.2, 0.4)
    found = discretised(drift=(4.0, 5.0, 9.0, 4.0, 4.0), location_prior=prior)
    assert found.locations == (0, 1, 3, 4)
    assert found.classes() == [(0, 3), (1,), (4,)]
    assert found.grid(1.0, 4.0).n_locations == 4


def test_thresholds_are_those_of_discrimination_and_bound_the_axis():
    found = discretised(drift=(8.0, 3.0), prior=0.4)
    for place, drift in enumerate((8.0, 3.0)):
        pair = po.thresholds(drift, COSTS)
        assert found.thresholds[place] == pytest.approx((pair.lower, pair.upper), abs=1e-3)
        shift = math.log(found.weight[place])
        axis = found.grid(0.5, margin=4.0).axes[place]
        assert axis.nodes[0] <= pair.lower - shift - 4.0 <= axis.nodes[0] + axis.spacing
        above = axis.upper - (pair.upper - shift)
        assert (EDGE_NODES - 0.01) * axis.spacing <= above <= (EDGE_NODES + 1.01) * axis.spacing
        assert 0.0 in axis.nodes


def test_longer_steps_widen_the_spacing():
    found = discretised(n_locations=2, drift=2.0, dt=0.001)
    once, sixteen = (found.grid(1.0, 4.0, coarsen=coarsen).axes[0] for coarsen in (1, 16))
    assert sixteen.sd == pytest.approx(4 * once.sd)
    assert sixteen.spacing == pytest.approx(4 * once.spacing)


@pytest.mark.parametrize("sd", [0.004, 0.05, 0.6, 3.0])
def test_steps_shorten_by_four_until_they_are_the_real_ones(sd):
    steps = coarse_to_fine(sd)
    assert steps[-1] == 1
    assert all(a == 4 * b for a, b in itertools.pairwise(steps))
    assert sd > 0.4 or 0.3 < sd * math.sqrt(steps[0]) < 1.2


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
    assert ShareDiscretisation(task, COSTS, attention).grid(1.0, 3.0, 2).classes == classes


def test_the_strategy_can_tell_them_apart():
    problem = ShareDiscretisation(LimitedSearchTask(2, 32.0), COSTS)
    assert problem.classes(lambda Z, t: Z[..., 0]) == [(0,), (1,)]


def test_with_shares_the_origin_is_a_node_and_the_range_holds_the_thresholds():
    problem = ShareDiscretisation(LimitedSearchTask(2, 32.0), COSTS)
    grid = problem.grid(0.37, 3.0, 4)
    assert [grid.at_origin(Z) for Z in grid.states().T] == [0.0, 0.0]
    lower, upper = problem.thresholds[0]
    nodes = grid.axes[0].nodes
    assert nodes[0] <= lower + np.log(2.0) - 3.0
    assert nodes[-1] >= upper + np.log(2.0)


def test_weights_are_the_odds_of_each_place():
    task = LimitedSearchTask(3, 40.0, prior=0.3, location_prior=(0.6, 0.0, 0.4))
    problem = ShareDiscretisation(task, COSTS)
    assert problem.locations == (0, 2)
    assert problem.weight == pytest.approx({0: 0.6 * 0.3 / 0.7, 2: 0.4 * 0.3 / 0.7})


@pytest.mark.parametrize("prior", [0.05, 0.5, 0.99, 0.9999])
def test_no_grid_is_narrower_than_the_first_where_places_are_named(prior):
    items = [(0, 0), (1, 0), (3, 0)]
    task = po.GazeTask(items, information=9.0, falloff=0.7, prior=prior, answer="place")
    problem = GazeDiscretisation(task, COSTS)
    before = {place: (0.0, 0.0) for place in range(3)}
    for margin in (2.5, 4.0, 5.5):
        first = problem.grid(problem.first_factor, margin, 1).axes
        for factor in (0.71, 0.4, 0.13):
            for place, axis in problem.grid(factor, margin, 1).axes.items():
                assert axis.lower <= first[place].lower + 1e-9
                assert axis.upper >= first[place].upper - 1e-9
                assert axis.upper < first[place].upper + axis.spacing
        for place, axis in first.items():
            assert axis.lower < before[place][0]
            assert axis.upper > before[place][1] or prior < 0.5
            before[place] = axis.lower, axis.upper


def test_an_item_alone_is_named_above_its_threshold():
    task = po.GazeTask([(0, 0)], [(0, 0), (1, 0)], information=9.0, falloff=0.7, answer="place")
    problem = GazeDiscretisation(task, COSTS)
    (axis,) = problem.grid(0.5, 3.0, 1).axes.values()
    assert problem.naming[0] == problem.thresholds[0][1]
    assert 0.0 < axis.upper - problem.thresholds[0][1] < 4.0
