r"""The shares of a step: a lattice of those that are tried, and the best between its points.

Shares are multiples of 1/q: the :math:`\binom{q+M-1}{M-1}` ways to divide q equal parts among M
locations. Given V, the value of a share,

.. math:: f(\alpha) = E_0^\alpha\bigl[V(Z')\bigr]
          = \exp\Bigl(\Lambda\,\delta t \sum_l \alpha_l v_l\, 2(\partial_l^2 - \partial_l)\Bigr) V ,

is the flow of a heat equation and so analytic in :math:`\alpha`. Two things follow.

**Any share, from the lattice.** On the simplex the polynomial of degree q through the lattice has
the weights

.. math:: \ell_k(\alpha) = \prod_l \prod_{i < k_l} \frac{q \alpha_l - i}{i + 1} ,

which sum to one. The value of a policy's own shares is read off with them; the error falls
spectrally in q.

**The best share, from the lattice.** At the best point of the lattice f is a parabola in each
direction :math:`e_i - e_j`; its minimum lies below the best point by

.. math:: \frac{(f_+ - f_-)^2}{8\,(f_+ + f_- - 2 f_0)} .

The best direction is taken, so the error is of fourth order in 1/q for two locations. Solving with
q and with q/2 says how much is left.

**Exchangeable locations.** If V does not change when locations are permuted, the value of a
permuted share is the permuted value: of the :math:`\binom{q+M-1}{M-1}` shares only the partitions
of q are computed (at M = q = 4, 5 of 35).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from popout.noise.elementary import compiled

Array = NDArray[np.float64]
Classes = tuple[tuple[int, ...], ...]


def _compositions(total: int, parts: int) -> list[tuple[int, ...]]:
    """Return the ways to write a number as an ordered sum of a number of parts, zeros included."""
    if parts == 1:
        return [(total,)]
    return [
        (first, *rest)
        for first in range(total, -1, -1)
        for rest in _compositions(total - first, parts - 1)
    ]


@dataclass(frozen=True)
class ShareLattice:
    """Every share that is a multiple of 1/q.

    Attributes
    ----------
    q : int
    n_locations : int
    classes : tuple of tuple of int
        Locations that are exchangeable with each other.

    Examples
    --------
    >>> lattice = ShareLattice(2, 2, ((0, 1),))
    >>> lattice.points.tolist(), lattice.patterns
    ([[2, 0], [1, 1], [0, 2]], ((2, 0), (1, 1)))
    """

    q: int
    n_locations: int
    classes: Classes

    @cached_property
    def points(self) -> NDArray[np.int64]:
        """Parts of each location at every point of the lattice, shape (A, M)."""
        return np.array(_compositions(self.q, self.n_locations), dtype=np.int64)

    @cached_property
    def patterns(self) -> tuple[tuple[int, ...], ...]:
        """One point for each set of points that permutations of a class connect."""
        return tuple(dict.fromkeys(self._canonical(tuple(p)) for p in self.points.tolist()))

    @property
    def n_points(self) -> int:
        """Number of points A, without making them."""
        return math.comb(self.q + self.n_locations - 1, self.n_locations - 1)

    @property
    def rates(self) -> NDArray[np.float64]:
        """What each location gets under every pattern, shape (patterns, M)."""
        return np.array(self.patterns) / self.q

    def _canonical(self, point: tuple[int, ...]) -> tuple[int, ...]:
        canonical = list(point)
        for members in self.classes:
            ordered = sorted((point[k] for k in members), reverse=True)
            for k, value in zip(members, ordered, strict=True):
                canonical[k] = value
        return tuple(canonical)

    def origin(self, point: tuple[int, ...]) -> tuple[int, tuple[int, ...]]:
        """Return the number of a point's pattern, and which location of it each one plays."""
        pattern = self._canonical(point)
        plays = list(range(self.n_locations))
        for members in self.classes:
            order = sorted(members, key=lambda k: -point[k])  # stable: ties keep their order
            for place, k in zip(members, order, strict=True):
                plays[k] = place
        return self.patterns.index(pattern), tuple(plays)

    @cached_property
    def neighbours(self) -> NDArray[np.int64]:
        """For each point and pair i < j the points one part further from j to i, and back.

        Shape (A, pairs, 2); -1 where either would leave the simplex.
        """
        number = {tuple(p): k for k, p in enumerate(self.points.tolist())}
        pairs = [(i, j) for i in range(self.n_locations) for j in range(i + 1, self.n_locations)]
        table = np.full((len(self.points), len(pairs), 2), -1, dtype=np.int64)
        for k, point in enumerate(self.points.tolist()):
            for p, (i, j) in enumerate(pairs):
                if point[i] and point[j]:
                    for side, step in enumerate((1, -1)):
                        moved = list(point)
                        moved[i] += step
                        moved[j] -= step
                        table[k, p, side] = number[tuple(moved)]
        return table

    def weights(self, shares: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the weight of every point for given shares.

        Parameters
        ----------
        shares : ndarray of shape (N, M)

        Returns
        -------
        weights : ndarray of shape (A, N)

        Examples
        --------
        >>> lattice = ShareLattice(2, 2, ((0, 1),))
        >>> lattice.weights(np.array([[0.5, 0.5], [0.75, 0.25]])).T
        array([[ 0.   ,  1.   ,  0.   ],
               [ 0.375,  0.75 , -0.125]])
        """
        scaled = self.q * shares.T
        # factor[k][l] is the product over i < k of (q alpha_l - i) / (i + 1)
        factor = [np.ones_like(scaled)]
        for i in range(self.q):
            factor.append(factor[-1] * (scaled - i) / (i + 1))
        weights = np.ones((len(self.points), shares.shape[0]))
        for k, point in enumerate(self.points.tolist()):
            for place, parts in enumerate(point):
                weights[k] *= factor[parts][place]
        return weights

    def shares_between(
        self, best: NDArray[np.int64], pair: NDArray[np.int64], move: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Return shares of shape (N, M) for what `best_share` found."""
        shares = self.points[best].astype(np.float64)
        pairs = [(i, j) for i in range(self.n_locations) for j in range(i + 1, self.n_locations)]
        for p, (i, j) in enumerate(pairs):
            chosen = pair == p
            shares[chosen, i] += move[chosen]
            shares[chosen, j] -= move[chosen]
        return shares / self.q


@dataclass(frozen=True)
class GazeRows:
    """The gazes of a task as a lattice whose points are all there is: nothing lies between them.

    Attributes
    ----------
    rows : tuple of tuple of float, shape (G, M)
        What each location gets, as a part of its best rate.
    classes : tuple of tuple of int
        One for each location: gaze tells them apart.
    """

    rows: tuple[tuple[float, ...], ...]
    classes: Classes
    q: ClassVar[int] = 1

    @property
    def n_points(self) -> int:
        """Number of gazes G."""
        return len(self.rows)

    @property
    def points(self) -> NDArray[np.float64]:
        """The rows, shape (G, M)."""
        return np.array(self.rows)

    rates = points

    def origin(self, point: tuple[float, ...]) -> tuple[int, tuple[int, ...]]:
        """Return the number of a gaze; every location plays itself."""
        return self.rows.index(point), tuple(range(len(point)))


@compiled
def best_share(f: Any, neighbours: Any, out: Any, best: Any, pair: Any, move: Any) -> None:
    """Minimise over the lattice, and between its points by parabolas.

    Parameters
    ----------
    f : ndarray of shape (A, N)
        Value of every share at every state.
    neighbours : ndarray of shape (A, pairs, 2)
    out : ndarray of shape (N,)
        Receives the minimum.
    best, pair : ndarray of int, shape (N,)
        Receive the best point, and the direction of the minimum beside it; -1 for none.
    move : ndarray of shape (N,)
        Receives how far it lies from the point, in parts.
    """
    for s in range(f.shape[1]):
        k = 0
        low = f[0, s]
        for a in range(1, f.shape[0]):
            if f[a, s] < low:
                k, low = a, f[a, s]
        which, shift = -1, 0.0
        # Every parabola is tried, not only those at the best point: which point is best may
        # change from one iteration to the next, and the minimum must not jump when it does.
        for a in range(f.shape[0]):
            for p in range(neighbours.shape[1]):
                if neighbours[a, p, 0] < 0:
                    continue
                plus, minus = f[neighbours[a, p, 0], s], f[neighbours[a, p, 1], s]
                curvature = plus + minus - 2.0 * f[a, s]
                if curvature > 0.0 and abs(plus - minus) < 2.0 * curvature:
                    vertex = f[a, s] - (plus - minus) ** 2 / (8.0 * curvature)
                    if vertex < low:
                        k, low, which = a, vertex, p
                        shift = 0.5 * (minus - plus) / curvature
        out[s], best[s], pair[s], move[s] = low, k, which, shift
