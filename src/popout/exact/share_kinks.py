r"""Sub-grid boundaries for steps that are wide along some axes and narrow along others.

The correction is that of `kinks`: along each axis the trapezoid rule errs, in a cell that a
boundary crosses, by Bernoulli polynomials times the jumps of V and its derivatives, and adding the
opposite to V at the four nearest nodes removes the error up to fifth order. What differs is how the
jump is divided among the axes. With shares of information :math:`\alpha_l` the step has the
standard deviation :math:`\sigma_l \propto \sqrt{\alpha_l}` along axis l; in the coordinates
:math:`Z_l / \sigma_l` it is isotropic, and there the direction cosines of the boundary's normal are

.. math:: \chi_l = \frac{(\sigma_l\, \partial_l \psi)^2}{\sum_k (\sigma_k\, \partial_k \psi)^2} .

A location without a share is not integrated over and takes no part; if one location has all, the
correction along its axis is complete, however the boundary lies. What remains is a step narrower
than a cell across a boundary at right angles to it; the grid is kept fine enough for the smallest
share (`discretisation`).

The same cells serve every share, so they are found once for each V.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from popout.exact.kinks import NEWTON, corrections, root
from popout.noise.elementary import compiled

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Cells:
    """The cells that a boundary crosses, along every axis.

    Attributes
    ----------
    flat, axis : ndarray of int64, shape (N,)
        Lower end of the cell, as a flat index, and the axis it lies along.
    root : ndarray of shape (N,)
        Where in the cell the boundary is, from 0 to 1.
    jump : ndarray of shape (N, 4)
        V above minus V below the boundary, both continued, at the nodes -1, 0, 1, 2 of the cell.
    steep : ndarray of shape (N, 4, M)
        Squared difference of the level along each axis at these nodes.
    shape : ndarray of int64, shape (M,)
    """

    flat: NDArray[np.int64]
    axis: NDArray[np.int64]
    root: Array
    jump: Array
    steep: Array
    shape: NDArray[np.int64]

    def correct(self, V: Array, widths: Array) -> None:
        """Add to V, in place, what a step of these widths needs.

        Parameters
        ----------
        V : ndarray of the grid's shape
        widths : ndarray of shape (M,)
            Standard deviation of the step along each axis, in nodes; zero where there is no step.
        """
        if len(self.flat):
            _scatter(
                V.reshape(-1), self.flat, self.axis, self.root, self.jump, self.steep,
                np.asarray(widths) ** 2, self.shape,
            )  # fmt: skip

    def where(self, keep: NDArray[np.bool_]) -> Cells:
        """Return those cells of which both ends are kept."""
        stride = np.append(np.cumprod(self.shape[:0:-1])[::-1], 1)
        kept = keep.reshape(-1)
        chosen = kept[self.flat] & kept[self.flat + stride[self.axis]]
        flat, axis, roots = self.flat[chosen], self.axis[chosen], self.root[chosen]
        return Cells(flat, axis, roots, self.jump[chosen], self.steep[chosen], self.shape)


def find_cells(
    level: Array,
    D: Array,
    *,
    inside: NDArray[np.bool_] | None = None,
    keep: NDArray[np.bool_] | None = None,
    aligned: bool = False,
) -> Cells:
    """Find the cells that a boundary crosses.

    Parameters
    ----------
    level : ndarray of the grid's shape
        Negative inside; the boundary is its zero.
    D : ndarray of the grid's shape
        V inside minus V outside, both continued smoothly.
    inside : bool ndarray, optional
        On which side each node is counted, where that is not the sign of `level`.
    keep : bool ndarray, optional
        Only cells with both ends kept count.
    aligned : bool
        The boundary consists of faces across the axes: D is not divided.
    """
    inside = level < 0 if inside is None else inside
    return _cells(level, D, inside, *_crossed(inside, keep), aligned)


def find_turns(
    seen: NDArray[np.int64], likings: list[Array], values: list[Array], keep: NDArray[np.bool_]
) -> list[Cells]:
    """Find the cells in which an observer turns from one look to another.

    Parameters
    ----------
    seen : int ndarray of the grid's shape
        The look that is taken.
    likings, values : list of ndarray of the grid's shape
        For each look, a function that is largest where it is taken, and V there.
    keep : bool ndarray
        Only cells with both ends kept count.
    """
    shape = np.array(seen.shape, dtype=np.int64)
    stride = np.append(np.cumprod(shape[:0:-1])[::-1], 1)
    flat, axis = _crossed(seen, keep)
    ends = seen.reshape(-1)[flat], seen.reshape(-1)[flat + stride[axis]]
    pair = np.minimum(*ends) * len(values) + np.maximum(*ends)
    turns = []
    for number in np.flatnonzero(np.bincount(pair)).tolist():
        i, j = divmod(number, len(values))
        chosen = pair == number
        level, jump = likings[j] - likings[i], values[i] - values[j]
        turns.append(_cells(level, jump, seen == i, flat[chosen], axis[chosen]))
    return turns


def _cells(
    level: Array,
    D: Array,
    inside: NDArray[np.bool_],
    flat: NDArray[np.int64],
    axis: NDArray[np.int64],
    aligned: bool = False,
) -> Cells:
    """Describe the boundary in cells that it crosses."""
    N, shape = len(flat), np.array(level.shape, dtype=np.int64)
    roots, jump, steep = np.empty(N), np.empty((N, 4)), np.empty((N, 4, len(shape)))
    _describe(
        level.reshape(-1), D.reshape(-1), inside.reshape(-1), flat, axis, shape,
        aligned, roots, jump, steep,
    )  # fmt: skip
    return Cells(flat, axis, roots, jump, steep, shape)


def _crossed(
    inside: NDArray[Any], keep: NDArray[np.bool_] | None
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return lower end and axis of the cells whose ends lie on different sides."""
    nodes = np.arange(inside.size).reshape(inside.shape)
    crossed = []
    for axis in range(inside.ndim):
        below = tuple(slice(0, -1) if k == axis else slice(None) for k in range(inside.ndim))
        above = tuple(slice(1, None) if k == axis else slice(None) for k in range(inside.ndim))
        differs = inside[below] != inside[above]
        if keep is not None:
            differs &= keep[below] & keep[above]
        crossed.append(nodes[below][differs])
    axes = np.repeat(np.arange(inside.ndim), [len(cells) for cells in crossed])
    return np.concatenate(crossed), axes


@compiled
def _describe(
    level: Any, D: Any, inside: Any, flat: Any, axis: Any, shape: Any,
    aligned: bool, roots: Any, jump: Any, steep: Any,
) -> None:  # fmt: skip
    """Fill in the fields of `Cells`."""
    M = len(shape)
    strides = np.ones(M, np.int64)
    for a in range(M - 2, -1, -1):
        strides[a] = strides[a + 1] * shape[a + 1]
    L = np.empty(4)
    for c in range(len(flat)):
        f, a = flat[c], axis[c]
        place = f // strides[a] % shape[a]
        sign = -1.0 if inside[f] else 1.0
        for p in range(4):
            at = min(max(place + p - 1, 0), shape[a] - 1)
            node = f + (at - place) * strides[a]
            L[p] = level[node]
            jump[c, p] = sign * D[node]
            for b in range(M):
                if aligned:
                    steep[c, p, b] = 1.0 if a == b else 0.0
                    continue
                at_b = node // strides[b] % shape[b]
                up = node + (strides[b] if at_b < shape[b] - 1 else 0)
                down = node - (strides[b] if at_b > 0 else 0)
                steep[c, p, b] = (level[up] - level[down]) ** 2
        roots[c] = root(L, 0 if aligned else NEWTON)


@compiled
def _scatter(
    V: Any, flat: Any, axis: Any, roots: Any, jump: Any, steep: Any, squares: Any, shape: Any
) -> None:
    """Add the corrections of all cells to V."""
    M = len(shape)
    strides = np.ones(M, np.int64)
    for a in range(M - 2, -1, -1):
        strides[a] = strides[a + 1] * shape[a + 1]
    axes = 0
    for a in range(M):
        axes += squares[a] > 0.0
    f = np.empty(4)
    for c in range(len(flat)):
        a = axis[c]
        if squares[a] == 0.0:
            continue
        for p in range(4):
            f[p] = jump[c, p]
            if axes > 1:
                total = 0.0
                for b in range(M):
                    total += squares[b] * steep[c, p, b]
                f[p] *= squares[a] * steep[c, p, a] / total if total > 0.0 else 0.0
        below, lower, upper, above = corrections(f, roots[c])
        place = flat[c] // strides[a] % shape[a]
        node, step = flat[c], strides[a]
        if place > 0:
            V[node - step] += below
        V[node] += lower
        V[node + step] += upper
        if place + 2 < shape[a]:
            V[node + 2 * step] += above
