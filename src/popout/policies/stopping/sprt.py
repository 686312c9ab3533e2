r"""SPRT on the log posterior odds of presence, with the thresholds of discrimination.

The member :math:`a_+ = a_- = 1`, :math:`c = 1` of the family (paper, "Optimality analysis of
current search models"): :math:`S(t) = \log\sum_l \pi_l e^{Z_l} + \log\frac{p}{1-p}`
(Equation 2) against :math:`\tau_\pm` of one-dimensional discrimination.

Tasks with unknown distractors (mixtures, scenes) run under SPRT on their exact log likelihood ratio
(Equation 3): the state is :math:`S` itself, a single number.

Notes
-----
With unequal drifts the paper leaves SPRT out, because *M* pairs of thresholds do not condense into
one. We take their average under the location prior; SPRT-opt does away with the choice.
"""

from __future__ import annotations

from popout.policies.stopping.recipe import Lower, Recipe, Upper, mean_thresholds
from popout.policies.stopping.scaled_sprt import ScaledSPRT, one_pair
from popout.task import Task


class SPRT(Recipe):
    """SPRT with the thresholds of discrimination; nothing to tune.

    Examples
    --------
    >>> import popout as po
    >>> task = po.SearchTask(n_locations=2, drift=4.0)
    >>> rule = po.SPRT.for_task(task, -4.546, 4.546)
    >>> actions = rule.decide([[-6.0, 6.0], [0.0, 0.0], [-9.0, -9.0]], 0.1)
    >>> [po.Action(action).name for action in actions]
    ['PRESENT', 'WAIT', 'ABSENT']
    """

    name = "sprt"

    @classmethod
    def for_task(cls, task: Task, tau_minus: Lower, tau_plus: Upper = None) -> ScaledSPRT:
        """Return SPRT for a task.

        Parameters
        ----------
        task : Task
        tau_minus, tau_plus : float or sequence of float, length M; or Costs alone
            Optimal thresholds of discrimination at each location, even prior; averaged under
            the location prior where they differ.

        Examples
        --------
        >>> from popout.task import SearchTask
        >>> SPRT.for_task(SearchTask(drift=(8.0, 3.0)), (-4.0, -2.0), (4.0, 2.0)).tau_plus
        3.0

        Of two locations with the same drift, the thresholds are found:

        >>> from popout.task import Costs
        >>> strategy = SPRT.for_task(SearchTask(n_locations=2, drift=4.0), Costs(time=0.2))
        >>> round(strategy.tau_plus, 2)
        4.55
        """
        return one_pair(task, *mean_thresholds("SPRT", task, tau_minus, tau_plus), "SPRT")
