"""From a task and its costs to grids: classes, ranges, spacings, and grids of the user's own."""

import itertools
import math

import numpy as np
import pytest

import popout as po
from popout.exact.backend import get_backend
from popout.exact.discretisation import EDGE_NODES, Discretisation, coarse_to_fine

COSTS = po.Costs(time=0.2)


def discretised(**task):
    return Discretisation(po.SearchTask(**task), COSTS, get_backend())


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
    once, sixteen = (found.grid(1.0, 4.0, coarsen).axes[0] for coarsen in (1, 16))
    assert sixteen.sd == pytest.approx(4 * once.sd)
    assert sixteen.spacing == pytest.approx(4 * once.spacing)


@pytest.mark.parametrize("sd", [0.004, 0.05, 0.6, 3.0])
def test_steps_shorten_by_four_until_they_are_the_real_ones(sd):
    steps = coarse_to_fine(sd)
    assert steps[-1] == 1
    assert all(a == 4 * b for a, b in itertools.pairwise(steps))
    assert sd > 0.4 or 0.3 < sd * math.sqrt(steps[0]) < 1.2


def test_the_grid_of_the_user_is_taken_as_it_is():
    found = discretised(drift=(8.0, 3.0)).explicit_grid(po.GridSpec(-10.0, 8.0, bins=36))
    for axis in found.axes.values():
        np.testing.assert_allclose(axis.nodes, np.linspace(-10.0, 8.0, 37))


@pytest.mark.parametrize(
    ("lower", "upper", "bins"), [(-0.5, 8, 50), (-10, 0, 50), (-600, 8, 50), (-10, 8, 4)]
)
def test_grids_that_make_no_sense(lower, upper, bins):
    with pytest.raises(po.InputError, match="GridSpec"):
        po.GridSpec(lower, upper, bins)
