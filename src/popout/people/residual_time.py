r"""Non-decision time: a shifted lognormal, in bins of a grid of times.

Whatever is not deciding (seeing, pressing) takes a time of given mean m and standard deviation: a
share of m never varies, and the rest is lognormal. It is skewed: response times of easy search are
skewed, and there next to nothing is left to decide.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr


def residual_masses(
    mean: float, sd: float, constant: float, edges: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return the probability of each bin of time.

    Parameters
    ----------
    mean, sd : float
        In s.
    constant : float
        Share of the mean that never varies, below 1.
    edges : ndarray of shape (T + 1,)

    Examples
    --------
    >>> edges = np.arange(0.0, 2.0, 0.01)
    >>> mass = residual_masses(0.35, 0.06, 0.6, edges)
    >>> middles = 0.5 * (edges[1:] + edges[:-1])
    >>> round(float(mass.sum()), 4), round(float(middles @ mass), 3)
    (1.0, 0.35)
    """
    rest = mean * (1.0 - constant)
    spread = math.sqrt(math.log1p((sd / rest) ** 2))
    centre = math.log(rest) - 0.5 * spread**2
    beyond = np.maximum(edges - mean * constant, 1e-12)
    return np.diff(ndtr((np.log(beyond) - centre) / spread))
