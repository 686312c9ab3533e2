"""When a trial counts as undecided: limits of time, checked and in steps."""

from __future__ import annotations

from popout.evidence import llr_step
from popout.task import Faults, Task

MOST_STEPS = 10**7


def default_time_limit(task: Task) -> float:
    """Return a time limit that practically no trial reaches, in seconds.

    A minute, or as long as it takes the slowest location of a search to gather 100 units of
    log likelihood ratio on average, whichever is longer; where the observer chooses what to look
    at, the location that is seen best, with an equal share of the time. M times as long where
    reshuffles leave nothing but what all M locations tell together.

    Examples
    --------
    >>> from popout.task import SearchTask
    >>> default_time_limit(SearchTask(n_locations=2, drift=4.0))
    60.0
    """
    if task.look.is_chosen and task.local_drifts is not None:
        slowest = 2.0 * max(task.local_drifts) ** 2 / task.n_locations
    elif task.equivalent is not None:
        slowest = llr_step(task).mean_target.min() / task.dt
    else:
        return 60.0
    return float(max(60.0, 100.0 / slowest * (task.n_locations if task.steps_per_period else 1)))


def limit_fault(limit: float, dt: float) -> tuple[str, str]:
    """Return what was expected of a time limit and what to do; both empty if it is good.

    Examples
    --------
    >>> limit_fault(0.001, dt=0.01)[0], limit_fault(5.0, dt=0.01)[0]
    ('at least dt = 0.01 s', '')
    """
    if limit < dt:
        return f"at least dt = {dt:g} s", "give at least one step of dt"
    if limit > MOST_STEPS * dt:
        return f"at most {MOST_STEPS} steps of {dt:g} s", "shorten it or lengthen dt"
    return "", ""


def steps_within(task: Task, time_limit: float | None, faults: Faults) -> int:
    """Return how many steps of evidence a trial can take.

    Parameters
    ----------
    task : Task
    time_limit : float, optional
        Seconds; `default_time_limit` by default.
    faults : Faults
        Receives a bad limit.

    Examples
    --------
    >>> from popout.task import SearchTask
    >>> steps_within(SearchTask(n_locations=2, drift=4.0), 0.3, Faults("simulate"))
    30
    """
    limit = default_time_limit(task) if time_limit is None else time_limit
    limit = faults.positive("time_limit", limit, "give seconds")
    expected, remedy = limit_fault(limit, task.dt)
    if expected:
        faults.add("time_limit", expected, limit, remedy)
    return 0 if faults else int(limit / task.dt + 1e-9)
