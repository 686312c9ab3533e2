r"""MAP: look at the item that is most likely the target.

.. math:: \lambda_f(Z) = \max_{l:\, f(l) = f} \; \log \pi_l + Z_l ,

where :math:`f(l)` is the gaze that sees item l best, the first among equals: its own place, if gaze
can rest there. A gaze that sees no item best is never taken. What the periphery sees meanwhile
plays no part in the choice.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from popout.policies.looking.gazing import Array, RuleOfGaze


@dataclass(frozen=True)
class MAP(RuleOfGaze):
    """Look at the most likely item.

    Examples
    --------
    >>> import popout as po
    >>> task = po.GazeTask([(0, 0), (1, 0), (2, 0)], information=20.0, falloff=0.8)
    >>> po.MAP.for_task(task).gaze([[0.0, 0.0, 0.0], [-1.0, 0.0, 0.5]])
    array([0, 2])
    """

    label = "MAP"

    def liking(self, Z: Array) -> Array:
        """Return the log probability of the most likely item that each gaze sees best."""
        y = Z + np.asarray(self.log_prior)
        nearest = np.argmax(self.visibility, axis=0)
        liking = np.full((*y.shape[:-1], len(self.visibility)), -np.inf)
        for place, gaze in enumerate(nearest):
            liking[..., gaze] = np.maximum(liking[..., gaze], y[..., place])
        return liking
