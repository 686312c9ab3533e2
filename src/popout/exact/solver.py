r"""The exact solver: from a task, its costs and a tolerance to the ideal observer.

Grids are refined until the risk is known (`refinement`). On each the stationary solution is found
by iterating (`fixed_point`), beginning from the solution on the grid before.

Before the first level the problem is solved with longer steps and a coarser grid, four times the
step and twice the spacing at a time (solutions of a nearby problem, quick to find and good to start
from), so that small dt costs little more than large.

Which grids follow one another depends on what a look can be: with fixed rates the spacing alone is
refined, with shares of a limited rate the shares that are tried, too.
"""

from __future__ import annotations

import math
import time
from itertools import accumulate, repeat
from operator import truediv
from typing import Any

import numpy as np

from popout.drawing.representation import count
from popout.exact.backend import get_backend
from popout.exact.discretisation import (
    Discretisation,
    RateDiscretisation,
    chosen_looks,
    default_rtol,
    problem_faults,
    shares_information,
)
from popout.exact.fixed_point import stationary
from popout.exact.refinement import (
    Level,
    MemoryLimitError,
    Refined,
    Refinement,
    refine_shares,
    settle_range,
)
from popout.exact.reshuffled import at_rest
from popout.exact.solution import Diagnostics, Solution
from popout.exact.value_grid import ValueGrid
from popout.policies.looking import Attention
from popout.policies.observer import checked_attention
from popout.progress import UNKNOWN, Progress, stretch
from popout.task import Costs, Fault, Task

MEMORY_SHARE = 0.7  # of the free memory, unless the caller says otherwise
FIRST_FACTOR = 1.0
VECTORS = 28  # arrays of the grid's shape alive at once, at the most: two for each step remembered
MAX_LEVELS = 12
LONGER_STEPS_ACCURACY = 1e-3
ITERATION_SHARE = 0.02  # of the tolerance
FEW_SHARES = 2  # parts while the range is settled
WITHOUT_TABLE = "popout.certify bounds the risk, popout.compare tunes the nearly optimal a-SPRT"


def solve(
    task: Task,
    costs: Costs,
    rtol: float | None = None,
    *,
    attention: Attention | type[Attention] | None = None,
    backend: str = "numpy",
    device: Any = None,
    memory_limit: int | None = None,
    progress: Progress | None = None,
) -> Solution:
    """Find the optimal observer of a task and its risk.

    Parameters
    ----------
    task : Task
        A search with equal or unequal drifts and any priors, or a task with an equivalent one:
        when to stop. Or one whose locations share a limited rate of information, up to four of
        them in practice: where to look and when to stop, optimal together.
    costs : Costs
        Of time (for each class), of a miss and of a false alarm.
    rtol : float, optional
        Wanted relative accuracy of the risk; 1e-4 when left out, 1e-3 where information is shared
        out. Range and spacing of the grid, and the shares that are tried, follow from it.
    attention : Attention or a class of it, optional
        Where information is shared out: a policy that does not change with time. The best stopping
        for it is found.
    backend : {"numpy", "torch", "cupy"}
        Where to compute; NumPy alone where information is shared out.
    device : object, optional
        For example ``"cuda"``.
    memory_limit : int, optional
        In bytes. Seven tenths of what is free when left out.
    progress : callable, optional
        Told the level, the iteration and the residual. How many levels there will be is not known
        beforehand; an exception that it raises ends the work.

    Returns
    -------
    Solution

    Raises
    ------
    InputError
        If an argument is bad, or the problem does not fit in memory.
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

    Where to look and when to stop, and the best stopping for one who looks serially:

    >>> limited = po.LimitedSearchTask(n_locations=2, information=32.0)
    >>> both = po.solve(limited, po.Costs(time=0.2))
    >>> serial = po.solve(limited, po.Costs(time=0.2), attention=po.Serial)
    >>> print(f"{both.risk:.4f} {serial.risk:.4f}")
    0.0329 0.0331
    """
    began = time.perf_counter()
    rtol = default_rtol(task, rtol)
    faults = problem_faults("solve", task, costs, rtol, sharing=True, reshuffled=True)
    policy = checked_attention(faults, task, attention, costs=costs, optional=True, steady=True)
    if shares_information(task) and backend != "numpy":
        remedy = "shares are computed on the processor"
        faults.add("backend", "'numpy' where information is shared out", backend, remedy)
    if memory_limit is not None:
        faults.integer("memory_limit", memory_limit, "give bytes, e.g. 4 * 2**30", at_least=1)
    faults.raise_if_any()
    engine = get_backend(backend, device)
    limit = memory_limit or int(MEMORY_SHARE * engine.free_bytes())
    task = at_rest(task, costs)
    problem: Discretisation
    if shared := shares_information(task):
        problem = chosen_looks(task, costs, policy)
    else:
        assert task.equivalent is not None
        problem = RateDiscretisation(task.equivalent, costs, engine)
    solver = _Solver(problem, rtol, limit, progress)
    refined = (_refine_shares if shared else _refine_rates)(solver)
    engine.synchronise()
    return Solution(
        task=problem.task,
        costs=costs,
        risk=refined.risk,
        risk_error=refined.risk_error,
        converged=True,
        diagnostics=Diagnostics(
            levels=refined.levels,
            seconds=time.perf_counter() - began,
            peak_bytes=solver.peak,
            errors=refined.errors,
            backend=str(engine),
            n_shares=solver.latest.grid.lattice.q if shared else None,
        ),
        value_grid=solver.latest,
        first=solver.first or solver.latest,
    )


class _Solver:
    """Solves one problem on grid after grid, each from the solution before.

    Parameters
    ----------
    problem : Discretisation
    rtol : float
    limit : int
        Memory in bytes.
    progress : Progress, optional

    Attributes
    ----------
    latest : ValueGrid
        The solution on the last grid.
    first : ValueGrid
        That on the first grid whose steps have the task's length.
    """

    latest: Any = None
    first: ValueGrid | None = None

    def __init__(self, problem: Any, rtol: float, limit: int, progress: Progress | None) -> None:
        self.problem = problem
        self.rtol = rtol
        self.limit = limit
        self.progress = progress
        self.peak = 0

    def solve(
        self, grid: Any, factor: float, name: str, accuracy: float | None = None, coarsen: int = 1
    ) -> Level:
        """Solve on one grid, for steps of ``coarsen`` times dt."""
        began = time.perf_counter()
        self.check_memory(grid)
        bellman = self.problem.bellman(grid, coarsen)
        before = self.latest
        point = stationary(
            bellman,
            None if before is None else before.bellman.resample(before.after, bellman),
            ITERATION_SHARE * self.rtol if accuracy is None else accuracy,
            progress=self.progress and stretch(self.progress, UNKNOWN, UNKNOWN, name),
            **bellman.looking.iteration,
        )
        risk = (1.0 - self.problem.task.prior) * point.origin
        self.latest = ValueGrid(self.problem, bellman, after=point.V)
        if coarsen == 1:
            self.first = self.first or self.latest
        return Level.on(
            grid,
            factor,
            risk,
            since=began,
            iterations=point.iterations,
            residual=point.residual,
            iteration_error=risk * point.uncertainty,
            converged=point.converged,
        )

    def check_memory(self, grid: Any) -> None:
        """Refuse a grid that does not fit, before anything is allocated."""
        needed = grid.bytes_needed(VECTORS)
        self.peak = max(self.peak, needed)
        if needed > self.limit or grid.dense_size() > self.problem.max_nodes:
            most = self.problem.max_nodes
            most = "" if math.isinf(most) else f" and has up to {most:g} nodes"
            nodes = " x ".join(str(n) for n in grid.nodes_per_axis)
            fault = Fault(
                "solve",
                (),
                f"a problem that fits in {_bytes(self.limit)}{most}",
                f"one that needs about {_bytes(needed)} ({count(grid.n_locations, 'location')}, "
                f"{nodes} nodes per axis)",
                "allow a larger rtol, take fewer locations, raise memory_limit, use a back end "
                f"with more memory, or do without the table: {WITHOUT_TABLE}",
            )
            raise MemoryLimitError([fault])


def _refine_rates(solver: _Solver) -> Refined:
    """Refine the spacing, where every location has a rate of its own."""
    problem, rtol, M = solver.problem, solver.rtol, solver.problem.n_locations
    ratio = 1.5 if M <= 2 else 1.3
    refinement = Refinement(
        list(accumulate(repeat(ratio, MAX_LEVELS - 1), truediv, initial=FIRST_FACTOR)),
        ratio,
        margin=max(2.5, 4.0 + math.log(M * 1e-4 / rtol) / 1.7),
        settles_range=M > 1,
        repeats_first=True,
        trusted=2 if M <= 3 else 1,
    )
    solver.check_memory(problem.grid(FIRST_FACTOR, refinement.margin))
    for coarsen in problem.longer_steps():
        grid = problem.grid(FIRST_FACTOR, refinement.margin, coarsen=coarsen)
        solver.solve(grid, FIRST_FACTOR, "longer steps", LONGER_STEPS_ACCURACY, coarsen)

    def level(factor: float, margin: float, name: str) -> Level:
        return solver.solve(problem.grid(factor, margin), factor, name)

    return refinement.run(level, rtol)


def _refine_shares(solver: _Solver) -> Refined:
    """Refine the spacing and the shares, where locations share a limited rate of information."""
    problem, rtol, M = solver.problem, solver.rtol, solver.problem.n_locations
    margin, first = max(2.5, 3.0 + math.log(M * 1e-4 / rtol) / 1.7), problem.first_factor
    for coarsen in problem.longer_steps():
        grid = problem.grid(first, margin, FEW_SHARES, coarsen)
        solver.solve(grid, first, "longer steps", LONGER_STEPS_ACCURACY, coarsen)

    def risk_at(lower: float) -> float:
        return solver.solve(problem.grid(first, lower, FEW_SHARES), first, "range").risk

    margin, range_error = settle_range(risk_at, margin, rtol)

    def level(factor: float, q: int, name: str) -> Level:
        return solver.solve(problem.grid(factor, margin, q), factor, name)

    def shares_error(last: Level, q: int) -> float:
        values = solver.latest
        parts = q * values.bellman.looking.shares()
        on_lattice = problem.attention is not None and np.allclose(parts, np.rint(parts))
        if q == 1 or problem.all_or_none or on_lattice:
            return 0.0
        coarser = solver.solve(
            problem.grid(last.factor, margin, q // 2), last.factor, "fewer shares"
        )
        solver.latest = values
        return abs(coarser.risk - last.risk)

    return refine_shares(level, shares_error, problem.smallest_factor, first, M, rtol, range_error)


def _bytes(n: int) -> str:
    size = n / 2**30
    return f"{size:,.0f} GiB" if size >= 100 else f"{size:.3g} GiB"
