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
"""

from __future__ import annotations

import math
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from popout.exact.axis import step_matrix
from popout.exact.backend import Array
from popout.exact.bellman import Bellman, ShareBellman
from popout.exact.boundary import Plane
from popout.exact.discretisation import Discretisation
from popout.exact.grid import Grid
from popout.policies.looking import AttentionTable
from popout.policies.stopping.exact_table import ExactTable

if TYPE_CHECKING:
    import xarray as xr

    from popout.exact.risk_spline import RiskSpline

TABLE_ENTRIES = 1 << 21  # a table is refined up to about this many entries
MOST_TIMES = 16  # finer than the grid that a table may become along each axis
REACH = 3.0  # standard deviations of one step by which `wider` goes on


class ValueGrid:
    """The value of waiting and of answering on a grid, and whatever is made of them.

    Parameters
    ----------
    discretisation : Discretisation
        The task, its costs, and the locations that can hold the target.
    bellman : Bellman
        The equation on the grid.
    after : array of the grid's shape, optional
        V one step later, with the sub-grid corrections of `kinks` at the nodes near a boundary.
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
        bellman: Bellman,
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
        from popout.exact.risk_spline import RiskSpline

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
        bellman = Bellman(finer, self.costs, self.bellman.dt)
        waiting = self.grid.resample(self.waiting, finer)
        return ValueGrid(self.discretisation, bellman, waiting=waiting)

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
        bellman = Bellman(wider, self.costs, self.bellman.dt)
        waiting = bellman.price + grid.apply(self.after, matrices, wider.sets)
        return ValueGrid(self.discretisation, bellman, waiting=waiting)

    def attention(self) -> AttentionTable:
        """Return where the optimum looks, as a table; of a task whose locations share information.

        Examples
        --------
        >>> import popout as po
        >>> task = po.LimitedSearchTask(n_locations=2, information=32.0)
        >>> table = po.solve(task, po.Costs(time=0.2)).value_grid.attention()
        >>> table.shares([[1.0, -1.0]], 0.1)
        array([[1., 0.]])
        """
        assert isinstance(self.bellman, ShareBellman)
        shares, grid = self.bellman.shares(self.after).T, self.bellman.grid
        return AttentionTable(
            np.stack([grid.dense_of(shares, k) for k in range(grid.n_locations)], -1),
            tuple(axis.lower for axis in self.axes.values()),
            tuple(axis.spacing for axis in self.axes.values()),
            self.locations,
            self.task.n_locations,
        )

    def plane(self, locations: tuple[int, int], others: float = -math.inf) -> Plane:
        """Return the plane of two locations; see `Plane.of`."""
        return Plane.of(self, locations, others)

    def table(self, entries: int = TABLE_ENTRIES) -> ExactTable:
        """Return the strategy that follows from it, refined up to about `entries` entries."""
        room = (entries / max(1, self.grid.dense_size())) ** (1.0 / self.grid.n_locations)
        finer = self.finer(max(1, min(MOST_TIMES, int(room))))
        return finer._tabled(finer.log_ratio, np.float32)

    def _tabled(self, values: NDArray[np.float64], dtype: type) -> ExactTable:
        """Return values at the stored nodes as a table of all nodes."""
        self.grid.check_dense()
        dense = self.grid.dense(self.grid.backend.asarray(values))
        weights = self.weights
        return ExactTable(
            np.ascontiguousarray(dense, dtype=dtype),
            self.grid.lowest,
            tuple(axis.spacing for axis in self.axes.values()),
            self.locations,
            tuple(
                math.log(weights[place]) if place in weights else -math.inf
                for place in range(self.task.n_locations)
            ),
            self.costs,
        )
