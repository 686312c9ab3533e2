"""What the exact solver returns: the risk and its error, the value function, the strategy.

The grid stores each set of exchangeable log likelihood ratios once (`multisets`). `Solution`
unfolds it into labelled arrays and into the table that a simulator runs, when asked.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from popout.drawing.representation import Card, HasCard, count, elapsed, listed, with_error
from popout.exact.boundary import Boundary
from popout.exact.forecast import looks_per_trial
from popout.exact.notes import COARSE_STEP, looking_pays, mean_response_time, problem_notes
from popout.exact.refinement import Level
from popout.exact.value_grid import ValueGrid
from popout.policies.stopping.exact_table import ExactTable
from popout.task import Costs, SearchTask

if TYPE_CHECKING:
    import xarray as xr
    from matplotlib.axes import Axes

    from popout.exact.scales import Scales

MANY_LOOKS = 2.0 / COARSE_STEP  # in a trial: more are enough, however roughly they are estimated


@dataclass(frozen=True)
class Diagnostics:
    """How a solution was found.

    Attributes
    ----------
    levels : tuple of Level
        Every grid of the refinement, coarse to fine.
    seconds : float
        Wall-clock time.
    peak_bytes : int
        Estimated peak memory.
    flops, bytes_moved : int
        Of the matrix products, over all grids, those of coarser problems included.
    errors : dict
        Parts of `risk_error`: spacing, range, iteration.
    backend : str

    Examples
    --------
    >>> import popout as po
    >>> task, costs = po.SearchTask(n_locations=2, drift=4.0), po.Costs(time=0.2)
    >>> found = po.solve(task, costs, rtol=1e-3).diagnostics
    >>> found.backend, len(found.levels) > 1, sorted(found.errors)
    ('numpy', True, ['iteration', 'range', 'spacing'])
    """

    levels: tuple[Level, ...]
    seconds: float
    peak_bytes: int
    flops: int
    bytes_moved: int
    errors: dict[str, float]
    backend: str

    @property
    def iterations(self) -> int:
        """Steps of evidence computed on these grids."""
        return sum(level.iterations for level in self.levels)

    @property
    def residual(self) -> float:
        """Largest change of the value function by one more step."""
        return self.levels[-1].residual

    @property
    def nodes_per_axis(self) -> tuple[int, ...]:
        """Nodes of the last grid, one number for each group of exchangeable locations."""
        return self.levels[-1].nodes_per_axis

    @property
    def nodes(self) -> int:
        """Stored nodes of the last grid."""
        return self.levels[-1].nodes


@dataclass(frozen=True, eq=False)
class Solution(HasCard):
    """The ideal observer of a task.

    Attributes
    ----------
    task : SearchTask
    costs : Costs
    risk : float
        Prior-averaged risk of the optimal strategy, before any evidence.
    risk_error : float
        Estimated bound on the error of `risk`.
    converged : bool
        Always true: a solution that misses its tolerance is not returned.
    diagnostics : Diagnostics
    value_grid : ValueGrid
        The value function on the nodes, between them and beyond them: what else to build on.
    first : ValueGrid
        That of the first grid, which is small: good enough for the notes, and at once.

    Examples
    --------
    >>> import popout as po
    >>> solution = po.solve(po.SearchTask(n_locations=2, drift=4.0), po.Costs(time=0.2))
    >>> print(f"{solution.risk:.4f}")
    0.0440
    """

    task: SearchTask
    costs: Costs
    risk: float
    risk_error: float
    converged: bool
    diagnostics: Diagnostics
    value_grid: ValueGrid
    first: ValueGrid

    @property
    def thresholds(self) -> tuple[tuple[float, float], ...]:
        """Lower and upper threshold of discrimination at each location, in log posterior odds.

        When every other location is ruled out, the boundary lies at
        ``Z_l = tau + log(M)`` for even priors (Methods, "Translating optimal thresholds"). For a
        location that never holds the target both are NaN.
        """
        nan = (math.nan, math.nan)
        found = self.value_grid.discretisation.thresholds
        return tuple(found.get(place, nan) for place in range(self.task.n_locations))

    @property
    def value(self) -> xr.DataArray:
        """The optimal risk R(Z) of the paper's recursion (Equation 7), labelled by Z1, Z2, ..."""
        return self.value_grid.risk

    @property
    def advantage(self) -> xr.DataArray:
        """Risk of waiting minus risk of the better answer; negative where one should wait."""
        return self.value_grid.advantage

    @cached_property
    def strategy(self) -> ExactTable:
        """The optimal strategy, as a table that any simulator can run."""
        return self.value_grid.table()

    def boundary(self, plane: tuple[int, int] = (0, 1), others: float = -math.inf) -> Boundary:
        """Return the decision boundary in the plane of two locations, to sub-grid accuracy.

        Parameters
        ----------
        plane : pair of int
            Two locations, 0-based.
        others : float
            Where the log likelihood ratios of all other locations are held; -inf rules them out.
        """
        return self.value_grid.plane(plane, others).boundary()

    def waits_around(self, reach: float) -> bool:
        """Return whether one waits at all nodes within `reach` steps around the start.

        Parameters
        ----------
        reach : float
            In units of the standard deviations of one step.
        """
        values = self.value_grid
        sd = [axis.sd for axis in values.axes.values()]
        near = np.linalg.norm(values.grid.states() / sd, axis=-1) <= reach
        return bool((values.log_ratio[near] < 0.0).all())

    @cached_property
    def mean_rt(self) -> float:
        """Mean response time in seconds, over both classes; 0 where looking never pays."""
        return mean_response_time(self.value_grid)

    @cached_property
    def notes(self) -> tuple[str, ...]:
        """What looks wrong with the problem, such as a step as long as the response."""
        if looks_per_trial(self.value_grid.discretisation) > MANY_LOOKS:
            return ()  # the response time need not be computed to say so
        pays = looking_pays(self.value_grid)
        mean_rt = (mean_response_time(self.first) or self.mean_rt) if pays else 0.0
        return problem_notes(self.task, self.costs, mean_rt)

    @cached_property
    def scales(self) -> Scales:
        """Least-squares scales of the conjecture (or its extension) and their misfit."""
        from popout.exact.scales import fit_scales

        return fit_scales(self)

    def plot(self, ax: Axes | None = None, plane: tuple[int, int] | None = None) -> Axes:
        """Draw the solution.

        With one location: the optimal risk R(Z) and its thresholds. With more: where to answer and
        where to wait in the plane of two locations, all others ruled out.

        Parameters
        ----------
        ax : Axes, optional
            Where to draw; a new figure when left out.
        plane : pair of int, optional
            Two locations, 0-based; the first two that can hold the target when left out.

        Examples
        --------
        >>> from matplotlib.figure import Figure
        >>> import popout as po
        >>> solution = po.solve(po.SearchTask(n_locations=2, drift=4.0), po.Costs(time=0.2))
        >>> solution.plot(Figure().subplots()).get_title()
        'optimum, risk 0.04398'
        """
        from popout.exact.pictures import draw_solution

        return draw_solution(self, ax, plane)

    def __repr__(self) -> str:
        """Show the risk, its error and the grid."""
        return (
            f"Solution(risk={self.risk:.6g} +- {self.risk_error:.1g}, "
            f"{count(self.task.n_locations, 'location')}, {self._nodes} nodes per axis, "
            f"{elapsed(self.diagnostics.seconds)})"
        )

    @property
    def _nodes(self) -> str:
        return " x ".join(str(n) for n in self.diagnostics.nodes_per_axis)

    def as_dict(self) -> dict[str, Any]:
        """Return the risk, the thresholds, the scales of the conjecture and how it was found."""
        run = self.diagnostics
        return {
            "risk": self.risk,
            "risk_error": self.risk_error,
            "converged": self.converged,
            "thresholds": [{"lower": low, "upper": up} for low, up in self.thresholds],
            **self.scales.as_dict(),
            "grid": {"nodes_per_axis": run.nodes_per_axis, "nodes": run.nodes},
            "iterations": run.iterations,
            "residual": run.residual,
            "seconds": run.seconds,
            "peak_bytes": run.peak_bytes,
            "backend": run.backend,
            "notes": list(self.notes),
        }

    def card(self) -> Card:
        """Return what is shown of it; the scales are fitted when it is first asked for."""
        pairs = self.thresholds
        alike = len(set(pairs)) == 1
        thresholds = [
            (
                "thresholds" if alike else f"thresholds of Z{place + 1}",
                f"{pairs[place][0]:.4f} and {pairs[place][1]:.4f} nats of log posterior odds",
            )
            for place in ([0] if alike else self.value_grid.locations)
        ]
        scales = [
            (f"conjecture's a_{side}", f"{fit.shown} (misfit in Z: {fit.misfit})")
            for side, fit in (("plus", self.scales.plus), ("minus", self.scales.minus))
            if not math.isnan(fit.a)
        ]
        return Card(
            f"Ideal observer, {count(self.task.n_locations, 'location')}",
            [
                ("task", f"drift {listed(self.task.drifts)} (1/s), dt = {self.task.dt:g} s"),
                ("risk", with_error(self.risk, self.risk_error)),
                *thresholds,
                *scales,
                ("grid", f"{self._nodes} nodes per axis"),
                ("found in", f"{elapsed(self.diagnostics.seconds)} ({self.diagnostics.backend})"),
            ],
            note=" ".join(self.notes),
        )
