r"""SPRT on the log posterior odds of presence, with the thresholds of discrimination.

The member :math:`a_+ = a_- = 1`, :math:`c = 1` of the family (paper, "Optimality analysis of
current search models"): :math:`S(t) = \log\sum_l \pi_l e^{Z_l} + \log\frac{p}{1-p}`
(Eq. homo-search) against :math:`\tau_\pm` of one-dimensional discrimination.

Tasks with unknown distractors (mixtures, scenes) run under SPRT on their exact log likelihood ratio
(Eq. hetero-search): the state is :math:`S` itself, a single number.

Notes
-----
With unequal drifts the paper leaves SPRT out, because *M* pairs of thresholds do not condense into
one. We take their average under the location prior; SPRT-opt does away with the choice.
"""

from __future__ import annotations

import numpy as np

from popout.strategies.recipe import Recipe, Thresholds, thresholds_per_location
from popout.strategies.scaled_sprt import ScaledSPRT, location_offsets
from popout.task import Task

__all__ = ["SPRT", "unscaled"]


def unscaled(task: Task, tau_minus: float, tau_plus: float, label: str) -> ScaledSPRT:
    """Return the member of the family with every scale and factor 1.

    Examples
    --------
    >>> from popout.task import SearchTask
    >>> unscaled(SearchTask(n_locations=2, drift=4.0), -2.0, 2.0, "SPRT").a_plus
    1.0
    """
    offset = location_offsets(task)
    ones = (1.0,) * len(offset)
    return ScaledSPRT(tau_minus, tau_plus, 1.0, 1.0, ones, ones, offset, label)


class SPRT(Recipe):
    """SPRT with the thresholds of discrimination; nothing to tune."""

    name = "sprt"

    @classmethod
    def for_task(cls, task: Task, tau_minus: Thresholds, tau_plus: Thresholds) -> ScaledSPRT:
        """Return SPRT for a task.

        Parameters
        ----------
        task : Task
        tau_minus, tau_plus : float or sequence of float, length M
            Optimal thresholds of discrimination at each location, even prior; averaged under
            the location prior where they differ.

        Examples
        --------
        >>> from popout.task import SearchTask
        >>> SPRT.for_task(SearchTask(drift=(8.0, 3.0)), (-4.0, -2.0), (4.0, 2.0)).tau_plus
        3.0
        """
        lower, upper = thresholds_per_location("SPRT", task, tau_minus, tau_plus)
        weights = np.asarray(task.location_prior if task.search is not None else (1.0,))
        return unscaled(task, float(weights @ lower), float(weights @ upper), "SPRT")
