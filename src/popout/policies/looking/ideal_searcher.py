r"""The ideal searcher: look where one more fixation helps most (Najemnik & Geisler 2005).

With :math:`X = \frac{p}{1-p} \sum_l \pi_l e^{Z_l}` the posterior odds of presence, the better
answer costs :math:`\min\{c_{fa}, c_{miss} X\}` after the change of measure of
`popout.exact.bellman`. The rule takes the gaze after which that is least on average,

.. math:: \lambda_f(Z) = -E_0^f\bigl[\min\{c_{fa},\, c_{miss} X'\}\bigr], \qquad
          X' = \frac{p}{1-p} \sum_l \pi_l e^{Z_l}
               \exp\bigl(-\tfrac12 v_{fl} s^2 + \sqrt{v_{fl}}\, s\, \epsilon_l\bigr),

(or, where the answer names the place, a false alarm and a miss everywhere but at the most likely
item, :math:`c_{fa} + c_{miss} (X' - \max_l x'_l)`, in the place of :math:`c_{fa}`)
as if the trial had to end there: it is optimal one fixation ahead, and short-sighted where two
fixations belong together.

**The expectation** is an average over `POINTS` fixed points :math:`\epsilon` (a Sobol sequence),
the same for all gazes and states. The factors :math:`\exp(\dots)` do not depend on Z, so one
choice costs a product of M numbers with a matrix, also at a hundred items.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from popout.evidence.llr_step import shared_step
from popout.policies.looking.attention import log_location_prior
from popout.policies.looking.gazing import Array, GazePolicy, Rows, gazes_of
from popout.task import Costs

POINTS = 512
TOGETHER = 1 << 23  # numbers of states that are treated together, to bound the memory


@dataclass(frozen=True)
class IdealSearcher(GazePolicy):
    """Look where the better answer after one more fixation would cost least.

    Parameters
    ----------
    visibility : tuple of tuple of float, shape (G, M)
    log_weight : tuple of float, length M
        Log odds that the target is at each item, before any evidence.
    sd : float
        Standard deviation of a step of Z at the point of gaze.
    names_place : bool
        Whether "present" has to name the right place.
    costs : Costs, optional
        Of errors; the verbs that know them fill them in. Equal when left out.

    Examples
    --------
    >>> import popout as po
    >>> task = po.GazeTask([(0, 0), (1, 0), (2, 0)], information=20.0, falloff=0.8)
    >>> po.IdealSearcher.for_task(task).gaze([[0.0, 0.0, 0.0], [-3.0, -1.0, 1.5]])
    array([1, 2])
    """

    visibility: Rows
    log_weight: tuple[float, ...]
    sd: float
    costs: Costs | None = None
    names_place: bool = False
    label = "ideal searcher"

    @classmethod
    def for_task(cls, task: Any, costs: Costs | None = None) -> IdealSearcher:
        """Return the policy for a task with gazes."""
        weight = tuple(task.log_prior_odds + log for log in log_location_prior(task))
        look, sd = gazes_of(task), float(shared_step(task).sd[0])
        return cls(look.visibility, weight, sd, costs, look.names_place)

    def for_costs(self, costs: Costs) -> IdealSearcher:
        """Return the policy with costs, unless it has some."""
        return replace(self, costs=costs) if self.costs is None else self

    @cached_property
    def factors(self) -> NDArray[np.float64]:
        """What a fixation multiplies the odds of each item with, shape (G, POINTS, M)."""
        from scipy.special import ndtri
        from scipy.stats.qmc import Sobol

        points = (
            Sobol(len(self.log_weight), scramble=False).random_base2(POINTS.bit_length() - 1)
            + 0.5 / POINTS
        )
        width = self.sd * np.sqrt(np.asarray(self.visibility))[:, None, :]
        return np.asarray(np.exp(width * ndtri(points) - 0.5 * width**2))

    @property
    def bar(self) -> float:
        """Odds at which both answers cost the same."""
        return 1.0 if self.costs is None else self.costs.false_alarm / self.costs.miss

    def liking(self, Z: Array) -> Array:
        """Return minus what the better answer costs after a fixation, in units of a miss."""
        odds = np.exp(np.minimum(Z + np.asarray(self.log_weight), 700.0))
        M, G = len(self.log_weight), len(self.visibility)
        flat, factors = odds.reshape(-1, M), self.factors.reshape(-1, M).T
        liking = np.empty((len(flat), G))
        rows = max(1, TOGETHER // (G * POINTS))
        for first in range(0, len(flat), rows):
            after = flat[first : first + rows] @ factors
            present = np.full_like(after, self.bar)
            if self.names_place:
                top = np.zeros_like(after)
                for odds_of, factor in zip(flat[first : first + rows].T, factors, strict=True):
                    np.maximum(top, odds_of[:, None] * factor, out=top)
                present += after - top
            np.minimum(after, present, out=after)
            liking[first : first + rows] = -after.reshape(-1, G, POINTS).mean(axis=-1)
        return liking.reshape(*odds.shape[:-1], G)
