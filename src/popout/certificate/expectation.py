r"""The expected value after one more step: unbiased, and nearly without noise.

**Change of measure.** Let :math:`w = 1 + W` be one plus the posterior odds. Under the observer's
own predictive law the next state is a mixture over where the target may be; but

.. math:: \mathbb{E}[v(Z') \mid Z] = \frac{\mathbb{E}_0[w(Z')\,v(Z')]}{w(Z)},

where :math:`\mathbb{E}_0` is the law without a target, under which locations are independent. The
integrand :math:`V = w v \le \min(c_{fa}, c_{miss} W)` is bounded.

**Control variates.** The sums :math:`h_j = \sum_l e_{jl}` under the logarithms of the statistics
have known means after a step, and so have their products,

.. math::

   \mathbb{E}_0 h'_j = \sum_l e_{jl} \mathbb{E}_0 E_{jl}, \qquad
   \mathbb{E}_0 h'_i h'_j = \mathbb{E}_0 h'_i \, \mathbb{E}_0 h'_j
      + \sum_l e_{il} e_{jl} \operatorname{cov}(E_{il}, E_{jl}).

V is a smooth function of these sums, so a combination of them and of their products follows it
closely. The combination is fitted on one half of the points and used on the other, and the other
way round: a fit on the points that it corrects would be biased, and the bound would no longer be
one.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from popout.certificate.problem import Array
from popout.noise.elementary import compiled

__all__ = ["N_CONTROLS", "corrected_means"]

CONTROL_ROWS = 3
"""Statistics whose sums, and products of sums, serve as controls."""
N_CONTROLS = CONTROL_ROWS + CONTROL_ROWS * (CONTROL_ROWS + 1) // 2
RIDGE = 1e-7


@compiled
def corrected_means(
    V: Any, sums: Any, e: Any, first: Any, covariance: Any, cross_fit: bool, out: Any
) -> None:
    """Write the mean of V over the possible steps of each state.

    Parameters
    ----------
    V : ndarray of shape (P, K)
        The first half of the K points and the second have shifts of their own.
    sums : ndarray of shape (J, P, K)
        Sums under the logarithms after each step.
    e : ndarray of shape (J, M, P)
        Their terms before it.
    first, covariance : ndarray of shape (J, M), (J, J, M)
        Moments of the factors, see `popout.certificate.statistics.expected_sums`.
    cross_fit : bool
        False fits and corrects on the same points, which is biased: for a negative control.
    out : ndarray of shape (P,)
    """
    P, K = V.shape
    M, R = e.shape[1], CONTROL_ROWS
    half = K // 2
    x = np.empty((K, N_CONTROLS))
    now, mean = np.empty(R), np.empty(R)
    centre = np.empty(N_CONTROLS)
    beta = np.zeros((2, N_CONTROLS))
    mean_x, mean_V = np.zeros((2, N_CONTROLS)), np.zeros(2)
    for p in range(P):
        for j in range(R):
            now[j], mean[j] = 1e-300, 0.0
            for location in range(M):
                now[j] += e[j, location, p]
            for location in range(M):
                mean[j] += e[j, location, p] / now[j] * first[j, location]
        c = R
        for i in range(R):
            centre[i] = mean[i]
            for j in range(i, R):
                both = mean[i] * mean[j]
                for location in range(M):
                    share = e[i, location, p] / now[i] * (e[j, location, p] / now[j])
                    both += share * covariance[i, j, location]
                centre[c] = both
                c += 1
        for k in range(K):
            c = R
            for i in range(R):
                x[k, i] = sums[i, p, k] / now[i]
            for i in range(R):
                for j in range(i, R):
                    x[k, c] = x[k, i] * x[k, j] - centre[c]
                    c += 1
            for i in range(R):
                x[k, i] -= centre[i]
        for h in range(2):
            _fit(x[h * half : (h + 1) * half], V[p, h * half : (h + 1) * half], mean_x[h], beta[h])
            mean_V[h] = V[p, h * half : (h + 1) * half].mean()
        total = 0.0
        for h in range(2):
            other = 1 - h if cross_fit else h
            value = mean_V[h]
            for c in range(N_CONTROLS):
                value -= beta[other, c] * mean_x[h, c]
            total += 0.5 * value
        out[p] = total


@compiled
def _fit(x: Any, y: Any, mean_x: Any, beta: Any) -> None:
    """Regress y on x, with an intercept and a small ridge; write the means of x and the slopes."""
    n, C = x.shape
    A = np.zeros((C, C))
    b = np.zeros(C)
    mean_x[:] = 0.0
    mean_y = 0.0
    for k in range(n):
        mean_y += y[k]
        for i in range(C):
            mean_x[i] += x[k, i]
    mean_y /= n
    for i in range(C):
        mean_x[i] /= n
    for k in range(n):
        for i in range(C):
            d = x[k, i] - mean_x[i]
            b[i] += d * (y[k] - mean_y)
            for j in range(i + 1):
                A[i, j] += d * (x[k, j] - mean_x[j])
    for i in range(C):
        A[i, i] = A[i, i] * (1.0 + RIDGE) + 1e-30
    # Cholesky, in place; a direction that rounding has used up gets no slope.
    for i in range(C):
        for j in range(i + 1):
            total = A[i, j]
            for k in range(j):
                total -= A[i, k] * A[j, k]
            if i == j:
                A[i, i] = np.sqrt(total) if total > 1e-12 * A[i, i] else np.inf
            else:
                A[i, j] = total / A[j, j]
    for i in range(C):
        total = b[i]
        for k in range(i):
            total -= A[i, k] * beta[k]
        beta[i] = total / A[i, i]
    for i in range(C - 1, -1, -1):
        total = beta[i]
        for k in range(i + 1, C):
            total -= A[k, i] * beta[k]
        beta[i] = total / A[i, i]


def plain_means(V: Array) -> Array:
    """Return the mean of V of shape (P, K) over steps, uncorrected."""
    return np.asarray(V.mean(axis=1))
