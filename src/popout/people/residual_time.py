r"""Non-decision time: a shifted lognormal, in bins of a grid of times.

Whatever is not deciding (seeing, pressing) takes :math:`t_0 + X` with X lognormal of given mean and
standard deviation, and the answer "absent" takes some time more. It is skewed: response times of
easy search are skewed, and there next to nothing is left to decide.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

__all__ = ["residual_masses"]


def residual_masses(
    shift: float, mean: float, sd: float, edges: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return the probability of each bin of time.

    Parameters
    ----------
    shift : float
        Least time in s.
    mean, sd : float
        Of the time beyond the shift, in s.
    edges : ndarray of shape (T + 1,)

    Examples
    --------
    >>> edges = np.arange(0.0, 2.0, 0.01)
    >>> mass = residual_masses(0.2, 0.15, 0.06, edges)
    >>> middles = 0.5 * (edges[1:] + edges[:-1])
    >>> round(float(mass.sum()), 4), round(float(middles @ mass), 3)
    (1.0, 0.35)
    """
    spread = math.sqrt(math.log1p((sd / mean) ** 2))
    centre = math.log(mean) - 0.5 * spread**2
    beyond = np.maximum(edges - shift, 1e-12)
    return np.diff(ndtr((np.log(beyond) - centre) / spread))
