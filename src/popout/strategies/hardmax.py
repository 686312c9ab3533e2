r"""Hardmax: every location decides for itself, and one detection is enough.

The member :math:`a_+ = a_- = \infty` of the family (paper, "Optimality analysis of current search
models"): present once any :math:`Z_l - o_l \ge \tau^{(l)}_+`, absent once all
:math:`Z_l - o_l \le \tau^{(l)}_-`.

Notes
-----
At ``t = 0`` every :math:`Z_l - o_l = -\log M` (uniform priors), so with :math:`\tau_- \ge -\log M`
Hardmax says "absent" before looking. That is a property of the strategy, not a fault of the run.
"""

from __future__ import annotations

import math

from popout.strategies.a_sprt import relative_to_last
from popout.strategies.recipe import Lower, Recipe, Upper
from popout.strategies.scaled_sprt import ScaledSPRT, location_offsets
from popout.task import SearchTask


class Hardmax(Recipe):
    """Local decisions with the thresholds of discrimination; nothing to tune.

    Examples
    --------
    >>> import popout as po
    >>> task = po.SearchTask(n_locations=2, drift=4.0)
    >>> rule = po.Hardmax.for_task(task, -4.546, 4.546)
    >>> actions = rule.decide([[-6.0, 6.0], [0.0, 0.0], [-6.0, -6.0]], 0.1)
    >>> [po.Action(action).name for action in actions]
    ['PRESENT', 'WAIT', 'ABSENT']
    """

    name = "hardmax"
    is_local = True

    @classmethod
    def for_task(cls, task: SearchTask, tau_minus: Lower, tau_plus: Upper = None) -> ScaledSPRT:
        """Return Hardmax for a task.

        Parameters
        ----------
        task : SearchTask
        tau_minus, tau_plus : float or sequence of float, length M; or Costs alone
            Optimal thresholds of discrimination at each location, even prior.

        Examples
        --------
        >>> from popout.task import SearchTask
        >>> strategy = Hardmax.for_task(SearchTask(n_locations=2, drift=4.0), -2.4, 2.4)
        >>> strategy.decide([[3.2, -9.0], [-1.8, -1.8], [1.6, 1.6]], 0.1)
        array([2, 1, 0], dtype=int8)
        """
        lower, upper, c_minus, c_plus = relative_to_last("Hardmax", task, tau_minus, tau_plus)
        offset = location_offsets(task)
        return ScaledSPRT(lower, upper, math.inf, math.inf, c_minus, c_plus, offset, "Hardmax")
