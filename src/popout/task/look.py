r"""What one look of the observer can be: all that is left to the observer before the next step.

`FixedRates`: nothing; every location observes at a rate of its own, as in the paper. `Shares`: how
a limited rate of information :math:`\Lambda` is divided among the locations, each of which then
works at the drift :math:`\sqrt{\alpha_l \Lambda v_l}`. A task answers with one of these
(`Task.look`), and solver, simulator and comparison ask for nothing else of its kind.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class FixedRates:
    """Every location observes by itself.

    Examples
    --------
    >>> import popout as po
    >>> po.SearchTask(n_locations=2, drift=4.0).look
    FixedRates()
    """


@dataclass(frozen=True)
class Shares:
    """Locations share a limited rate of information, divided anew before every step.

    Attributes
    ----------
    information : float
        The rate Lambda in 1/s.
    visibility : tuple of float, shape (M,)
        What each location makes of the information that it is given.

    Examples
    --------
    >>> import popout as po
    >>> po.LimitedSearchTask(n_locations=2, information=32.0).look
    Shares(information=32.0, visibility=(1.0, 1.0))
    """

    information: float
    visibility: tuple[float, ...]

    def drifts(self, shares: Sequence[float]) -> list[float]:
        """Return the drift of each location under given shares."""
        return [
            math.sqrt(share * self.information * seen)
            for share, seen in zip(shares, self.visibility, strict=True)
        ]


Look = FixedRates | Shares
