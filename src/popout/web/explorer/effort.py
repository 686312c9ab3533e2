r"""How long a question takes, roughly and beforehand, in seconds on a slow core.

A trial lasts no longer than guessing at once is worth, :math:`\tfrac12 \max(miss, fa) / c`, nor, at
fixed rates, than evidence takes to be clear, some :math:`10 / \mu^2`. Its steps at M locations are
drawn and compared with a boundary; tuning does so for some hundred candidates, and an optimum is a
grid in M dimensions. Where gaze decides what is seen, evidence comes at the rate of an item on the
average, from the gaze that sees most; the ideal searcher weighs every gaze by every item, and an
optimum takes a grid for each gaze.

It only has to tell what takes a moment from what takes minutes: a question that was taken for small
and is not gives way (`desk`).
"""

from __future__ import annotations

from popout.policies.vocabulary import STRATEGIES
from popout.task import Costs, Task
from popout.task.look import FixedRates, Gazes

STEP = 2e-8
"""Of a trial, at one location."""
CHOICE = 4e-8
"""Of a choice of the ideal searcher, for one gaze and one item."""
CANDIDATES = {"sprt": 3.0, "a-sprt": 20.0}
BY_GAZE = {"sprt": 3.0, "sprt-opt": 20.0}
"""That are tried in tuning, each on all of its trials; `USUAL` for others."""
USUAL = 120.0
SOLVED = {1: 0.1, 2: 0.3, 3: 1.0}
"""Of an optimum at a relative accuracy of 1 %, by locations; more take minutes."""
SOLVED_GAZE = {1: 0.1, 2: 0.1, 3: 0.2, 4: 0.6}
"""The same for each gaze; where durations are free, `FREE` times that."""
FREE = 10.0
MOST = 300.0


def trial_effort(task: Task, costs: Costs, attention: str | None = None) -> float:
    """Return the seconds of one trial."""
    time = max((costs.time_absent + costs.time_present) / 2, 1e-9)
    lasts = max(costs.miss, costs.false_alarm) / (2.0 * time)
    look, each = task.look, STEP * task.n_locations
    if task.search is not None:
        slowest = min(abs(drift) for drift in task.search.drifts)
        lasts = min(lasts, 10.0 / slowest**2)
    elif isinstance(look, Gazes):
        most = max(sum(row) for row in look.visibility) / task.n_locations
        lasts = min(lasts, 10.0 / (look.information * most))
        if attention is not None and attention.startswith("ideal"):
            each += CHOICE * task.n_locations * len(look.visibility)
    return float(each * (1.0 + min(lasts, 60.0) / task.dt))


def observer_effort(
    task: Task,
    costs: Costs,
    strategy: str | None,
    tune_trials: int,
    rtol: float,
    attention: str | None = None,
) -> float:
    """Return the seconds until an observer is there."""
    look = task.look
    is_fixed = isinstance(look, FixedRates)
    if strategy == "optimal" or (strategy is None and task.n_locations in SOLVED and is_fixed):
        once = SOLVED.get(task.n_locations, MOST) * (1.0 if is_fixed else 4.0)
        if isinstance(look, Gazes):
            once = SOLVED_GAZE.get(task.n_locations, MOST) * len(look.visibility)
            once *= FREE if look.is_free else 1.0
        return min(MOST, once * max(1.0, 1e-2 / rtol))
    assert strategy is None or strategy in STRATEGIES
    candidates = (BY_GAZE if isinstance(look, Gazes) else CANDIDATES).get(
        strategy or "a-sprt", USUAL
    )
    return candidates * tune_trials * trial_effort(task, costs, attention)
