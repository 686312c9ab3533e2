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
(`popout.exact.value_grid`). It goes on beyond the grid of the solution
(`popout.exact.value_grid`), where strategies walk that wait too long.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from popout.analysis.losses import losses_by_looks, losses_by_table
from popout.analysis.score import Estimate, stratified
from popout.drawing.representation import Card, HasCard, count, with_error
from popout.evidence import Condition
from popout.exact import Solution
from popout.policies.stopping import Action, Strategy
from popout.simulation.simulate import check_size, default_threads, trials_of
from popout.simulation.tally import Columns
from popout.simulation.time_limit import steps_within
from popout.task import Faults, SearchTask

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Array = NDArray[np.float64]
WORDS = {
    Action.WAIT: "waiting",
    Action.ABSENT: 'saying "absent"',
    Action.PRESENT: 'saying "present"',
}


@dataclass(frozen=True, eq=False)
class Advantage:
    """What every action loses against the optimal one, as a function of the state.

    Attributes
    ----------
    task : SearchTask
        For which it is optimal.
    of : callable
        Maps Z of shape (n, M) to ``Q*(Z, D) - V*(Z)`` of shape (n, 3), by `Action`.
    """

    task: SearchTask
    of: Callable[[Array], Array]

    def __call__(self, Z: Array) -> Array:
        """Return the advantage at each state, shape (n, 3)."""
        return self.of(Z)


@dataclass(frozen=True, eq=False)
class Regret(HasCard, Estimate):
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

    Examples
    --------
    >>> import popout as po
    >>> task, costs = po.SearchTask(n_locations=2, drift=4.0), po.Costs(time=0.2)
    >>> lost = po.regret(po.solve(task, costs), po.SPRT.for_task(task, -2.0, 2.0), n_trials=2000)
    >>> lost.value > 5 * lost.se, lost.n_trials
    (True, 2000)
    >>> max(lost.by_action, key=lost.by_action.get) is po.Action.WAIT  # it answers too soon
    False
    """

    by_action: dict[Action, float]
    map: xr.DataArray | None
    per_trial: Array
    present: NDArray[np.bool_]

    @property
    def n_trials(self) -> int:
        """Number of trials."""
        return len(self.per_trial)

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
        undecided = f", {self.undecided} undecided" if self.undecided else ""
        return Card(
            f"Excess risk over the optimum: {with_error(self.value, self.se)}",
            [
                *((f"lost by {WORDS[a]}", f"{v:.3g}") for a, v in self.by_action.items()),
                ("from", count(self.n_trials, "trial") + undecided),
            ],
        )

    def as_dict(self) -> dict[str, Any]:
        """Return the regret, where it was lost, and the number of trials."""
        lost = {action.name.lower(): value for action, value in self.by_action.items()}
        counts = {"trials": self.n_trials, "undecided": self.undecided}
        return {"value": self.value, "se": self.se, "by_action": lost, **counts}


def risk_above(solution: Solution, excess: Estimate) -> Estimate:
    """Return the risk that exceeds the exact optimum by so much; its error is that of both."""
    se = math.hypot(excess.se, solution.risk_error)
    return Estimate(solution.risk + excess.value, se, undecided=excess.undecided)


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

    return Advantage(solution.task, advantage)


def regret(
    optimum: Solution | Advantage,
    strategy: Strategy,
    *,
    n_trials: int = 20_000,
    seed: int = 1,
    time_limit: float | None = None,
    edges: Sequence[float] | None = None,
    with_map: bool = True,
) -> Regret:
    """Return the excess risk of a strategy over the optimum.

    Parameters
    ----------
    optimum : Solution or Advantage
        Of `popout.solve`, which holds the task and the costs; or the advantage itself.
    strategy : Strategy
    n_trials : int
    seed : int
    time_limit : float, optional
        Seconds; see `popout.simulation.default_time_limit`.
    edges : sequence of float, optional
        Cell edges of the map, for two locations; half-units from -12 to 12 by default.
    with_map : bool
        False leaves the map out.

    Returns
    -------
    Regret

    Examples
    --------
    >>> from popout.exact import solve
    >>> from popout.policies.stopping import SPRT, Hardmax
    >>> from popout.task import Costs
    >>> task = SearchTask(n_locations=2, drift=4.0)
    >>> solution = solve(task, Costs(time=0.2))
    >>> found = regret(solution, SPRT.for_task(task, -4.546, 4.546), n_trials=2000)
    >>> 3e-5 < found.value < 6e-5
    True

    A strategy that answers "absent" at once, in a world where every act costs 1/8 too much:

    >>> task = SearchTask(n_locations=8, drift=4.0)
    >>> too_much = Advantage(task, lambda Z: np.full((len(Z), 3), 0.125))
    >>> print(regret(too_much, Hardmax.for_task(task, -1.0, 2.0)))
    Excess risk over the optimum: 0.125
      lost by waiting           0
      lost by saying "absent"   0.125
      lost by saying "present"  0
      from                      20000 trials
    """
    faults = Faults("regret")
    if not isinstance(optimum, Solution | Advantage):
        faults.add("optimum", "a Solution or an Advantage", optimum, "solve the task")
    if not isinstance(strategy, Strategy):
        remedy = "make one, e.g. SPRT.for_task(task, costs)"
        faults.add("strategy", "a strategy", strategy, remedy)
    faults.raise_if_any()
    task = optimum.task
    n = faults.integer("n_trials", n_trials, "ask for two or more", at_least=2)
    seed = faults.integer("seed", seed, "choose any number")
    n_steps = steps_within(task, time_limit, faults)
    check_size(faults, task, strategy)
    borders = _borders(faults, edges) if with_map and task.n_locations == 2 else np.zeros(0)
    faults.raise_if_any()
    threads = default_threads()
    trials = Columns.empty(n)
    trials_of(task, strategy, seed, Condition.PRIOR, n_steps, threads)(0, trials)
    if isinstance(optimum, Solution):
        spline = optimum.value_grid.risk_spline
        lost = losses_by_table(spline, task, seed, trials, borders, threads)
    else:
        lost = losses_by_looks(optimum, task, seed, trials, borders)
    present = trials.target >= 0
    total = stratified(lost.per_trial, present, task.prior)
    return Regret(
        value=total.value,
        se=total.se,
        by_action={action: float(lost.by_action[action]) / n for action in Action},
        map=_map(lost.cells / n, borders) if len(borders) else None,
        undecided=int((trials.response == Action.WAIT).sum()),
        per_trial=lost.per_trial,
        present=present,
    )


def _borders(faults: Faults, edges: Sequence[float] | None) -> Array:
    """Return the edges of the cells, checked."""
    if edges is None:
        return np.linspace(-12.0, 12.0, 49)
    try:
        borders = np.asarray(edges, dtype=np.float64)
    except (TypeError, ValueError):
        borders = np.zeros(0)
    if borders.ndim != 1 or len(borders) < 2 or not (np.diff(borders) > 0).all():
        faults.add("edges", "two or more increasing numbers", edges, "leave them out")
    return borders


def _map(cells: Array, borders: Array) -> xr.DataArray:
    """Label what is lost in each cell by its centre."""
    centres = (borders[1:] + borders[:-1]) / 2
    return xr.DataArray(
        cells, coords={"z1": centres, "z2": centres}, dims=("z1", "z2"), name="regret"
    )
