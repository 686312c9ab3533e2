r"""The thresholds of discrimination that the recipes of a search task start from.

At each location, :math:`\tau^{(l)}_\pm` are the optimal thresholds of discrimination with the
task's dt and costs, on the scale of the log posterior odds, where they do not depend on any prior
(paper, Conjecture, Extension, and Methods, "Translating optimal thresholds").

Strategies lie below the solver and cannot call it. `threshold_pair` therefore enters itself with
them as who solves the thresholds of ``SPRT.for_task(task, costs)``; the recipes that are public as
``popout.SPRT`` and so on come from here, so that it has.
"""

from __future__ import annotations

from functools import lru_cache

from popout.analysis.reach import reached_thresholds
from popout.exact import thresholds
from popout.policies.stopping import (
    ASPRT,
    SPRT,
    Hardmax,
    HardmaxOpt,
    HardmaxPerLocation,
    PerLocation,
    Recipe,
    SPRTOpt,
    TimeVaryingSPRT,
)
from popout.policies.stopping.recipe import SOLVERS
from popout.task import Costs, Task

__all__ = [
    "ASPRT",
    "SPRT",
    "Hardmax",
    "HardmaxOpt",
    "HardmaxPerLocation",
    "Recipe",
    "SPRTOpt",
    "TimeVaryingSPRT",
    "threshold_pair",
]

Pair = tuple[PerLocation, PerLocation]
"""``(tau_minus, tau_plus)``, each a number or one per location."""


def threshold_pair(task: Task, costs: Costs) -> Pair:
    """Return the thresholds of discrimination at each location.

    Parameters
    ----------
    task : Task
        For a task with unknown distractors there is no such thing; the best pair of a coarse grid
        on a few hundred trials takes its place, see `reach`. Where information is limited, the
        thresholds are those of a location that gets all of it.
    costs : Costs

    Returns
    -------
    tau_minus, tau_plus : tuple of float, length M

    Examples
    --------
    >>> from popout.task import SearchTask
    >>> lower, upper = threshold_pair(SearchTask(n_locations=2, drift=4.0), Costs(time=0.2))
    >>> [round(v, 2) for v in (*lower, *upper)]
    [-4.55, -4.55, 4.55, 4.55]
    """
    if task.local_drifts is None:
        return reached_thresholds(task, costs)
    pairs = [_thresholds_at(drift, task.dt, costs) for drift in task.local_drifts]
    return tuple(lower for lower, _ in pairs), tuple(upper for _, upper in pairs)


@lru_cache(maxsize=4096)
def _thresholds_at(drift: float, dt: float, costs: Costs) -> tuple[float, float]:
    """Solve one location, once: tasks of a grid share most of their locations."""
    pair = thresholds(drift, costs, dt=dt)
    return pair.lower, pair.upper


SOLVERS.append(threshold_pair)
