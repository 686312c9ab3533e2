"""Decision boundaries in the plane of two locations."""

import math

import numpy as np
import pytest
from scipy.interpolate import RegularGridInterpolator

import popout as po

COSTS = po.Costs(time=0.2)


@pytest.fixture(scope="module")
def curves(two):
    return two.boundary()


@pytest.mark.parametrize("side", ["absent", "present"])
def test_equal_locations_have_a_symmetric_boundary(curves, side):
    curve = getattr(curves, side).to_numpy()
    assert len(curve) > 200
    swapped = curve[::-1, ::-1]
    order, order_swapped = (np.lexsort(c.round(7).T) for c in (curve, swapped))
    np.testing.assert_allclose(curve[order], swapped[order_swapped], atol=1e-6)
    # In order along the curve: one ratio rises, the other falls.
    assert np.all(np.diff(curve[:, 0] - curve[:, 1]) >= 0)


@pytest.mark.parametrize(("side", "name"), [("present", "upper"), ("absent", "lower")])
def test_far_out_one_location_is_left(curves, pair, side, name):
    curve = getattr(curves, side).to_numpy()
    tau = getattr(pair, name) + math.log(2.0)
    assert abs(curve[0, 1] - tau) < 2e-4
    assert abs(curve[-1, 0] - tau) < 2e-4


@pytest.mark.parametrize("side", ["absent", "present"])
def test_the_boundary_is_where_the_advantage_vanishes(two, curves, side):
    advantage = two.advantage
    axes = [advantage.coords[name].values for name in advantage.dims]
    smooth = RegularGridInterpolator(axes, advantage.values, method="cubic")
    curve = getattr(curves, side).to_numpy()
    inside = (curve > axes[0][2]).all(axis=1) & (curve < axes[0][-3]).all(axis=1)
    curve = curve[inside][::7]
    step = 1e-4
    slope = np.stack(
        [(smooth(curve + e) - smooth(curve - e)) / (2 * step) for e in step * np.eye(2)], axis=-1
    )
    distance = smooth(curve) / np.linalg.norm(slope, axis=1)
    assert np.abs(distance).max() < 2e-3  # the spacing is a hundred times larger
    assert two.advantage.coords["Z1"].diff("Z1").values[0] > 0.1


def test_a_slice_of_three_locations_is_the_problem_of_two():
    """With the third location ruled out, odds of presence are two thirds: prior 0.4."""
    costs = po.Costs(time=0.5)
    three = po.solve(po.SearchTask(n_locations=3, drift=4.0), costs, rtol=2e-4)
    two = po.solve(po.SearchTask(n_locations=2, drift=4.0, prior=0.4), costs, rtol=1e-5)
    for side in ("absent", "present"):
        slices = getattr(three.boundary((0, 2)), side)
        assert list(slices.columns) == ["Z1", "Z3"]
        full = getattr(two.boundary(), side)
        t, t_full = (c.iloc[:, 0] - c.iloc[:, 1] for c in (slices, full))
        s, s_full = (c.iloc[:, 0] + c.iloc[:, 1] for c in (slices, full))
        at = np.linspace(-5.5, 5.5, 41)
        np.testing.assert_allclose(np.interp(at, t, s), np.interp(at, t_full, s_full), atol=1e-3)


@pytest.mark.parametrize("plane", [(0, 0), (0, 2), (-1, 0)])
def test_planes_that_do_not_exist(two, plane):
    with pytest.raises(po.InputError, match="two different locations"):
        two.boundary(plane)


def test_as_dict_holds_the_points(two, curves):
    found = curves.as_dict()
    assert found["plane"] == (0, 1)
    assert found["present"]["Z2"] == curves.present["Z2"].tolist()
    assert set(found["absent"]) == {"Z1", "Z2"}


def test_the_plane_prefers_the_answer_with_the_smaller_risk(two):
    plane = two.value_grid.plane((0, 1))
    Z = np.random.default_rng(3).normal(0.0, 4.0, (200, 2))
    Q = two.value_grid.Q(Z)
    expected = np.log(Q[:, po.Action.ABSENT] / Q[:, po.Action.PRESENT])
    np.testing.assert_allclose(plane.preference(Z[:, 0], Z[:, 1]), expected, atol=1e-9)


@pytest.mark.parametrize("others", [-0.7, 0.8, 1.3])
def test_odds_that_others_hold_decide_which_boundary_it_is(others):
    # A third location that holds much of what "present" needs: the other two add little.
    task = po.SearchTask(drift=(5.0, 4.0, 6.0), prior=0.3, location_prior=(0.3, 0.2, 0.5))
    costs = po.Costs(time=(6.0, 9.0), miss=1.5, false_alarm=0.8)
    solution = po.solve(task, costs, rtol=1e-2)
    nodes = solution.value_grid.axes[2].nodes
    held = nodes[np.abs(nodes - others).argmin()]
    edge = solution.boundary(others=others)
    weight = 3 / 7 * np.array(task.location_prior)
    assert len(edge.present) > 100
    assert bool(len(edge.absent)) == (others < 0)
    for side, curve in ((1.0, edge.present), (-1.0, edge.absent)):
        here = np.exp(curve.to_numpy()) @ weight[:2]
        odds = here + weight[2] * math.exp(held)
        assert (side * (costs.miss * odds - costs.false_alarm) > 0).all()
