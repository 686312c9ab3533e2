"""Which problem belongs to which task."""

from __future__ import annotations

from typing import Any

from popout.certificate.search import SearchProblem
from popout.task import Costs, Faults, SearchTask, Task

__all__ = ["problem_for"]


def problem_for(task: Task, costs: Costs) -> Any:
    """Return a task and its costs as certificates need them.

    Examples
    --------
    >>> problem_for(SearchTask(n_locations=2, drift=4.0), Costs(time=0.2)).information
    0.64
    """
    if isinstance(task, SearchTask):
        return SearchProblem(task, costs)
    faults = Faults("certify")
    faults.add("task", "a SearchTask", type(task).__name__, "use one")
    faults.raise_if_any()
    raise AssertionError
