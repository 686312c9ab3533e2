r"""Fixed points: Anderson's acceleration, and the stationary solution on one grid.

Value iteration :math:`V \leftarrow F(V)` converges at the rate at which trials end, which for small
dt is slow. Anderson's method keeps the last few iterates and takes the combination whose linearised
residual :math:`F(V) - V` is smallest,

.. math:: V_{k+1} = F(V_k) - \sum_i \gamma_i\,\Delta F_i, \qquad
          \gamma = \arg\min \Bigl\| r_k - \sum_i \gamma_i\,\Delta r_i \Bigr\|_2 ,

which for a linear map is GMRES (Walker and Ni 2011). The fixed point is the same.

**Sides.** Nodes that lie within rounding of the boundary could
change sides endlessly, each change moving the sub-grid correction by a little. When the iteration
stalls for that reason the sides are fixed and the equation, now smooth, is solved for them; the
sides are then set anew, until that changes the risk no more. This is policy iteration (Howard
1960) with the boundary still free to move within its cells.

**How accurate is accurate enough.** A residual of r at every node changes V(0) by at most r times
the expected number of steps of a target-absent trial, and waiting costs at least
:math:`C_0\,\delta t` a step, so that number is at most :math:`V(0)/(C_0\,\delta t)`. Hence

.. math:: |\Delta V(0)| \le r\, V(0) / (C_0\, \delta t).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from popout.exact.backend import Array, Backend
from popout.progress import Progress, stretch

if TYPE_CHECKING:
    from popout.exact.bellman import Bellman

MAX_ROUNDS = 12
PATIENCE = 15
LAST_ROUNDS = 0.9  # share of the work before the sides are set anew


@dataclass(frozen=True)
class FixedPoint:
    """Where an iteration stopped.

    Attributes
    ----------
    value : array
        ``F(V)`` of the last V.
    residual : float
        ``max |F(V) - V|``.
    iterations : int
        Evaluations of F.
    converged : bool
        Whether the residual fell below the tolerance.
    """

    value: Array
    residual: float
    iterations: int
    converged: bool


def fixed_point(
    backend: Backend,
    F: Callable[[Array], Array],
    start: Array,
    *,
    tolerance: float,
    memory: int = 8,
    max_iterations: int = 2000,
    patience: int | None = None,
    progress: Progress | None = None,
) -> FixedPoint:
    """Find V = F(V).

    Parameters
    ----------
    backend : Backend
    F : callable
        Maps an array to an array of the same shape.
    start : array
    tolerance : float
        Stop once ``max |F(V) - V|`` is at most this.
    memory : int
        Number of differences kept.
    max_iterations : int
    patience : int, optional
        Give up once this many iterations have not halved the residual.
    progress : callable, optional
        Told the iteration and the residual; the share is how far the residual has fallen, in
        powers of ten.

    Examples
    --------
    >>> from popout.exact.backend import get_backend
    >>> point = fixed_point(get_backend(), np.cos, np.array([1.0]), tolerance=1e-12)
    >>> point.value.round(6), point.converged
    (array([0.739085]), True)
    """
    xp = backend.xp
    V = start
    history = _History(backend, memory)
    last: tuple[Array, Array] | None = None
    residual = best = first = float("inf")
    stalled = 0
    share = 0.0
    for iteration in range(1, max_iterations + 1):
        image = F(V)
        r = image - V
        residual = float(xp.max(xp.abs(r)))
        first = residual if iteration == 1 else first
        if progress is not None:
            share = max(share, _share(first, residual, tolerance))
            progress(share, f"iteration {iteration}, residual {residual:.1e}")
        if residual <= tolerance or not np.isfinite(residual):
            return FixedPoint(image, residual, iteration, residual <= tolerance)
        stalled = stalled + 1 if residual > 0.5 * best else 0
        best = residual if stalled == 0 else best
        if patience is not None and stalled >= patience:
            return FixedPoint(image, residual, iteration, False)
        if last is not None and memory > 0:
            history.add(r - last[0], image - last[1])
        last = (r, image)
        V = image - history.combination(r) if history.used else image
    return FixedPoint(image, residual, max_iterations, False)


def _share(first: float, residual: float, tolerance: float) -> float:
    """Return how much of the way to the tolerance is behind, if the residual falls steadily."""
    if not 0.0 < tolerance < first or not np.isfinite(residual) or residual <= tolerance:
        return 1.0 if residual <= tolerance else 0.0
    return float(np.log(first / residual) / np.log(first / tolerance))


class _History:
    """The last few differences of the residual and of F, one in each row; their order is free."""

    def __init__(self, backend: Backend, memory: int) -> None:
        self._backend, self._memory, self._added = backend, memory, 0
        self._gram = np.empty((memory, memory))
        self._residuals: Array = None
        self._images: Array = None

    @property
    def used(self) -> int:
        """Number of differences."""
        return min(self._added, self._memory)

    def add(self, residual: Array, image: Array) -> None:
        """Take the place of the oldest."""
        xp, device = self._backend.xp, self._backend.device
        residual, image = xp.reshape(residual, (-1,)), xp.reshape(image, (-1,))
        if self._added == 0:
            shape = (self._memory, residual.shape[0])
            self._residuals, self._images = (
                xp.empty(shape, dtype=residual.dtype, device=device) for _ in range(2)
            )
        place = self._added % self._memory
        self._residuals[place, :], self._images[place, :] = residual, image
        self._added += 1
        n = self.used
        self._gram[place, :n] = self._gram[:n, place] = self._products(residual)

    def _products(self, residual: Array) -> Any:
        """Return the inner products of a residual with those of the history."""
        column = self._backend.xp.reshape(residual, (-1, 1))
        products = self._backend.matmul(self._residuals[: self.used, :], column)
        return self._backend.to_numpy(products)[:, 0]

    def combination(self, residual: Array) -> Array:
        """Return the differences of F whose combined residual is closest to the one given."""
        n, backend = self.used, self._backend
        gamma = np.linalg.lstsq(self._gram[:n, :n], self._products(residual), rcond=1e-12)[0]
        combined = backend.matmul(backend.asarray(gamma[None, :]), self._images[:n, :])
        return backend.xp.reshape(combined, residual.shape)


@dataclass(frozen=True)
class Stationary:
    """The fixed point of a Bellman equation on one grid.

    Attributes
    ----------
    V : array of the grid's shape
    origin : float
        V(0).
    uncertainty : float
        Bound on the relative error of V(0) from stopping the iteration.
    residual : float
        Largest change of V by one more step.
    iterations : int
        Steps of evidence computed.
    converged : bool
    """

    V: Array
    origin: float
    uncertainty: float
    residual: float
    iterations: int
    converged: bool


def stationary(
    bellman: Bellman,
    start: Array | None,
    accuracy: float,
    *,
    max_iterations: int = 4000,
    memory: int = 8,
    patience: tuple[int, int] = (PATIENCE, 10 * PATIENCE),
    max_rounds: int = MAX_ROUNDS,
    progress: Progress | None = None,
) -> Stationary:
    """Solve V = Bellman(V).

    Parameters
    ----------
    bellman : Bellman
    start : array of the grid's shape, optional
        Where to begin; the value of answering at once when left out.
    accuracy : float
        Wanted relative accuracy of V(0), of the iteration alone.
    max_iterations, memory : int
    patience : pair of int
        Steps without progress after which the iteration has stalled, at first and with fixed sides.
    max_rounds : int
        How often the sides may be set anew.
    progress : callable, optional
        Told the iteration and the residual, and the round where the sides are set anew.
    """
    per_residual = 1.0 / (bellman.costs.time_absent * bellman.dt)
    tolerance = accuracy / per_residual
    done = rounds = 0

    def run(F: Callable[[Array], Array], V: Array) -> FixedPoint:
        words = f"round {rounds}" if rounds else ""
        return fixed_point(
            bellman.backend,
            F,
            V,
            tolerance=tolerance,
            memory=memory,
            max_iterations=max(1, max_iterations - done),
            patience=patience[rounds > 0],
            progress=progress and stretch(progress, LAST_ROUNDS if rounds else 0.0, 1.0, words),
        )

    point = run(bellman, bellman.start() if start is None else start)
    done += point.iterations
    origin = bellman.origin(point.value)
    drift = 0.0
    settled = point.converged
    while not settled and done < max_iterations and rounds < max_rounds:
        rounds += 1
        point = run(bellman.with_sides_of(point.value), point.value)
        done += point.iterations
        before, origin = origin, bellman.origin(point.value)
        drift = abs(origin - before) / max(abs(origin), 1e-300)
        settled = point.converged and drift <= accuracy
    uncertainty = point.residual * per_residual + (0.0 if rounds == 0 else drift)
    return Stationary(point.value, origin, uncertainty, point.residual, done, settled)
