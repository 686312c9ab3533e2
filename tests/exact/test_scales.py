"""The scales of the conjecture, fitted to the exact boundary."""

import math

import numpy as np
import pytest
from paper_recursion import paper_risk
from scipy.optimize import brentq, minimize_scalar

import popout as po
from popout.exact import scales as module
from popout.exact.scales import LARGEST, Fit, Scales

COSTS = po.Costs(time=0.2)


def test_one_location_has_its_thresholds_as_boundary():
    task = po.SearchTask(n_locations=1, drift=4.0, prior=0.3)
    solution = po.solve(task, COSTS, rtol=1e-7)
    pair = po.thresholds(4.0, COSTS, prior=0.3, rtol=1e-7)
    absent, present = solution.boundary_points()
    assert absent.shape == present.shape == (1, 1)
    shift = math.log(0.3 / 0.7)
    assert abs(absent[0, 0] + shift - pair.lower) <= 1e-4
    assert abs(present[0, 0] + shift - pair.upper) <= 1e-4
    (found,) = solution.thresholds
    np.testing.assert_allclose(found, (pair.lower, pair.upper), atol=1e-4)
    assert math.isnan(solution.scales.a_plus)  # with one location it plays no part
    assert solution.scales.plus.largest < 1e-3


@pytest.mark.parametrize("a", [0.4, 1.0, 2.5])
@pytest.mark.parametrize("side", ["plus", "minus"])
def test_a_known_scale_is_recovered(two, a, side):
    tau = two.thresholds[0][side == "plus"]

    def statistic(Z1, Z2):
        return np.logaddexp(a * (Z1 - math.log(2)), a * (Z2 - math.log(2))) / a

    top = tau + math.log(2)
    points = []
    for Z1 in np.linspace(top - 6.0, top - 0.5, 60):
        Z2 = brentq(lambda z, Z1=Z1: statistic(Z1, z) - tau, -60.0, top + 1.0, xtol=1e-13)
        points.append((Z1, Z2))
    fit = module._fit(two, np.array(points), side)
    assert abs(math.log(fit.a / a)) < 1e-5
    assert fit.largest < 1e-5
    assert fit.points == len(points)


def crossings_of(nodes, f):
    """Points where a function on a square grid changes sign along a grid line (linear)."""
    points = []
    for line, values in enumerate(f):
        for i in np.flatnonzero((values[:-1] < 0) != (values[1:] < 0)):
            share = values[i] / (values[i] - values[i + 1])
            z = nodes[i] + share * (nodes[i + 1] - nodes[i])
            points += [(nodes[line], z), (z, nodes[line])]
    return np.array(points)


def scale_by_least_squares(points, tau):
    def misfit(log_a):
        a = math.exp(log_a)
        y = points - math.log(2)
        S = np.logaddexp(a * y[:, 0], a * y[:, 1]) / a
        share = np.exp(a * (y - S[:, None]))
        return np.mean((S - tau) ** 2 / (share**2).sum(axis=1))

    best = minimize_scalar(misfit, bounds=(-2.0, 2.5), method="bounded", options={"xatol": 1e-8})
    return math.exp(best.x)


def test_scales_against_the_recursion_of_the_paper(two, pair):
    """The whole chain done again, plainly: recursion, crossings, least squares."""
    found = []
    for h in (0.25, 0.2, 0.15):
        nodes, _, _, advantage = paper_risk(
            (4.0, 4.0), time_absent=0.2, time_present=0.2, spacing=h, change=1e-8
        )
        points = crossings_of(nodes, advantage)
        points = points[(points > pair.lower + math.log(2) - 3.0).all(axis=1)]
        upper = points.max(axis=1) > 0
        found.append(
            (
                scale_by_least_squares(points[~upper], pair.lower),
                scale_by_least_squares(points[upper], pair.upper),
            )
        )
    spread = np.ptp(np.array(found), axis=0)
    assert abs(two.scales.a_minus - found[-1][0]) <= spread[0]
    assert abs(two.scales.a_plus - found[-1][1]) <= spread[1]
    assert spread[0] < 0.1
    assert spread[1] < 0.03
    assert two.scales.a_plus < 1.0 < two.scales.a_minus


def test_scales_do_not_depend_on_the_grid(two):
    coarser = po.solve(two.task, COSTS, rtol=1e-3)
    assert abs(coarser.scales.a_plus - two.scales.a_plus) < 0.01
    assert abs(coarser.scales.a_minus - two.scales.a_minus) < 0.03
    assert two.scales.plus.rms < 0.02
    assert two.scales.minus.rms < 0.02


def test_card_and_dict_agree(two):
    found = two.scales.as_dict()
    assert set(found) == {"a_plus", "a_minus", "misfit_plus", "misfit_minus", "at_limit"}
    assert found["misfit_minus"] == {"rms": two.scales.minus.rms, "max": two.scales.minus.largest}
    rows = {row[0].split()[0]: row[1:3] for row in two.scales.card().rows}
    for side in ("a_plus", "a_minus"):
        assert rows[side] == [f"{found[side]:.4f}", f"{found['misfit' + side[1:]]['rms']:.4f}"]


def test_a_scale_at_the_end_of_what_was_tried_says_so():
    """It printed as 100.0000, as if it were known to four places."""
    far = Fit(LARGEST, 0.01, 0.02, 10)
    assert far.at_limit
    assert far.shown == "100 or more"
    scales = Scales(far, Fit(0.7, 0.01, 0.02, 10))
    assert scales.as_dict()["at_limit"] == ["a_minus"]
    assert "100 or more" in str(scales)
    assert not scales.plus.at_limit
    assert not Fit(math.nan, 0.0, 0.0, 0).at_limit
