"""What the exact solver returns: the risk and its error, the value function, the strategy.

The grid stores each set of exchangeable log likelihood ratios once (`multisets`). `Solution`
unfolds it into labelled arrays and into the table that a simulator runs, when asked. What is shown
of it is what solving has found; whatever takes more work (`Solution.scales`, `Solution.notes`,
`Solution.as_dict`) has to be asked for.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from popout.drawing.representation import Card, HasCard, count, elapsed, listed, with_error
from popout.exact.boundary import Boundary
from popout.exact.discretisation import ShareDiscretisation
from popout.exact.notes import (
    COARSE_STEP,
    looking_pays,
    looks_per_trial,
    mean_response_time,
    problem_notes,
)
from popout.exact.phases import Phases
from popout.exact.refinement import Level
from popout.exact.value_grid import ValueGrid
from popout.policies.looking import Attention, FreeGazeStopping, FreeGazeTable
from popout.policies.observer import Observer
from popout.task import Costs, InputError
from popout.task.look import Gazes, Shares

if TYPE_CHECKING:
    import xarray as xr
    from matplotlib.axes import Axes
    from numpy.typing import NDArray

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
    errors : dict
        Parts of `risk_error`: spacing, range, iteration; and shares, where there are any.
    backend : str
    n_shares : int or None
        Where information is shared out: the smallest share that was tried is one part in this
        many; shares between were interpolated.

    Examples
    --------
    >>> import popout as po
    >>> task, costs = po.SearchTask(n_locations=2, drift=4.0), po.Costs(time=0.2)
    >>> how = po.solve(task, costs, rtol=1e-3).diagnostics
    >>> how.backend, len(how.levels) > 1, sorted(how.errors)
    ('numpy', True, ['iteration', 'range', 'spacing'])
    """

    levels: tuple[Level, ...]
    seconds: float
    peak_bytes: int
    errors: dict[str, float]
    backend: str
    n_shares: int | None = None

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
        """Nodes of the last grid, of each group of exchangeable locations, or of each location."""
        return self.levels[-1].nodes_per_axis

    @property
    def nodes(self) -> int:
        """Stored nodes of the last grid."""
        return self.levels[-1].nodes


@dataclass(frozen=True, eq=False)
class Solution(HasCard):
    """The ideal observer of a task, or the best stopping for a way of looking.

    Attributes
    ----------
    task : Task
        The search that was solved: the task itself, or the one that is equivalent to it.
    costs : Costs
    risk : float
        Prior-averaged risk of the optimum, before any evidence.
    risk_error : float
        Estimated bound on the error of `risk`.
    converged : bool
        Always true: a solution that misses its tolerance is not returned.
    diagnostics : Diagnostics
    value_grid : ValueGrid
        The value function on the nodes, between them and beyond them: what else to build on.
    first : ValueGrid
        That of the first grid, which is small: good enough for the notes.

    Examples
    --------
    >>> import popout as po
    >>> solution = po.solve(po.SearchTask(n_locations=2, drift=4.0), po.Costs(time=0.2))
    >>> print(f"{solution.risk:.4f}")
    0.0440
    >>> limited = po.LimitedSearchTask(n_locations=2, information=32.0)
    >>> print(po.solve(limited, po.Costs(time=0.2)).observer.label)
    optimal, optimal
    """

    task: Any
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
        ``Z_l = tau + log(M)`` for even priors (Methods, "Translating optimal thresholds"). Where
        information is shared out, they are those of a location that gets all of it. For a location
        that never holds the target both are NaN.
        """
        nan = (math.nan, math.nan)
        known = self.value_grid.discretisation.thresholds
        return tuple(known.get(place, nan) for place in range(self.task.n_locations))

    @property
    def value(self) -> xr.DataArray:
        """The optimal risk R(Z) of the paper's recursion (Equation 7), labelled by Z1, Z2, ..."""
        return self.value_grid.risk

    @property
    def advantage(self) -> xr.DataArray:
        """Risk of waiting minus risk of the better answer; negative where one should wait."""
        return self.value_grid.advantage

    @property
    def phases(self) -> Phases | None:
        """The optimum at every look between two reshuffles; None where items stay.

        `value_grid`, `value` and `advantage` are those right after a reshuffle, when all locations
        have the same log likelihood ratio.
        """
        return self._phases if self.task.steps_per_period else None

    @cached_property
    def _phases(self) -> Phases:
        return Phases(self.value_grid)

    @cached_property
    def strategy(self) -> Any:
        """When to stop and what to say, as a table that any simulator can run.

        An `ExactTable`; a `PeriodicTable` where items are reshuffled. Where the durations of
        fixations are free it depends on where gaze rests
        (`popout.policies.looking.FreeGazeStopping`).
        """
        if isinstance(self.attention, FreeGazeTable):
            return FreeGazeStopping(self.attention)
        return self.value_grid.table() if self.phases is None else self.phases.strategy

    @property
    def _given(self) -> Attention | None:
        problem = self.value_grid.discretisation
        return problem.attention if isinstance(problem, ShareDiscretisation) else None

    @cached_property
    def attention(self) -> Attention | None:
        """Where to look: the optimum as a table, or the policy that was given.

        None where every location has a rate of its own.
        """
        if self._given is not None or self.diagnostics.n_shares is None:
            return self._given
        return self.value_grid.attention() if self.phases is None else self.phases.attention

    @property
    def observer(self) -> Observer:
        """Where to look, when to stop and what to say."""
        return Observer(self.attention, self.strategy)

    def boundary(self, plane: tuple[int, int] = (0, 1), others: float = -math.inf) -> Boundary:
        """Return the decision boundary in the plane of two locations, to sub-grid accuracy.

        Parameters
        ----------
        plane : pair of int
            Two locations, 0-based.
        others : float
            Where the log likelihood ratios of all other locations are held; -inf rules them out.
            Where items are reshuffled the boundary is that of the last look before it.
        """
        last = self.phases and self.phases.values(self.phases.steps - 1)
        return (last or self.value_grid).plane(plane, others).boundary()

    def boundary_points(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return where grid lines cross the boundary of "absent" and that of "present".

        Shapes (n, m), of the m locations that can hold the target. Points at which a location is as
        good as ruled out are left out, as in `scales`.
        """
        from popout.exact.scales import boundary_points

        return boundary_points(self)

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
        """Mean response time in seconds, over both classes; 0 where looking never pays.

        Of a task in which every location has a rate of its own.
        """
        changing = "shares of a limited one" if self.diagnostics.n_shares is not None else ""
        if changing := changing or ("items that are reshuffled" if self.phases else ""):
            raise InputError(
                "Solution.mean_rt: expected a task whose locations have rates of their own, got "
                f"{changing}; evaluate or simulate the observer"
            )
        return mean_response_time(self.value_grid)

    @cached_property
    def notes(self) -> tuple[str, ...]:
        """What looks wrong with the problem, such as a step as long as the response.

        Where a trial has but few looks, the mean response time is computed to say so.
        """
        if looks_per_trial(self.value_grid.discretisation) > MANY_LOOKS:
            return ()  # the response time need not be computed to say so
        if not looking_pays(self.value_grid):
            return problem_notes(self.task, self.costs, 0.0)
        if self.diagnostics.n_shares is not None or self.phases is not None:
            return ()
        mean_rt = mean_response_time(self.first) or self.mean_rt
        return problem_notes(self.task, self.costs, mean_rt)

    @property
    def has_scales(self) -> bool:
        """Whether the conjecture says something: of present and absent, wherever gaze rests."""
        look = self.task.look
        return not (look.names_place or (isinstance(look, Gazes) and look.is_free))

    @cached_property
    def scales(self) -> Scales:
        """Least-squares scales of the conjecture (or its extension) and their misfit."""
        if not self.has_scales:
            raise InputError(
                "Solution.scales: expected a boundary between absent and present, the same "
                "wherever gaze rests, got another; ask `Solution.strategy`"
            )
        from popout.exact.scales import fit_scales

        return fit_scales(self)

    def plot(self, ax: Axes | None = None, plane: tuple[int, int] | None = None) -> Axes:
        """Draw the solution.

        With one location: the optimal risk R(Z) and its thresholds. With more: where to answer and
        where to wait in the plane of two locations, all others ruled out; and where to look, if
        information is shared out.

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
        if self.attention is not None:
            return self.attention.plot(ax, strategy=self.strategy, plane=plane or (0, 1))
        from popout.exact.solution_pictures import draw_solution

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

    @property
    def _looks(self) -> dict[str, Any]:
        if self.diagnostics.n_shares is None:
            return {}
        name = "optimal" if self._given is None else self._given.label
        if isinstance(look := self.task.look, Gazes):
            return {"attention": {"name": name, "gazes": len(look.visibility)}}
        return {"attention": {"name": name, "shares": self.diagnostics.n_shares}}

    @property
    def _reshuffled(self) -> dict[str, Any]:
        if self.phases is None:
            return {}
        pair = dict(zip(("lower", "upper"), self.phases.thresholds, strict=True))
        return {"period": self.task.period, "after_reshuffle": pair}

    def as_dict(self) -> dict[str, Any]:
        """Return the risk, the thresholds, the scales of the conjecture and how it was found.

        The scales are fitted and the notes computed, unless they have been before.
        """
        run = self.diagnostics
        return {
            "risk": self.risk,
            "risk_error": self.risk_error,
            "converged": self.converged,
            **self._looks,
            "thresholds": [{"lower": low, "upper": up} for low, up in self.thresholds],
            **self._reshuffled,
            **(self.scales.as_dict() if self.has_scales else {}),
            "grid": {"nodes_per_axis": run.nodes_per_axis, "nodes": run.nodes},
            "iterations": run.iterations,
            "residual": run.residual,
            "errors": run.errors,
            "seconds": run.seconds,
            "peak_bytes": run.peak_bytes,
            "backend": run.backend,
            "notes": list(self.notes),
        }

    def card(self) -> Card:
        """Return what is shown of it: what solving has found. `scales` has a card of its own."""
        pairs = self.thresholds
        alike = len(set(pairs)) == 1
        thresholds = [
            (
                "thresholds" if alike else f"thresholds of Z{place + 1}",
                f"{pairs[place][0]:.4f} and {pairs[place][1]:.4f} nats of log posterior odds",
            )
            for place in ([0] if alike else self.value_grid.locations)
        ]
        look, shares = self.task.look, self._looks.get("attention", {})
        rate = f"drift {listed(self.task.local_drifts)} (1/s)"
        if isinstance(look, Shares):
            rate = f"information {look.information:g} (1/s), visibility {listed(look.visibility)}"
        limited = " with limited information" if shares else ""
        shuffled: list[tuple[str, str]] = []
        if self.phases is not None:
            low, up = self.phases.thresholds
            every = f"every {self.task.period:g} s; right after it one waits"
            shuffled = [("reshuffled", f"{every} from {low:.4f} to {up:.4f} nats of log odds")]
        looks: list[tuple[str, str]] = []
        if isinstance(look, Gazes):
            given = getattr(self.task, "information", look.information)
            rate = f"information {given:g} (1/s) at the point of gaze"
            limited = " with gaze"
            looks = [("gazes", str(len(look.visibility)))]
        elif shares:
            looks = [("shares", f"multiples of 1/{shares['shares']} and between")]
        return Card(
            f"Ideal observer{limited}, {count(self.task.n_locations, 'location')}",
            [
                ("task", f"{rate}, dt = {self.task.dt:g} s"),
                ("risk", with_error(self.risk, self.risk_error)),
                *([("attention", shares["name"])] if shares else []),
                *thresholds,
                *looks,
                *shuffled,
                ("grid", f"{self._nodes} nodes per axis"),
                ("found in", f"{elapsed(self.diagnostics.seconds)} ({self.diagnostics.backend})"),
            ],
        )
