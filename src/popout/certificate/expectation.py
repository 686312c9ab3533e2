r"""The expected value after one more step: unbiased, and nearly without noise.

**Change of measure.** Let :math:`w = 1 + W` be one plus the posterior odds. Under the observer's
own predictive law the next state is a mixture over where the target may be; but

.. math:: \mathbb{E}[v(Z') \mid Z] = \frac{\mathbb{E}_0[w(Z')\,v(Z')]}{w(Z)},

where :math:`\mathbb{E}_0` is the law without a target, under which locations are independent. The
integrand :math:`V = w v \le \min(c_{fa}, c_{miss} W)` is bounded.

**Control variates.** Let :math:`\epsilon` be the standard normals of a step. Statistic *j* moves,
to first order, by a multiple of :math:`\xi_j = \sum_l \omega_{jl} \epsilon_l` with
:math:`\omega_{jl} \propto \alpha_{jl} s_l e_{jl}`, of length one: a standard normal whatever the
state. Its Hermite polynomials and the products :math:`\xi_i \xi_j` have known means, zero and
:math:`\sum_l \omega_{il} \omega_{jl}`, and a combination of them follows V closely. (Sobol's points
integrate functions of single locations well by themselves; what is left is mostly products.)

The combination is fitted on one half of the points and used on the other, and the other way round:
a fit on the points that it corrects would be biased, and the bound would no longer be one.

**Points.** A Sobol point set fills the unit cube evenly. Flipping the bits of every coordinate by a
random mask, and adding random digits below the last bit, makes each single point uniformly
distributed: averages over the set are unbiased, and their error is smaller than that of independent
points. Every call draws a new mask, so that the errors of successive steps of a path are
independent.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from popout.certificate.problem import Array
from popout.noise.elementary import compiled, copy_to

BITS = 30
"""Of a coordinate of a point."""

ROWS = 3
"""Statistics whose first-order moves serve as controls."""
N_CONTROLS = ROWS + ROWS * (ROWS + 1) // 2 + 2
RIDGE = 1e-6
CONSTANT = 1e-12
"""A control whose variance is below this share of its squared mean does not vary."""


class ShiftedSobol:
    """Sets of points in the unit cube, each set with a shift of its own.

    Parameters
    ----------
    dimension : int
    log2_points : int
        A set has two to the power of this many points.
    generator : Generator
        Source of the shifts.

    Examples
    --------
    >>> sets = ShiftedSobol(3, 6, np.random.default_rng(1))
    >>> points = sets.uniforms()
    >>> points.shape, bool((np.abs(points.mean(axis=1) - 0.5) < 0.01).all())
    ((3, 64), True)
    """

    def __init__(self, dimension: int, log2_points: int, generator: np.random.Generator) -> None:
        self._points = sobol_points(dimension, log2_points)
        self._generator = generator

    def uniforms(self) -> Array:
        """Return a set of points, shape (dimension, n_points), inside (0, 1)."""
        mask = self._generator.integers(0, 1 << BITS, len(self._points))
        below = 1.0 - self._generator.random()
        return np.asarray(((self._points ^ mask[:, None]) + below) * 2.0**-BITS * (1.0 - 1e-15))

    def normals(self) -> Array:
        """Return the same as standard normals."""
        return np.asarray(ndtri(self.uniforms()))


@lru_cache(maxsize=32)
def sobol_points(dimension: int, log2_points: int) -> NDArray[np.int64]:
    """Return Sobol's points as whole numbers of `BITS` bits, shape (dimension, n_points)."""
    from scipy.stats import qmc  # slow to import

    points = qmc.Sobol(dimension, scramble=False, bits=BITS).random_base2(log2_points)
    whole = np.ascontiguousarray((points * 2.0**BITS).astype(np.int64).T)
    whole.setflags(write=False)
    return whole


@compiled
def corrected_means(V: Any, normals: Any, direction: Any, known: Any, out: Any) -> None:
    """Write the mean of V over the possible steps of each state.

    Parameters
    ----------
    V : ndarray of shape (P, K)
        K is a multiple of 16; the two halves of the points have shifts of their own.
    normals : ndarray of shape (M, K)
        The steps, standardised.
    direction : ndarray of shape (ROWS, M, P)
        In which each statistic moves; of any length.
    known : ndarray of shape (P, K) or (0, K)
        A further control of mean zero, where there is one.
    out : ndarray of shape (P,)
    """
    P, K = V.shape
    C = N_CONTROLS + (1 if len(known) else 0)
    M, half = normals.shape[0], K // 2
    omega = np.empty((ROWS, M))
    x = np.empty((C, K))
    mean_x, mean_V = np.empty((2, C)), np.empty(2)
    beta = np.empty((2, C))
    A, y = np.empty((C, C)), np.empty(half)
    for p in range(P):
        for i in range(ROWS):
            _unit(direction[i, :, p], omega[i])
        _controls(normals, omega, x)
        if len(known):
            copy_to(x[N_CONTROLS], known[p])
        for h in range(2):
            part, values = x[:, h * half : (h + 1) * half], V[p, h * half : (h + 1) * half]
            mean_V[h] = _total(values) / half
            for k in range(half):
                y[k] = values[k] - mean_V[h]
            _fit(part, y, A, mean_x[h], beta[h])
        total = 0.0
        for h in range(2):
            fitted = beta[1 - h]
            value = mean_V[h]
            for c in range(C):
                value -= fitted[c] * mean_x[h, c]
            total += 0.5 * value
        out[p] = total


@compiled
def _unit(direction: Any, omega: Any) -> None:
    """Write a direction with length one; the first axis where there is none, as good as any."""
    largest = 0.0
    for x in direction:
        largest = max(largest, abs(x))
    if not largest > 0.0:
        omega[:] = 0.0
        omega[0] = 1.0
        return
    length = 0.0
    for x in direction:
        length += (x / largest) ** 2
    length = largest * np.sqrt(length)
    for location in range(len(direction)):
        omega[location] = direction[location] / length


@compiled
def _controls(normals: Any, omega: Any, x: Any) -> None:
    """Write the controls, all of mean zero."""
    M, K = normals.shape
    for i in range(ROWS):
        for k in range(K):
            x[i, k] = 0.0
        for location in range(M):
            o = omega[i, location]
            for k in range(K):
                x[i, k] += o * normals[location, k]
    c = ROWS
    for i in range(ROWS):
        for j in range(i, ROWS):
            mean = 0.0
            for location in range(M):
                mean += omega[i, location] * omega[j, location]
            for k in range(K):
                x[c, k] = x[i, k] * x[j, k] - mean
            c += 1
    for k in range(K):
        z = x[0, k]
        x[c, k] = z * (z * z - 3.0)
        x[c + 1, k] = z * z * (z * z - 6.0) + 3.0


@compiled
def _total(x: Any) -> float:
    """Add up, in eight lanes, so that the order is fixed and the processor still takes several."""
    s = np.zeros(8)
    for k in range(0, len(x), 8):
        for r in range(8):
            s[r] += x[k + r]
    total: float = ((s[0] + s[1]) + (s[2] + s[3])) + ((s[4] + s[5]) + (s[6] + s[7]))
    return total


@compiled
def _dot(x: Any, y: Any) -> float:
    s0 = s1 = s2 = s3 = s4 = s5 = s6 = s7 = 0.0
    for k in range(0, len(x), 8):
        s0 += x[k] * y[k]
        s1 += x[k + 1] * y[k + 1]
        s2 += x[k + 2] * y[k + 2]
        s3 += x[k + 3] * y[k + 3]
        s4 += x[k + 4] * y[k + 4]
        s5 += x[k + 5] * y[k + 5]
        s6 += x[k + 6] * y[k + 6]
        s7 += x[k + 7] * y[k + 7]
    return ((s0 + s1) + (s2 + s3)) + ((s4 + s5) + (s6 + s7))


@compiled
def _fit(x: Any, y: Any, A: Any, mean_x: Any, beta: Any) -> None:
    """Regress y, of mean zero, on x; write the means of x and the slopes."""
    C, n = x.shape
    for i in range(C):
        mean_x[i] = _total(x[i]) / n
    for i in range(C):
        beta[i] = _dot(x[i], y) / n
        for j in range(i + 1):
            A[i, j] = _dot(x[i], x[j]) / n - mean_x[i] * mean_x[j]
        A[i, i] *= 1.0 + RIDGE
    # Cholesky, in place. No slope for a direction that the others have used up, nor for a control
    # that varies by rounding alone.
    for i in range(C):
        variance = A[i, i]
        constant = not variance > CONSTANT * mean_x[i] ** 2
        for j in range(i + 1):
            total = A[i, j]
            for k in range(j):
                total -= A[i, k] * A[j, k]
            if i == j:
                A[i, i] = np.inf if constant or total <= 1e-7 * variance else np.sqrt(total)
            else:
                A[i, j] = total / A[j, j]
    for i in range(C):
        total = beta[i]
        for k in range(i):
            total -= A[i, k] * beta[k]
        beta[i] = total / A[i, i]
    for i in range(C - 1, -1, -1):
        total = beta[i]
        for k in range(i + 1, C):
            total -= A[k, i] * beta[k]
        beta[i] = total / A[i, i]
