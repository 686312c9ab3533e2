r"""Tables of first passages: for every pair of thresholds, the distribution of decision times.

The observer answers when the log likelihood ratio of presence, S, leaves
:math:`(-\tau_-, \tau_+)`: SPRT on the posterior (the scaled test with both scales 1). In
continuous time three things are then known without any simulation, whatever the policy:

- the answers: with the target absent "present" is said with probability
  :math:`(1 - e^{-\tau_-})/(e^{\tau_+} - e^{-\tau_-})` (Wald; :math:`e^S` is a martingale and stops
  at its thresholds exactly);
- the other class: with the target present both answers are :math:`e^{S}` times as likely;
- therefore the times: given the answer, its time has the *same* law in both classes. Every path
  counts for both (Rao-Blackwell at its best: the weights are constants).

A table holds what is left: for one set size M and guidance g, the law of the decision time given
the answer, as a histogram of :math:`\log(\Lambda t / M)`, for each pair of `LEVELS`. Information,
capacity and their variability between trials only move and smooth it along that axis.

g = infinity is `serial_passages`, exact. Finite g is simulated (`passage_kernels`), in four parts
of independent noise: how far likelihoods from the parts differ is how far they can be trusted.
"""

from __future__ import annotations

import math
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from popout.noise.seeds import Purpose, fresh_seed
from popout.noise.streams import stream_keys
from popout.people.passages.passage_kernels import walk
from popout.people.passages.serial_passages import serial_distributions
from popout.progress import Progress

Array = NDArray[np.float64]
N_LEVELS, LEAST, MOST = 36, 0.15, 14.0
N_BINS, FIRST_EDGE, BIN = 256, -8.0, 0.05
COARSENESS = 0.4  # c of passage_kernels; benchmarks/table_people.py measures what it costs
N_PARTS = 4
PIECE = 2500  # paths that run together; a constant, so that threads leave no trace


def level_position(tau: ArrayLike) -> Array:
    """Return where thresholds lie among `LEVELS`: 0 at the first, 1 at the second, ...

    Levels are equally spaced in log(2 + tau): as finely as the laws change.
    """
    low, high = math.log1p(LEAST / 2.0), math.log1p(MOST / 2.0)
    y = np.log1p(np.asarray(tau, np.float64) / 2.0)
    return np.asarray((y - low) / (high - low) * (N_LEVELS - 1))


LEVELS = 2.0 * np.expm1(np.linspace(math.log1p(LEAST / 2), math.log1p(MOST / 2), N_LEVELS))
"""Thresholds of the tables, in nats; the lower ones count downwards."""
EDGES = FIRST_EDGE + BIN * np.arange(N_BINS + 1)
"""Edges of the bins of log(information x time / set size)."""


def log_sooner(tau_minus: ArrayLike, tau_plus: ArrayLike) -> Array:
    """Return by how much answers at thresholds below `LEAST` come sooner, in log time.

    Returns
    -------
    sooner : ndarray of shape (2, ...)
        By answer: not negative, and 0 where both thresholds are at least `LEAST`.

    Examples
    --------
    >>> np.exp(log_sooner(2.0, [2.0, 0.015])).round(2).tolist()
    [[1.0, 1.13], [1.0, 10.34]]
    """
    tau = np.array(np.broadcast_arrays(tau_minus, tau_plus), np.float64)
    there = np.maximum(tau, LEAST)
    return np.asarray(np.log(there * (there + 2.0 * there[::-1]) / (tau * (tau + 2.0 * tau[::-1]))))


def answer_probability(tau_minus: ArrayLike, tau_plus: ArrayLike) -> Array:
    """Return P(answer | class) of SPRT in continuous time, for any policy and set size.

    Returns
    -------
    probability : ndarray of shape (2, 2, ...)
        By class (0 absent, 1 present) and answer (0 "absent", 1 "present").

    Examples
    --------
    >>> answer_probability(2.0, 2.0).round(4).tolist()
    [[0.8808, 0.1192], [0.1192, 0.8808]]
    """
    down, up = np.exp(-np.asarray(tau_minus, float)), np.exp(np.asarray(tau_plus, float))
    alarm = (1.0 - down) / (up - down)
    return np.array([[1.0 - alarm, alarm], [down * (1.0 - alarm), up * alarm]])


@dataclass(frozen=True, eq=False)
class PassageTable:
    """Laws of decision times given the answer, for all pairs of `LEVELS`.

    Parameters
    ----------
    set_size : int
    guidance : float
        g; 0 is parallel, inf serial.
    counts : ndarray of shape (H, 2, K, J, B)
        Paths, or probabilities, by part (H = 4, or 1 where nothing is drawn), answer, lower and
        upper threshold, and bin.
    slower : float
        Bins are of log(information x time / set size) less this.

    Examples
    --------
    >>> table = make_passages(1, 0.0, n_paths=100)
    >>> table.mean_time.shape
    (2, 36, 36)
    """

    set_size: int
    guidance: float
    counts: NDArray[np.uint16 | np.uint32 | np.float32]
    slower: float = 0.0

    @classmethod
    def of_passages(
        cls, set_size: int, guidance: float, parts: NDArray[Any], slower: float = 0.0
    ) -> PassageTable:
        """Return the table from counted or weighed passages, shape (H, 2, K + 1, J + 1, B)."""
        # "Absent" at (k, j) holds for larger upper thresholds, "present" for larger lower ones.
        absent = np.cumsum(parts[:, 0], axis=2)[:, :-1, :-1]
        present = np.cumsum(parts[:, 1], axis=1)[:, :-1, :-1]
        counts = np.stack([absent, present], axis=1)
        small: Any = np.uint16 if counts.max() < 2**16 else np.uint32
        whole = counts.dtype.kind in "iu"
        return cls(set_size, guidance, counts.astype(small if whole else np.float32), slower)

    @property
    def n_parts(self) -> int:
        """Number of independent tables that it is made of."""
        return len(self.counts)

    def laws(
        self, part: int | None = None, corner: tuple[int, int] | None = None
    ) -> NDArray[np.float32]:
        """Return probabilities of the bins given the answer, shape (2, K, J, B).

        Parameters
        ----------
        part : int, optional
            Of the paths.
        corner : tuple of two int, optional
            Of two by two levels; all of them when left out.
        """
        chosen = self._chosen(part)
        if corner is not None:
            k, j = corner
            chosen = chosen[:, :, k : k + 2, j : j + 2]
        counts = chosen.sum(axis=0, dtype=np.float32)
        total = counts.sum(axis=-1, keepdims=True, dtype=np.float64)
        return np.asarray(counts / np.maximum(total, 1e-300), np.float32)

    def answers(self, part: int | None = None) -> Array:
        """Return the probability of each answer as the paths gave it, shape (2, K, J)."""
        counts = self._chosen(part).sum(axis=(0, -1), dtype=np.float64)
        return np.asarray(counts / counts.sum(axis=0))

    def _chosen(self, part: int | None) -> NDArray[Any]:
        if part is None:
            return self.counts
        part = min(part, self.n_parts - 1)
        return self.counts[part : part + 1]

    @cached_property
    def mean_time(self) -> Array:
        """Mean of information x time / set size given the answer, shape (2, K, J)."""
        within = np.exp(EDGES[:-1]) * math.expm1(BIN) / BIN  # mean of a bin, flat in log time
        return np.asarray(self.laws().astype(np.float64) @ within) * math.exp(self.slower)


def passage_keys(seed: int) -> NDArray[np.uint64]:
    """Return the keys of the random streams behind the tables of a seed."""
    return stream_keys(fresh_seed(seed, Purpose.FIRST_PASSAGES))


def make_passages(
    set_size: int,
    guidance: float,
    n_paths: int = 100_000,
    seed: int = 1,
    threads: int = 1,
    progress: Progress | None = None,
    coarseness: float = COARSENESS,
) -> PassageTable:
    """Compute a table.

    Parameters
    ----------
    set_size : int
    guidance : float
        0, a power of 2, or inf.
    n_paths : int
        Half of them with a target; rounded up to a multiple of 10,000. Of no consequence if g is
        inf.
    seed, threads : int
        The result does not depend on the number of threads.
    progress : Progress, optional
    coarseness : float
        Largest step of a location, see `passage_kernels`.
    """
    if math.isinf(guidance):
        times = np.exp(EDGES[1:]) * set_size
        rising = serial_distributions(set_size, LEVELS, LEVELS, times, threads)
        rising = np.maximum.accumulate(np.maximum(rising, 0.0), axis=-1)
        laws = np.diff(rising, axis=-1, prepend=0.0)
        laws /= laws.sum(axis=-1, keepdims=True)
        return PassageTable(set_size, guidance, laws[None].astype(np.float32))
    keys = passage_keys(seed)
    doublings = 0 if guidance == 0.0 else round(math.log2(guidance))
    law = (guidance == 0.0, doublings, coarseness)
    n_pieces = N_PARTS * max(1, -(-n_paths // (N_PARTS * PIECE)))
    parts = np.zeros((N_PARTS, 2, N_LEVELS + 1, N_LEVELS + 1, N_BINS), np.int32)
    share = max(1, threads)

    def run(worker: int) -> NDArray[np.int32]:
        mine = np.zeros_like(parts)
        for piece in range(worker, n_pieces, share):
            absent, present = mine[piece % N_PARTS]
            bins = (FIRST_EDGE, BIN)
            walk(keys, piece * PIECE, PIECE, set_size, law, LEVELS, LEVELS, bins, absent, present)
            if worker == 0 and progress is not None:
                done = min(1.0, (piece + share) / n_pieces)
                progress(done, f"{set_size} items, g = {guidance:g}")
        return mine

    with ThreadPoolExecutor(share) as pool:
        for part in pool.map(run, range(share)):
            parts += part
    return PassageTable.of_passages(set_size, guidance, parts)
