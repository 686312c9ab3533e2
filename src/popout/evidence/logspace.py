"""Sums of probabilities given by their logarithms: the paper's softmax and gain control.

    softmax_i(x_i) = log sum_i exp(x_i),        gc(A_i) = A_i - softmax_j(A_j).

The maximum is taken out first, so nothing overflows; a set of zero probabilities (all -inf) sums
to -inf without a warning.

The log likelihood ratio of search (Equation 2) is such a sum of the local ones,

    S(Z) = log sum_l pi_l exp(Z_l),        pi_l = P(l_T = l | C=1),

which is softmax_l(Z_l) - log(M) in the paper's notation when the location prior is uniform.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from popout.task import Faults
from popout.task.kinds import Distribution, Spot


def log_or_minus_inf(p: Any) -> NDArray[np.float64]:
    """Return log(p), with -inf and no warning where p is zero."""
    values: NDArray[np.float64] = np.asarray(p, dtype=float)
    out = np.full(values.shape, -np.inf)
    np.log(values, out=out, where=values > 0.0)
    return out


def logsumexp(a: NDArray[np.float64], axis: int) -> NDArray[np.float64]:
    """Return log(sum(exp(a))) along an axis; entries of -inf count for nothing."""
    top = np.max(a, axis=axis, keepdims=True)
    top = np.where(np.isfinite(top), top, 0.0)
    total = np.asarray(np.sum(np.exp(a - top), axis=axis))
    return np.asarray(log_or_minus_inf(total) + np.squeeze(top, axis=axis))


def gain_control(a: NDArray[np.float64], axis: int) -> NDArray[np.float64]:
    """Return a minus its log-sum-exp: log probabilities that sum to one along an axis."""
    return a - np.expand_dims(logsumexp(a, axis), axis)


def log_likelihood_ratio_search(
    Z: ArrayLike, location_prior: ArrayLike | None = None
) -> NDArray[np.float64]:
    """Combine local log likelihood ratios into that of presence.

    Parameters
    ----------
    Z : array_like of float, shape (..., M)
        Local log likelihood ratios, finite.
    location_prior : array_like of float, shape (M,), optional
        P(l_T = l | C=1); uniform when left out.

    Returns
    -------
    ndarray of float, shape (...)
        S = log P(X | C=1) - log P(X | C=0).

    Examples
    --------
    >>> from popout.evidence import log_likelihood_ratio_search
    >>> float(log_likelihood_ratio_search([0.0, 0.0]))
    0.0
    >>> float(log_likelihood_ratio_search([1e4, -1e4], [0.5, 0.5])).__round__(3)
    9999.307
    """
    z = np.asarray(Z, dtype=float)
    n_locations = z.shape[-1] if z.ndim else 0
    faults = Faults("log_likelihood_ratio_search")
    if not n_locations:
        faults.add("Z", "an array of shape (..., M) with M at least 1", Z, "add the location axis")
    if location_prior is None:
        prior = np.full(n_locations, 1.0 / max(n_locations, 1))
    else:
        remedy = "give P(location | present), one for each column of Z"
        spot = Spot(faults, ("location_prior",), remedy, {"Z": n_locations})
        prior = np.array(Distribution("Z").check(np.asarray(location_prior, dtype=float), spot))
    faults.raise_if_any()
    return logsumexp(z + log_or_minus_inf(prior), axis=-1)
