r"""What errors and time cost, as functions of the posterior odds of presence.

Whatever the task, the observer's prospects at a look depend on the log posterior odds *S* of
presence alone as far as answering at once is concerned:

.. math::

   g(S) = \min\bigl(c_{miss}\,\sigma(S),\; c_{fa}\,\sigma(-S)\bigr), \qquad
   c(S)\,\delta t = \delta t\,\bigl(C_0\,\sigma(-S) + C_1\,\sigma(S)\bigr),

with the logistic function :math:`\sigma`. What waiting is worth depends on more, and is what
certificates are about: a `Value` is anything that says how much waiting gains.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from popout.task import Costs

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Prices:
    """What errors and one step of time cost.

    Parameters
    ----------
    miss, false_alarm : float
    step_absent, step_present : float
        Of one time step while no target, or one, is there.

    Examples
    --------
    >>> prices = Prices.of(Costs(time=0.2), dt=0.01)
    >>> prices.stop(np.array([0.0, 50.0])).round(6), prices.wait(np.array([0.0]))
    (array([0.5, 0. ]), array([0.002]))
    """

    miss: float
    false_alarm: float
    step_absent: float
    step_present: float

    @classmethod
    def of(cls, costs: Costs, dt: float) -> Prices:
        """Return the prices under some costs, where a step takes `dt` seconds."""
        return cls(costs.miss, costs.false_alarm, costs.time_absent * dt, costs.time_present * dt)

    def answers(self, log_odds: Array) -> tuple[Array, Array]:
        """Return the expected costs of "absent" and of "present"."""
        return self.miss * expit(log_odds), self.false_alarm * expit(-log_odds)

    def stop(self, log_odds: Array) -> Array:
        """Return the expected cost of the better answer."""
        return np.asarray(np.minimum(*self.answers(log_odds)))

    def wait(self, log_odds: Array) -> Array:
        """Return the expected cost of one step of time."""
        more = self.step_present - self.step_absent
        return np.asarray(self.step_absent + more * expit(log_odds))


class Value(Protocol):
    r"""An approximate value function :math:`v = g - \max(A, 0)`.

    *g* is the cost of the better answer now and *A* the advantage of waiting over it. Any function
    gives a valid bound; the closer v is to the optimum, the tighter.

    Attributes
    ----------
    statistics : object
        Which statistics of a state the function reads.
    """

    @property
    def statistics(self) -> Any:
        """Return the statistics of a state that the function reads."""

    def advantage(self, S: Array) -> Array:
        """Return A, shape (n,), from statistics of shape (J, n); row 0 holds the log odds."""
