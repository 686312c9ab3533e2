"""Displays drawn from a task, chosen so that they show what varies."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from popout.evidence import Evidence
from popout.task import Task


def example_displays(
    task: Task, n: int, seed: int, condition: str, *, drawn: int
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Return displays that differ in mixture or set size, or else in the target, where they can.

    Parameters
    ----------
    task : Task
    n : int
        How many are returned.
    seed : int
    condition : {"absent", "present"}
    drawn : int
        How many there are to choose from.

    Returns
    -------
    tilt : ndarray of shape (n, M)
        In degrees; NaN is a blank location.
    target : ndarray of shape (n,)
        Location of the target, or -1.

    Examples
    --------
    >>> from popout.task import MixtureSearchTask
    >>> task = MixtureSearchTask.tied(3, [0], [30, 60], {0: 4, 30: 1, 60: -1})
    >>> tilt, target = example_displays(task, 2, 1, "absent", drawn=50)
    >>> np.unique(tilt), target
    (array([30., 60.]), array([-1, -1]))
    """
    task = task.as_observed
    sample = Evidence(task).sample(drawn, 0, seed, condition)
    shown = np.where(sample.location < 0, -1, sample.orientation[range(drawn), sample.location])
    firsts = [np.sort(np.unique(what, return_index=True)[1]) for what in (sample.mixture, shown)]
    chosen = list(dict.fromkeys([*firsts[0], *firsts[1], *range(drawn)]))[:n]
    return np.asarray(task.tilts)[sample.orientation[chosen]], sample.location[chosen]
