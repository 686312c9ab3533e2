"""What looks wrong with a problem, although it can be solved.

A step of ten seconds, written for one of ten milliseconds, is no error: the best an observer can do
is to answer without looking. Nor is a step that is a third of the response time, but the risk
then says as much about the step as about the task. Whoever shows a result shows these notes:
`popout.solve` and whatever compares or reports, from the task, its costs and a mean response time.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from popout.exact.fixed_point import fixed_point
from popout.exact.looking import FixedRates, Stopping
from popout.task import Costs, Task

if TYPE_CHECKING:
    from popout.exact.discretisation import Discretisation
    from popout.exact.value_grid import ValueGrid

COARSE_STEP = 0.1
"""Steps longer than this share of the mean response time are named."""
STEP_COST = 0.25
"""Relative rise of the risk, over the share of the step: .16 to .30 from drift 2 to 12."""
ACCURACY = 1e-3  # of the response time
UNLIKELY_SECONDS = 30.0  # for a deadline, or a step: perhaps they are milliseconds


def problem_notes(
    task: Task, costs: Costs, mean_rt: float, deadline: float | None = None
) -> tuple[str, ...]:
    """Say what looks wrong, a sentence or two each.

    Parameters
    ----------
    task : Task
    costs : Costs
    mean_rt : float
        Mean response time of a good strategy in seconds; 0 if it answers at once.
    deadline : float, optional
        In seconds.

    Examples
    --------
    >>> import popout as po
    >>> from popout.exact.notes import problem_notes
    >>> task, costs = po.SearchTask(n_locations=2, drift=4.0), po.Costs(time=0.2)
    >>> problem_notes(task, costs, mean_rt=0.2)
    ()
    >>> print(*problem_notes(task, costs, mean_rt=0.025))
    The step of 10 ms is 40 % of the mean response time (25 ms): it raises the risk by some 10 %.
    Take a shorter dt, e.g. 0.001.
    """
    notes = []
    if mean_rt <= 0.0:
        notes.append(_why_not_look(task, costs))
    elif coarse := coarse_step(task.dt, mean_rt):
        notes.append(f"{coarse} Take a shorter dt, e.g. {0.05 * mean_rt:.0g}.")
    if deadline is not None and (hint := in_seconds("deadline", deadline)):
        notes.append(f"{hint[0].upper()}{hint[1:]}")
    return tuple(notes)


def coarse_step(dt: float, mean_rt: float) -> str:
    """Say what a step does that is long for a response time; else be silent.

    Examples
    --------
    >>> coarse_step(0.01, 0.05)
    'The step of 10 ms is 20 % of the mean response time (50 ms): it raises the risk by some 5 %.'
    >>> coarse_step(0.01, 0.5)
    ''
    """
    if not dt > COARSE_STEP * mean_rt:
        return ""
    share = 100.0 * dt / mean_rt
    return (
        f"The step of {1e3 * dt:g} ms is {share:.0f} % of the mean response time "
        f"({1e3 * mean_rt:.2g} ms): it raises the risk by some {STEP_COST * share:.0f} %."
    )


def in_seconds(name: str, seconds: float) -> str:
    """Ask whether a time was meant in milliseconds, where it is long for a search; else be silent.

    Examples
    --------
    >>> in_seconds("deadline", 500.0)
    'deadline is in seconds: did you mean 0.5?'
    >>> in_seconds("deadline", 2.0)
    ''
    """
    if seconds <= UNLIKELY_SECONDS:
        return ""
    return f"{name} is in seconds: did you mean {seconds / 1000:g}?"


def _why_not_look(task: Task, costs: Costs) -> str:
    at_once = min(costs.false_alarm * (1.0 - task.prior), costs.miss * task.prior)
    price = task.dt * (costs.time_absent * (1.0 - task.prior) + costs.time_present * task.prior)
    never = "Looking never pays: the best is to answer at once"
    if price >= at_once:
        return (
            f"{never}. One look of {task.dt:g} s costs {price:.3g}, and answering at once risks "
            f"only {at_once:.3g}; dt is in seconds, and the cost of time is per second."
        )
    if task.search is None:
        return f"{never}. The evidence comes too slowly for what time costs, which is per second."
    return (
        f"{never}. At drift {max(task.search.drifts):g} (1/s) the evidence comes too slowly for "
        "what time costs; drift and the cost of time are both per second."
    )


def looks_per_trial(problem: Discretisation) -> float:
    r"""Return about how many looks a trial lasts, from the thresholds of single locations.

    With a half width :math:`\tau` of waiting and steps of variance :math:`\sigma^2` that is about
    :math:`\min(2\tau/\sigma^2, \tau^2/\sigma^2)`.
    """
    longest = 1.0
    for place, (lower, upper) in problem.thresholds.items():
        tau, variance = 0.5 * (upper - lower), problem.sd[place] ** 2
        longest = max(longest, min(2.0 * tau, tau * tau) / variance)
    return longest


def looking_pays(values: ValueGrid) -> bool:
    """Return whether the optimum looks at all before it answers."""
    return bool(values.grid.at_origin(values.waiting) < values.bellman.at_once)


def mean_response_time(values: ValueGrid) -> float:
    r"""Return the mean response time of the optimum in seconds, over both classes.

    The number of looks solves the linear equation of `evaluation` in which every look costs
    :math:`\delta t\, w` (absent and present together, after the change of measure) and answers
    nothing: :math:`F = \delta t\, w + E_0[F(Z')]` where the observer waits, and 0 elsewhere.
    """
    grid, task = values.grid, values.task
    D = values.waiting - values.stopping
    if not looking_pays(values):
        return 0.0
    price, looking = task.dt * (1.0 + grid.odds), FixedRates(grid)
    nothing = grid.backend.xp.zeros_like(price)
    earlier = looking.earlier(Stopping(nothing, D < 0, D))
    point = fixed_point(
        grid.backend,
        lambda F: earlier(price + looking.after(F)),
        nothing,
        tolerance=ACCURACY * task.dt,
    )
    return float((1.0 - task.prior) * grid.at_origin(price + looking.after(point.value)))
