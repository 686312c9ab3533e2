"""Curves in the plane of two locations: on them the margin is zero."""

import numpy as np
import pytest

from popout.policies.stopping import Hardmax, Strategy
from popout.task import InputError, SearchTask
from popout.web.explorer.curves import boundary_curves, in_plane

TASK = SearchTask(n_locations=3, drift=4.0)


@pytest.mark.parametrize("others", [None, -1.0])
def test_curves_are_where_a_margin_is_zero(others):
    strategy = Hardmax.for_task(TASK, -3.0, 3.0)
    flat = in_plane(strategy, (0, 2), others, 3)
    for side, curve in enumerate(boundary_curves(flat, (0, 2)).values()):
        Z = np.full((len(curve["Z1"]), 3), -80.0 if others is None else others)
        Z[:, 0], Z[:, 2] = curve["Z1"], curve["Z3"]
        assert np.abs(strategy.margins(Z, 0.0)[side]).max(initial=0.0) < 1e-6


def test_a_strategy_without_a_boundary_is_refused():
    class Coin(Strategy):
        label = "coin"

        def decide(self, Z, t):
            return np.zeros(np.shape(t), np.int8)

    with pytest.raises(InputError, match="with a boundary"):
        in_plane(Coin(), (0, 1), None, 2)
