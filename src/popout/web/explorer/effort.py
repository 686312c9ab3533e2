r"""How long a question takes, roughly and beforehand, in seconds on a slow core.

A trial lasts no longer than guessing at once is worth, :math:`\tfrac12 \max(miss, fa) / c`, nor, at
fixed rates, than evidence takes to be clear, some :math:`10 / \mu^2`. Its steps at M locations are
drawn and compared with a boundary; tuning does so for some hundred candidates, and an optimum is a
grid in M dimensions.

It only has to tell what takes a moment from what takes minutes: a question that was taken for small
and is not gives way (`desk`).
"""

from __future__ import annotations

from popout.policies.vocabulary import STRATEGIES
from popout.task import Costs, Task
from popout.task.look import FixedRates

STEP = 2e-8
"""Of a trial, at one location."""
CANDIDATES = {"sprt": 3.0, "a-sprt": 20.0}
"""That are tried in tuning, each on all of its trials; `USUAL` for others."""
USUAL = 120.0
SOLVED = {1: 0.1, 2: 0.3, 3: 1.0}
"""Of an optimum at a relative accuracy of 1 %, by locations; more take minutes."""
MOST = 300.0


def trial_effort(task: Task, costs: Costs) -> float:
    """Return the seconds of one trial."""
    time = max((costs.time_absent + costs.time_present) / 2, 1e-9)
    lasts = max(costs.miss, costs.false_alarm) / (2.0 * time)
    if task.search is not None:
        slowest = min(abs(drift) for drift in task.search.drifts)
        lasts = min(lasts, 10.0 / slowest**2)
    steps = 1.0 + min(lasts, 60.0) / task.dt
    return float(STEP * steps * task.n_locations)


def observer_effort(
    task: Task, costs: Costs, strategy: str | None, tune_trials: int, rtol: float
) -> float:
    """Return the seconds until an observer is there."""
    is_fixed = isinstance(task.look, FixedRates)
    few = task.n_locations in SOLVED
    if strategy == "optimal" or (strategy is None and few and is_fixed):
        once = SOLVED.get(task.n_locations, MOST) * (1.0 if is_fixed else 4.0)
        return min(MOST, once * max(1.0, 1e-2 / rtol))
    assert strategy is None or strategy in STRATEGIES
    candidates = CANDIDATES.get(strategy or "a-sprt", USUAL)
    return candidates * tune_trials * trial_effort(task, costs)
