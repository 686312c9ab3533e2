r"""States at the decision, made again: compiled, many trials at once.

A trial is a function of (seed, trial), so that the state after any number of steps can be had after
the fact. The arithmetic of a step is that of the simulator (`lanes`, `looks`), to the bit. Trials
are taken in the order of their length, so that those that advance together also end together.
"""

from __future__ import annotations

from dataclasses import astuple
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from popout.evidence import llr_step
from popout.noise.elementary import compiled
from popout.noise.streams import LANES, first_state, next_pairs, stream_keys
from popout.simulation.reshuffles import Reshuffles, forget_places, next_place
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
    reshuffles = Reshuffles.of(task)
    _replay(stream_keys(seed), order, whole[0], whole[1], whole[2], law, reshuffles, out)
    return out


class LaneWalk(NamedTuple):
    """Room for `LANES` trials that walk together."""

    pairs: Any
    Z: Any
    mean: Any
    s0: Any
    s1: Any


@compiled
def lane_walk(M: int) -> Any:
    """Return room for the walk of `LANES` trials with M locations."""
    pairs = np.empty(((1 + M % 2) * M // 2, 2 * LANES))  # normals come in pairs
    Z, mean = np.zeros((M, LANES)), np.zeros((M, LANES))
    return LaneWalk(pairs, Z, mean, np.ones(LANES, np.uint64), np.ones(LANES, np.uint64))


@compiled
def begin(walk: Any, keys: Any, chosen: Any, trials: Any, targets: Any, law: Any) -> None:
    """Put the chosen trials at their first look, one in each lane."""
    mean_distractor, mean_target, _ = law
    for j in range(len(chosen)):
        i = chosen[j]
        walk.s0[j], walk.s1[j] = first_state(keys, trials[i])
        for location in range(len(mean_target)):
            walk.Z[location, j] = 0.0
            walk.mean[location, j] = mean_distractor[location]
        if targets[i] >= 0:
            walk.mean[targets[i], j] = mean_target[targets[i]]


@compiled
def advance(walk: Any, k: int, law: Any) -> None:
    """Add step k, from 0, to the evidence of every lane."""
    sd = law[2]
    M = len(sd)
    pairs, Z, mean = walk.pairs, walk.Z, walk.mean
    b = k % (1 + M % 2)
    if b == 0:
        next_pairs(walk.s0, walk.s1, pairs, len(pairs))
    noise = pairs.reshape((2 * len(pairs), LANES))
    for location in range(M):
        row, s = b * M + location, sd[location]
        for j in range(LANES):
            Z[location, j] += mean[location, j] + s * noise[row, j]


@compiled
def _reshuffle(
    walk: Any, keys: Any, chosen: Any, trials: Any, targets: Any, law: Any, number: int,
    reshuffles: Any,
) -> None:  # fmt: skip
    """Reshuffle the items in every lane; their places are written to `targets`."""
    for j in range(len(chosen)):
        i = chosen[j]
        forget_places(walk.Z[:, j], reshuffles.log_prior)
        if targets[i] >= 0:
            walk.mean[targets[i], j] = law[0][targets[i]]
            targets[i] = next_place(keys, trials[i], number, reshuffles.cumulative)
            walk.mean[targets[i], j] = law[1][targets[i]]


@compiled
def _replay(
    keys: Any, order: Any, trials: Any, targets: Any, steps: Any, law: Any, reshuffles: Any,
    out: Any,
) -> None:  # fmt: skip
    """Let `LANES` trials at a time walk, and note where each of them ends."""
    M = out.shape[1]
    walk = lane_walk(M)
    for start in range(0, len(trials), LANES):
        chosen = order[start : start + LANES]
        begin(walk, keys, chosen, trials, targets, law)
        for k in range(steps[chosen[-1]]):
            advance(walk, k, law)
            if reshuffles.steps > 0 and (k + 1) % reshuffles.steps == 0:
                number = (k + 1) // reshuffles.steps
                _reshuffle(walk, keys, chosen, trials, targets, law, number, reshuffles)
            for j in range(len(chosen)):
                i = chosen[j]
                if steps[i] == k + 1:
                    for location in range(M):
                        out[i, location] = walk.Z[location, j]
