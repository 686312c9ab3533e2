r"""Regret: the excess risk of a strategy, without the noise of a difference of two risks.

Let :math:`V^*` be the optimal value and :math:`Q^*(Z, D)` the risk of taking action *D* once and
acting optimally ever after. Along the trials of any strategy, drawn from the prior, the risk
telescopes into

.. math::

   R - R^* = \mathbb{E} \sum_{k \ge 0} \bigl[ Q^*(Z_k, D_k) - V^*(Z_k) \bigr],

a sum over the looks of a trial, its last one included. Every term is non-negative and most are
zero, so a few thousand trials give a regret of 1e-5 to a few percent, where the difference of two
simulated risks would need 1e9. The terms also say *where* it is lost: they are collected by action
and, for two locations, by the cell of the (Z1, Z2) plane.

Between the nodes of the exact solution :math:`Q^*` follows a cubic spline
(`popout.exact.risk_spline`). It goes on beyond the grid of the solution
(`popout.exact.value_grid`), where strategies walk that wait too long.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from popout.analysis.score import stratified
from popout.drawing.representation import Card, HasCard, count, with_error
from popout.evidence import llr_step
from popout.exact import Solution
from popout.noise.streams import stream_keys
from popout.simulation import default_time_limit
from popout.simulation.displays import draw_targets, target_law
from popout.simulation.looks import BATCH, Walk, checked_decision
from popout.strategies import Action, Strategy
from popout.task import Faults, SearchTask

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["Advantage", "Regret", "advantage_of", "regret", "sum_of_advantages"]

Advantage = Callable[[NDArray[np.float64]], NDArray[np.float64]]
"""Maps Z of shape (n, M) to ``Q*(Z, D) - V*(Z)`` of shape (n, 3), by `Action`."""


@dataclass(frozen=True, eq=False)
class Regret(HasCard):
    """What a strategy loses against the optimum.

    Attributes
    ----------
    value, se : float
        Excess risk and its standard error.
    by_action : dict of Action to float
        The part lost by waiting where one should answer, and by answering too early or wrongly.
    map : DataArray of dims (z1, z2), or None
        For two locations: regret lost in each cell of the plane; sums to `value`, less what fell
        outside.
    undecided : int
    per_trial : ndarray of shape (n_trials,)
        The sum of advantages along each trial.
    present : ndarray of bool, shape (n_trials,)
        The class of each trial.
    """

    value: float
    se: float
    by_action: dict[Action, float]
    map: xr.DataArray | None
    undecided: int
    per_trial: NDArray[np.float64]
    present: NDArray[np.bool_]

    @property
    def n_trials(self) -> int:
        """Number of trials."""
        return len(self.per_trial)

    def __str__(self) -> str:
        """Return a line."""
        parts = ", ".join(f"{a.name.lower()} {v:.3g}" for a, v in self.by_action.items())
        return f"regret {self.value:.4g} +- {self.se:.2g} ({parts}; {self.n_trials} trials)"

    def __repr__(self) -> str:
        """Return one line; the trials would fill pages."""
        return f"Regret({with_error(self.value, self.se)}, {count(self.n_trials, 'trial')})"

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw where in the plane of two locations the risk is lost.

        Parameters
        ----------
        ax : Axes, optional
            Where to draw; a new figure when left out.
        """
        from popout.analysis.pictures import draw_regret

        return draw_regret(self, ax)

    def card(self) -> Card:
        """Return what is shown of it."""
        words = {Action.WAIT: "waiting", Action.ABSENT: 'saying "absent"'}
        words[Action.PRESENT] = 'saying "present"'
        undecided = f", {self.undecided} undecided" if self.undecided else ""
        return Card(
            f"Excess risk over the optimum: {with_error(self.value, self.se)}",
            [
                *((f"lost by {words[a]}", f"{v:.3g}") for a, v in self.by_action.items()),
                ("from", count(self.n_trials, "trial") + undecided),
            ],
        )


def regret(
    solution: Solution,
    strategy: Strategy,
    *,
    n_trials: int = 20_000,
    seed: int = 0,
    time_limit: float | None = None,
    edges: Sequence[float] | None = None,
    with_map: bool = True,
) -> Regret:
    """Return the excess risk of a strategy over the exact optimum.

    Parameters
    ----------
    solution : Solution
        Of `popout.solve`; it holds the task and the costs.
    strategy : Strategy
    n_trials, seed, time_limit, edges, with_map
        See `sum_of_advantages`.

    Returns
    -------
    Regret

    Examples
    --------
    >>> from popout.exact import solve
    >>> from popout.strategies import SPRT
    >>> from popout.task import Costs
    >>> task = SearchTask(n_locations=2, drift=4.0)
    >>> solution = solve(task, Costs(time=0.2))
    >>> found = regret(solution, SPRT.for_task(task, -4.546, 4.546), n_trials=2000)
    >>> 3e-5 < found.value < 6e-5
    True
    """
    return sum_of_advantages(
        solution.task,
        strategy,
        advantage_of(solution),
        n_trials=n_trials,
        seed=seed,
        time_limit=time_limit,
        edges=edges,
        with_map=with_map,
    )


def advantage_of(solution: Solution) -> Advantage:
    """Return ``Q*(Z, D) - V*(Z)`` of an exact solution, as a function of Z.

    Parameters
    ----------
    solution : Solution

    Examples
    --------
    >>> from popout.exact import solve
    >>> from popout.task import Costs
    >>> advantage = advantage_of(solve(SearchTask(n_locations=1, drift=4.0), Costs(time=0.2)))
    >>> advantage(np.array([[0.0], [9.0]])).argmin(axis=1).tolist()  # wait, then say present
    [0, 2]
    """
    Q = solution.value_grid.Q

    def advantage(Z: NDArray[np.float64]) -> NDArray[np.float64]:
        risks = Q(Z)
        return np.asarray(risks - risks.min(axis=1, keepdims=True))

    return advantage


def sum_of_advantages(
    task: SearchTask,
    strategy: Strategy,
    advantage: Advantage,
    *,
    n_trials: int = 20_000,
    seed: int = 0,
    time_limit: float | None = None,
    edges: Sequence[float] | None = None,
    with_map: bool = True,
) -> Regret:
    """Return the expected sum of advantages along the trials of a strategy.

    Parameters
    ----------
    task : SearchTask
    strategy : Strategy
    advantage : callable
        ``Q*(Z, D) - V*(Z)`` of the optimum, see `Advantage`.
    n_trials : int
    seed : int
    time_limit : float, optional
        Seconds; see `popout.simulation.default_time_limit`.
    edges : sequence of float, optional
        Cell edges of the map, for two locations; half-units from -12 to 12 by default.
    with_map : bool
        False leaves the map out, which takes a fifth of the time.

    Returns
    -------
    Regret

    Examples
    --------
    A strategy that answers "absent" at once, in a world where every act costs 1/8 too much:

    >>> from popout.strategies import Hardmax
    >>> task = SearchTask(n_locations=8, drift=4.0)
    >>> strategy = Hardmax.for_task(task, -1.0, 2.0)
    >>> print(sum_of_advantages(task, strategy, lambda Z: np.full((len(Z), 3), 0.125)))
    regret 0.125 +- 0 (wait 0, absent 0.125, present 0; 20000 trials)
    """
    faults = Faults("regret")
    n = faults.integer("n_trials", n_trials, "ask for two or more", at_least=2)
    limit = default_time_limit(task) if time_limit is None else time_limit
    limit = faults.number(
        "time_limit", limit, "give seconds", expected="at least dt", above=task.dt * (1 - 1e-9)
    )
    faults.raise_if_any()
    collector = _Collector(task, n, edges, with_map and task.n_locations == 2)
    keys = stream_keys(seed)
    targets = np.empty(n, np.int32)
    draw_targets(keys, 0, *target_law(task, "prior"), targets)
    law = llr_step(task)
    n_steps = int(limit / task.dt + 1e-9)
    for start in range(0, n, BATCH):
        here = np.arange(start, min(start + BATCH, n))
        walk = Walk(keys, here, targets[here], law)
        while len(walk.index):
            actions = checked_decision(strategy, walk.Z, walk.k * task.dt)
            out_of_time = walk.k >= n_steps
            collector.add(here[walk.index], walk.Z, actions, advantage(walk.Z), out_of_time)
            waiting = (actions == Action.WAIT) & (not out_of_time)
            walk.keep(waiting)
            if len(walk.index):
                walk.advance()
    return collector.result(targets >= 0)


class _Collector:
    """Sums of advantages by trial, by action and by cell."""

    def __init__(
        self, task: SearchTask, n: int, edges: Sequence[float] | None, with_map: bool
    ) -> None:
        self.task, self.with_map = task, with_map
        self.per_trial = np.zeros(n)
        self.by_action = np.zeros(3)
        self.undecided = 0
        default = np.linspace(-12.0, 12.0, 49)
        self.edges = default if edges is None else np.asarray(edges, dtype=np.float64)
        self.cells = np.zeros((len(self.edges) - 1,) * 2)

    def add(
        self,
        trials: NDArray[np.int64],
        Z: NDArray[np.float64],
        actions: NDArray[np.int8],
        advantage: NDArray[np.float64],
        out_of_time: bool,
    ) -> None:
        """Take in one look of the trials that still walk."""
        lost = advantage[np.arange(len(trials)), actions]
        self.per_trial[trials] += lost
        self.by_action += np.bincount(actions, weights=lost, minlength=3)
        if out_of_time:
            self.undecided += int((actions == Action.WAIT).sum())
        if self.with_map:
            bins = (self.edges, self.edges)
            self.cells += np.histogram2d(Z[:, 0], Z[:, 1], bins=bins, weights=lost)[0]

    def result(self, present: NDArray[np.bool_]) -> Regret:
        """Return means over trials; the regret itself post-stratified by class."""
        n = len(self.per_trial)
        total = stratified(self.per_trial, present, self.task.prior)
        centres = (self.edges[1:] + self.edges[:-1]) / 2
        cells = xr.DataArray(
            self.cells / n, coords={"z1": centres, "z2": centres}, dims=("z1", "z2"), name="regret"
        )
        return Regret(
            value=total.value,
            se=total.se,
            by_action={a: float(self.by_action[a]) / n for a in Action},
            map=cells if self.with_map else None,
            undecided=self.undecided,
            per_trial=self.per_trial,
            present=present,
        )
