r"""One step of the local log likelihood ratios of `SearchTask`.

With drifts +mu and -mu the log likelihood ratio of location l (Equation 13) is

    Z_l(t) = 2 mu_l x_l(t),        x_l(t + dt) = x_l(t) + N(+-mu_l dt, dt),

so that one step moves it by

    N(-2 mu_l^2 dt, 4 mu_l^2 dt)   at a distractor,
    N(+2 mu_l^2 dt, 4 mu_l^2 dt)   at the target.

The means are -+ half the variance, as they must be for exp(Z_l) to be a likelihood ratio: its
expectation stays at one where there is no target. Solver and simulator take the law from here.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from popout.task import Fault, InputError, Task


@dataclass(frozen=True, eq=False)
class LLRStep:
    """The Gaussian law of one step of Z.

    Parameters
    ----------
    mean_distractor, mean_target : ndarray of float, shape (M,)
        Mean of a step at a location that holds a distractor and one that holds the target.
    sd : ndarray of float, shape (M,)
        Standard deviation of a step, the same for both.

    Examples
    --------
    >>> import popout as po
    >>> step = po.llr_step(po.SearchTask(n_locations=2, drift=4.0, dt=0.01))
    >>> step.mean_target, step.sd
    (array([0.32, 0.32]), array([0.8, 0.8]))
    """

    mean_distractor: NDArray[np.float64]
    mean_target: NDArray[np.float64]
    sd: NDArray[np.float64]


def llr_step(task: Task) -> LLRStep:
    """Return the law of one step of the local log likelihood ratios.

    Parameters
    ----------
    task : Task
        A search, or a task that has an equivalent one.

    Returns
    -------
    LLRStep
        Arrays of shape (M,), read only.

    Examples
    --------
    >>> from popout.evidence import llr_step
    >>> from popout.task import SearchTask
    >>> step = llr_step(SearchTask(drift=(8.0, 3.0), dt=0.01))
    >>> step.mean_target
    array([1.28, 0.18])
    >>> step.sd
    array([1.6, 0.6])
    """
    search = task.search
    if search is None:
        kind = type(task).__name__
        expected = "a SearchTask, or a task with an equivalent one"
        raise InputError([Fault("llr_step", ("task",), expected, kind, task.why_no_search)])
    mu = np.asarray(search.drifts)
    with np.errstate(over="ignore"):  # infinite steps are refused by whoever needs a grid
        mean = 2.0 * mu**2 * task.dt
    step = LLRStep(mean_distractor=-mean, mean_target=mean, sd=2.0 * mu * np.sqrt(task.dt))
    for array in (step.mean_distractor, step.mean_target, step.sd):
        array.setflags(write=False)
    return step
