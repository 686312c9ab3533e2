r"""ELM, entropy limit minimisation: look where the posterior is seen best.

After Najemnik & Geisler (2009):

.. math:: \lambda_f(Z) = \sum_l P(l_T = l \mid Z, C=1)\, v_{fl}

The entropy that a fixation is expected to remove is about the sum of posterior times information;
the rule takes it for that. It counts as if a second look at an item told as much as the first.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from popout.policies.looking.gazing import Array, RuleOfGaze


@dataclass(frozen=True)
class ELM(RuleOfGaze):
    """Look where the sum of posterior times visibility is largest.

    Examples
    --------
    >>> import popout as po
    >>> task = po.GazeTask([(0, 0), (1, 0), (2, 0)], information=20.0, falloff=0.8)
    >>> po.ELM.for_task(task).gaze([[0.0, 0.0, 0.0], [-1.0, 0.0, 1.5]])
    array([1, 2])
    """

    label = "ELM"

    def liking(self, Z: Array) -> Array:
        """Return the posterior, given presence, as each gaze sees it."""
        posterior, rows = self.posterior(Z), np.asarray(self.visibility)
        seen = np.zeros((*Z.shape[:-1], len(rows)))
        for place in range(rows.shape[1]):  # in the order of the compiled kernel, for its ties
            seen += posterior[..., place, None] * rows[:, place]
        return seen
