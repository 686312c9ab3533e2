r"""One step of the local log likelihood ratios when information is shared out.

A location with the share :math:`\alpha_l` of the information has the drift
:math:`\mu_l^2 = \alpha_l \Lambda v_l` (`popout.task.limited`) and moves as in `llr_step`. Its
variance is proportional to the share,

    N(-+ alpha_l m_l, alpha_l s_l^2),      m_l = 2 Lambda v_l dt,  s_l^2 = 4 Lambda v_l dt,

minus at a distractor, plus at the target. The observer knows its shares, so :math:`Z_l` remains
the log likelihood ratio whatever they are and however they came about. A share of zero leaves
:math:`Z_l` where it is.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from popout.evidence.llr_step import LLRStep
from popout.task import Task
from popout.task.look import Shares


def shared_step(task: Task, shares: ArrayLike = 1.0) -> LLRStep:
    """Return the law of one step of Z under given shares.

    Parameters
    ----------
    task : Task
        Whose locations share information.
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
    assert isinstance(look, Shares)
    rate = look.information * np.asarray(look.visibility) * np.asarray(shares, dtype=np.float64)
    mean = 2.0 * rate * task.dt
    return LLRStep(mean_distractor=-mean, mean_target=mean, sd=2.0 * np.sqrt(rate * task.dt))
