"""Tables of exact solutions: multilinear between their nodes, constant beyond the outer ones."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from popout.drawing.representation import Card, count


def multilinear(
    table: NDArray[Any], lower: ArrayLike, spacing: ArrayLike, Z: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return what a table holds at any states.

    Parameters
    ----------
    table : ndarray, shape (n_1, ..., n_m, ...)
        One dimension for each coordinate; those that follow are carried along.
    lower, spacing : array_like, shape (m,)
        First node and distance between nodes of each dimension.
    Z : ndarray, shape (..., m)

    Examples
    --------
    >>> multilinear(np.array([0.0, 1.0, 4.0]), [0.0], [0.5], np.array([[0.25], [0.75], [9.0]]))
    array([0.5, 2.5, 4. ])
    """
    m = Z.shape[-1]
    nodes, rest = np.asarray(table.shape[:m]), table.shape[m:]
    position = np.clip((Z - np.asarray(lower)) / np.asarray(spacing), 0.0, nodes - 1.0)
    base = np.minimum(position.astype(np.int64), np.maximum(nodes - 2, 0))
    part = position - base
    strides = np.append(np.cumprod(nodes[:0:-1])[::-1], 1)
    flat, first = table.reshape(-1, *rest), (base * strides).sum(axis=-1)
    total = np.zeros((*first.shape, *rest))
    for corner in product((0, 1), repeat=m):
        weight = np.where(np.asarray(corner) == 1, part, 1.0 - part).prod(axis=-1)
        # Above a single node there is none, and its weight is zero.
        at = np.minimum(first + int(np.dot(corner, strides)), len(flat) - 1)
        total += weight.reshape(first.shape + (1,) * len(rest)) * flat[at]
    return total


class Tabulated:
    """What policies that are read off a table have in common.

    Attributes
    ----------
    table : ndarray, one dimension per location of `locations`, and more
    lower, spacing : tuple of float
        First node and distance between nodes of each dimension.
    locations : tuple of int
        The locations that can hold the target, 0-based.
    """

    table: NDArray[Any]
    lower: tuple[float, ...]
    spacing: tuple[float, ...]
    locations: tuple[int, ...]
    label: str
    n_locations: Any

    @property
    def _nodes(self) -> str:
        return " x ".join(str(n) for n in self.table.shape[: len(self.locations)])

    def __repr__(self) -> str:
        """Return one line; the table would fill pages."""
        places = count(self.n_locations, "location")
        return f"{type(self).__name__}({self.label}, {places}, {self._nodes} nodes)"

    def card(self) -> Card:
        """Return what is shown of it."""
        return Card(
            f"{self.label}: table of the exact solution",
            [("locations", str(self.n_locations)), ("nodes", self._nodes)],
        )

    def read(self, Z: ArrayLike) -> NDArray[np.float64]:
        """Return what the table holds at states of shape (..., M)."""
        at = np.asarray(Z, dtype=np.float64)[..., list(self.locations)]
        return multilinear(self.table, self.lower, self.spacing, at)
