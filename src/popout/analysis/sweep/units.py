"""How many points a unit of work holds.

A unit should take a few seconds: long against the milliseconds that the cluster needs to hand it
over, short against the whole, so that little is lost when a worker dies and no worker waits long
for the last one. Points come in a random order, so a unit is a fair sample of the grid, its cost
is close to the mean of those before it, and the time left can be told from the rate.

The size is the target time over the mean time of a point, where the mean forgets the past by halves
every few units (compiling makes the first points slow). Towards the end units shrink to their share
of what is left ("guided" scheduling), so that the workers finish together.
"""

from __future__ import annotations

import math
from collections import deque

import numpy as np
from numpy.typing import NDArray

__all__ = ["Units"]

SECONDS = 2.0
"""Time that a unit should take."""
LARGEST = 1000
"""Points; the description of one takes about a kilobyte on its way to a worker."""
GROWTH = 4
"""How many times the largest unit so far a unit may hold, while little is known."""
FORGET = 0.8
"""Weight of what was known before the last unit."""

Indices = NDArray[np.int64]


class Units:
    """Hand out the points of a sweep in units.

    Parameters
    ----------
    pending : ndarray of int64
        Numbers of the points to be computed, in the order in which they are handed out.

    Examples
    --------
    >>> units = Units(np.arange(100))
    >>> units.next(threads=2)
    array([0])
    >>> units.learn(n_points=1, seconds=0.5)
    >>> units.next(threads=2)
    array([1, 2, 3, 4])
    """

    def __init__(self, pending: Indices) -> None:
        self._pending = pending
        self._next = 0
        self._again: deque[Indices] = deque()
        self._points = self._seconds = 0.0
        self._largest = 1

    @property
    def left(self) -> int:
        """Points that have not been handed out."""
        return len(self._pending) - self._next + sum(len(unit) for unit in self._again)

    def next(self, threads: int) -> Indices:
        """Return the next unit for a cluster of so many threads; there must be points left."""
        if self._again:
            return self._again.popleft()
        size = min(self._size(), math.ceil(self.left / (2 * threads)), GROWTH * self._largest)
        if self._points:
            self._largest = max(self._largest, size)
        start, self._next = self._next, self._next + size
        return self._pending[start : self._next]

    def again(self, unit: Indices) -> None:
        """Hand the points of a unit out once more, one by one."""
        self._again.extend(np.split(unit, len(unit)))

    def learn(self, n_points: int, seconds: float) -> None:
        """Take note of what a unit has cost."""
        self._points = FORGET * self._points + n_points
        self._seconds = FORGET * self._seconds + seconds

    def _size(self) -> int:
        if not self._points:
            return 1
        mean = self._seconds / self._points
        return int(min(LARGEST, max(1.0, SECONDS / max(mean, 1e-9))))
