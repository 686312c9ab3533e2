r"""Log likelihood ratios, compiled: one display at one instant, then whole trajectories.

**Mixtures** (Equation 3 with any priors; Equation 2 and Equation 1 are special cases).
With t_l = P(X_l | C_l=1), d_lj = P(X_l | phi_j, C_l=0) and A_j = log P(phi_j) + sum_l log d_lj,

    S = log sum_l pi_l t_l sum_j Q_j / d_lj,      Q = exp(gc(A)) = P(phi | X, C=0).

A factor that is common to the likelihoods of one location cancels in S, so each location is
divided by its largest one: K exponentials serve all mixtures, every t and d is at most 1, and the
log of the product of the d is taken once per mixture. Sums have positive terms only. That is
exact unless some t or d is so small (a zero weight at the likeliest orientation) that a product
could underflow; below `SAFE` the same formula is evaluated in logarithms throughout.

**Exact scene.** Let B_l be the likelihood of a blank, r_l that of a distractor item and u_l that
of the target times pi_l, both over B_l. Counting items with powers of z and the target with e,

    prod_l (1 + r_l z + u_l z e)  has the coefficients
        of z^n e^0:  e_n(r)                            = F0[n],
        of z^n e^1:  sum_l u_l e_{n-1}(r without l)    = F1[n],

so S = log sum_n P(n) F1[n] / C(M-1, n-1) - log sum_n P(n) F0[n] / C(M, n). The coefficients are
built location by location in logarithms, all terms positive, at a cost of M times the largest n.
"""

from __future__ import annotations

from math import exp, inf, log, log1p
from typing import Any

import numpy as np
from numba import njit, prange
from numpy.typing import NDArray

from popout.evidence.law import Model
from popout.noise.elementary import copy_to

Array = NDArray[np.float64]

# Above SAFE, q_j / d_lj is accurate or negligible: q_j below 1e-308 times 1e200 is nothing.
SAFE = 1e-200
FLUSH = 1e-90  # take the log of a running product before the next factor can underflow it
CHUNK = 256  # rows per parallel task, so that scratch space is allocated once for many rows


@njit(cache=True)
def _log_add(a: float, b: float) -> float:
    """Return log(exp(a) + exp(b)); either may be -inf."""
    if a < b:
        a, b = b, a
    if b == -inf:
        return a
    return a + log1p(exp(b - a))


@njit(cache=True)
def _log_dot(log_p: Array, log_x: Array, top: float) -> float:
    """Return log sum_k exp(log_p[k] + log_x[k] - top)."""
    best = -inf
    for k in range(log_p.size):
        best = max(best, log_p[k] + log_x[k])
    if best == -inf:
        return -inf
    total = 0.0
    for k in range(log_p.size):
        total += exp(log_p[k] + log_x[k] - best)
    return best - top + log(total)


@njit(cache=True)
def _mixture_ratio(L: Array, model: Model, t: Array, d: Array, a: Array) -> float:
    """Return S of one display from L (M, K). Scratch: t (M,), d (M, J), a (J,)."""
    n_locations, n_orientations = L.shape
    n_mixtures = a.size
    least = 1.0
    for i in range(n_locations):
        top = -inf
        for k in range(n_orientations):
            top = max(top, L[i, k])
        t[i] = 0.0
        for j in range(n_mixtures):
            d[i, j] = 0.0
        for k in range(n_orientations):
            e = exp(L[i, k] - top)
            t[i] += model.target[k] * e
            for j in range(n_mixtures):
                d[i, j] += model.mixtures[j, k] * e
        least = min(least, t[i])
        for j in range(n_mixtures):
            least = min(least, d[i, j])
    if least < SAFE:
        in_logs: float = _mixture_ratio_in_logs(L, model, t, d, a)
        return in_logs
    best = -inf
    for j in range(n_mixtures):
        logs = model.log_mixture_prior[j]
        product = 1.0
        for i in range(n_locations):
            product *= d[i, j]
            if product < FLUSH:
                logs += log(product)
                product = 1.0
        a[j] = logs + log(product)
        best = max(best, a[j])
    absent = 0.0
    for j in range(n_mixtures):
        a[j] = exp(a[j] - best)
        absent += a[j]
    present = 0.0
    for i in range(n_locations):
        inner = 0.0
        for j in range(n_mixtures):
            inner += a[j] / d[i, j]
        present += model.location[i] * t[i] * inner
    return log(present) - log(absent)


@njit(cache=True)
def _mixture_ratio_in_logs(L: Array, model: Model, t: Array, d: Array, a: Array) -> float:
    """Return S as `_mixture_ratio` does, slower and for likelihoods of any size."""
    n_locations, n_mixtures = d.shape
    copy_to(a, model.log_mixture_prior)
    for i in range(n_locations):
        top = np.max(L[i])
        t[i] = model.log_location[i] + _log_dot(model.log_target, L[i], top)
        for j in range(n_mixtures):
            d[i, j] = _log_dot(model.log_mixtures[j], L[i], top)
            a[j] += d[i, j]
    absent = -inf
    present = -inf
    for j in range(n_mixtures):
        absent = _log_add(absent, a[j])
        for i in range(n_locations):
            present = _log_add(present, t[i] + a[j] - d[i, j])
    return present - absent


@njit(cache=True)
def _scene_ratio(L: Array, model: Model, f0: Array, f1: Array) -> float:
    """Return S of one display of the exact scene. Scratch: f0 and f1 (largest count + 1,)."""
    f0[:] = -inf
    f1[:] = -inf
    f0[0] = 0.0
    largest = f0.size - 1
    for i in range(L.shape[0]):
        blank = L[i, model.blank]
        r = _log_dot(model.log_mixtures[0], L[i], blank)
        u = model.log_location[i] + _log_dot(model.log_target, L[i], blank)
        for n in range(min(i + 1, largest), 0, -1):
            f1[n] = _log_add(_log_add(f1[n], f1[n - 1] + r), f0[n - 1] + u)
            f0[n] = _log_add(f0[n], f0[n - 1] + r)
    absent = -inf
    present = -inf
    for j in range(model.counts.size):
        n = model.counts[j]
        absent = _log_add(absent, model.log_count_absent[j] + f0[n])
        present = _log_add(present, model.log_count_present[j] + f1[n])
    return present - absent


@njit(cache=True)
def _scratch(model: Model) -> tuple[Array, Array, Array]:
    """Allocate what one call of either ratio needs."""
    n_locations = model.location.size
    n_mixtures = model.log_mixture_prior.size
    if model.counts.size:
        size = np.max(model.counts) + 1
        return np.empty(size), np.empty((1, 1)), np.empty(size)
    return np.empty(n_locations), np.empty((n_locations, n_mixtures)), np.empty(n_mixtures)


@njit(cache=True)
def _ratio(L: Array, model: Model, scratch: tuple[Array, Array, Array]) -> float:
    S: float
    if model.counts.size:
        S = _scene_ratio(L, model, scratch[0], scratch[2])
    else:
        S = _mixture_ratio(L, model, scratch[0], scratch[1], scratch[2])
    return S


# The bodies of the parallel loops are functions of their own: they compile once, not once more
# inside the loop.


@njit(cache=True)
def _some_rows(L: Array, model: Model, out: Array) -> None:
    scratch = _scratch(model)
    for row in range(L.shape[0]):
        out[row] = _ratio(L[row], model, scratch)


@njit(cache=True, parallel=True)
def _rows_kernel(L: Array, model: Model, out: Array) -> None:
    n_rows = L.shape[0]
    for chunk in prange((n_rows + CHUNK - 1) // CHUNK):
        rows = slice(chunk * CHUNK, min((chunk + 1) * CHUNK, n_rows))
        _some_rows(L[rows], model, out[rows])


@njit(cache=True)
def _one_trial(dx: Array, dt: float, model: Model, out: Array) -> None:
    """Add up dx (T, M, channels); write S after each step, or the last alone."""
    n_steps, n_locations, n_channels = dx.shape
    x = np.zeros((n_locations, n_channels))
    n_orientations = model.target.size
    every = out.size == n_steps
    scratch = _scratch(model)
    L = np.empty((n_locations, n_orientations))
    for step in range(n_steps):
        for i in range(n_locations):
            for c in range(n_channels):
                x[i, c] += dx[step, i, c]
        if not every and step < n_steps - 1:
            continue
        t = (step + 1) * dt
        for i in range(n_locations):
            for k in range(n_orientations):
                total = -model.bias[i, k] * t
                for c in range(n_channels):
                    total += model.weight[i, k, c] * x[i, c]
                L[i, k] = total
        out[step if every else 0] = _ratio(L, model, scratch)


@njit(cache=True, parallel=True)
def _trials_kernel(dx: Array, dt: float, model: Model, out: Array) -> None:
    for trial in prange(dx.shape[0]):
        _one_trial(dx[trial], dt, model, out[trial])


def ratio_from_log_likelihood(L: Array, model: Model) -> Array:
    """Return S (n,) from log likelihoods L (n, M, K)."""
    out = np.empty(L.shape[0])
    _rows_kernel(L, model, out)
    return out


def ratio_from_increments(dx: Array, dt: float, model: Model, *, every: bool) -> Any:
    """Add up increments and return S on the way.

    Parameters
    ----------
    dx : ndarray of float, shape (n, T, M, n_channels)
    dt : float
    model : Model
    every : bool
        Whether S is wanted after every step or after the last only.

    Returns
    -------
    ndarray of float, shape (n, T) or (n, 1)
    """
    out = np.empty((dx.shape[0], dx.shape[1] if every else 1))
    _trials_kernel(dx, dt, model, out)
    return out
