r"""Serial attention in continuous time: the law of first passages, without simulation.

All information goes to the most likely location. In continuous time the walk has a simple form. All
M locations stand at a common level :math:`-v`, which sinks from 0, except the one that is looked
at, which makes an excursion of height x above it. The level sinks by dv when each of the M
locations has come down by dv. So

.. math:: S = -v + \log\bigl(1 + (e^x - 1)/M\bigr):

"absent" is said when v reaches :math:`\tau_-`, and "present" when an excursion from level
:math:`-v` reaches the height :math:`x(v) = \log(M e^{\tau_+ + v} - M + 1)`.

With the target absent a location under attention is a Brownian motion of drift -2 and variance 4
per unit of :math:`u = \Lambda t`. Let :math:`\delta = \sqrt{1/4 + q/2}`. Per unit of descent,
excursions end the search (by time, at rate q, or at height x) at the rate
:math:`\Phi = -\frac12 + \delta\coth\delta x`, and those that reach x have the transform
:math:`\Psi = e^{-x/2}\,\delta/\sinh\delta x`. Therefore

.. math::

   E[e^{-qu}; \text{absent}] &= \exp\Bigl(-M\int_0^{\tau_-}\Phi(x(v))\,dv\Bigr), \\
   E[e^{-qu}; \text{present}] &= M\int_0^{\tau_-} e^{-M\int_0^v \Phi}\;\Psi(x(v))\,dv ,

and with the target present each is :math:`e^{\mp\tau}` times that, as for any rule on S: given the
answer, its time has the same law for both classes. With M = 1 these are the textbook transforms
of a Wiener process between two boundaries.

**Inversion.** The laws are narrow for many items and wide for few, on an axis of log time.
Fourier's series serves both (Abate and Whitt, ORSA J. Computing 7, 1995): with
:math:`a = A/2\vartheta` and :math:`z = e^{i\pi t/\vartheta}`

.. math:: F(t) = \frac{e^{at}}{\vartheta}\,\mathrm{Re}\Bigl[\tfrac12\hat F(a)
   + \sum_{n\ge1} \hat F\bigl(a + i\pi n/\vartheta\bigr)\,z^n\Bigr] + O(e^{-A}).

Times within a factor of `WINDOW` share :math:`\vartheta`, the last of them, and so the transforms.
Narrow laws end the series by themselves; the tails of wide ones, slowly varying coefficients of
:math:`z^n`, are summed by Euler's method (its m-th means
:math:`(S_{n+1} - zS_n)/(1 - z)`, repeated). Errors are of order :math:`10^{-8}`.
"""

from __future__ import annotations

import cmath
import math
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import comb

from popout.noise.elementary import compiled

Array = NDArray[np.float64]
WINDOW = 0.65
"""Least ratio of times that share their transforms."""
_ALIASES = 19.0  # A
_TERMS, _MEANS = 80, 16  # of the series, and of Euler's method after them
_SUBDIVISIONS = 4  # of the distance between two levels, for Simpson's rule over v; even


def _windows(times: Array) -> NDArray[np.int64]:
    """Return where each group of times within a factor of `WINDOW` begins, and the end of all."""
    starts = [0]
    for i, t in enumerate(times):
        if times[starts[-1]] < WINDOW * t:
            starts.append(i)
    return np.array([*starts, len(times)])


def _weights(share: Array) -> NDArray[np.complex128]:
    """Return the weight of each term of the series at some times, as shares of the last.

    Returns
    -------
    weights : ndarray of shape (T, N)
        To be multiplied with the transforms, whose real part is then the function.
    """
    n = np.arange(_TERMS + _MEANS + 1)
    z = np.exp(1j * np.pi * share)[:, None]
    weights = np.exp(0.5 * _ALIASES * share)[:, None] * z**n
    weights[:, 0] *= 0.5
    j = np.arange(_MEANS + 1)
    means = comb(_MEANS, j) * (-z) ** (_MEANS - j) / (1.0 - z) ** _MEANS  # of the partial sums
    weights[:, _TERMS:] *= np.cumsum(means[:, ::-1], axis=1)[:, ::-1]
    return np.asarray(weights)


@compiled
def _rates(delta: complex, height: float, M: int) -> tuple[complex, complex]:
    """Return the rates, per unit of descent, at which excursions end or reach their height."""
    e = cmath.exp(-delta * height)
    below = 1.0 / (1.0 - e * e)
    ending = M * (delta * (1.0 + e * e) * below - 0.5)
    return ending, M * math.exp(-0.5 * height) * 2.0 * delta * e * below


@compiled
def _distributions(
    M: int,
    tau_plus: float,
    descent: Any,
    every: int,
    last: Any,
    starts: Any,
    weights: Any,
    out: Any,
) -> None:
    """Fill the distribution functions of both answers, for one upper and all lower levels.

    Parameters
    ----------
    descent : ndarray of shape (V,)
        Values of v from 0 on; every `every`-th is a lower level.
    last : ndarray of shape (W,)
        The last time of each window.
    starts : ndarray of shape (W + 1,)
        The number of its first.
    weights : ndarray of complex, shape (T, N)
    out : ndarray of shape (2, K, T)
    """
    height = np.empty(len(descent))
    for i in range(len(descent)):
        height[i] = math.log(M * math.exp(tau_plus + descent[i]) - M + 1.0)
    for window in range(len(last)):
        first, end = starts[window], starts[window + 1]
        for n in range(weights.shape[1]):
            q = complex(0.5 * _ALIASES, math.pi * n) / last[window]
            delta = cmath.sqrt(0.25 + 0.5 * q)
            exponent, ended, survived = 0.0j, 0.0j, 1.0 + 0.0j
            rate, arrival = _rates(delta, height[0], M)
            for i in range(2, len(descent), 2):  # three points at a time
                h = descent[i - 1] - descent[i - 2]
                rate_1, arrival_1 = _rates(delta, height[i - 1], M)
                rate_2, arrival_2 = _rates(delta, height[i], M)
                until_1 = exponent + h / 12.0 * (5.0 * rate + 8.0 * rate_1 - rate_2)
                until_2 = exponent + h / 3.0 * (rate + 4.0 * rate_1 + rate_2)
                middle, before = cmath.exp(-until_1), survived
                survived = cmath.exp(-until_2)
                ended += (h / 3.0) * (
                    before * arrival + 4.0 * middle * arrival_1 + survived * arrival_2
                )
                rate, arrival, exponent = rate_2, arrival_2, until_2
                if i % every == 0:
                    k = i // every - 1
                    absent = survived / (q * last[window])
                    present = ended / (q * last[window])
                    for t in range(first, end):
                        out[0, k, t] += (weights[t, n] * absent).real
                        out[1, k, t] += (weights[t, n] * present).real


def serial_distributions(M: int, lower: Array, upper: Array, times: Array, threads: int) -> Array:
    """Return P(answer before a time | target absent) for all pairs of thresholds.

    Parameters
    ----------
    M : int
        Locations.
    lower, upper : ndarray of shape (K,) and (J,)
        Levels, positive and rising; the lower ones count downwards.
    times : ndarray of shape (T,)
        In units of u = information rate x time; rising.
    threads : int

    Returns
    -------
    distributions : ndarray of shape (2, K, J, T)
        Of "absent" and of "present".

    Examples
    --------
    With equal thresholds of 2 nats and one location, half of the answers come before 0.5925:

    >>> found = serial_distributions(1, np.array([2.0]), np.array([2.0]), np.array([0.5925, 50]), 1)
    >>> absent, present = found[:, 0, 0]
    >>> [round(float(x), 3) for x in (absent[1], present[1], absent[0] / absent[1])]
    [0.881, 0.119, 0.5]
    """
    knots = np.concatenate([[0.0], lower])
    steps = np.linspace(0.0, 1.0, _SUBDIVISIONS, endpoint=False)
    descent = (knots[:-1, None] + np.diff(knots)[:, None] * steps).ravel()
    descent = np.append(descent, knots[-1])
    starts = _windows(times)
    last = times[starts[1:] - 1]
    weights = _weights(times / np.repeat(last, np.diff(starts)))
    out = np.zeros((len(upper), 2, len(lower), len(times)))

    def of_level(j: int) -> None:
        tau_plus = float(upper[j])
        _distributions(M, tau_plus, descent, _SUBDIVISIONS, last, starts, weights, out[j])

    with ThreadPoolExecutor(threads) as pool:
        list(pool.map(of_level, range(len(upper))))
    return np.ascontiguousarray(np.moveaxis(out, 0, 2))
