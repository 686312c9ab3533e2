"""Risks of several strategies on the same trials."""

import numpy as np

from popout.certificate.control import controlled_risk
from popout.certificate.learn import Effort
from popout.exact import evaluate
from popout.policies.stopping import SPRT
from popout.task import Costs, SearchTask

TASK, COSTS = SearchTask(n_locations=2, drift=5.0), Costs(time=1.0)
QUICK = Effort(first_blocks=10, later_blocks=4, passes=1, log2_points=6, shape=(12, 8))


def test_risks_are_those_computed_on_a_grid_and_their_order_is_sure():
    rivals = [SPRT.for_task(TASK, -b, b) for b in (2.5, 1.0)]
    told = []
    found = controlled_risk(
        TASK, COSTS, rivals, effort=QUICK, most_trials=1024, seed=5,
        progress=lambda share, words: told.append(share),
    )  # fmt: skip
    exact = [evaluate(TASK, rival, COSTS, 1e-3).risk for rival in rivals]
    for one, risk in zip(found, exact, strict=True):
        assert abs(one.risk - risk) < 4 * one.risk_se + 1e-3 * risk
    wrong = abs(found[0].risk - exact[1])
    assert wrong > 4 * found[0].risk_se  # the other's risk would have been noticed
    assert all(np.diff(told) >= 0)
    assert 0.0 <= told[0] <= told[-1] <= 1.0
