"""Certificates with the effort of a figure."""

from popout.paper import certified
from popout.policies.stopping import SPRT
from popout.task import Costs, SearchTask


def test_the_bound_is_below_the_strategy_it_was_learned_from(monkeypatch):
    monkeypatch.setattr(certified, "MOST_TRIALS", 1024)
    task = SearchTask(n_locations=6, drift=12.0)
    strategy = SPRT.for_task(task, -2.5, 2.5)
    found = certified.certified(task, Costs(time=1.0), strategy, 1)
    gap, se = found.gaps["SPRT"]
    assert found.lower <= found.risks["SPRT"][0]
    assert gap > 3 * se  # SPRT leaves something to gain, and the certificate sees it
    assert found.gap < gap
