r"""States at the decision, made again: compiled, many trials at once.

A trial is a function of (seed, trial), so that the state after any number of steps can be had after
the fact. The arithmetic of a step is that of the simulator (`lanes`, `looks`), to the bit. Trials
are taken in the order of their length, so that those that advance together also end together.
"""

from __future__ import annotations

from dataclasses import astuple
from typing import Any

import numpy as np
from numpy.typing import NDArray

from popout.evidence import llr_step
from popout.noise.elementary import compiled
from popout.noise.streams import LANES, first_state, next_pairs, stream_keys
from popout.task import Task


def final_states(
    task: Task,
    seed: int,
    trials: NDArray[np.int64],
    targets: NDArray[np.int32],
    steps: NDArray[np.int32],
) -> NDArray[np.float64]:
    """Return Z of shape (n, M) after ``steps[i]`` steps of each trial.

    Parameters
    ----------
    task : Task
        With one log likelihood ratio for each location.
    seed : int
    trials : ndarray of int, shape (n,)
    targets : ndarray of int, shape (n,)
        Target location of each trial, -1 for absent.
    steps : ndarray of int, shape (n,)

    Examples
    --------
    >>> from popout.task import SearchTask
    >>> task = SearchTask(n_locations=2, drift=4.0)
    >>> final_states(task, 1, np.array([5, 6]), np.array([0, -1]), np.array([0, 3])).shape
    (2, 2)
    """
    out = np.zeros((len(trials), task.n_locations))
    order = np.argsort(steps, kind="stable")
    # Copies, because a read-only array is another type to Numba, and another compilation.
    law = astuple(llr_step(task))
    whole = [np.array(values, dtype=np.int64) for values in (trials, targets, steps)]
    _replay(stream_keys(seed), order, whole[0], whole[1], whole[2], law, out)
    return out


@compiled
def _replay(
    keys: Any, order: Any, trials: Any, targets: Any, steps: Any, law: Any, out: Any
) -> None:
    """Let `LANES` trials at a time walk, and note where each of them ends."""
    mean_distractor, mean_target, sd = law
    M, n = len(sd), len(trials)
    block = 1 + M % 2  # normals come in pairs
    pairs = np.empty((block * M // 2, 2 * LANES))
    noise = pairs.reshape((block * M, LANES))
    Z, mean = np.zeros((M, LANES)), np.zeros((M, LANES))
    s0, s1 = np.ones(LANES, np.uint64), np.ones(LANES, np.uint64)
    for start in range(0, n, LANES):
        width = min(LANES, n - start)
        longest = 0
        for j in range(width):
            i = order[start + j]
            longest = max(longest, steps[i])
            s0[j], s1[j] = first_state(keys, trials[i])
            for location in range(M):
                Z[location, j] = 0.0
                mean[location, j] = mean_distractor[location]
            if targets[i] >= 0:
                mean[targets[i], j] = mean_target[targets[i]]
        for k in range(longest):
            b = k % block
            if b == 0:
                next_pairs(s0, s1, pairs, len(pairs))
            for location in range(M):
                row, s = b * M + location, sd[location]
                for j in range(LANES):
                    Z[location, j] += mean[location, j] + s * noise[row, j]
            for j in range(width):
                i = order[start + j]
                if steps[i] == k + 1:
                    for location in range(M):
                        out[i, location] = Z[location, j]
