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
    history: list[tuple[Array, Array]] = []  # differences of r and of F(V), newest last
    gram = np.zeros((0, 0))
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
            history.append((r - last[0], image - last[1]))
            gram = _extended(xp, gram, [dr for dr, _ in history])
            if len(history) > memory:
                history.pop(0)
                gram = gram[1:, 1:]
        last = (r, image)
        V = image
        if history:
            right = np.array([_dot(xp, dr, r) for dr, _ in history])
            gamma = np.linalg.lstsq(gram, right, rcond=1e-12)[0]
            for weight, (_, d_image) in zip(gamma, history, strict=True):
                V = V - float(weight) * d_image
    return FixedPoint(image, residual, max_iterations, False)


def _share(first: float, residual: float, tolerance: float) -> float:
    """Return how much of the way to the tolerance is behind, if the residual falls steadily."""
    if not 0.0 < tolerance < first or not np.isfinite(residual) or residual <= tolerance:
        return 1.0 if residual <= tolerance else 0.0
    return float(np.log(first / residual) / np.log(first / tolerance))


def _dot(xp: Any, a: Array, b: Array) -> float:
    return float(xp.sum(a * b))


def _extended(xp: Any, gram: Any, differences: list[Array]) -> Any:
    """Add the inner products of the newest difference to the Gram matrix."""
    column = np.array([_dot(xp, d, differences[-1]) for d in differences])
    larger = np.empty((column.size, column.size))
    larger[:-1, :-1] = gram
    larger[-1, :] = larger[:, -1] = column
    return larger
