r"""What is left of the error of a quadrature over distractors.

With distractors of any orientation of a range, :math:`P(X \mid C)` is an integral over their common
orientation (tied) or, at each location, over its own (independent). `MixtureSearchTask.continuous`
replaces it by a sum over nodes. Here the log likelihood ratio S with the nodes of one task is held
against that of a finer one, on the same observations.
"""

from __future__ import annotations

import numpy as np

from popout.evidence.evidence import Evidence
from popout.task import Faults, Task


def quadrature_error(
    task: Task, finer: Task, seconds: float, n_trials: int = 1000, seed: int = 1
) -> float:
    """Return the largest difference of S between two tasks over displays of the finer one.

    Parameters
    ----------
    task, finer : MixtureSearchTask
        The same distractors with few and with more nodes.
    seconds : float
        How long displays are observed; the error grows with it.
    n_trials : int
    seed : int

    Returns
    -------
    difference : float
        In nats.

    Examples
    --------
    >>> import math
    >>> from popout.evidence import quadrature_error
    >>> from popout.task import MixtureSearchTask
    >>> few, many = (
    ...     MixtureSearchTask.continuous(
    ...         3, [0], (20, 90), lambda a: 4 * math.cos(math.radians(2 * a)), nodes=nodes
    ...     )
    ...     for nodes in (16, 32)
    ... )
    >>> quadrature_error(few, many, 0.3) < 1e-5
    True
    """
    faults = Faults("quadrature_error")
    if (task.n_locations, task.dt) != (finer.n_locations, finer.dt):
        faults.add("finer", "the same task with more nodes", finer, "change the nodes alone")
    steps = round(faults.number("seconds", seconds, "give some tenths", above=0.0) / task.dt)
    faults.raise_if_any()
    both = Evidence(task), Evidence(finer)
    t = max(1, steps) * task.dt
    x = both[1].sample(n_trials, max(1, steps), seed).observations
    S, S_finer = (each.log_likelihood_ratio(each.log_likelihood(x, t)) for each in both)
    return float(np.abs(S - S_finer).max())
