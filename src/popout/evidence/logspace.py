"""Sums of probabilities given by their logarithms: the paper's softmax and gain control.

    softmax_i(x_i) = log sum_i exp(x_i),        gc(A_i) = A_i - softmax_j(A_j).

The maximum is taken out first, so nothing overflows; a set of zero probabilities (all -inf) sums
to -inf without a warning.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


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
