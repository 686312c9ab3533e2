"""Which problem belongs to which task."""

from __future__ import annotations

from typing import Any

from popout.certificate.device import DeviceProblem
from popout.certificate.mixture import MixtureProblem
from popout.certificate.search import SearchProblem
from popout.task import Costs, Task


def problem_for(task: Task, costs: Costs, device: str | None = None) -> Any:
    """Return a task and its costs as certificates need them; on a device where one is named.

    Examples
    --------
    >>> from popout.task import SearchTask
    >>> problem_for(SearchTask(n_locations=2, drift=4.0), Costs(time=0.2)).information
    0.64
    """
    if task.search is not None:
        if device is not None:
            return DeviceProblem(task.search, costs, device=device)
        return SearchProblem(task.search, costs)
    return MixtureProblem(task, costs)
