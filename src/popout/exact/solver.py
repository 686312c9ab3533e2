"""The public face of the exact solver: `solve` and `thresholds`."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

from popout.drawing.representation import Card, HasCard, with_error
from popout.exact.backend import get_backend
from popout.exact.levels import Report
from popout.exact.problem import GridSpec, Problem, check_problem, waiting_interval
from popout.exact.refine import Refined, refine, solve_explicit
from popout.exact.solution import Diagnostics, Solution
from popout.task import Costs, Faults, SearchTask, Task

__all__ = ["Thresholds", "solve", "thresholds"]

MEMORY_SHARE = 0.7  # of the free memory, unless the caller says otherwise


def solve(
    task: Task,
    costs: Costs,
    rtol: float = 1e-4,
    *,
    grid: GridSpec | None = None,
    backend: str = "numpy",
    device: Any = None,
    memory_limit: int | None = None,
    report: Report | None = None,
) -> Solution:
    """Find the optimal strategy of a search task and its risk.

    Parameters
    ----------
    task : Task
        A search, or a task with an equivalent one.
        Equal or unequal drifts, any priors.
    costs : Costs
        Of time (for each class), of a miss and of a false alarm.
    rtol : float
        Wanted relative accuracy of the risk. Range and spacing of the grid follow from it.
    grid : GridSpec, optional
        A grid of the caller's choice instead; `rtol` then plays no part.
    backend : {"numpy", "torch", "cupy"}
        Where to compute.
    device : object, optional
        For example ``"cuda"``.
    memory_limit : int, optional
        In bytes. Seven tenths of what is free when left out.
    report : callable, optional
        Called with the name of the level, the iteration and the residual.

    Returns
    -------
    Solution

    Raises
    ------
    InputError
        If an argument is bad or the problem does not fit in memory.
    NotConvergedError
        If the tolerance cannot be met. There is no result then.

    Examples
    --------
    >>> import popout as po
    >>> task = po.SearchTask(n_locations=3, drift=4.0)
    >>> solution = po.solve(task, po.Costs(time=0.2), rtol=1e-3)
    >>> print(f"{solution.risk:.3f}")
    0.047
    >>> solution.risk_error < 1e-3 * solution.risk
    True
    """
    began = time.perf_counter()
    search = _check(task, costs, rtol, memory_limit)
    engine = get_backend(backend, device)
    problem = Problem(search, costs, engine)
    limit = memory_limit or int(MEMORY_SHARE * engine.free_bytes())
    found = (
        refine(problem, rtol, memory_limit=limit, report=report)
        if grid is None
        else solve_explicit(problem, grid, memory_limit=limit, report=report)
    )
    engine.synchronise()
    seconds = time.perf_counter() - began
    return Solution(
        task=search,
        costs=costs,
        risk=found.risk,
        risk_error=found.risk_error,
        converged=True,
        diagnostics=_diagnostics(found, seconds, str(engine)),
        _problem=problem,
        _refined=found,
    )


def _diagnostics(found: Refined, seconds: float, backend: str) -> Diagnostics:
    last = found.levels[-1]
    return Diagnostics(
        levels=found.levels,
        iterations=sum(level.iterations for level in found.levels),
        residual=last.residual,
        nodes_per_axis=last.nodes_per_axis,
        nodes=last.nodes,
        seconds=seconds,
        peak_bytes=found.bytes_needed,
        flops=found.flops,
        bytes_moved=found.bytes_moved,
        errors=found.errors,
        backend=backend,
    )


def _check(task: object, costs: object, rtol: object, memory_limit: object) -> SearchTask:
    faults = Faults("solve")
    search = check_problem(faults, task, costs, rtol)
    if memory_limit is not None:
        faults.integer("memory_limit", memory_limit, "give bytes, e.g. 4 * 2**30", at_least=1)
    faults.raise_if_any()
    assert search is not None
    return search


@dataclass(frozen=True)
class Thresholds(HasCard):
    """The optimal pair of thresholds for discrimination at one location.

    Attributes
    ----------
    lower, upper : float
        On the log posterior odds: say "absent" at or below `lower`, "present" at or above `upper`.
        They do not depend on the prior. Where waiting never pays both are equal.
    lower_error, upper_error : float
        The larger of their distances from the thresholds of the two grids before the last.
    risk, risk_error : float
        Of the optimal strategy, for the prior that was given.
    log_prior_odds : float
        Subtract it from a threshold to get one for the log likelihood ratio.
    """

    lower: float
    upper: float
    lower_error: float
    upper_error: float
    risk: float
    risk_error: float
    log_prior_odds: float

    def card(self) -> Card:
        """Return what is shown of it."""
        return Card(
            "Optimal thresholds of discrimination, in log posterior odds",
            [
                ('say "absent"', f"at or below {with_error(self.lower, self.lower_error)}"),
                ('say "present"', f"at or above {with_error(self.upper, self.upper_error)}"),
                ("risk", with_error(self.risk, self.risk_error)),
            ],
        )


def thresholds(
    drift: float,
    costs: Costs,
    *,
    dt: float = 0.01,
    prior: float = 0.5,
    rtol: float = 1e-6,
    report: Report | None = None,
) -> Thresholds:
    """Find the optimal thresholds for telling a target from a distractor at one location.

    Parameters
    ----------
    drift : float
        Drift rate in 1/s: +drift for a target, -drift for a distractor.
    costs : Costs
    dt : float
        Time step in seconds.
    prior : float
        Probability of a target.
    rtol : float
        Wanted relative accuracy of the risk.
    report : callable, optional
        Called with the name of the level, the iteration and the residual.

    Examples
    --------
    >>> import popout as po
    >>> pair = po.thresholds(4.0, po.Costs(time=0.2))
    >>> print(f"{pair.lower:.3f} {pair.upper:.3f} {pair.risk:.6f}")
    -4.546 4.546 0.038068
    """
    task = SearchTask(n_locations=1, drift=drift, dt=dt, prior=prior)
    solution = solve(task, costs, rtol, report=report)
    refined = solution._refined
    fine = waiting_interval(refined.bellman, refined.V)
    earlier = [waiting_interval(*level) for level in refined.before]
    shift = task.log_prior_odds
    return Thresholds(
        lower=fine[0] + shift,
        upper=fine[1] + shift,
        lower_error=max(abs(fine[0] - pair[0]) for pair in earlier),
        upper_error=max(abs(fine[1] - pair[1]) for pair in earlier),
        risk=solution.risk,
        risk_error=solution.risk_error,
        log_prior_odds=shift,
    )
