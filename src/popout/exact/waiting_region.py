r"""Where to wait at one location, with steps: its two thresholds, to many digits.

Measure the log posterior odds x from the kink, where both answers cost the same, and the value of
waiting in units of their geometric mean, :math:`W(x) = Q\, e^{-x/2} / c_{fa}` with Q as in
`bellman`. One step moves x by :math:`N(-s^2/2, s^2)` when no target is there, and the factor
:math:`e^{-x/2}` makes that law symmetric (`axis`). While the observer waits between a and b,

.. math::

   W(x) = \kappa_0 e^{-x/2} + \kappa_1 e^{x/2}
          + e^{x/2}\,\Phi\Bigl(\frac{a - x}{s} - \frac s2\Bigr)
          + e^{-x/2}\,\Phi\Bigl(\frac{x - b}{s} - \frac s2\Bigr)
          + e^{-s^2/8} \int_a^b W(y)\, G_s(y - x)\, dy,
   \qquad \kappa_0 = \frac{C_0\,\delta t}{c_{fa}}, \quad \kappa_1 = \frac{C_1\,\delta t}{c_{miss}} .

The equation is solved on Gauss-Legendre nodes of panels a few s wide (Nystroem), where the kernel
is banded, and gives W anywhere. The best thresholds are where waiting costs as much as the answer,
:math:`W(a) = e^{a/2}` and :math:`W(b) = e^{-b/2}`: move both there and solve again (Howard's policy
iteration), from thresholds close to those of continuous time.

**Does waiting ever pay?** V is concave in the odds, and answering costs the lesser of two straight
lines that meet at the kink. So where V lies on them at the kink it lies on them everywhere, and a
single look from there decides: waiting pays somewhere if and only if

.. math:: \kappa_0 + \kappa_1 < 2\,\Phi(s/2) - 1 .

**Error.** Panels half as wide give other thresholds. `SAFETY` times the difference, and a bound on
the rounding, is the error: the equation multiplies rounding by about the number of looks, at most
:math:`1/\min(\kappa)`, and D meets zero with a slope.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import solve_banded
from scipy.optimize import brentq
from scipy.special import ndtr

from popout.exact.continuous_discrimination import ContinuousDiscrimination
from popout.task import Costs

Array = NDArray[np.float64]
Value = Callable[[float], float]
ORDER = 16  # nodes of a panel
PANEL = 4.0  # its width, in the smaller of s and one nat
REACH = 9.0  # standard deviations of a step beyond which nothing counts
OVERSHOOT = 0.5826  # of a Gaussian walk: thresholds lie that many s inside those without steps
ROUNDS, SMALL, SETTLED = 40, 1e-6, 1e-11
SAFETY, ROUNDING = 4.0, 4e-16


@dataclass(frozen=True)
class WaitingRegion:
    """The optimal pair of thresholds of one location.

    Attributes
    ----------
    lower, upper : float
        In log posterior odds; equal where waiting never pays.
    lower_error, upper_error : float
        Bounds on their errors.

    Examples
    --------
    >>> region = WaitingRegion.of(0.8, Costs(time=0.2), dt=0.01)
    >>> print(f"{region.lower:.6f} {region.upper:.6f}", region.upper_error < 1e-9)
    -4.546133 4.546133 True
    """

    lower: float
    upper: float
    lower_error: float
    upper_error: float

    @property
    def thresholds(self) -> tuple[float, float]:
        """Both thresholds."""
        return self.lower, self.upper

    @classmethod
    def of(cls, sd: float, costs: Costs, dt: float) -> WaitingRegion:
        """Find it.

        Parameters
        ----------
        sd : float
            Standard deviation of one step of the log likelihood ratio.
        costs : Costs
        dt : float
        """
        kink = math.log(costs.false_alarm / costs.miss)
        kappa = costs.time_absent * dt / costs.false_alarm, costs.time_present * dt / costs.miss
        (low, low_error), (high, high_error) = _thresholds(sd, *kappa)
        rounding = ROUNDING * (1.0 + abs(kink))
        return cls(kink + low, kink + high, low_error + rounding, high_error + rounding)


@lru_cache(maxsize=4096)
def _thresholds(s: float, k0: float, k1: float) -> tuple[tuple[float, float], tuple[float, float]]:
    """Return both thresholds, measured from the kink, each with its error."""
    if k0 + k1 >= math.erf(s / math.sqrt(8.0)):
        return (0.0, 0.0), (0.0, 0.0)
    unit = Costs(time=(k0, k1))
    limit = ContinuousDiscrimination.of(0.5 * s, unit)  # a step of one second
    start = min(0.0, limit.lower + OVERSHOOT * s), max(0.0, limit.upper - OVERSHOOT * s)
    coarse = _settled(s, k0, k1, start, PANEL)
    fine = _settled(s, k0, k1, coarse, 0.5 * PANEL)
    W = _waiting(s, k0, k1, *fine, 0.5 * PANEL)
    looks, nudge = 1.0 / min(k0, k1), 1e-3 * min(s, fine[1] - fine[0])
    pairs = []
    for x, before, side in ((fine[0], coarse[0], 1.0), (fine[1], coarse[1], -1.0)):
        slope = abs(W(x + side * nudge) - math.exp(0.5 * side * x + 0.5 * nudge)) / nudge
        rounding = ROUNDING * (1.0 + W(0.0) * looks) / slope
        pairs.append((x, SAFETY * abs(x - before) + rounding + SETTLED))
    return pairs[0], pairs[1]


def _settled(
    s: float, k0: float, k1: float, start: tuple[float, float], panel: float
) -> tuple[float, float]:
    """Return the pair at which waiting costs as much as the answer."""
    low, high = start
    moved = math.inf
    floor = min(0.0, math.log(k0)) - 1.0
    ceiling = max(0.0, -math.log(k1)) + 1.0
    for _ in range(ROUNDS):
        W = _waiting(s, k0, k1, low, high, panel)
        if W(0.0) >= 1.0:  # a bad pair: begin where nobody waits
            W = _waiting(s, k0, k1, 0.0, 0.0, panel)
        before = low, high
        low, high = _equal(W, floor, -0.5), _equal(W, ceiling, 0.5)
        earlier, moved = moved, max(abs(low - before[0]), abs(high - before[1]))
        if moved <= SETTLED or SMALL > moved > 0.5 * earlier:  # nothing but rounding is left
            break
    return low, high


def _equal(W: Value, end: float, tilt: float) -> float:
    """Return where waiting costs as much as an answer, between the kink and an end."""

    def excess(x: float) -> float:
        return W(x) * math.exp(tilt * x) - 1.0

    return float(brentq(excess, 0.0, end, xtol=1e-14, rtol=1e-15))


def _waiting(s: float, k0: float, k1: float, a: float, b: float, panel: float) -> Value:
    """Return W of a pair of thresholds."""
    t, weight = np.polynomial.legendre.leggauss(ORDER)
    n = max(1, math.ceil((b - a) / (panel * min(s, 1.0))))
    edges = np.linspace(a, b, n + 1)
    half = 0.5 * (b - a) / n
    y = (0.5 * (edges[1:] + edges[:-1])[:, None] + half * t).ravel()
    w = np.tile(half * weight, n) * math.exp(-(s**2) / 8.0) / (s * math.sqrt(2.0 * math.pi))

    def known(x: Any) -> Any:
        up = np.exp(0.5 * x)
        absent = up * (k1 + ndtr((a - x) / s - 0.5 * s))
        return absent + (k0 + ndtr((x - b) / s - 0.5 * s)) / up

    def kernel(x: Any, nodes: Array, weights: Array) -> Any:
        return weights * np.exp(-0.5 * ((nodes - x) / s) ** 2)

    size = y.size
    band = min(size - 1, ORDER * (1 + math.ceil(REACH * s / (2.0 * half)))) if b > a else 0
    diagonals = np.zeros((2 * band + 1, size))
    for offset in range(-band, band + 1):  # row i, column j = i + offset
        i = np.arange(max(0, -offset), size - max(0, offset))
        diagonals[band - offset, i + offset] = -kernel(y[i], y[i + offset], w[i + offset])
    diagonals[band] += 1.0
    values = solve_banded((band, band), diagonals, known(y))

    def W(x: float) -> float:
        first, last = np.searchsorted(y, (x - REACH * s, x + REACH * s))
        part = kernel(x, y[first:last], w[first:last]) @ values[first:last]
        return float(known(x) + part)

    return W
