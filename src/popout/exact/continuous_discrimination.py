r"""Discrimination in continuous time, in closed form.

At one location of drift :math:`\mu` let :math:`p` be the posterior odds of a target. Under
"absent" they are a martingale with :math:`dp = 2\mu\,p\,dW`. The value :math:`U(p)`, multiplied by
:math:`1 + p` as in `bellman`, solves a free boundary problem while the observer waits,

.. math::

   2\mu^2 p^2\, U'' + C_0 + C_1 p = 0, \qquad
   U = F(p) + A p + B, \quad F'(p) = \frac{1}{2\mu^2} \Bigl(\frac{C_0}{p} - C_1 \log p\Bigr),

and meets the costs of the two answers smoothly: :math:`U = c_{miss}\,p,\ U' = c_{miss}` at
:math:`p_-`, and :math:`U = c_{fa},\ U' = 0` at :math:`p_+`. Eliminating A and B leaves

.. math::

   F'(p_-) - F'(p_+) = c_{miss}, \qquad
   F(p_+) - F(p_-) - F'(p_+)(p_+ - p_-) = c_{fa} - c_{miss}\,p_- .

The first equation gives :math:`p_+` for each :math:`p_-` (F' falls), the second one then fixes
:math:`p_-`. With :math:`C_0 = C_1 = c` and errors that cost 1, :math:`p_\pm = e^{\pm b}` and

.. math:: \frac{c}{\mu^2}\,(\sinh b + b) = 1 .

The costs of the two answers meet in a kink, so that it always pays to look for a moment there:
:math:`p_- < c_{fa} / c_{miss} < p_+`, whatever time costs.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

from scipy.optimize import brentq

from popout.task import Costs

WIDEST = 300.0  # nats that a threshold may lie from the kink
TOLERANCE = 1e-13


@dataclass(frozen=True)
class ContinuousDiscrimination:
    """Where to wait at one location, in continuous time.

    Parameters
    ----------
    drift : float
        In 1/s.
    time_absent, time_present : float
        Costs of time; the first one positive.
    miss, false_alarm : float
        Costs of errors.

    Examples
    --------
    >>> pair = ContinuousDiscrimination.of(4.0, Costs(time=0.2))
    >>> b = pair.upper
    >>> round(0.2 / 16 * (math.sinh(b) + b), 9), round(pair.lower + b, 9)
    (1.0, 0.0)
    """

    drift: float
    time_absent: float
    time_present: float
    miss: float
    false_alarm: float

    @classmethod
    def of(cls, drift: float, costs: Costs) -> ContinuousDiscrimination:
        """Return the problem of a drift and costs."""
        times = costs.time_absent, costs.time_present
        return cls(drift, *times, costs.miss, costs.false_alarm)

    @property
    def lower(self) -> float:
        """Log posterior odds at or below which to say "absent"."""
        return self._thresholds[0]

    @property
    def upper(self) -> float:
        """Log posterior odds at or above which to say "present"."""
        return self._thresholds[1]

    def value(self, log_odds: float) -> float:
        """Return the expected cost at some posterior odds, times one plus these odds."""
        low, high = self._thresholds
        p = math.exp(log_odds)
        if not low < log_odds < high:
            return min(self.miss * p, self.false_alarm)
        A = -self._slope(high)
        return (
            self._integral(log_odds)
            - self._integral(high)
            + A * (p - math.exp(high))
            + (self.false_alarm)
        )

    @cached_property
    def _thresholds(self) -> tuple[float, float]:
        kink = math.log(self.false_alarm / self.miss)
        reach = 1.0
        while reach < WIDEST and self._gap(kink - reach) > 0.0:
            reach *= 2.0
        low = float(brentq(self._gap, kink - reach, kink, xtol=TOLERANCE, rtol=TOLERANCE))
        return low, self._upper(low)

    def _slope(self, x: float) -> float:
        """Return F' at the log odds x."""
        return (self.time_absent * math.exp(-x) - self.time_present * x) / (2.0 * self.drift**2)

    def _integral(self, x: float) -> float:
        """Return F at the log odds x."""
        p = math.exp(x)
        part = self.time_absent * x - self.time_present * p * (x - 1.0)
        return part / (2.0 * self.drift**2)

    def _upper(self, low: float) -> float:
        """Return the upper threshold that belongs to a lower one; infinite if there is none."""
        goal = self._slope(low) - self.miss
        high = low + 1.0
        while self._slope(high) > goal:
            high = low + 2.0 * (high - low)
            if high - low > 2.0 * WIDEST:
                return math.inf
        return float(
            brentq(lambda x: self._slope(x) - goal, low, high, xtol=TOLERANCE, rtol=TOLERANCE)
        )

    def _gap(self, low: float) -> float:
        """Return what is missing in the second equation: negative where `low` is too low."""
        high = self._upper(low)
        if math.isinf(high):
            return math.inf
        p, q = math.exp(low), math.exp(high)
        area = self._integral(high) - self._integral(low) - self._slope(high) * (q - p)
        return area - self.false_alarm + self.miss * p
