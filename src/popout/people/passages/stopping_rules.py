r"""Stopping rules of the paper where places differ in visibility, at every threshold.

In the time :math:`u = \mu_{\max}^2 t` of the place that is seen best, the local log likelihood
ratio of a place with relative visibility v moves by :math:`\mp 2 v^2 du + 2 v\, dW`; drift only
rescales time. With :math:`y_l = Z_l - \log M` (an even prior: other base rates move what people
choose, the thresholds), a rule says "present" once :math:`S_+ \ge \tau_+`
and "absent" once :math:`S_- \le -\tau_-`,

.. math:: S_\pm = \frac{1}{a_\pm} \log \sum_l e^{a_\pm c_l y_l}
    \quad\text{(paper, Equations 8 to 11)} .

=====================  ======================  ==================================================
rule                   scales                  factors
=====================  ======================  ==================================================
sprt                   1, 1                    1
a-sprt                 :math:`a_\pm(\tau)`     :math:`c_l = \tau / \tau_l(\tau)`
hardmax                infinite                1: one pair, that of the place that is seen best
hardmax-per-location   infinite                as a-sprt: every place has a pair of its own
=====================  ======================  ==================================================

**One number for each answer.** A threshold :math:`\tau` at the place that is seen best stands for
a cost of time: in continuous time discrimination has the thresholds
:math:`\sinh\tau + \tau = \mu^2 / C`, so that of a place with visibility v is

.. math:: \sinh\tau_l + \tau_l = v_l^2\,(\sinh\tau + \tau) .

The scales of a-SPRT are those that fit exact boundaries of equal places, by the law of
`popout.analysis.expected_optimum` without steps (:math:`\mu^2 dt = 0`). So a rule has no free
parameter but a threshold for each answer, which people are free to choose: with thresholds that
are free, SPRT and SPRT-opt are one rule. The optimum is out of reach: it would take a grid over the
eight ratios.

**Levels** count from even odds, or from where the statistic begins if that is farther, so that
nobody answers before looking: at level k :math:`\tau_\pm = \max(\pm S_\pm(0), 0) + k`, with the
factors and scales of that :math:`\tau_\pm`. They are nested: who has passed one has passed those
below.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from popout.analysis.expected_optimum import COEFFICIENTS, LARGEST_RATIO
from popout.policies.stopping import (
    ASPRT,
    SPRT,
    Hardmax,
    HardmaxPerLocation,
)

Array = NDArray[np.float64]
Sides = tuple[Array, Array, Array]
"""Thresholds, scales and factors at each level, shapes (K,), (K,) and (K, M)."""
MOST_THRESHOLD = 60.0
LARGEST = 1e6
"""Scale that stands for an infinite one: the largest term alone."""


def local_threshold(tau: ArrayLike, visibility: ArrayLike) -> Array:
    """Return the threshold of discrimination at a place of less visibility and the same cost.

    Parameters
    ----------
    tau : array_like
        At visibility 1.
    visibility : array_like

    Examples
    --------
    >>> tau = local_threshold(3.0, [1.0, 0.3])
    >>> tau.round(3).tolist(), np.round((np.sinh(tau) + tau)[1] / (np.sinh(3.0) + 3.0), 3).item()
    ([3.0, 0.57], 0.09)
    """
    tau, visibility = np.broadcast_arrays(np.asarray(tau, float), np.asarray(visibility, float))
    wanted = visibility**2 * (np.sinh(tau) + tau)
    low, high = np.zeros_like(wanted), np.array(np.maximum(tau, 0.0))
    for _ in range(60):
        middle = 0.5 * (low + high)
        above = np.sinh(middle) + middle > wanted
        low, high = np.where(above, low, middle), np.where(above, middle, high)
    return np.asarray(np.where(visibility == 1.0, tau, 0.5 * (low + high)))


def scales_at(tau: ArrayLike, n_places: int) -> tuple[Array, Array]:
    """Return the scales of a-SPRT, lower and upper, at a threshold of discrimination.

    Examples
    --------
    >>> tuple(round(float(a), 2) for a in scales_at(3.76, 8))
    (2.33, 0.63)
    """
    tau = np.asarray(tau, float)
    root = np.sqrt(np.minimum(1.0 / (np.sinh(tau) + tau), LARGEST_RATIO))
    lower, upper = (
        np.exp(sign * np.exp(w[0] + w[1] * root + w[4] * math.log(max(n_places, 2) / 2)))
        for sign, w in (COEFFICIENTS["a_minus"], COEFFICIENTS["a_plus"])
    )
    return lower, upper


@dataclass(frozen=True)
class StoppingRule:
    """A rule, whatever the thresholds.

    Parameters
    ----------
    name : str
        That of the strategy (`popout.policies.vocabulary`).
    label : str
    scales : tuple of two float, optional
        Lower and upper; by the law of a-SPRT when left out.
    per_place : bool
        Whether every place has thresholds of its own.

    Examples
    --------
    >>> rule = RULES["hardmax-per-location"]
    >>> tau, _, factors = rule.sides((1.0, 0.3), [1.0])[0]
    >>> tau.round(3).tolist(), factors.round(2).tolist()
    ([1.693], [[1.0, 8.74]])
    """

    name: str
    label: str
    scales: tuple[float, float] | None
    per_place: bool

    def sides(self, visibilities: tuple[float, ...], levels: ArrayLike) -> tuple[Sides, Sides]:
        """Return thresholds, scales and factors at each level, of "absent" and "present".

        Parameters
        ----------
        visibilities : tuple of float, length M
            The largest is 1.
        levels : array_like of shape (K,)
        """
        levels, made = np.asarray(levels, np.float64), []
        at_start = np.full((levels.size, len(visibilities)), -math.log(len(visibilities)))
        for side in (0, 1):
            low, high = np.full(levels.size, 1e-6), np.full(levels.size, MOST_THRESHOLD)
            for _ in range(50):
                tau = 0.5 * (low + high)
                a, factors = self._test(visibilities, side, tau)
                onset = (1.0 if side else -1.0) * _softmax(factors * at_start, a)
                beyond = tau - np.maximum(onset, 0.0) > levels
                low, high = np.where(beyond, low, tau), np.where(beyond, tau, high)
            made.append((tau, *self._test(visibilities, side, tau)))
        return made[0], made[1]

    def _test(self, visibilities: tuple[float, ...], side: int, tau: Array) -> tuple[Array, Array]:
        """Return scales and factors at thresholds, shapes (K,) and (K, M)."""
        scales = self.scales or scales_at(tau, len(visibilities))
        factors = np.ones((tau.size, len(visibilities)))
        if self.per_place:
            factors = tau[:, None] / local_threshold(tau[:, None], visibilities)
        return np.broadcast_to(scales[side], tau.shape), factors


def _softmax(y: Array, a: Array) -> Array:
    """Return the softmax of each row at a scale of its own; the maximum where that is infinite."""
    top = y.max(axis=1, keepdims=True)
    finite = np.minimum(a, LARGEST)[:, None]
    return np.asarray(top[:, 0] + np.log(np.exp(finite * (y - top)).sum(axis=1)) / finite[:, 0])


HARD = (math.inf, math.inf)
RULES = {
    rule.name: rule
    for rule in (
        StoppingRule(ASPRT.name, "a-SPRT", None, True),
        StoppingRule(SPRT.name, "SPRT", (1.0, 1.0), False),
        StoppingRule(HardmaxPerLocation.name, "Hardmax per location", HARD, True),
        StoppingRule(Hardmax.name, "Hardmax", HARD, False),
    )
}
"""Rules by name."""
