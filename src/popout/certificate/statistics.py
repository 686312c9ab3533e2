r"""A few statistics of the evidence, from which the value of waiting is regressed.

Row *j* of the statistics of a state is a scaled log-sum-exp, as in the paper's conjecture:

.. math:: S_j(Z) = \frac1{a_j} \log \sum_l \exp(\alpha_{jl} Z_l + \beta_{jl}).

Row 0 has :math:`\alpha = 1` and the log prior odds of each location as :math:`\beta`: it is the log
posterior odds of presence. The others are the two statistics of a-SPRT, one that is close to the
maximum and, where locations differ in drift, one that weighs locations by what they tell per step.

One step takes the sums under the logarithm from :math:`\sum_l e_{jl}` to
:math:`\sum_l e_{jl} E_{jl}` with :math:`E_{jl} = e^{\alpha_{jl} \epsilon_l}`: for *P* states and
*K* possible steps all *PK* successors come from products of matrices, and no exponential is taken
inside.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from popout.certificate.problem import Array
from popout.noise.elementary import bounded_exp, compiled, minus_log

SHARP = 4.0
"""Scale of the statistic that is close to the maximum."""
LARGEST_SCALE = 8.0
FEWEST = 1e-300  # keeps a logarithm finite


@dataclass(frozen=True, eq=False)
class LogSumExps:
    """Scaled log-sum-exps of Z, and Z itself where it is asked for.

    Parameters
    ----------
    slope, shift : ndarray of shape (J, M)
        alpha and beta.
    scale : ndarray of shape (J,)
        a.
    with_evidence : bool
        Whether the M rows of Z follow: what a table needs.

    Examples
    --------
    >>> Z = np.array([[1.0], [-1.0]])
    >>> plain = LogSumExps(np.ones((1, 2)), np.zeros((1, 2)), np.ones(1))
    >>> plain.of(plain.exponentials(Z), Z).round(4)
    array([[1.1269]])
    """

    slope: Array
    shift: Array
    scale: Array
    with_evidence: bool = False

    def exponentials(self, Z: Array) -> Array:
        """Return the terms of the sums, shape (J, M, P), for Z of shape (M, P)."""
        out = np.empty((*self.slope.shape, Z.shape[1]))
        _exponentials(Z, self.slope, self.shift, out)
        return out

    def of(self, e: Array, Z: Array) -> Array:
        """Return the statistics of states, shape (J or J + M, P)."""
        out = np.empty((len(self.scale), e.shape[2]))
        _logarithms_of_sums(e, self.scale, out)
        return np.concatenate([out, Z]) if self.with_evidence else out

    def after(self, e: Array, Z: Array, steps: Array) -> tuple[Array, Array]:
        """Return what the statistics of P states become after each of K steps.

        Parameters
        ----------
        e : ndarray of shape (J, M, P)
            See `exponentials`.
        Z : ndarray of shape (M, P)
        steps : ndarray of shape (M, K)

        Returns
        -------
        sums : ndarray of shape (J, P, K)
            Under the logarithms.
        statistics : ndarray of shape (J or J + M, P * K)
        """
        J, _, P = e.shape
        K = steps.shape[1]
        E = np.empty((*self.slope.shape, K))
        _exponentials(steps, self.slope, np.zeros_like(self.shift), E)
        sums = np.empty((J, P, K))
        extra = Z.shape[0] if self.with_evidence else 0
        statistics = np.empty((J + extra, P * K))
        _sums_after(e, E, self.scale, sums, statistics[:J].reshape(J, P, K))
        if extra:
            statistics[J:] = (Z[:, :, None] + steps[:, None, :]).reshape(extra, P * K)
        return sums, statistics


def statistics_for(log_weight: Array, sd: Array, strategy: Any) -> LogSumExps:
    """Return the statistics that suit a strategy: its own scales and factors, and a few more.

    Parameters
    ----------
    log_weight, sd : ndarray of shape (M,)
        Log prior odds, and the standard deviation of a step, of each location.
    strategy : object
        Its ``a_minus``, ``a_plus``, ``c_minus``, ``c_plus`` are used where it has them.

    Examples
    --------
    >>> statistics_for(np.zeros(2), np.array([0.4, 0.4]), None).scale
    array([1.  , 1.8 , 0.66, 4.  ])
    >>> len(statistics_for(np.zeros(2), np.array([0.4, 0.8]), None).scale)
    5
    """
    M = len(sd)
    ones = np.ones(M)
    a_minus = min(LARGEST_SCALE, getattr(strategy, "a_minus", 1.8))
    a_plus = min(LARGEST_SCALE, getattr(strategy, "a_plus", 0.66))
    c_minus = np.asarray(getattr(strategy, "c_minus", ones), dtype=np.float64)
    c_plus = np.asarray(getattr(strategy, "c_plus", ones), dtype=np.float64)
    if len(c_minus) != M or len(c_plus) != M:
        c_minus = c_plus = ones
    sharp = max(SHARP, 1.5 * a_minus)
    scale = [1.0, a_minus, a_plus, sharp]
    slope = [ones, a_minus * c_minus, a_plus * c_plus, sharp * c_plus]
    shift = [row * log_weight for row in slope]
    if sd.max() > 1.001 * sd.min():
        scale.append(1.0)
        slope.append(ones)
        shift.append(log_weight + 2.0 * np.log(sd / sd.max()))
    return LogSumExps(np.array(slope), np.array(shift), np.array(scale))


@compiled
def _exponentials(Z: Any, slope: Any, shift: Any, out: Any) -> None:
    """Write ``exp(slope[j, l] Z[l, p] + shift[j, l])``."""
    J, M = slope.shape
    for j in range(J):
        for location in range(M):
            a, b = slope[j, location], shift[j, location]
            for p in range(Z.shape[1]):
                out[j, location, p] = bounded_exp(a * Z[location, p] + b)


@compiled
def _logarithms_of_sums(e: Any, scale: Any, out: Any) -> None:
    J, M, P = e.shape
    for j in range(J):
        for p in range(P):
            out[j, p] = FEWEST
        for location in range(M):
            for p in range(P):
                out[j, p] += e[j, location, p]
        factor = -1.0 / scale[j]
        for p in range(P):
            out[j, p] = factor * minus_log(out[j, p])


@compiled
def _sums_after(e: Any, E: Any, scale: Any, sums: Any, logarithms: Any) -> None:
    """Write the sums over locations of ``e[j, l, p] E[j, l, k]`` and their scaled logarithms."""
    J, M, P = e.shape
    K = E.shape[2]
    for j in range(J):
        factor = -1.0 / scale[j]
        for p in range(P):
            total = sums[j, p]
            for k in range(K):
                total[k] = FEWEST
            for location in range(M):
                x = e[j, location, p]
                for k in range(K):
                    total[k] += x * E[j, location, k]
            for k in range(K):
                logarithms[j, p, k] = factor * minus_log(total[k])


def mesh_coordinates(n_rows: int) -> Array:
    """Return the weights that turn the rows of `statistics_for` into coordinates of a mesh.

    The log odds; the difference of a-SPRT's two statistics; how far the log odds and the lower
    statistic lie above the one close to the maximum; what the likeliest locations tell per step.
    """
    rows = np.zeros((n_rows, n_rows))
    rows[0, 0] = 1.0
    rows[1, 2], rows[1, 1] = 1.0, -1.0
    rows[2, 0], rows[2, 3] = 1.0, -1.0
    rows[3, 1], rows[3, 3] = 1.0, -1.0
    for extra in range(4, n_rows):
        rows[extra, extra], rows[extra, 0] = 1.0, -1.0
    return rows
