"""The conjecture with given scales."""

import numpy as np

import popout as po
from popout.paper.conjecture import PRINTED, conjecture, fitted_scales


def test_the_strategy_has_these_scales_and_the_thresholds_of_discrimination():
    solution = po.solve(po.SearchTask(n_locations=2, drift=4.0), po.Costs(time=0.2), rtol=1e-3)
    strategy = conjecture(solution, *PRINTED[4.0])
    assert (strategy.a_minus, strategy.a_plus) == (3.9, 1.5)
    np.testing.assert_allclose([strategy.tau_minus, strategy.tau_plus], solution.thresholds[0])
    a_minus, a_plus = fitted_scales(solution)
    assert a_plus < 1 < a_minus
