r"""Displays whose items are reshuffled: what is left of the evidence, and where the target goes.

A reshuffle follows every `Task.steps_per_period` steps. The target stays present and takes a place
drawn anew from the location prior, so that what was known of its place is lost and the odds of
presence are kept:

.. math:: Z_l \leftarrow S \quad \text{for all } l, \qquad S = \log \sum_l \pi_l\, e^{Z_l} .

The observer looks, and may answer, right after it. The first place of the target is that of the
static display; place n is a function of (seed, trial, n), and evidence keeps its noise, so that up
to the first reshuffle a trial is that of the static display, to the bit.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from popout.evidence.sample import cumulative
from popout.noise.elementary import bounded_exp, compiled, minus_log
from popout.noise.streams import nth_uniform
from popout.policies.looking.attention import log_location_prior
from popout.task import Task


class Reshuffles(NamedTuple):
    """The numbers with which a kernel reshuffles.

    Attributes
    ----------
    steps : int
        Between two reshuffles; 0 if there are none.
    log_prior, cumulative : ndarray of shape (M,)
        log P(l_T = l | C=1), and the sum of P up to a location.
    """

    steps: int
    log_prior: NDArray[np.float64]
    cumulative: NDArray[np.float64]

    @classmethod
    def of(cls, task: Task) -> Reshuffles:
        """Return those of a task.

        Examples
        --------
        >>> from popout.task import SearchTask
        >>> Reshuffles.of(SearchTask(n_locations=2, drift=4.0, period=0.11)).steps
        11
        """
        sums = cumulative(np.asarray(task.location_prior, dtype=np.float64))
        return cls(task.steps_per_period, np.array(log_location_prior(task)), sums)


@compiled
def forget_places(Z: Any, log_prior: Any) -> float:
    """Replace the log likelihood ratio of every location by that of presence, and return it."""
    top = -np.inf
    for location in range(len(Z)):
        top = max(top, Z[location] + log_prior[location])
    total = 0.0
    for location in range(len(Z)):
        if log_prior[location] > -np.inf:
            total += bounded_exp(Z[location] + log_prior[location] - top)
    S: float = top - minus_log(total)
    for location in range(len(Z)):
        Z[location] = S
    return S


@compiled
def next_place(keys: Any, trial: int, number: int, cumulative: Any) -> int:
    """Return where the target of a trial is after a reshuffle, the first of which has number 1."""
    u = nth_uniform(keys[3], trial, number)
    place = 0
    while u >= cumulative[place]:
        place += 1
    return place


@compiled
def reshuffle(keys: Any, trials: Any, number: int, numbers: Any, Z: Any, targets: Any) -> None:
    """Reshuffle the displays of several trials.

    Parameters
    ----------
    keys : ndarray of uint64, shape (4,)
    trials : ndarray of int64, shape (n,)
    number : int
        Of the reshuffle, from 1.
    numbers : Reshuffles
    Z : ndarray of shape (n, M)
    targets : ndarray of int32, shape (n,)
        -1 for absent; receives the new places.
    """
    for i in range(len(trials)):
        forget_places(Z[i], numbers.log_prior)
        if targets[i] >= 0:
            targets[i] = next_place(keys, trials[i], number, numbers.cumulative)
