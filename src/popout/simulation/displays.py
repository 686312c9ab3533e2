r"""Which display a trial shows: the class and the target location, a function of (seed, trial).

.. math:: C \sim \mathrm{Bernoulli}(p), \qquad l_T \mid C = 1 \sim \pi

Both are drawn from keys of their own, so neither depends on the noise, on the strategy or on how
many trials are run. Fixing the condition changes the class, not the location that a present trial
would have had, nor the noise.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from popout.evidence import Condition
from popout.noise.elementary import compiled
from popout.noise.streams import uniform
from popout.task import Faults, Task

__all__ = ["TargetLaw", "draw_targets", "target_law"]

TargetLaw = tuple[float, NDArray[np.float64]]
"""P(present), and the cumulated location probabilities."""


def target_law(
    task: Task, condition: Condition | str | int, faults: Faults | None = None
) -> TargetLaw:
    """Return how the target is drawn under a condition.

    Parameters
    ----------
    task : Task
    condition : Condition or int
        ``"prior"``, ``"present"``, ``"absent"``, or the target's location, from 0.
    faults : Faults, optional
        Receives a bad condition; without it `InputError` is raised.

    Returns
    -------
    present, cumulated : float, ndarray of shape (M,)

    Examples
    --------
    >>> from popout.task import SearchTask
    >>> target_law(SearchTask(n_locations=2, drift=4.0), "present")
    (1.0, array([0.5, 1. ]))
    """
    own = faults is None
    faults = Faults("target_law") if faults is None else faults
    choices = {Condition.PRIOR: task.prior, Condition.PRESENT: 1.0, Condition.ABSENT: 0.0}
    location = np.asarray(task.location_prior, dtype=np.float64)
    if isinstance(condition, str):
        present = choices.get(Condition(condition)) if condition in list(Condition) else None
        if present is None:
            faults.add("condition", "prior, present, absent or a location", condition, "choose one")
            present = 0.0
    else:
        remedy = "give the target's location from 0, or one of prior, present, absent"
        l_T = faults.integer("condition", condition, remedy, at_most=len(location) - 1)
        present, location = 1.0, np.eye(len(location))[l_T]
    if own:
        faults.raise_if_any()
    cumulated = np.cumsum(location)
    cumulated[np.flatnonzero(location)[-1] :] = 1.0  # rounding must leave no gap below 1
    return float(present), cumulated


@compiled
def draw_targets(keys: Any, first_trial: int, present: float, cumulated: Any, out: Any) -> None:
    """Write the target location of trials ``first_trial, ...`` into `out`; -1 for absent."""
    for i in range(len(out)):
        location = -1
        if uniform(keys[2], first_trial + i) < present:
            location = 0
            if len(cumulated) > 1:
                u = uniform(keys[3], first_trial + i)
                while u >= cumulated[location]:
                    location += 1
        out[i] = location
