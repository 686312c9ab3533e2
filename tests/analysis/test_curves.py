"""Curves of strategies: on the surface of the conjecture, and corners of Hardmax."""

import math

import numpy as np

from popout.analysis.curves import differences, strategy_curves
from popout.strategies import ASPRT, Hardmax
from popout.task import SearchTask


def test_curves_lie_on_the_surface_of_the_conjecture():
    task = SearchTask(n_locations=2, drift=4.0)
    strategy = ASPRT.for_task(task, -3.0, 3.0, a_minus=2.0, a_plus=0.7)
    d = differences(10.0, 21)
    curves = strategy_curves(strategy, d)
    for Z, tau, a in zip(curves, (-3.0, 3.0), (2.0, 0.7), strict=True):
        np.testing.assert_allclose(Z[:, 0] - Z[:, 1], d, atol=1e-9)
        S = np.log(np.exp(a * (Z - math.log(2))).sum(axis=1)) / a
        np.testing.assert_allclose(S, tau, atol=1e-9)


def test_curves_of_hardmax_are_corners():
    task = SearchTask(n_locations=2, drift=4.0)
    curves = strategy_curves(Hardmax.for_task(task, -3.0, 3.0), differences(4.0, 9))
    np.testing.assert_allclose(curves[0].max(axis=1), -3.0 + math.log(2))
    np.testing.assert_allclose(curves[1].max(axis=1), 3.0 + math.log(2))
