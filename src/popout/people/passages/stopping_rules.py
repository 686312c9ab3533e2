r"""Stopping rules of the paper where places differ in visibility: one statistic for every threshold.

In the time :math:`u = \mu_{\max}^2 t` of the place that is seen best, the local log likelihood
ratio of a place with relative visibility v moves by :math:`\mp 2 v^2 du + 2 v\, dW`; drift only
rescales time. With :math:`y_l = Z_l - \log M`, a rule says "present" once :math:`S_+ \ge \tau_+`
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
factors and scales of that :math:`\tau_\pm`. They are nested: whoever has passed one has passed those
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
    ScaledSPRT,
)
from popout.policies.stopping.scaled_sprt import scaled_softmax

Array = NDArray[np.float64]
Sides = tuple[Array, Array, Array]
"""Thresholds, scales and factors at each level, shapes (K,), (K,) and (K, M)."""
MOST_THRESHOLD = 60.0


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
    ([3.0, 0.576], 0.09)
    """
    tau, visibility = np.broadcast_arrays(np.asarray(tau, float), np.asarray(visibility, float))
    wanted = visibility**2 * (np.sinh(tau) + tau)
    low, high = np.zeros_like(wanted), np.array(np.maximum(tau, 0.0))
    for _ in range(60):
        middle = 0.5 * (low + high)
        above = np.sinh(middle) + middle > wanted
        low, high = np.where(above, low, middle), np.where(above, middle, high)
    return np.asarray(np.where(visibility == 1.0, tau, 0.5 * (low + high)))


def scales_at(tau: float, n_places: int) -> tuple[float, float]:
    """Return the scales of a-SPRT, lower and upper, at a threshold of discrimination.

    Examples
    --------
    >>> tuple(round(a, 2) for a in scales_at(3.76, 8))
    (2.33, 0.63)
    """
    ratio = min(1.0 / (math.sinh(tau) + tau), LARGEST_RATIO)
    terms = (1.0, math.sqrt(ratio), 0.0, 0.0, math.log(max(n_places, 2) / 2))
    lower, upper = (
        math.exp(sign * math.exp(sum(w * x for w, x in zip(weights, terms, strict=True))))
        for sign, weights in (COEFFICIENTS["a_minus"], COEFFICIENTS["a_plus"])
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
    ([1.693], [[1.0, 7.78]])
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
        made = []
        for side, sign in ((0, 1.0), (1, -1.0)):
            taus = [self._threshold(visibilities, side, sign, k) for k in np.asarray(levels)]
            tests = [self._test(visibilities, side, tau) for tau in taus]
            scales, factors = (np.array(each) for each in zip(*tests, strict=True))
            made.append((np.array(taus), scales, factors))
        return made[0], made[1]

    def strategy(
        self, visibilities: tuple[float, ...], lower: float, upper: float
    ) -> ScaledSPRT:
        """Return the strategy with levels of evidence for "absent" and for "present".

        Examples
        --------
        >>> round(RULES["hardmax"].strategy((1.0, 0.3), 1.0, 2.0).tau_minus, 3)
        -1.693
        """
        tests = self.sides(visibilities, [lower])[0], self.sides(visibilities, [upper])[1]
        (below, a_minus, c_minus), (above, a_plus, c_plus) = tests
        return ScaledSPRT(
            -below[0], above[0], a_minus[0], a_plus[0], c_minus[0], c_plus[0],
            (math.log(len(visibilities)),) * len(visibilities), self.label,
        )  # fmt: skip

    def _test(self, visibilities: tuple[float, ...], side: int, tau: float) -> tuple[float, Array]:
        """Return scale and factors at a threshold."""
        scales = self.scales or scales_at(tau, len(visibilities))
        factors = np.ones(len(visibilities))
        if self.per_place:
            factors = tau / local_threshold(tau, visibilities)
        return scales[side], factors

    def _threshold(
        self, visibilities: tuple[float, ...], side: int, sign: float, level: float
    ) -> float:
        """Return the threshold that lies a level beyond where the statistic begins."""
        log_places, low, high = math.log(len(visibilities)), 1e-6, MOST_THRESHOLD
        for _ in range(60):
            tau = 0.5 * (low + high)
            a, factors = self._test(visibilities, side, tau)
            onset = -sign * float(scaled_softmax(-factors * log_places, a))
            beyond = tau - max(onset, 0.0) > level
            low, high = (low, tau) if beyond else (tau, high)
        return 0.5 * (low + high)


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
