r"""Discrimination in continuous time, in closed form.

At one location of drift :math:`\mu` let :math:`p` be the posterior odds of a target. Under
"absent" they are a martingale with :math:`dp = 2\mu\,p\,dW`. The value :math:`U(p)`, multiplied by
:math:`1 + p` as in `bellman`, solves a free boundary problem while the observer waits,

.. math:: 2\mu^2 p^2\, U'' + C_0 + C_1 p = 0,

and meets the costs of the two answers smoothly: :math:`U = c_{miss}\,p,\ U' = c_{miss}` at
:math:`p_- = \kappa e^{-\alpha}`, and :math:`U = c_{fa},\ U' = 0` at :math:`p_+ = \kappa e^\beta`;
:math:`\kappa = c_{fa} / c_{miss}` is the kink, where both answers cost the same. Integrate
:math:`U''` and :math:`p\,U''` from one to the other:

.. math::

   k_0\,(e^\alpha - e^{-\beta}) + k_1\,(\alpha + \beta) = 1, \quad
   k_1\,(e^\beta - e^{-\alpha}) + k_0\,(\alpha + \beta) = 1, \qquad
   k_0 = \frac{C_0}{2\mu^2 c_{fa}}, \quad k_1 = \frac{C_1}{2\mu^2 c_{miss}} .

With :math:`w = \alpha + \beta` the first gives :math:`e^\alpha = (1 - k_1 w) / k_0 (1 - e^{-w})`,
the second :math:`e^\beta` likewise, and their product leaves one equation for the width,

.. math:: (1 - k_0 w)(1 - k_1 w) = 4 k_0 k_1 \sinh^2 (w / 2),

whose left side falls from 1 to 0 up to :math:`w = 1/\max(k_0, k_1)` while the right side rises from
0: there is one root. With :math:`C_0 = C_1 = c` and errors that cost 1, :math:`w = 2b` and

.. math:: \frac{c}{\mu^2}\,(\sinh b + b) = 1 .

It always pays to look for a moment at the kink: :math:`p_- < \kappa < p_+`, whatever time costs.

Integrating :math:`U''` twice from the nearer threshold, at the distances :math:`u` above
:math:`\log p_-` and :math:`v` below :math:`\log p_+`,

.. math::

   \frac{U}{c_{miss}\,p} = 1 - k_0 e^\alpha f(u) - k_1 g(u), \qquad
   \frac{U}{c_{fa}} = 1 - k_1 e^\beta f(v) - k_0 g(v), \qquad
   f(u) = 1 - (1 + u)\,e^{-u}, \quad g(u) = u - 1 + e^{-u} .
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

from scipy.optimize import brentq

from popout.task import Costs

PRECISE = 4e-16  # of the root, relative
ROUNDING = 1e-13
"""Bound on the rounding of a threshold, for each nat of it, and of a value (`value_error`)."""


@dataclass(frozen=True)
class ContinuousDiscrimination:
    """Where to wait at one location, in continuous time.

    Parameters
    ----------
    drift : float
        In 1/s.
    time_absent, time_present : float
        Costs of time.
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
        return self._kink - self._reach[0]

    @property
    def upper(self) -> float:
        """Log posterior odds at or above which to say "present"."""
        return self._kink + self._reach[1]

    @property
    def threshold_error(self) -> float:
        """Bound on the rounding of both thresholds."""
        return ROUNDING * (1.0 + max(abs(self.lower), abs(self.upper)))

    def value(self, log_odds: float) -> float:
        """Return the expected cost at some posterior odds, times one plus these odds."""
        x = log_odds - self._kink
        (alpha, beta), (k0, k1) = self._reach, self._k
        gain = 0.0
        if -alpha < x <= 0.0:
            gain = k0 * math.exp(alpha) * _f(alpha + x) + k1 * _g(alpha + x)
        elif 0.0 < x < beta:
            gain = k1 * math.exp(beta) * _f(beta - x) + k0 * _g(beta - x)
        return self._at_once(log_odds) * (1.0 - gain)

    def value_error(self, log_odds: float) -> float:
        """Return a bound on the rounding of `value`."""
        return ROUNDING * (1.0 + sum(self._k)) * self._at_once(log_odds)

    def _at_once(self, log_odds: float) -> float:
        return self.false_alarm * math.exp(min(0.0, log_odds - self._kink))

    @cached_property
    def _kink(self) -> float:
        """Log odds at which the answers cost the same."""
        return math.log(self.false_alarm / self.miss)

    @cached_property
    def _k(self) -> tuple[float, float]:
        """What a unit of information costs, in units of the two errors."""
        rate = 2.0 * self.drift**2
        return self.time_absent / rate / self.false_alarm, self.time_present / rate / self.miss

    @cached_property
    def _reach(self) -> tuple[float, float]:
        """Distances alpha and beta of the thresholds from the kink."""
        k0, k1 = self._k
        root = 2.0 * math.sqrt(k0) * math.sqrt(k1)

        def gap(w: float) -> float:
            return (1.0 - k0 * w) * (1.0 - k1 * w) - (root * math.sinh(0.5 * w)) ** 2

        # Both sides are beyond each other at the first of these, and neither is at a quarter of it.
        widest = min(1.0 / max(k0, k1), 2.0 * math.asinh(1.0 / root)) * (1.0 + 1e-9)
        w = float(brentq(gap, 0.25 * widest, widest, xtol=PRECISE * widest, rtol=4 * PRECISE))
        # The larger k goes into the denominator: 1 - k w of the smaller one loses no digits.
        side = math.log((1.0 - min(k0, k1) * w) / (-max(k0, k1) * math.expm1(-w)))
        return (side, w - side) if k0 >= k1 else (w - side, side)


def _f(u: float) -> float:
    return -math.expm1(-u) - u * math.exp(-u)


def _g(u: float) -> float:
    return u + math.expm1(-u)
