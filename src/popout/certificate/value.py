r"""Value functions: one learned by least squares, and the exact one where it has a table.

**Learned.** The cost of waiting, :math:`q(Z)`: one step of time and then the cost to go, is smooth
in the evidence (the better answer's cost is not, where the answers change places). It is
approximated by splines in two statistics and polynomials in others,

.. math::

   \hat q = \sum_{ab} B_a(S_1)\,B_b(S_+ - S_-) \sum_{|m| \le 2} \theta_{abm}\, u^m,

cubic B-splines *B* on an even mesh of the log odds and of the difference of a-SPRT's two
statistics; *u* are further statistics, standardised and cut off at three standard deviations. The
advantage of waiting is :math:`A = g - \hat q`. Where fewer than ten training states fell into
a cell of the mesh and two on each side, *A* is zero: regressions that extrapolate ruin a bound.

The normal equations are banded; a small penalty on second differences along the mesh, and on the
coefficients of powers, fills in what data leave open. Where states scatter over more dimensions
than the mesh has, both are a thousand times *stiffer*: rare paths through cells that few trials met
make most of a loose bound.

By hand: the same with `scipy.interpolate.NdBSpline.design_matrix` took nine times as long to
evaluate and thirteen times to fit (20,000 states, 32 by 12 splines).

**Exact.** `popout.policies.stopping.ExactTable` holds :math:`A = \log (Q / G)`, the logarithm of
the value of waiting over that of answering, at nodes of Z. Between the nodes cubic B-splines
interpolate; below the lowest node a location is ruled out, above the highest one answers:
:math:`v = g \min(1, e^A)`. What separates the two bounds is then the error of the table and of its
interpolation.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.ndimage import convolve
from scipy.sparse.linalg import spsolve

from popout.certificate.problem import Array, Prices
from popout.certificate.statistics import LogSumExps, statistics_for
from popout.noise.elementary import compiled
from popout.policies.stopping.exact_table import ExactTable
from popout.policies.stopping.table_spline import TableSpline, cubic_splines

TAIL = 2e-3
"""Share of states beyond either end of the mesh of the log odds."""
FEWEST_STATES = 10
"""Training states in a cell and the two cells on each side, below which waiting is not trusted."""
SMOOTHNESS, RIDGE = 1e-5, 1e-6
CUT = 3.0


@dataclass(frozen=True, eq=False)
class TableValue:
    """A table of the exact solution as a `popout.certificate.problem.Value`."""

    statistics: LogSumExps
    prices: Prices
    spline: TableSpline

    def advantage(self, S: Array) -> Array:
        """Return the advantage of waiting, shape (n,)."""
        A = self.spline(S[len(self.statistics.scale) :])
        return np.asarray(-self.prices.stop(S[0]) * np.expm1(np.minimum(A, 50.0)))


def table_value(table: ExactTable, prices: Prices, sd: Array) -> TableValue:
    """Return the value function of an exact table.

    Parameters
    ----------
    table : ExactTable
        ``solution.strategy`` of `popout.solve`.
    prices : Prices
    sd : ndarray of shape (M,)
        Standard deviation of a step at the locations of the table.
    """
    log_weight = np.asarray(table.log_weight)[list(table.locations)]
    rows = statistics_for(log_weight, sd, None)
    keep = slice(0, 3)  # the log odds, and what serves as control variates
    statistics = LogSumExps(rows.slope[keep], rows.shift[keep], rows.scale[keep], True)
    return TableValue(statistics, prices, TableSpline.of(table))


@dataclass(frozen=True, eq=False)
class Mesh:
    """Where the splines are.

    Parameters
    ----------
    coordinates : ndarray of shape (2 + E, J)
        Rows of weights that turn statistics into the two coordinates of the mesh and E others.
    origin, per_unit : ndarray of shape (2 + E,)
        A coordinate c becomes ``(c - origin) * per_unit``: cells of the mesh, standard deviations
        of the others.
    shape : pair of int
        Splines along each coordinate.
    powers : ndarray of int, shape (Q, E)
        Exponents of each monomial.
    """

    coordinates: Array
    origin: Array
    per_unit: Array
    shape: tuple[int, int]
    powers: NDArray[np.int64]

    @classmethod
    def around(
        cls,
        S: Array,
        coordinates: Array,
        shape: tuple[int, int],
        degree: int,
        prices: Prices | None = None,
    ) -> Mesh:
        """Return a mesh that covers the statistics S of shape (J, n).

        With prices, states are left out in which not even one more step could pay.
        """
        if prices is not None:
            S = S[:, prices.stop(S[0]) > prices.wait(S[0])]
        c = coordinates @ S
        lower = np.array([np.quantile(c[0], TAIL), c[1].min() - 1e-3])
        upper = np.array([np.quantile(c[0], 1.0 - TAIL), c[1].max() + 1e-3])
        cells = np.array(shape) - 3.0
        E = len(c) - 2
        powers = [m for m in product(range(degree + 1), repeat=E) if sum(m) <= degree]
        return cls(
            coordinates,
            np.concatenate([lower, c[2:].mean(axis=1)]),
            np.concatenate(
                [cells / np.maximum(upper - lower, 1e-6), 1.0 / (c[2:].std(axis=1) + 1e-9)]
            ),
            shape,
            np.array(powers, dtype=np.int64).reshape(len(powers), E),
        )

    @property
    def arrays(self) -> tuple[Any, Any, Any, Any, Any, Any]:
        """What the compiled functions read."""
        return (self.coordinates, self.origin, self.per_unit, *self.shape, self.powers)


@dataclass(frozen=True, eq=False)
class MeshValue:
    """A fitted value function, see `popout.certificate.problem.Value`."""

    statistics: Any
    prices: Prices
    mesh: Mesh
    coefficients: Array
    trusted: NDArray[np.bool_]

    def waiting(self, S: Array) -> Array:
        """Return the fitted cost of waiting, shape (n,); NaN where training has not been."""
        q = np.empty(S.shape[1])
        _evaluate(S, self.mesh.arrays, self.coefficients, self.trusted, q)
        return q

    def advantage(self, S: Array) -> Array:
        """Return the advantage of waiting, shape (n,)."""
        q = self.waiting(S)
        # Waiting costs a step of time at least; where it seemed cheaper the fit would be amplified
        # by the change of measure, which counts states by their posterior odds.
        q = np.maximum(q, self.prices.wait(S[0]))
        return np.where(np.isnan(q), 0.0, self.prices.stop(S[0]) - q)


def fit_mesh(
    mesh: Mesh,
    statistics: Any,
    prices: Prices,
    data: Sequence[tuple[Array, Array]],
    stiffness: float = 1.0,
) -> MeshValue:
    """Fit the cost of waiting by least squares.

    Parameters
    ----------
    mesh : Mesh
    statistics : object
    prices : Prices
    data : sequence of (ndarray of shape (J, n), ndarray of shape (n,))
        Statistics and observed costs of waiting, in parts.
    stiffness : float
        Factor of the penalties.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> S = rng.normal(size=(2, 20_000))
    >>> mesh = Mesh.around(S, np.eye(2), (8, 8), degree=2)
    >>> value = fit_mesh(mesh, None, Prices(1.0, 1.0, 0.0, 0.0), [(S, 0.1 + 0.01 * S[0] * S[1])])
    >>> error = value.advantage(S) - (value.prices.stop(S[0]) - 0.1 - 0.01 * S[0] * S[1])
    >>> bool(np.quantile(np.abs(error), 0.9) < 1e-4)
    True
    """
    n0, n1 = mesh.shape
    N, Q = n0 * n1, len(mesh.powers)
    bands = np.zeros((N, Q, 4, 7, Q))
    right = np.zeros((N, Q))
    count = np.zeros(N, np.int64)
    for S, q in data:
        _accumulate(S, q, mesh.arrays, bands, right, count)
    theta = spsolve(_normal_matrix(bands, mesh.shape, count.sum() / N, stiffness), right.ravel())
    around = convolve(count.reshape(n0, n1), np.ones((5, 5), np.int64), mode="constant")
    trusted = np.ascontiguousarray(around >= FEWEST_STATES).ravel()
    return MeshValue(statistics, prices, mesh, theta.reshape(N, Q), trusted)


def _normal_matrix(
    bands: Array, shape: tuple[int, int], states_per_node: float, stiffness: float
) -> sp.csc_matrix:
    n0, n1 = shape
    N, Q = bands.shape[:2]
    node = np.arange(N)
    a, b = np.divmod(node, n1)
    entries = []
    for da, db in product(range(4), range(-3, 4)):
        inside = (a + da < n0) & (b + db >= 0) & (b + db < n1) & ((da > 0) | (db >= 0))
        source = node[inside]
        block = bands[source, :, da, db + 3, :]
        place, i, j = np.nonzero(block)
        first, second = source[place] * Q + i, (source[place] + da * n1 + db) * Q + j
        for pair in ((first, second), (second, first))[: 1 if (da, db) == (0, 0) else 2]:
            entries.append((*pair, block[place, i, j]))
    rows, columns, values = (np.concatenate(part) for part in zip(*entries, strict=True))
    A = sp.csc_matrix((values, (rows, columns)), shape=(N * Q, N * Q))
    D0, D1 = (sp.diags([1.0, -2.0, 1.0], [0, 1, 2], shape=(n - 2, n)) for n in shape)
    rough = sp.kron(D0.T @ D0, sp.eye(n1)) + sp.kron(sp.eye(n0), D1.T @ D1)
    shrunk = np.full(Q, stiffness * RIDGE)
    shrunk[0] = RIDGE  # the level itself: towards zero it would only be wrong
    penalty = sp.kron(stiffness * SMOOTHNESS * rough, sp.eye(Q))
    penalty += sp.kron(sp.eye(N), sp.diags(shrunk))
    return sp.csc_matrix(A + states_per_node * penalty)


@compiled
def _locate(S: Any, i: int, mesh: Any, b0: Any, b1: Any, u: Any, monomials: Any) -> int:
    """Return the cell of a state, -1 outside, and write its splines and monomials."""
    T, origin, per_unit, n0, n1, powers = mesh
    first, second = 0, 0
    for c in range(T.shape[0]):
        x = 0.0
        for j in range(T.shape[1]):
            x += T[c, j] * S[j, i]
        x = (x - origin[c]) * per_unit[c]
        if c == 0:
            if not (x >= 0.0 and x < n0 - 3):
                return -1
            first = int(x)
            cubic_splines(x - first, b0)
        elif c == 1:
            if not (x >= 0.0 and x < n1 - 3):
                return -1
            second = int(x)
            cubic_splines(x - second, b1)
        else:
            u[c - 2] = min(CUT, max(-CUT, x))
    for m in range(powers.shape[0]):
        monomials[m] = 1.0
        for c in range(powers.shape[1]):
            for _ in range(powers[m, c]):
                monomials[m] *= u[c]
    cell: int = first * n1 + second
    return cell


@compiled
def _evaluate(S: Any, mesh: Any, theta: Any, trusted: Any, out: Any) -> None:
    """Write the cost of waiting of each state, NaN where it is not known."""
    T, _, _, _, n1, powers = mesh
    b0, b1 = np.empty(4), np.empty(4)
    u, monomials = np.empty(max(1, T.shape[0] - 2)), np.empty(powers.shape[0])
    for i in range(S.shape[1]):
        cell = _locate(S, i, mesh, b0, b1, u, monomials)
        out[i] = np.nan
        if cell < 0 or not trusted[cell]:
            continue
        total = 0.0
        for a in range(4):
            for b in range(4):
                row = theta[cell + a * n1 + b]
                inner = 0.0
                for m in range(len(monomials)):
                    inner += monomials[m] * row[m]
                total += b0[a] * b1[b] * inner
        out[i] = total


@compiled
def _accumulate(S: Any, q: Any, mesh: Any, bands: Any, right: Any, count: Any) -> None:
    """Add states to the normal equations; of two different nodes only one order is stored."""
    T, _, _, _, n1, powers = mesh
    b0, b1 = np.empty(4), np.empty(4)
    u, monomials = np.empty(max(1, T.shape[0] - 2)), np.empty(powers.shape[0])
    Q = len(monomials)
    for i in range(S.shape[1]):
        cell = _locate(S, i, mesh, b0, b1, u, monomials)
        if cell < 0:
            continue
        count[cell] += 1
        for a in range(4):
            for b in range(4):
                node = cell + a * n1 + b
                for m in range(Q):
                    x = b0[a] * b1[b] * monomials[m]
                    right[node, m] += x * q[i]
                    for a2 in range(a, 4):
                        for b2 in range(b if a2 == a else 0, 4):
                            y = x * b0[a2] * b1[b2]
                            row = bands[node, m, a2 - a, b2 - b + 3]
                            for m2 in range(Q):
                                row[m2] += y * monomials[m2]
