r"""The risk of a strategy, and of differences between strategies, by paired simulation.

Strategies simulated under one seed face the same displays and the same noise, so their losses can
be subtracted trial by trial,

.. math::

   \widehat{\Delta R} = \sum_C P(C)\, \overline{(\ell^A - \ell^B)}_C, \qquad
   \mathrm{se}^2 = \sum_C P(C)^2\, s^2_{\ell^A - \ell^B,\,C} / n_C,

and what the two have in common, most of the variance, cancels.

What is left is mostly the rare errors: one trial in a thousand ends in an error that costs as much
as minutes of time. So the posterior probability of being wrong takes the place of the error itself
(Rao and Blackwell): given the evidence at the decision they are the same on average, and the
probability hardly varies. It is needed only for trials that the two strategies end differently.
With unknown distractors there is no quick way to it, and errors count as they fall.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from popout.evidence import Condition
from popout.policies.stopping import Action
from popout.simulation import Responses, Trials
from popout.task import Costs, Task

STATES = 1 << 16
"""Trials whose states are in memory at once."""


@dataclass(frozen=True)
class Estimate:
    """A number and its standard error; with undecided trials behind it, a risk is a lower bound.

    Examples
    --------
    >>> print(Estimate(0.0712, 0.0003))
    0.07120 +- 0.00030
    """

    value: float
    se: float
    undecided: int = field(default=0, repr=False, kw_only=True)

    def __str__(self) -> str:
        """Return ``value +- se``."""
        return f"{self.value:.5f} +- {self.se:.5f}"


def has_quick_posterior(task: Task) -> bool:
    """Return whether errors can count by their probability.

    That takes one log likelihood ratio a location, and an answer that does not name a place.
    """
    return task.local_drifts is not None and not task.look.names_place


def paired_difference(
    first: Responses, second: Responses, costs: Costs, *, by_probability: bool = True
) -> Estimate:
    """Return how much more `first` risks than `second`, from the same trials.

    Parameters
    ----------
    first, second : Responses
        To the same displays and the same evidence, see `Responses.same_trials`; simulated from the
        priors of the task where errors count by their probability.
    costs : Costs
    by_probability : bool
        Whether errors count by their probability, or as they fell.

    Examples
    --------
    >>> from popout.simulation import simulate
    >>> from popout.policies.stopping import SPRT
    >>> from popout.task import SearchTask
    >>> task = SearchTask(n_locations=2, drift=4.0)
    >>> early, late = (
    ...     simulate(task, SPRT.for_task(task, -b, b), 20_000, seed=1) for b in (1.5, 3.5)
    ... )
    >>> print(paired_difference(early, late, Costs(time=0.2)))
    0.09259 +- 0.00026
    >>> print(paired_difference(early, late, Costs(time=0.2), by_probability=False))
    0.08998 +- 0.00219
    """
    if not first.same_trials(second):
        raise ValueError("paired differences need the same trials: simulate with one seed")
    if not by_probability:
        changes = first.losses(costs) - second.losses(costs)
        return stratified(changes, first.present, first.prior)
    if not (isinstance(first, Trials) and isinstance(second, Trials)):
        raise ValueError("probabilities of errors need simulated trials, whose states are known")
    differ = np.flatnonzero((first.response != second.response) | (first.steps != second.steps))
    changes = np.zeros(len(first))
    for trials, sign in ((first, 1.0), (second, -1.0)):
        changes[differ] += sign * expected_losses(trials, costs, differ)
    return stratified(changes, first.present, first.prior)


def expected_losses(
    trials: Trials, costs: Costs, index: NDArray[np.int64] | None = None
) -> NDArray[np.float64]:
    """Return the time that trials cost and the probable cost of their answers.

    Parameters
    ----------
    trials : Trials
        Drawn from the priors of a task with one log likelihood ratio per location.
    costs : Costs
    index : ndarray of int, shape (k,), optional
        Which trials; all of them by default.
    """
    if trials.condition != Condition.PRIOR:
        raise ValueError("probabilities of errors need trials from the priors of the task")
    index = np.arange(len(trials)) if index is None else index
    if not has_quick_posterior(trials.task):
        return trials.losses(costs)[index]
    parts = np.array_split(index, max(1, len(index) // STATES))
    S = np.concatenate([trials.presence(part) for part in parts])
    odds = S + trials.task.log_prior_odds
    response = trials.response[index]
    time = np.where(trials.present[index], costs.time_present, costs.time_absent)
    return np.asarray(
        trials.rt[index] * time
        + np.where(response == Action.ABSENT, costs.miss * expit(odds), 0.0)
        + np.where(response == Action.PRESENT, costs.false_alarm * expit(-odds), 0.0)
    )


def mean_loss(trials: Trials, costs: Costs) -> Estimate:
    """Return the risk of trials, in which errors count by their probability."""
    return stratified(expected_losses(trials, costs), trials.present, trials.prior)


def stratified(values: NDArray[np.float64], present: NDArray[np.bool_], prior: float) -> Estimate:
    """Return the mean over trials, with the known prior as the weight of the classes.

    A class of fewer than two trials has no variance of its own; all trials then count alike.

    Examples
    --------
    >>> stratified(np.array([1.0, 1.0, 0.0, 0.0]), np.array([True, True, False, False]), prior=0.1)
    Estimate(value=0.1, se=0.0)
    """
    strata = [(~present, 1 - prior), (present, prior)]
    if min(chosen.sum() for chosen, _ in strata) < 2:
        strata = [(np.ones(len(values), dtype=np.bool_), 1.0)]
    value, variance = 0.0, 0.0
    for chosen, weight in strata:
        d = values[chosen]
        value += weight * float(d.mean())
        variance += weight**2 * float(d.var(ddof=1)) / len(d)
    return Estimate(value, math.sqrt(variance))


def batch_means(
    values: NDArray[np.float64], present: NDArray[np.bool_], prior: float, n_batches: int
) -> NDArray[np.float64]:
    """Return the means of groups of trials; they average to the post-stratified mean.

    Parameters
    ----------
    values : ndarray of shape (n,)
        One number per trial.
    present : ndarray of bool, shape (n,)
    prior : float
        P(C=1).
    n_batches : int
        Group b holds the trials b, b + n_batches, ...; a remainder of n is left out.

    Examples
    --------
    >>> present = np.array([True, False, False, False])
    >>> batch_means(np.array([1.0, 0.0, 0.0, 0.0]), present, prior=0.5, n_batches=2)
    array([1., 0.])
    """
    n = len(values) - len(values) % n_batches
    values, present = values[:n], present[:n]
    share = present.mean()
    if 0.0 < share < 1.0:
        values = values * np.where(present, prior / share, (1 - prior) / (1 - share))
    return np.asarray(values.reshape(-1, n_batches).mean(axis=0))
