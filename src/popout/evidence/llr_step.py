r"""One step of the local log likelihood ratios of `SearchTask`.

With drifts +mu and -mu the log likelihood ratio of location l (Equation 13) is

    Z_l(t) = 2 mu_l x_l(t),        x_l(t + dt) = x_l(t) + N(+-mu_l dt, dt),

so that one step moves it by

    N(-2 mu_l^2 dt, 4 mu_l^2 dt)   at a distractor,
    N(+2 mu_l^2 dt, 4 mu_l^2 dt)   at the target.

The means are -+ half the variance, as they must be for exp(Z_l) to be a likelihood ratio: its
expectation stays at one where there is no target. Solver and simulator take the law from here.

**Shared information.** A location with the share :math:`\alpha_l` of the information has the drift
:math:`\mu_l^2 = \alpha_l \Lambda v_l` (`popout.task.look`). Its variance is proportional
to the share,

    N(-+ alpha_l m_l, alpha_l s_l^2),      m_l = 2 Lambda v_l dt,  s_l^2 = 4 Lambda v_l dt,

minus at a distractor, plus at the target. The observer knows its shares, so :math:`Z_l` remains
the log likelihood ratio whatever they are and however they came about. A share of zero leaves
:math:`Z_l` where it is. A gaze (`popout.task.look.Gazes`) is the same with
:math:`\alpha_l = v_{fl}`, which need not sum to one, and a step of a fixation and a saccade.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from popout.task import Fault, InputError, Task
from popout.task.look import ChosenLook


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
        A search, or a task that has an equivalent one; its items may be reshuffled.

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
    search = task.equivalent  # a reshuffle leaves what a step tells as it is
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


def shared_step(task: Task, shares: ArrayLike = 1.0) -> LLRStep:
    """Return the law of one step of Z under given shares.

    Parameters
    ----------
    task : Task
        Whose look the observer chooses.
    shares : array_like, broadcastable to shape (..., M)
        Of the information, one for each location; by default all of it, for each in turn.

    Returns
    -------
    LLRStep
        Arrays of shape (..., M).

    Examples
    --------
    >>> from popout.task import LimitedSearchTask
    >>> task = LimitedSearchTask(n_locations=2, information=32.0)
    >>> shared_step(task, (0.5, 0.5)).sd
    array([0.8, 0.8])
    >>> shared_step(task, (1.0, 0.0)).mean_distractor
    array([-0.64, -0.  ])
    """
    look = task.look
    assert isinstance(look, ChosenLook)
    rate = np.asarray(look.rates) * np.asarray(shares, dtype=np.float64)
    mean = 2.0 * rate * task.dt
    return LLRStep(mean_distractor=-mean, mean_target=mean, sd=2.0 * np.sqrt(rate * task.dt))
