"""The conjecture with given scales, and what no strategy can beat."""

import numpy as np

import popout as po
from popout.paper import conjecture as conjecture_module
from popout.paper.conjecture import PRINTED, conjecture, fitted_scales


def test_the_strategy_has_these_scales_and_the_thresholds_of_discrimination():
    solution = po.solve(po.SearchTask(n_locations=2, drift=4.0), po.Costs(time=0.2), rtol=1e-3)
    strategy = conjecture(solution, *PRINTED[4.0])
    assert (strategy.a_minus, strategy.a_plus) == (3.9, 1.5)
    np.testing.assert_allclose([strategy.tau_minus, strategy.tau_plus], solution.thresholds[0])
    a_minus, a_plus = fitted_scales(solution)
    assert a_plus < 1 < a_minus


def test_the_bound_is_below_the_strategy_it_was_learned_from(monkeypatch):
    monkeypatch.setattr(conjecture_module, "MOST_TRIALS", 1024)
    task = po.SearchTask(n_locations=6, drift=12.0)
    strategy = po.SPRT.for_task(task, -2.5, 2.5)
    certificate = conjecture_module.certified(task, po.Costs(time=1.0), strategy, 1)
    gap, se = certificate.gaps["SPRT"]
    assert certificate.lower <= certificate.risks["SPRT"][0]
    assert gap > 3 * se  # SPRT leaves something to gain, and the certificate sees it
    assert certificate.gap < gap
