"""Where to look and when to stop, optimal together: `solve_joint` and `best_stopping`."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from popout.drawing.representation import Card, HasCard, count, elapsed, with_error
from popout.exact.crossings import line_crossings
from popout.exact.joint_grid import JointGrid
from popout.exact.joint_problem import JointProblem, check_joint
from popout.exact.joint_refine import JointLevels, Solved
from popout.exact.refinement import Level
from popout.exact.scales import DEPTH, FIT_NODES, MOST_TIMES, Scales, fit_surfaces
from popout.policies.looking import Attention, AttentionTable
from popout.policies.looking.names import made_for
from popout.policies.stopping import ASPRT, ScaledSPRT
from popout.policies.stopping.exact_table import ExactTable
from popout.progress import Progress
from popout.task import Costs, Faults, LimitedSearchTask

if TYPE_CHECKING:
    from matplotlib.axes import Axes

TABLE_ENTRIES = 1 << 21  # the table of the strategy is refined up to about this many entries


@dataclass(frozen=True, eq=False)
class JointSolution(HasCard):
    """The ideal observer of a task with limited information.

    Attributes
    ----------
    task : LimitedSearchTask
    costs : Costs
    risk : float
        Prior-averaged risk, before any evidence.
    risk_error : float
        Estimated bound on the error of `risk`.
    errors : dict
        Its parts: spacing, range, shares, iteration.
    n_shares : int
        The finest share that was tried is one part in this many; shares between were interpolated.
    levels : tuple of Level
        Every grid of the refinement, coarse to fine.
    seconds : float
        Wall-clock time.

    Examples
    --------
    >>> from popout.exact.joint_solver import solve_joint
    >>> from popout.task import Costs
    >>> from popout.task import LimitedSearchTask
    >>> task = LimitedSearchTask(n_locations=2, information=32.0)
    >>> solution = solve_joint(task, Costs(time=0.2), rtol=1e-3)
    >>> print(f"{solution.risk:.4f}")
    0.0329
    >>> solution.attention.shares([[1.0, -1.0]], 0.1)
    array([[1., 0.]])
    """

    task: LimitedSearchTask
    costs: Costs
    risk: float
    risk_error: float
    errors: dict[str, float]
    n_shares: int
    levels: tuple[Level, ...]
    seconds: float
    _problem: JointProblem
    _solved: Solved

    @property
    def _grid(self) -> JointGrid:
        return self._solved.bellman.grid

    @cached_property
    def attention(self) -> Attention:
        """Where to look: the optimum as a table, or the policy that was given."""
        if self._problem.attention is not None:
            return self._problem.attention
        grid = self._grid
        # One more step, so that the shares are those of the last state.
        self._solved.bellman(self._solved.state)
        shares = self._solved.bellman.looking.shares().T
        table = np.stack([grid.full_of(shares, place) for place in range(grid.n_locations)], -1)
        return AttentionTable(
            table,
            tuple(axis.lower for axis in grid.axes),
            tuple(axis.spacing for axis in grid.axes),
            self._problem.locations,
            self.task.n_locations,
        )

    @cached_property
    def strategy(self) -> ExactTable:
        """When to stop and what to say, as a table that any simulator can run."""
        grid = self._grid
        room = (TABLE_ENTRIES / math.prod(grid.shape)) ** (1.0 / grid.n_locations)
        finer, A = self._log_ratio(max(1, min(16, int(room))))
        weight = dict(zip(self._problem.locations, self._problem.weight, strict=True))
        return ExactTable(
            np.ascontiguousarray(A, dtype=np.float32),
            tuple(axis.lower for axis in finer.axes),
            tuple(axis.spacing for axis in finer.axes),
            self._problem.locations,
            tuple(
                math.log(weight[place]) if place in weight else -math.inf
                for place in range(self.task.n_locations)
            ),
            self.costs,
        )

    @property
    def thresholds(self) -> tuple[tuple[float, float], ...]:
        """Lower and upper threshold of each location when it gets all information.

        In log posterior odds, as `Solution.thresholds`; NaN for a location that never holds the
        target.
        """
        nan = (math.nan, math.nan)
        known = dict(zip(self._problem.locations, self._problem.thresholds, strict=True))
        return tuple(known.get(place, nan) for place in range(self.task.n_locations))

    @cached_property
    def scales(self) -> Scales:
        """Least-squares scales of the paper's conjecture for the boundary, and their misfit."""
        lower, upper = zip(*self.thresholds, strict=True)
        search = self.task.with_shares()  # of which only the priors count here

        def surfaces(a_minus: float, a_plus: float) -> ScaledSPRT:
            return ASPRT.for_task(search, lower, upper, a_minus=a_minus, a_plus=a_plus)

        points = self.boundary_points()
        present = self.costs.miss * self._odds(points) >= self.costs.false_alarm
        whole = self._problem.states(points)
        return fit_surfaces(surfaces, whole[~present], whole[present])

    def _odds(self, Z: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.asarray(np.exp(Z) @ np.array(self._problem.weight))

    def boundary_points(self) -> NDArray[np.float64]:
        """Return where grid lines cross the boundary, shape (n, m), of the m possible locations.

        Points at which a location is as good as ruled out are left out, as in `scales`.
        """
        grid = self._grid
        room = (FIT_NODES / math.prod(grid.shape)) ** (1.0 / grid.n_locations)
        finer, log_ratio = self._log_ratio(max(1, min(MOST_TIMES, int(room))))
        nodes = [axis.nodes for axis in finer.axes]
        points = []
        for place, z in enumerate(nodes):
            lines = np.moveaxis(log_ratio, place, 0)
            roots, line = line_crossings(z, lines.reshape(z.size, -1))
            others = iter(np.unravel_index(line, lines.shape[1:]) if len(nodes) > 1 else ())
            points.append(
                np.stack(
                    [roots if k == place else nodes[k][next(others)] for k in range(len(nodes))],
                    axis=-1,
                )
            )
        found = np.concatenate(points)
        depth = [
            low - math.log(w) - DEPTH
            for (low, _), w in zip(self._problem.thresholds, self._problem.weight, strict=True)
        ]
        return np.asarray(found[(found >= np.array(depth)).all(axis=1)])

    def _log_ratio(self, times: int) -> tuple[JointGrid, NDArray[np.float64]]:
        """Return a finer grid and log(value of waiting / value of the better answer) on it."""
        grid, bellman = self._grid, self._solved.bellman
        finer = grid.finer(times)
        waiting = grid.resample(bellman.wait(self._solved.state), finer)
        stop = np.minimum(self.costs.miss * finer.odds, self.costs.false_alarm)
        return finer, finer.full(np.log(np.maximum(waiting / stop, 1e-30)))

    def waits_around(self, reach: float) -> bool:
        """Return whether one waits at all nodes within `reach` steps around the start.

        Parameters
        ----------
        reach : float
            In units of the standard deviations of one step with all information.
        """
        bellman = self._solved.bellman
        near = np.linalg.norm(self._grid.states / self._problem.sd, axis=-1) <= reach
        return bool((bellman.wait(self._solved.state) < bellman.stop)[near].all())

    def share_of(self, place: int) -> NDArray[np.float64]:
        """Return the share of one location at every node, shape (n, ...), NaN where one answers.

        Parameters
        ----------
        place : int
            Among the locations that can hold the target, from 0.
        """
        bellman, grid = self._solved.bellman, self._grid
        bellman(self._solved.state)
        share = grid.full_of(bellman.looking.shares().T, place)
        waits = grid.full(bellman.wait(self._solved.state) < bellman.stop)
        return np.where(waits, share, np.nan)

    def plot(self, ax: Axes | None = None, plane: tuple[int, int] = (0, 1)) -> Axes:
        """Draw where to look and where to answer, in the plane of two locations.

        Parameters
        ----------
        ax : Axes, optional
            Where to draw; a new figure when left out.
        plane : pair of int
            Two locations, from 0; all others are ruled out.
        """
        return self.attention.plot(ax, strategy=self.strategy, plane=plane)

    def __repr__(self) -> str:
        """Show the risk, its error and the grid."""
        where = count(self.task.n_locations, "location")
        return (
            f"JointSolution(risk={self.risk:.6g} +- {self.risk_error:.1g}, {where}, "
            f"{self._nodes} nodes, {elapsed(self.seconds)})"
        )

    @property
    def _nodes(self) -> str:
        return " x ".join(str(n) for n in self._grid.shape)

    @property
    def _attention_label(self) -> str:
        given = self._problem.attention
        return "optimal" if given is None else given.label

    def as_dict(self) -> dict[str, Any]:
        """Return the risk, the attention, thresholds and scales, and how it was found."""
        return {
            "risk": self.risk,
            "risk_error": self.risk_error,
            "converged": True,
            "attention": {"name": self._attention_label, "shares": self.n_shares},
            "thresholds": [{"lower": low, "upper": up} for low, up in self.thresholds],
            **self.scales.as_dict(),
            "grid": {"nodes_per_axis": self._grid.shape, "nodes": self._grid.size},
            "iterations": sum(level.iterations for level in self.levels),
            "residual": self.levels[-1].residual,
            "errors": self.errors,
            "seconds": self.seconds,
        }

    def card(self) -> Card:
        """Return what is shown of it."""
        return Card(
            f"Ideal observer with limited information, {count(self.task.n_locations, 'location')}",
            [
                ("risk", with_error(self.risk, self.risk_error)),
                ("attention", self._attention_label),
                *(
                    (f"conjecture's a_{side}", f"{fit.shown} (misfit in Z: {fit.misfit})")
                    for side, fit in (("plus", self.scales.plus), ("minus", self.scales.minus))
                    if not math.isnan(fit.a)
                ),
                ("shares", f"multiples of 1/{self.n_shares}, and between them"),
                ("grid", f"{self._nodes} nodes"),
                ("found in", elapsed(self.seconds)),
            ],
        )


def solve_joint(
    task: LimitedSearchTask, costs: Costs, rtol: float = 1e-3, *, progress: Progress | None = None
) -> JointSolution:
    """Find where to look and when to stop, optimal together.

    Parameters
    ----------
    task : LimitedSearchTask
        Up to four locations in practice; any visibilities and priors.
    costs : Costs
    rtol : float
        Wanted relative accuracy of the risk. Range, spacing and shares follow from it.
    progress : Progress, optional

    Raises
    ------
    InputError
        If an argument is bad.
    NotConvergedError
        If the tolerance cannot be met. There is no result then.

    Examples
    --------
    One location gets everything: discrimination at the drift sqrt(information).

    >>> import popout as po
    >>> task = LimitedSearchTask(n_locations=1, information=16.0)
    >>> joint = solve_joint(task, Costs(time=0.2), rtol=1e-4)
    >>> alone = po.solve(po.SearchTask(n_locations=1, drift=4.0), Costs(time=0.2))
    >>> abs(joint.risk - alone.risk) < joint.risk_error + alone.risk_error
    True
    """
    return _solve("solve_joint", task, costs, rtol, None, progress)


def best_stopping(
    task: LimitedSearchTask,
    attention: Attention | type[Attention],
    costs: Costs,
    rtol: float = 1e-3,
    *,
    progress: Progress | None = None,
) -> JointSolution:
    """Find the best stopping for a given attention policy.

    Parameters
    ----------
    task : LimitedSearchTask
    attention : Attention or a class of it
        A policy that does not change with time.
    costs : Costs
    rtol : float
        Wanted relative accuracy of the risk.
    progress : Progress, optional

    Examples
    --------
    >>> from popout.policies.looking import Serial
    >>> task = LimitedSearchTask(n_locations=2, information=32.0)
    >>> print(f"{best_stopping(task, Serial, Costs(time=0.2)).risk:.4f}")
    0.0331
    """
    faults = Faults("best_stopping")
    policy = check_attention(faults, task, attention)
    faults.raise_if_any()
    return _solve("best_stopping", task, costs, rtol, policy, progress)


def check_attention(
    faults: Faults, task: object, attention: object, *, may_change: bool = False
) -> Any:
    """Return an attention policy made for a task, of a class too; record what is wrong with it.

    Parameters
    ----------
    faults : Faults
    task, attention : object
    may_change : bool
        Whether the policy may change with time.
    """
    attention = made_for(attention, task)
    if not isinstance(attention, Attention):
        remedy = "take one of popout.policies.looking, or subclass Attention"
        faults.add("attention", "an Attention", type(attention).__name__, remedy)
        return attention
    if isinstance(task, LimitedSearchTask) and attention.n_locations not in (
        None,
        task.n_locations,
    ):
        remedy = "make the policy for this task, e.g. with for_task"
        expected = f"a policy for the task's {task.n_locations} locations"
        faults.add("attention", expected, f"one for {attention.n_locations}", remedy)
    if attention.settles > 0 and not may_change:
        remedy = "simulate a policy that changes with time"
        faults.add("attention", "a policy that does not change with time", attention, remedy)
    return attention


def _solve(
    owner: str,
    task: LimitedSearchTask,
    costs: Costs,
    rtol: float,
    attention: Attention | None,
    progress: Progress | None,
) -> JointSolution:
    began = time.perf_counter()
    faults = Faults(owner)
    check_joint(faults, task, costs, rtol)
    faults.raise_if_any()
    problem = JointProblem(task, costs, attention)
    run = JointLevels(problem, rtol, progress)
    found, errors = run.run()
    return JointSolution(
        task=task,
        costs=costs,
        risk=found.risk,
        risk_error=sum(errors.values()),
        errors=errors,
        n_shares=found.bellman.grid.lattice.q,
        levels=tuple(run.levels),
        seconds=time.perf_counter() - began,
        _problem=problem,
        _solved=found,
    )
