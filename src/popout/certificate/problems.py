"""Which problem belongs to which task."""

from __future__ import annotations

from typing import Any

from popout.certificate.mixture import MixtureProblem
from popout.certificate.search import SearchProblem
from popout.task import Costs, Faults, MixtureSearchTask, Task


def problem_for(task: Task, costs: Costs) -> Any:
    """Return a task and its costs as certificates need them.

    Examples
    --------
    >>> from popout.task import SearchTask
    >>> problem_for(SearchTask(n_locations=2, drift=4.0), Costs(time=0.2)).information
    0.64
    """
    if task.search is not None:
        return SearchProblem(task.search, costs)
    if isinstance(task, MixtureSearchTask):
        return MixtureProblem(task, costs)
    faults = Faults("certify")
    remedy = "for scenes use MixtureSearchTask.scene_complexity"
    faults.add("task", "a SearchTask or a MixtureSearchTask", type(task).__name__, remedy)
    faults.raise_if_any()
    raise AssertionError
