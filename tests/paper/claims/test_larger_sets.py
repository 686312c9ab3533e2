"""The boundary far out."""

import numpy as np

import popout as po
from popout.paper.claims import larger_sets


def test_a_wrong_threshold_shows_far_out(monkeypatch):
    solution = po.solve(po.SearchTask(n_locations=2, drift=12.0), po.Costs(time=0.5), 1e-4)
    assert np.abs(larger_sets.asymptote(solution)).max() < 1e-3
    wrong = po.thresholds(11.0, po.Costs(time=0.5))
    monkeypatch.setattr(larger_sets, "thresholds", lambda *_, **__: wrong)
    assert np.abs(larger_sets.asymptote(solution)).max() > 1e-2
