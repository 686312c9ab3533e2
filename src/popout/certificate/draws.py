r"""Points for conditional expectations: Sobol's sequence under random digital shifts.

A Sobol point set fills the unit cube evenly. Flipping the bits of every coordinate by a random
mask, and adding random digits below the last bit, makes each single point uniformly distributed:
averages over the set are unbiased, and their error is smaller than that of independent points.
Every call draws a new mask, so that the errors of successive steps of a path are independent.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from popout.certificate.problem import Array

BITS = 30


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
