r"""The exact solver: from a task, its costs and a tolerance to the ideal observer.

Grids are refined until the risk is known (`refinement`). On each the stationary solution is found
by iterating (`stationary`), beginning from the solution on the grid before.

Before the first level the problem is solved with longer steps and a coarser grid, four times the
step and twice the spacing at a time (solutions of a nearby problem, quick to find and good to start
from), so that small dt costs little more than large.
"""

from __future__ import annotations

import math
import time
from dataclasses import replace
from itertools import accumulate, repeat
from operator import truediv
from typing import Any

from popout.drawing.representation import count
from popout.exact.backend import get_backend
from popout.exact.discretisation import Discretisation, GridSpec, coarse_to_fine, problem_faults
from popout.exact.forecast import Forecast, Schedule, Stage, n_levels, steps_needed
from popout.exact.grid import Grid
from popout.exact.refinement import (
    RANGE_STEP,
    Level,
    MemoryLimitError,
    NotConvergedError,
    Refined,
    Refinement,
)
from popout.exact.solution import Diagnostics, Solution
from popout.exact.stationary import stationary
from popout.exact.value_grid import ValueGrid
from popout.progress import Progress
from popout.task import Costs, Fault, Task

MEMORY_SHARE = 0.7  # of the free memory, unless the caller says otherwise
FIRST_FACTOR = 1.0
MEMORY = 8
VECTORS = 2 * MEMORY + 12  # arrays of the grid's shape alive at once, at the most
MAX_LEVELS = 12
LONGER_STEPS_ACCURACY = 1e-3
ITERATION_SHARE = 0.02  # of the tolerance
EXPLICIT_ACCURACY = 1e-7
WITHOUT_TABLE = "popout.certify bounds the risk, popout.compare tunes the nearly optimal a-SPRT"
WAYS_OUT = (
    "allow a larger rtol, take a GPU (backend='torch', device='cuda'), raise max_seconds, or do "
    f"without the table: {WITHOUT_TABLE}"
)


def solve(
    task: Task,
    costs: Costs,
    rtol: float = 1e-4,
    *,
    grid: GridSpec | None = None,
    backend: str = "numpy",
    device: Any = None,
    memory_limit: int | None = None,
    max_seconds: float | None = None,
    progress: Progress | None = None,
) -> Solution:
    """Find the optimal strategy of a search task and its risk.

    Parameters
    ----------
    task : Task
        A search with equal or unequal drifts and any priors, or a task with an equivalent one.
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
    max_seconds : float, optional
        Refuse work that is forecast to take longer, by count and not by the clock; no limit when
        left out.
    progress : callable, optional
        Told the share of the work that is done, as foreseen (`forecast`), the level, the iteration
        and the residual.

    Returns
    -------
    Solution

    Raises
    ------
    InputError
        If an argument is bad, the problem does not fit in memory, or it would take too long.
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
    faults = problem_faults("solve", task, costs, rtol)
    if memory_limit is not None:
        faults.integer("memory_limit", memory_limit, "give bytes, e.g. 4 * 2**30", at_least=1)
    if max_seconds is not None:
        faults.positive("max_seconds", max_seconds, "give seconds, e.g. 300")
    faults.raise_if_any()
    search = task.search
    assert search is not None
    engine = get_backend(backend, device)
    limit = memory_limit or int(MEMORY_SHARE * engine.free_bytes())
    problem = Discretisation(search, costs, engine)
    solver = _Solver(problem, limit)
    solver.check_memory(_first_grid(problem, rtol, grid))
    foreseen = _foreseen(problem, rtol, grid)
    if max_seconds is not None:
        foreseen.check("solve", max_seconds, WAYS_OUT)
    solver.schedule = Schedule(foreseen, progress)
    refined = solver.to_tolerance(rtol) if grid is None else solver.on_explicit(grid)
    engine.synchronise()
    assert solver.latest is not None
    return Solution(
        task=search,
        costs=costs,
        risk=refined.risk,
        risk_error=refined.risk_error,
        converged=True,
        diagnostics=Diagnostics(
            levels=refined.levels,
            seconds=time.perf_counter() - began,
            peak_bytes=solver.peak,
            flops=solver.flops,
            bytes_moved=solver.moved,
            errors=refined.errors,
            backend=str(engine),
        ),
        value_grid=solver.latest,
        first=solver.first or solver.latest,
    )


def forecast(
    task: Task,
    costs: Costs,
    rtol: float = 1e-4,
    *,
    grid: GridSpec | None = None,
    backend: str = "numpy",
    device: Any = None,
) -> Forecast:
    """Say how much work `solve` would be and how much memory it would need; see `Forecast`.

    Parameters
    ----------
    task, costs, rtol, grid, backend, device
        As for `solve`.

    Examples
    --------
    >>> import popout as po
    >>> soon = forecast(po.SearchTask(n_locations=3, drift=4.0), po.Costs(time=0.2), rtol=1e-3)
    >>> late = forecast(po.SearchTask(n_locations=8, drift=4.0), po.Costs(time=0.2), rtol=1e-3)
    >>> late.seconds > 100 * soon.seconds
    True
    """
    problem_faults("forecast", task, costs, rtol).raise_if_any()
    search = task.search
    assert search is not None
    problem = Discretisation(search, costs, get_backend(backend, device))
    return _foreseen(problem, rtol, grid)


def _refinement(problem: Discretisation, rtol: float) -> Refinement:
    """Return which grids follow one another."""
    M = problem.n_locations
    ratio = 1.5 if M <= 2 else 1.3
    return Refinement(
        list(accumulate(repeat(ratio, MAX_LEVELS - 1), truediv, initial=FIRST_FACTOR)),
        ratio,
        margin=max(2.5, 4.0 + math.log(M * 1e-4 / rtol) / 1.7),
        settles_range=M > 1,
        repeats_first=True,
        trusted=2 if M <= 3 else 1,
    )


def _first_grid(problem: Discretisation, rtol: float, spec: GridSpec | None) -> Grid:
    if spec is not None:
        return problem.explicit_grid(spec)
    return problem.grid(FIRST_FACTOR, _refinement(problem, rtol).margin)


def _longer_steps(problem: Discretisation) -> list[int]:
    """Return by how much the step is lengthened before the first level."""
    return coarse_to_fine(min(problem.sd.values()))[:-1]


def _foreseen(problem: Discretisation, rtol: float, spec: GridSpec | None) -> Forecast:
    """Return what `solve` will do, as far as that can be foreseen."""
    first, later = steps_needed(problem)
    stages: list[Stage] = []
    if spec is not None:
        given = {f"{given_grid.bins} bins": given_grid for given_grid in (_half(spec), spec)}
        for name, given_grid in {**given, "shorter range": _shorter(spec)}.items():
            stages.append(
                Stage(name, problem.explicit_grid(given_grid), later if stages else first)
            )
    else:
        plan = _refinement(problem, rtol)
        grids = [
            ("longer steps", problem.grid(FIRST_FACTOR, plan.margin, coarsen))
            for coarsen in _longer_steps(problem)
        ]
        margin = plan.margin
        if plan.settles_range:
            margin += RANGE_STEP
            grids += [("range", problem.grid(FIRST_FACTOR, m)) for m in (plan.margin, margin)]
        factors = plan.factors[: n_levels(rtol, plan.ratio, plan.trusted)]
        grids += [(f"level {k}", problem.grid(f, margin)) for k, f in enumerate(factors)]
        stages += [
            Stage(name, grid, later if name.startswith("level") else first) for name, grid in grids
        ]
    return Forecast(tuple(stages), max(stage.grid.bytes_needed(VECTORS) for stage in stages))


class _Solver:
    """Solves one problem on grid after grid, and counts the work.

    Parameters
    ----------
    problem : Discretisation
    limit : int
        Memory in bytes.

    Attributes
    ----------
    schedule : Schedule
        Tells how much is done; set once the work is foreseen.
    latest : ValueGrid
        The last that was solved to become part of a solution.
    first : ValueGrid or None
        That of the first grid whose steps have the task's length.
    """

    schedule: Schedule

    def __init__(self, problem: Discretisation, limit: int) -> None:
        self.problem = problem
        self.limit = limit
        self.latest: ValueGrid | None = None
        self.first: ValueGrid | None = None
        self.peak = self.flops = self.moved = 0

    def to_tolerance(self, rtol: float) -> Refined:
        """Refine until the risk is known to a relative tolerance."""
        problem = self.problem
        refinement = _refinement(problem, rtol)

        def level(
            factor: float,
            lower: float,
            name: str,
            accuracy: float = ITERATION_SHARE * rtol,
            coarsen: int = 1,
        ) -> Level:
            grid = problem.grid(factor, lower, coarsen)
            values, found = self.solve(grid, self.latest, accuracy, name, factor, coarsen)
            self.latest = values
            return found

        for coarsen in _longer_steps(problem):
            level(FIRST_FACTOR, refinement.margin, "longer steps", LONGER_STEPS_ACCURACY, coarsen)
        return refinement.run(level, rtol)

    def on_explicit(self, spec: GridSpec) -> Refined:
        """Solve on the grid that the user asked for; its error comes from a grid half as fine."""
        before: ValueGrid | None = None
        levels: list[Level] = []

        def level(given: GridSpec, name: str) -> tuple[ValueGrid, Level]:
            factor = given.spacing / min(self.problem.sd.values())
            grid = self.problem.explicit_grid(given)
            return self.solve(grid, before, EXPLICIT_ACCURACY, name, factor)

        for given in (_half(spec), spec):
            values, solved_level = level(given, f"{given.bins} bins")
            if not solved_level.converged:
                raise NotConvergedError(
                    f"the iteration on {given.bins} bins stalled at a residual of "
                    f"{solved_level.residual:.2g}; choose a finer grid",
                    tuple(levels),
                )
            levels.append(solved_level)
            self.latest = values
            before = before or values  # the shorter range begins from the coarser grid, too
        coarse, fine = levels
        _, shorter = level(_shorter(spec), "shorter range")
        errors = {
            "spacing": abs(fine.risk - coarse.risk),
            "range": abs(shorter.risk - coarse.risk),
            "iteration": fine.iteration_error,
        }
        return Refined((coarse, fine), errors)

    def solve(
        self,
        grid: Grid,
        before: ValueGrid | None,
        accuracy: float,
        name: str,
        factor: float,
        coarsen: int = 1,
    ) -> tuple[ValueGrid, Level]:
        """Solve on one grid, from the solution on another, for steps of ``coarsen`` times dt."""
        began = time.perf_counter()
        self.check_memory(grid)
        bellman = self.problem.bellman(grid, coarsen)
        start = None if before is None else before.grid.resample(before.after, grid)
        told = self.schedule.begin(name, grid)
        point = stationary(bellman, start, accuracy, memory=MEMORY, progress=told)
        self.schedule.end(grid, point.iterations)
        flops, moved = grid.work_per_step()
        self.flops += point.iterations * flops
        self.moved += point.iterations * moved
        risk = (1.0 - self.problem.task.prior) * point.origin
        values = ValueGrid(self.problem, bellman, after=point.V)
        if coarsen == 1:
            self.first = self.first or values
        return values, Level.on(
            grid,
            factor,
            risk,
            since=began,
            iterations=point.iterations,
            residual=point.residual,
            iteration_error=risk * point.uncertainty,
            converged=point.converged,
        )

    def check_memory(self, grid: Grid) -> None:
        """Refuse a grid that does not fit, before anything is allocated."""
        needed = grid.bytes_needed(VECTORS)
        self.peak = max(self.peak, needed)
        if needed > self.limit:
            nodes = " x ".join(str(n) for n in grid.nodes_per_axis)
            fault = Fault(
                "solve",
                (),
                f"a problem that fits in {_bytes(self.limit)}",
                f"one that needs about {_bytes(needed)} ({count(grid.n_locations, 'location')}, "
                f"{nodes} nodes per axis)",
                "allow a larger rtol, take fewer locations, raise memory_limit, use a back end "
                f"with more memory, or do without the table: {WITHOUT_TABLE}",
            )
            raise MemoryLimitError([fault])


def _half(spec: GridSpec) -> GridSpec:
    """Return the grid half as fine."""
    return replace(spec, bins=max(8, spec.bins // 2))


def _shorter(spec: GridSpec) -> GridSpec:
    """Return the half as fine grid, with its lower end further up."""
    spacing = 2.0 * spec.spacing
    cut = math.ceil(RANGE_STEP / spacing)
    bins = max(8, _half(spec).bins - cut)
    return GridSpec(spec.lower + cut * spacing, spec.upper, bins)


def _bytes(n: int) -> str:
    size = n / 2**30
    return f"{size:,.0f} GiB" if size >= 100 else f"{size:.3g} GiB"
