r"""Trials of tasks whose distractors are unknown: SPRT on the exact log likelihood ratio.

For discrimination between sets of orientations, distractor mixtures and scenes of unknown
complexity, displays and observations are drawn by `popout.evidence.Evidence` and turned into
:math:`S(t)` by the inference of the task (Equations 1, 3, or the exact scene). The
state a strategy sees is that one number, ``Z`` of shape (..., 1).

A trial is drawn for a window of time. Those for which that was too short are drawn again for twice
as long, together with the few that lie between them, so that long trials cost little more than they
must. The first steps of a trial do not depend on the window, so neither does the result.
"""

from __future__ import annotations

import numba
import numpy as np
from numpy.typing import NDArray

from popout.evidence import Condition, Evidence
from popout.policies.stopping import Action, Strategy
from popout.simulation.looks import checked_decision
from popout.simulation.tally import Columns
from popout.task import Task

WINDOW = 64
"""Steps drawn at first."""
NUMBERS = 1 << 20
"""Observations in memory at once, about."""
GAP = 16
"""Trials that are farther apart are not drawn together again."""
FEW = 1 << 15
"""Looks that one thread takes on alone: others would be waited for longer than they help."""


def run_evidence(
    task: Task,
    strategy: Strategy,
    seed: int,
    condition: Condition | int,
    n_steps: int,
    first_trial: int,
    out: Columns,
) -> None:
    """Run the trials ``first_trial, ...`` from the first step on."""
    evidence = Evidence(task)
    per_step = int(np.prod(evidence.observation_shape))

    def run(start: int, stop: int, window: int) -> None:
        window = min(window, n_steps)
        numba.set_num_threads(1 if (stop - start) * window < FEW else threads)
        sample = evidence.sample(stop - start, window, seed, condition, first_trial + start)
        S = evidence.trajectory(sample.increments)
        t = np.arange(1, window + 1) * task.dt
        actions = checked_decision(strategy, S[..., None], np.broadcast_to(t, S.shape))
        decided = (actions != Action.WAIT).any(axis=1)
        at = np.where(decided, (actions != Action.WAIT).argmax(axis=1), window - 1)
        part = out.part(start, stop)
        part.response[:] = actions[np.arange(stop - start), at]
        part.steps[:] = at + 1
        part.target[:] = sample.location
        if window < n_steps and not decided.all():
            late = np.flatnonzero(~decided) + start
            for group in np.split(late, np.flatnonzero(np.diff(late) > GAP) + 1):
                in_pieces(int(group[0]), int(group[-1]) + 1, 2 * window)

    def in_pieces(start: int, stop: int, window: int) -> None:
        size = max(16, NUMBERS // (window * per_step))
        for low in range(start, stop, size):
            run(low, min(low + size, stop), window)

    threads = numba.get_num_threads()
    try:
        in_pieces(0, len(out.response), WINDOW)
    finally:
        numba.set_num_threads(threads)


def log_likelihood_ratio_path(
    task: Task, seed: int, condition: Condition | int, trial: int, n_steps: int
) -> NDArray[np.float64]:
    """Return S at looks 0, 1, ..., `n_steps` of one trial, shape (n_steps + 1, 1)."""
    S = np.zeros((n_steps + 1, 1))
    if n_steps:
        evidence = Evidence(task)
        sample = evidence.sample(1, n_steps, seed, condition, trial)
        S[1:, 0] = evidence.trajectory(sample.increments)[0]
    return S
