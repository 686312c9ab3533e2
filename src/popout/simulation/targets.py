r"""Which display a trial shows: the class and the target location, a function of (seed, trial).

.. math:: C \sim \mathrm{Bernoulli}(p), \qquad l_T \mid C = 1 \sim \pi

Both are drawn from keys of their own, so neither depends on the noise, on the strategy or on how
many trials are run. Where items are reshuffled it is the first of several places.
Fixing the condition changes the class, not the location that a present trial
would have had, nor the noise.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from popout.evidence import Condition, Evidence
from popout.evidence.sample import cumulative
from popout.noise.elementary import compiled
from popout.noise.streams import stream_keys, trial_uniform
from popout.task import Task
from popout.task.look import FixedRates


def draw_targets(
    task: Task, seed: int, condition: Condition | int, first_trial: int, out: NDArray[np.int32]
) -> None:
    """Write the target locations of trials ``first_trial, ...`` into `out`; -1 for absent.

    Parameters
    ----------
    task : Task
        Tasks with unknown distractors draw their displays from `popout.evidence`.
    seed : int
    condition : Condition or int
        Checked; see `Condition.checked`.
    first_trial : int
    out : ndarray of int32, shape (n,)

    Examples
    --------
    >>> from popout.task import SearchTask
    >>> targets = np.empty(5, np.int32)
    >>> draw_targets(SearchTask(n_locations=2, drift=4.0), 1, Condition.PRESENT, 0, targets)
    >>> targets
    array([0, 0, 0, 0, 1], dtype=int32)
    """
    if task.equivalent is None and isinstance(task.look, FixedRates):
        out[:] = Evidence(task).sample(len(out), 0, seed, condition, first_trial).location
        return
    location = np.asarray(task.location_prior, dtype=np.float64)
    if isinstance(condition, Condition):
        chances = {Condition.PRIOR: task.prior, Condition.PRESENT: 1.0, Condition.ABSENT: 0.0}
        present = chances[condition]
    else:
        present, location = 1.0, np.eye(len(location))[condition]
    _draw_targets(stream_keys(seed), first_trial, present, cumulative(location), out)


@compiled
def _draw_targets(keys: Any, first_trial: int, present: float, cumulative: Any, out: Any) -> None:
    for i in range(len(out)):
        location = -1
        if trial_uniform(keys[2], first_trial + i) < present:
            location = 0
            if len(cumulative) > 1:
                u = trial_uniform(keys[3], first_trial + i)
                while u >= cumulative[location]:
                    location += 1
        out[i] = location
