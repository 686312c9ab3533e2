r"""The value function of a task: on the nodes of a grid, between them and beyond them.

The solvers work with :math:`V = w R`, the risk after the change of measure of `bellman`. A
`ValueGrid` holds on its nodes what a decision depends on, both smooth up to the known kink of G:

.. math:: Q(Z) = \delta t\,(C_0 + C_1 (w - 1)) + E_0[V(Z')], \qquad
          G(Z) = \min\{c_{fa},\, c_{miss}\,(w - 1)\},

the value of waiting and of the better answer. V is the smaller of the two, and the paper's risks
are these divided by w.

**Beyond the grid.** A grid ends a little above the highest threshold: past it one answers "present"
at once, :math:`V = c_{fa}`, and the solver needs no nodes there. A strategy that waits longer than
the optimum goes further, and what it loses by waiting must be known there too. One step of the
Bellman equation gives it, with V constant above the end of the axis. A few standard deviations of a
step beyond the end, no step leads back to where waiting pays, and waiting costs the price of the
time and nothing else.

**Between the nodes.** The risks of the two answers are known in closed form. That of waiting is
smooth, and so is

.. math::

   A(Z) = \log \frac{Q^*(Z, \text{wait})}{G(Z)}, \qquad
   \frac{1}{G} = \frac{1}{Q^*(Z, \text{absent})} + \frac{1}{Q^*(Z, \text{present})},

which a cubic spline interpolates between the nodes of the exact solution. G lies between half the
risk of the better answer and that risk itself, so that where A is negative waiting is best. (With
the better answer in the place of G the ratio has a kink where both are as good. With linear
interpolation and four locations, where nodes are half a unit apart, regrets are wrong by a quarter;
with the spline, solutions at rtol 1e-3 and 3e-4 agree to a percent.)
"""

from __future__ import annotations

import math
from dataclasses import replace
from functools import cached_property
from math import exp
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from popout.exact.axis import step_matrix
from popout.exact.backend import Array
from popout.exact.bellman import Bellman, Stakes
from popout.exact.boundary import Plane
from popout.exact.discretisation import Discretisation
from popout.exact.grid import Grid
from popout.noise.elementary import compiled
from popout.policies.looking import AttentionTable, FreeGazeTable, GazeTable
from popout.policies.stopping import Action
from popout.policies.stopping.exact_table import ExactTable
from popout.policies.stopping.table_spline import TableSpline
from popout.task import InputError
from popout.task.look import Gazes

if TYPE_CHECKING:
    import xarray as xr

TABLE_ENTRIES = 1 << 21  # a table is refined up to about this many entries
MOST_TIMES = 16  # finer than the grid that a table may become along each axis
WAIT, ABSENT, PRESENT = (int(action) for action in (Action.WAIT, Action.ABSENT, Action.PRESENT))
REACH = 3.0  # standard deviations of one step by which `wider` goes on


class ValueGrid:
    """The value of waiting and of answering on a grid, and whatever is made of them.

    Parameters
    ----------
    discretisation : Discretisation
        The task, its costs, and the locations that can hold the target.
    bellman : Bellman or Stakes
        The equation on the grid; what answers and time cost will do without `after`.
    after : array, optional
        The state of `looking` one step later: V, with the sub-grid corrections of `kinks` at the
        nodes near a boundary, or its expectation.
    waiting : array of the grid's shape, optional
        Value of waiting; computed from `after` when first needed if left out.

    Attributes
    ----------
    task : SearchTask
    costs : Costs
    locations : tuple of int
        Those that can hold the target, 0-based: the dimensions of all tables.
    weights : dict of int to float
        Odds that the target is at a location, before any evidence: P(l_T = l) / P(C = 0).
    grid : Grid
        The nodes; arrays on it live on its back end and store exchangeable locations once.
    axes : dict of int to Axis
        The nodes of each location.
    stopping : array of the grid's shape
        Value of the better answer G at the stored nodes.

    Examples
    --------
    >>> import popout as po
    >>> solution = po.solve(po.SearchTask(n_locations=2, drift=4.0), po.Costs(time=0.2))
    >>> values = solution.value_grid
    >>> values.locations, values.axes[0].n == values.axes[1].n
    ((0, 1), True)
    >>> Q = values.Q([[0.0, 0.0], [9.0, 0.0]])  # risk of waiting, "absent", "present"
    >>> Q.argmin(axis=-1).tolist()
    [0, 2]
    >>> abs(float(values.V([0.0, 0.0])) - solution.risk) < 1e-4
    True
    """

    def __init__(
        self,
        discretisation: Discretisation,
        bellman: Stakes,
        *,
        after: Array | None = None,
        waiting: Array | None = None,
    ) -> None:
        self.discretisation = discretisation
        self.task, self.costs = discretisation.task, discretisation.costs
        self.locations, self.weights = discretisation.locations, discretisation.weight
        self.bellman = bellman
        self.grid, self.axes, self.stopping = bellman.grid, bellman.grid.axes, bellman.stop
        self.after = after
        self._waiting = waiting

    @property
    def waiting(self) -> Array:
        """Value of waiting Q at the stored nodes, smooth everywhere."""
        if self._waiting is None:
            assert isinstance(self.bellman, Bellman)
            self._waiting = self.bellman.wait(self.after)
        return self._waiting

    @property
    def log_ratio(self) -> NDArray[np.float64]:
        """log(Q / G) at the stored nodes; negative where one should wait, smooth across zero."""
        ratio = self.grid.backend.to_numpy(self.waiting / self.stopping)
        return np.asarray(np.log(np.maximum(ratio, 1e-30)))

    # -- risks --------------------------------------------------------------------------------

    @cached_property
    def risk(self) -> xr.DataArray:
        """The optimal risk R(Z) of the paper's recursion (Equation 7), labelled by Z1, Z2, ..."""
        xp = self.grid.backend.xp
        best = xp.where(self.waiting < self.stopping, self.waiting, self.stopping)
        return self.labelled(best / (1.0 + self.grid.odds), "risk")

    @cached_property
    def advantage(self) -> xr.DataArray:
        """Risk of waiting minus risk of the better answer; negative where one should wait."""
        D = self.waiting - self.stopping
        return self.labelled(D / (1.0 + self.grid.odds), "continuation advantage")

    def labelled(self, values: Array, name: str) -> xr.DataArray:
        """Unfold an array on the stored nodes into one labelled by Z1, Z2, ..."""
        import xarray as xr

        dims = [f"Z{place + 1}" for place in self.axes]
        coords: dict[str, Any] = {
            dim: (dim, axis.nodes, {"long_name": "log likelihood ratio", "units": "nats"})
            for dim, axis in zip(dims, self.axes.values(), strict=True)
        }
        return xr.DataArray(
            self.grid.dense(values),
            coords=coords,
            dims=dims,
            name=name.replace(" ", "_"),
            attrs={"long_name": name, "units": "risk"},
        )

    @cached_property
    def risk_spline(self) -> RiskSpline:
        """The risks between the nodes."""
        if self.bellman.names_place:
            raise InputError(
                "ValueGrid.Q: expected a task whose answer is presence, got one that names the "
                "place; its risk is known at the nodes, `ValueGrid.risk`"
            )
        known = self if self.after is None or not isinstance(self.grid, Grid) else self.wider()
        absent, present = self.costs.miss * known.grid.odds, self.costs.false_alarm
        G = absent * (present / (absent + present))  # smooth, unlike the better of the two
        A = np.log(np.maximum(known.grid.backend.to_numpy(known.waiting / G), 1e-30))
        return RiskSpline(known._tabled(A, np.float64))

    def Q(self, Z: ArrayLike) -> NDArray[np.float64]:
        """Return the risk of taking each action once and acting optimally ever after.

        Parameters
        ----------
        Z : array_like of shape (..., M)
            Local log likelihood ratios, anywhere.

        Returns
        -------
        ndarray of shape (..., 3)
            By `popout.Action`: wait, say "absent", say "present".
        """
        return self.risk_spline(np.asarray(Z, dtype=np.float64))

    def V(self, Z: ArrayLike) -> NDArray[np.float64]:
        """Return the optimal risk, shape (...), at any states Z of shape (..., M)."""
        return np.asarray(self.Q(Z).min(axis=-1))

    # -- other nodes --------------------------------------------------------------------------

    def finer(self, times: int) -> ValueGrid:
        """Divide every cell into `times` cells and interpolate."""
        finer = self.grid.finer(times)
        waiting = self.grid.resample(self.waiting, finer)
        stakes = Stakes(finer, self.costs, self.bellman.dt, self.bellman.names_place)
        return ValueGrid(self.discretisation, stakes, waiting=waiting)

    def wider(self, reach: float = REACH) -> ValueGrid:
        """Continue above the end of every axis, by `reach` standard deviations of one step.

        Examples
        --------
        >>> import popout as po
        >>> task, costs = po.SearchTask(n_locations=1, drift=4.0), po.Costs(time=0.2)
        >>> values = po.solve(task, costs).value_grid
        >>> values.wider().axes[0].upper > values.axes[0].upper
        True
        """
        grid = self.grid
        groups, matrices = [], []
        for group in grid.groups:
            more = math.ceil(reach * group.axis.sd / group.axis.spacing)
            axis = replace(group.axis, n=group.axis.n + more)
            K = step_matrix(axis)
            # V is constant above the grid: all that leads there counts for its last node.
            K[:, group.axis.n - 1] = K[:, group.axis.n - 1 :].sum(axis=1)
            groups.append(replace(group, axis=axis))
            matrices.append(grid.backend.asarray(np.ascontiguousarray(K[:, : group.axis.n])))
        wider = Grid(groups, grid.backend)
        wider.check_dense()
        stakes = Stakes(wider, self.costs, self.bellman.dt)
        waiting = stakes.price + grid.apply(self.after, matrices, wider.sets)
        return ValueGrid(self.discretisation, stakes, waiting=waiting)

    def attention(self) -> AttentionTable | GazeTable | FreeGazeTable:
        """Return where the optimum looks, as a table; of a task whose look is chosen.

        Examples
        --------
        >>> import popout as po
        >>> task = po.LimitedSearchTask(n_locations=2, information=32.0)
        >>> table = po.solve(task, po.Costs(time=0.2)).value_grid.attention()
        >>> table.shares([[1.0, -1.0]], 0.1)
        array([[1., 0.]])
        """
        bellman, grid = self.bellman, self.grid
        assert isinstance(bellman, Bellman)
        if isinstance(look := self.task.look, Gazes):
            lower = tuple(axis.lower for axis in self.axes.values())
            spacing = tuple(axis.spacing for axis in self.axes.values())
            values = -bellman.advantages(self.after)
            table = np.stack([grid.dense_of(values, k) for k in range(len(values))], -1)
            known = table, lower, spacing, self.locations, look.visibility
            if look.moves is None:
                return GazeTable(*known)
            saccades, named = np.array(look.moves) * self.task.dt, look.names_place
            start, weight = look.start, self.log_weight
            return FreeGazeTable(*known, saccades, start, weight, self.costs, names_place=named)
        bellman(self.after)  # one more step, with the shares that are asked for
        return self.attention_of(bellman.looking.shares())

    def attention_of(self, shares: NDArray[np.float64]) -> AttentionTable:
        """Return shares at the stored nodes, shape (size, M), as a table."""
        grid, axes = self.grid, self.axes.values()
        table = np.stack([grid.dense_of(shares.T, k) for k in range(grid.n_locations)], -1)
        lower, spacing = tuple(a.lower for a in axes), tuple(a.spacing for a in axes)
        return AttentionTable(table, lower, spacing, self.locations, self.task.n_locations)

    def plane(self, locations: tuple[int, int], others: float = -math.inf) -> Plane:
        """Return the plane of two locations; see `Plane.of`."""
        return Plane.of(self, locations, others)

    def table(self, entries: int = TABLE_ENTRIES) -> ExactTable:
        """Return the strategy that follows from it, refined up to about `entries` entries."""
        room = (entries / max(1, self.grid.dense_size())) ** (1.0 / self.grid.n_locations)
        finer = self.finer(max(1, min(MOST_TIMES, int(room))))
        return finer._tabled(finer.log_ratio, np.float32)

    @property
    def log_weight(self) -> tuple[float, ...]:
        """Log odds that the target is at each location before any evidence; -inf if it never is."""
        weights = (self.weights.get(place, 0.0) for place in range(self.task.n_locations))
        return tuple(math.log(weight) if weight else -math.inf for weight in weights)

    def _tabled(self, values: NDArray[np.float64], dtype: type) -> ExactTable:
        """Return values at the stored nodes as a table of all nodes."""
        self.grid.check_dense()
        dense = self.grid.dense(self.grid.backend.asarray(values))
        return ExactTable(
            np.ascontiguousarray(dense, dtype=dtype),
            self.grid.lowest,
            tuple(axis.spacing for axis in self.axes.values()),
            self.locations,
            self.log_weight,
            self.costs,
            names_place=self.bellman.names_place,
        )


class RiskSpline:
    """Risks of waiting and of the two answers, as functions of the state.

    Parameters
    ----------
    table : ExactTable
        Of an exact solution; with A at its nodes.
    """

    def __init__(self, table: ExactTable) -> None:
        self.spline = TableSpline.of(table)
        places, weights = np.array(table.locations), np.array(table.log_weight)
        costs = (table.costs.miss, table.costs.false_alarm)
        self.numbers = (self.spline.lower, self.spline.upper, places, weights, costs)

    def __call__(self, Z: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the risks by `Action`, shape (..., 3), for Z of shape (..., M)."""
        states = np.ascontiguousarray(Z.reshape(-1, Z.shape[-1]))
        A, Q = self.spline(states[:, self.numbers[2]].T), np.empty((len(states), 3))
        _risks(states, A, self.numbers, Q)
        return Q.reshape(*Z.shape[:-1], 3)


@compiled
def _risks(Z: Any, A: Any, numbers: Any, Q: Any) -> None:
    """Write the risks of each row of Z."""
    for i in range(Z.shape[0]):
        Q[i, WAIT], Q[i, ABSENT], Q[i, PRESENT] = risks(Z[i], A[i], numbers)


@compiled
def risks(Z: Any, A: float, numbers: Any) -> Any:
    """Return the risks of waiting, of "absent" and of "present" at a state.

    Parameters
    ----------
    Z : ndarray of shape (M,)
    A : float
        The spline's value there.
    numbers : tuple
        Of a `RiskSpline`.
    """
    absent, present = _answers(Z, numbers[3], numbers[4])
    return min(absent, present) + lost_by_waiting(Z, A, numbers), absent, present


@compiled
def lost_by_waiting(Z: Any, A: float, numbers: Any) -> Any:
    """Return the risk of waiting less that of the better answer; parameters are those of `risks`.

    Outside the table waiting costs as much more than answering as at its edge.
    """
    lower, upper, places, weights, costs = numbers
    inside = Z.copy()
    for d in range(len(places)):
        inside[places[d]] = min(max(Z[places[d]], lower[d]), upper[d])
    absent, present = _answers(inside, weights, costs)
    better, worse = min(absent, present), max(absent, present)
    return better * (exp(A) * worse / (better + worse) - 1.0)


@compiled
def _answers(Z: Any, log_weight: Any, costs: Any) -> Any:
    """Return the risks of saying "absent" and "present"."""
    largest = 0.0  # of the terms of w, one of which is 1
    for place in range(len(Z)):
        largest = max(largest, Z[place] + log_weight[place])
    absent, present = exp(-largest), 0.0
    for place in range(len(Z)):
        present += exp(Z[place] + log_weight[place] - largest)
    return costs[0] * present / (absent + present), costs[1] * absent / (absent + present)
