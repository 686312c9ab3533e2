r"""The density of answers and response times of a searching observer.

For each set size M, class C and answer r

.. math::

   f(r, t \mid C) = (1 - \lambda)\bigl[(1 - s)\, P(r \mid C)\,(d_r * n_r)(t)
   + s\, P(\bar r \mid C)\,(d_{\bar r} * n_{\bar r})(t)\bigr] + \frac{\lambda}{2L}:

decision times :math:`d_r` given the answer (`decision_times`), plus non-decision time :math:`n_r`;
a slip s presses the wrong key at a normal time; a lapse :math:`\lambda` answers anything at any
time up to L, when the last answers can come. The convolution is a product of Fourier
transforms on a grid of `STEP` seconds; between its times the density is linear.

Non-decision time, whatever is not deciding (seeing, pressing), is a shifted lognormal of given mean
m and standard deviation: a share of m never varies, and the rest is lognormal. It is skewed:
response times of easy search are skewed, and there next to nothing is left to decide.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.fft import next_fast_len
from scipy.special import ndtr

from popout.noise.elementary import compiled
from popout.people.passages.decision_times import DecisionTimes, ReshuffledTimes
from popout.people.passages.first_passages import answer_probability

Array = NDArray[np.float64]
STEP = 0.01  # s of the grid on which non-decision time is added


@dataclass(frozen=True, eq=False)
class Decision:
    """How an observer decides at each set size.

    Known by identity, as what follows from it is remembered.

    Parameters
    ----------
    tau_minus, tau_plus, rate : ndarray of shape (n_sizes,)
        Thresholds in nats, and the median rate of information in 1/s.
    weights : ndarray of shape (G,)
        Of the tabled guidances.
    variability : float
        Standard deviation of the log rate between trials.
    """

    tau_minus: Array
    tau_plus: Array
    rate: Array
    weights: Array
    variability: float


@dataclass(frozen=True)
class Residual:
    """All that is not deciding.

    Parameters
    ----------
    mean, sd, constant, absent_extra : float
        Non-decision time, in s, and the share of it that is constant.
    lapse, slip : float
        Probabilities.
    """

    mean: float
    sd: float
    constant: float
    absent_extra: float
    lapse: float
    slip: float = 0.0


def residual_masses(mean: float, sd: float, constant: float, edges: Array) -> Array:
    """Return the mass of each bin of time, with weights that fall linearly to the next middles.

    So it moves smoothly between bins even if it is narrower than one of them.

    Parameters
    ----------
    mean, sd : float
        In s.
    constant : float
        Share of the mean that never varies, below 1.
    edges : ndarray of shape (T + 1,)
        Equally spaced.

    Examples
    --------
    >>> edges = np.arange(0.0, 2.0, 0.01)
    >>> mass = residual_masses(0.35, 0.06, 0.6, edges)
    >>> middles = 0.5 * (edges[1:] + edges[:-1])
    >>> round(float(mass.sum()), 4), round(float(middles @ mass), 3)
    (1.0, 0.35)
    """
    rest = mean * (1.0 - constant)
    spread = math.sqrt(math.log1p((sd / rest) ** 2))
    centre = math.log(rest) - 0.5 * spread**2
    step = edges[1] - edges[0]
    middles = np.append(edges - 0.5 * step, edges[-1] + 0.5 * step)
    beyond = np.maximum(middles - mean * constant, 1e-12)
    place = (np.log(beyond) - centre) / spread
    # The mean of what is left until a time; its second differences weigh with a hat.
    left = beyond * ndtr(place) - rest * ndtr(place - spread)
    return np.asarray(np.diff(left, 2) / step)


@compiled
def _mix(times: Any, answers: Any, slip: float, lapse: float, step: float, out: Any) -> None:
    """Put answers, times and slips together.

    Parameters
    ----------
    times : ndarray of shape (n_sizes, 2, >= T)
        Probability of each bin of response times, given the answer.
    answers : ndarray of shape (C, 2, n_sizes)
        By class and answer.
    slip, lapse, step : float
        Probabilities, and the width of a bin.
    out : ndarray of shape (n_sizes, C, 2, T + 1)
    """
    for i in range(out.shape[0]):
        for present in range(out.shape[1]):
            for said in range(2):
                own = (1.0 - lapse) * (1.0 - slip) * answers[present, said, i] / step
                other = (1.0 - lapse) * slip * answers[present, 1 - said, i] / step
                out[i, present, said, 0] = 0.0
                for t in range(out.shape[3] - 1):
                    mine = max(times[i, said, t], 0.0)
                    theirs = max(times[i, 1 - said, t], 0.0)
                    out[i, present, said, t + 1] = own * mine + other * theirs


def search_density(
    times: DecisionTimes | ReshuffledTimes,
    decision: Decision,
    residual: Residual,
    longest: float,
    answers: Array | None = None,
) -> Array:
    """Return the density in 1/s at the times 0, `STEP`, 2 `STEP`, ... of what is no lapse.

    Parameters
    ----------
    times : DecisionTimes or ReshuffledTimes
    decision : Decision
    residual : Residual
    longest : float
    answers : ndarray of shape (C, 2, n_sizes), optional
        Probabilities by class and answer; those of Wald, of both classes, when left out.

    Returns
    -------
    density : ndarray of shape (n_sizes, C, 2, T + 1)
        By set size, class and answer (0 absent, 1 present).
    """
    if answers is None:
        answers = answer_probability(decision.tau_minus, decision.tau_plus)
    n = int(np.ceil(longest / STEP))
    product = _decided_transform(times, decision, n, STEP) * _residual_transform(
        residual.mean, residual.sd, residual.constant, residual.absent_extra, n, STEP
    )
    # Middles of two bins add up to the end of a bin.
    together = np.fft.irfft(product, next_fast_len(2 * n, real=True))
    density = np.empty((len(decision.rate), len(answers), 2, n + 1))
    _mix(together, answers, residual.slip, residual.lapse, STEP, density)
    return density


# A search moves one parameter at a time: half of an evaluation is that of a place before.
@lru_cache(maxsize=64)
def _decided_transform(
    times: DecisionTimes, decision: Decision, n: int, step: float
) -> NDArray[np.complex128]:
    """Return the Fourier transform of decision times, shape (n_sizes, 2, F)."""
    with np.errstate(divide="ignore"):
        log_edges = np.log(step * np.arange(n + 1, dtype=np.float64))
    scale = np.log(decision.rate / np.asarray(times.set_sizes))
    tau, mixed = (decision.tau_minus, decision.tau_plus), (decision.weights, decision.variability)
    rising = times.distributions(*tau, *mixed, log_edges + scale[:, None])
    rising[..., 0] = 0.0  # what is decided at once belongs to the first bin
    return np.fft.rfft(np.diff(rising, axis=-1), next_fast_len(2 * n, real=True))


@lru_cache(maxsize=64)
def _residual_transform(
    mean: float, sd: float, constant: float, absent_extra: float, n: int, step: float
) -> NDArray[np.complex128]:
    """Return the Fourier transform of non-decision time for both answers, shape (2, F)."""
    edges = step * np.arange(n + 1, dtype=np.float64)
    extras = (absent_extra, 0.0)
    later = np.stack([residual_masses(mean, sd, constant, edges - extra) for extra in extras])
    return np.fft.rfft(later, next_fast_len(2 * n, real=True))
