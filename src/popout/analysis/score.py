r"""The risk of a strategy, and of differences between strategies, by paired simulation.

Strategies simulated under one seed face the same displays and the same noise, so their losses can
be subtracted trial by trial,

.. math::

   \widehat{\Delta R} = \sum_C P(C)\, \overline{(\ell^A - \ell^B)}_C, \qquad
   \mathrm{se}^2 = \sum_C P(C)^2\, s^2_{\ell^A - \ell^B,\,C} / n_C,

and what the two have in common, most of the variance, cancels.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from popout.simulation import Trials
from popout.task import Costs

__all__ = ["Estimate", "batch_means", "batch_risks", "fresh_seed", "paired_difference"]


@dataclass(frozen=True)
class Estimate:
    """A number and its standard error.

    Examples
    --------
    >>> print(Estimate(0.0712, 0.0003))
    0.07120 +- 0.00030
    """

    value: float
    se: float

    def __str__(self) -> str:
        """Return ``value +- se``."""
        return f"{self.value:.5f} +- {self.se:.5f}"


def fresh_seed(seed: int, purpose: int = 1) -> int:
    """Return a seed whose noise is independent of that of `seed`.

    Examples
    --------
    >>> fresh_seed(0) != fresh_seed(1), fresh_seed(0, 1) != fresh_seed(0, 2)
    (True, True)
    """
    return int(np.random.SeedSequence([seed, purpose]).generate_state(1, np.uint64)[0])


def paired_difference(first: Trials, second: Trials, costs: Costs) -> Estimate:
    """Return how much more `first` risks than `second`, from the same trials.

    Parameters
    ----------
    first, second : Trials
        Of one task, seed, condition and number.
    costs : Costs

    Examples
    --------
    >>> from popout.simulation import simulate
    >>> from popout.strategies import SPRT
    >>> from popout.task import SearchTask
    >>> task = SearchTask(n_locations=2, drift=4.0)
    >>> early, late = (
    ...     simulate(task, SPRT.for_task(task, -b, b), 20_000, seed=1) for b in (1.5, 3.5)
    ... )
    >>> print(paired_difference(early, late, Costs(time=0.2)))
    0.08998 +- 0.00219
    """
    if not np.array_equal(first.target, second.target) or first.seed != second.seed:
        raise ValueError("paired differences need the same trials: simulate with one seed")
    difference = first.losses(costs) - second.losses(costs)
    value, variance = 0.0, 0.0
    for here, weight in (
        (~first.present, 1 - first.task.prior),
        (first.present, first.task.prior),
    ):
        d = difference[here]
        value += weight * float(d.mean())
        variance += weight**2 * float(d.var(ddof=1)) / len(d)
    return Estimate(value, math.sqrt(variance))


def batch_risks(trials: Trials, costs: Costs, n_batches: int) -> NDArray[np.float64]:
    """Return the risk in each of `n_batches` groups of trials; they average to the risk."""
    return batch_means(trials.losses(costs), trials.present, trials.task.prior, n_batches)


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
    weighted = values * np.where(present, prior / share, (1 - prior) / (1 - share))
    return np.asarray(weighted.reshape(-1, n_batches).mean(axis=0))
