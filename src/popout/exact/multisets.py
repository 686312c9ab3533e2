r"""Exchangeable locations: store a symmetric tensor once per multiset of nodes.

If m locations share drift and prior, the value function does not change when their log likelihood
ratios are permuted. Of the :math:`n^m` nodes only the :math:`S_m = \binom{n+m-1}{m}` sorted ones
are kept: at m = 5 and n = 24 that is 80 times fewer, at m = 8 over 10,000 times.

**Order.** Multisets :math:`s_1 \le \dots \le s_k` are numbered in colexicographic order,
:math:`\mathrm{rank}(s) = \sum_{j=1}^{k} \binom{s_j + j - 1}{j}`. The rank does not depend on n, and
the multisets with largest element at most i come first: a prefix of length :math:`\binom{i+k}{k}`.

**Acting on all m axes.** A matrix K acts on one axis after the other. After k of the m axes the
tensor is symmetric in the k finished axes and in the m - k waiting ones, so it is stored with
:math:`S_{m-k} \times S_k` entries. One stage takes a waiting axis out (a gather), multiplies by K
(one matrix product), and merges it into the finished ones (a copy of prefixes, since it suffices
to keep the entries whose new element is the largest). The largest intermediate has about
:math:`n^m / (k!\,(m-k-1)!)` entries; it is made in blocks, so memory stays bounded.
"""

from __future__ import annotations

from functools import cached_property
from math import comb
from typing import Any

import numpy as np
from numpy.typing import NDArray

from popout.exact.backend import Array, Backend

Index = NDArray[np.int64]


class Multisets:
    """The multisets of at most `m` out of `n` nodes, in colexicographic order.

    Parameters
    ----------
    n : int
        Number of nodes.
    m : int
        Number of exchangeable locations.

    Examples
    --------
    >>> Multisets(3, 2).members(2).tolist()
    [[0, 0], [0, 1], [1, 1], [0, 2], [1, 2], [2, 2]]
    """

    def __init__(self, n: int, m: int) -> None:
        self.n = n
        self.m = m

    @cached_property
    def _binomial(self) -> Index:
        """Entry [j][x] is C(x + j, j + 1), what element x contributes to the rank from slot j."""
        rows = [[comb(x + j, j + 1) for x in range(self.n + 1)] for j in range(self.m + 1)]
        return np.array(rows, dtype=np.int64)

    def size(self, k: int | None = None) -> int:
        """Return S_k, the number of multisets of `k` nodes (of all m by default)."""
        k = self.m if k is None else k
        return comb(self.n + k - 1, k)

    def prefix(self, k: int, largest: int) -> int:
        """Return how many multisets of `k` nodes have no element above `largest`."""
        return comb(largest + k, k)

    @cached_property
    def _members(self) -> list[Index]:
        levels: list[Index] = [np.zeros((1, 0), dtype=np.int64)]
        for k in range(1, self.m + 1):
            before = levels[-1]
            counts = [self.prefix(k - 1, i) for i in range(self.n)]
            heads = np.concatenate([before[:count] for count in counts])
            largest = np.repeat(np.arange(self.n), counts)[:, None]
            levels.append(np.hstack([heads, largest]))
        return levels

    def members(self, k: int) -> Index:
        """Return the multisets of `k` nodes, each sorted, shape (S_k, k)."""
        return self._members[k]

    def rank(self, multisets: Index) -> Index:
        """Return the number of each sorted multiset, for an array of shape (..., k)."""
        slots = range(multisets.shape[-1])
        parts = [self._binomial[j][multisets[..., j]] for j in slots]
        return np.asarray(sum(parts, np.zeros(multisets.shape[:-1], dtype=np.int64)))

    def insert(self, k: int) -> Index:
        """Return the rank of ``s + {i}`` for each node i and multiset s, shape (n, S_{k-1})."""
        before = self.members(k - 1)
        ranks = np.empty((self.n, before.shape[0]), dtype=np.int64)
        # An element keeps its slot if the new one sorts after it, else moves up by one slot.
        columns = [before[:, j] for j in range(k - 1)]
        stays = [self._binomial[j][column] for j, column in enumerate(columns)]
        moves = [self._binomial[j + 1][column] for j, column in enumerate(columns)]
        for i in range(self.n):
            slot = np.zeros(before.shape[0], dtype=np.int64)
            rank = np.zeros(before.shape[0], dtype=np.int64)
            for column, stay, move in zip(columns, stays, moves, strict=True):
                below = column <= i
                slot += below
                rank += np.where(below, stay, move)
            ranks[i] = rank + self._binomial[slot, i]
        return ranks

    def shift(self, by: int) -> tuple[Index, Index]:
        """Return where the element in each slot ends up when it moves by some nodes.

        Returns
        -------
        node : ndarray of shape (m * S,)
            Rank after the move, entry ``slot * S + rank``; moves past an end stop there.
        flat : ndarray of shape (m * S,)
            ``slot' * S + rank'`` of the moved element itself, or ``m * S`` if it left the axis.
        """
        full = self.members(self.m)
        S = self.size()
        node = np.empty((self.m, S), dtype=np.int64)
        flat = np.empty((self.m, S), dtype=np.int64)
        for slot in range(self.m):
            target = full[:, slot] + by
            moved = full.copy()
            moved[:, slot] = np.clip(target, 0, self.n - 1)
            new_slot = (np.delete(full, slot, axis=1) < moved[:, slot, None]).sum(axis=1)
            moved.sort(axis=1)
            node[slot] = self.rank(moved)
            left = (target < 0) | (target >= self.n)
            flat[slot] = np.where(left, self.m * S, new_slot * S + node[slot])
        return node.reshape(-1), flat.reshape(-1)

    def dense_index(self) -> Index:
        """Return the rank of every ordered tuple of nodes, shape (n,) * m."""
        tuples = np.indices((self.n,) * self.m).reshape(self.m, -1).T
        return self.rank(np.sort(tuples, axis=1)).reshape((self.n,) * self.m)


def contract(
    backend: Backend,
    matrix: Array,
    x: Array,
    source: Multisets,
    target: Multisets,
    insertions: list[Any],
    block_bytes: int,
) -> Array:
    """Apply `matrix` to each of the m exchangeable axes of a symmetric tensor.

    Parameters
    ----------
    backend : Backend
    matrix : array of shape (target.n, source.n)
    x : array of shape (source.size(), rest)
    source, target : Multisets
        Of equal m.
    insertions : list
        ``source.insert(k)``, flattened, on the device, at position k (unused below 2).
    block_bytes : int
        About how much the largest temporary may take.

    Returns
    -------
    array of shape (target.size(), rest)
    """
    xp, m = backend.xp, source.m
    rest = x.shape[1]
    for k in range(m):
        waiting, done = source.size(m - k - 1), target.size(k) * rest
        x = xp.reshape(x, (source.size(m - k), done))
        row_bytes = 8 * (source.n + target.n) * done
        rows = max(1, min(waiting, block_bytes // row_bytes))
        blocks = []
        for start in range(0, waiting, rows):
            stop = min(start + rows, waiting)
            if m - k == 1:
                out = x
            else:
                taken = xp.reshape(insertions[m - k][:, start:stop], (-1,))
                out = xp.take(x, taken, axis=0)
            out = backend.matmul(matrix, xp.reshape(out, (source.n, -1)))
            out = xp.reshape(out, (target.n, stop - start, target.size(k), rest))
            blocks.append(_merge(xp, out, target, k))
        x = blocks[0] if len(blocks) == 1 else xp.concat(blocks, axis=0)
    return xp.reshape(x, (target.size(), rest))


def _merge(xp: Any, x: Array, target: Multisets, k: int) -> Array:
    """Turn (new element i, waiting, finished, rest) into (waiting, finished + {i}, rest)."""
    if k == 0:
        return xp.permute_dims(x[:, :, 0, :], (1, 0, 2))
    return xp.concat([x[i, :, : target.prefix(k, i), :] for i in range(target.n)], axis=1)
