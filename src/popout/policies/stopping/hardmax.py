r"""Hardmax: every location decides for itself, and one detection is enough.

The members :math:`a_+ = a_- = \infty` of the family (paper, "Optimality analysis of current search
models"): present once any :math:`Z_l - o_l \ge \tau_+`, absent once all
:math:`Z_l - o_l \le \tau_-`. With equal drifts the pair of thresholds is that of discrimination.
With unequal drifts the paper leaves two readings:

- `Hardmax`: one pair for all locations, as Equations 8 and 9 have it. Every location has a pair of
  its own in discrimination; taken is the widest, that of the easiest location.
- `HardmaxPerLocation`: each location has its own, :math:`\tau^{(l)}_\pm`, as in the Extension
  (Equations 10 and 11) with infinite scales.

`HardmaxOpt` has one pair, which `popout.tune` chooses.

Notes
-----
At ``t = 0`` every :math:`Z_l - o_l = -\log M` (uniform priors), so with :math:`\tau_- \ge -\log M`
Hardmax says "absent" before looking. That is a property of the strategy, not a fault of the run.
"""

from __future__ import annotations

import math

from popout.policies.stopping.a_sprt import check_local, relative_to_last
from popout.policies.stopping.recipe import Lower, Recipe, Upper, thresholds_per_location
from popout.policies.stopping.scaled_sprt import ScaledSPRT, location_offsets, one_pair
from popout.policies.stopping.sprt_opt import SPRTOpt
from popout.task import SearchTask, Task


class Hardmax(Recipe):
    """Local decisions with one pair of thresholds, that of discrimination; nothing to tune.

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
            The pair of thresholds; or those of discrimination at each location, even prior, of
            which the widest pair is taken: that of the easiest location.

        Examples
        --------
        >>> from popout.task import SearchTask
        >>> strategy = Hardmax.for_task(SearchTask(n_locations=2, drift=4.0), -2.4, 2.4)
        >>> strategy.decide([[3.2, -9.0], [-1.8, -1.8], [1.6, 1.6]], 0.1)
        array([2, 1, 0], dtype=int8)
        >>> Hardmax.for_task(SearchTask(drift=(8.0, 3.0)), (-4.0, -2.0), (4.0, 2.0)).tau_plus
        4.0
        """
        check_local("Hardmax", task)
        lower, upper = thresholds_per_location("Hardmax", task, tau_minus, tau_plus)
        easiest = int((upper - lower).argmax())
        pair = float(lower[easiest]), float(upper[easiest])
        return one_pair(task, *pair, "Hardmax", math.inf)


class HardmaxPerLocation(Recipe):
    """Local decisions, each with the thresholds of its own discrimination; nothing to tune.

    Examples
    --------
    >>> import popout as po
    >>> task = po.SearchTask(drift=(8.0, 3.0))
    >>> rule = po.HardmaxPerLocation.for_task(task, (-4.0, -2.0), (4.0, 2.0))
    >>> rule.decide([[-3.0, 3.0], [3.0, -3.0]], 0.1)
    array([2, 0], dtype=int8)
    """

    name = "hardmax-per-location"
    is_local = True

    @classmethod
    def for_task(cls, task: SearchTask, tau_minus: Lower, tau_plus: Upper = None) -> ScaledSPRT:
        """Return Hardmax with a pair of thresholds for each location.

        Parameters
        ----------
        task : SearchTask
        tau_minus, tau_plus : float or sequence of float, length M; or Costs alone
            Optimal thresholds of discrimination at each location, even prior.
        """
        lower, upper, c_minus, c_plus = relative_to_last(cls.__name__, task, tau_minus, tau_plus)
        offset, label = location_offsets(task), "Hardmax per location"
        return ScaledSPRT(lower, upper, math.inf, math.inf, c_minus, c_plus, offset, label)


class HardmaxOpt(SPRTOpt):
    """Local decisions with one pair of thresholds, tuned.

    Examples
    --------
    >>> import popout as po
    >>> task = po.SearchTask(n_locations=2, drift=4.0)
    >>> tuned = po.tune(po.HardmaxOpt, task, po.Costs(time=0.2), n_trials=2000, seed=1)
    >>> tuned.strategy.label, tuned.strategy.a_plus
    ('Hardmax-opt', inf)
    """

    name = "hardmax-opt"
    is_local = True

    @classmethod
    def onset(cls, task: Task) -> float:
        """Return the largest local log odds before looking."""
        return -min(location_offsets(task))

    @classmethod
    def with_thresholds(cls, task: Task, lower: float, upper: float) -> ScaledSPRT:
        """Return Hardmax with these thresholds."""
        check_local(cls.__name__, task)
        return one_pair(task, lower, upper, "Hardmax-opt", math.inf)
