r"""Anderson acceleration of a fixed-point iteration.

Value iteration :math:`V \leftarrow F(V)` converges at the rate at which trials end, which for small
dt is slow. Anderson's method keeps the last few iterates and takes the combination whose linearised
residual :math:`F(V) - V` is smallest,

.. math:: V_{k+1} = F(V_k) - \sum_i \gamma_i\,\Delta F_i, \qquad
          \gamma = \arg\min \Bigl\| r_k - \sum_i \gamma_i\,\Delta r_i \Bigr\|_2 ,

which for a linear map is GMRES (Walker and Ni 2011). The fixed point is the same.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from popout.exact.backend import Array, Backend
from popout.progress import Progress


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
    >>> found = fixed_point(get_backend(), np.cos, np.array([1.0]), tolerance=1e-12)
    >>> found.value.round(6), found.converged
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
