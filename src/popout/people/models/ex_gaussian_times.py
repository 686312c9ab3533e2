r"""Times that are ex-Gaussian but for a share of lapses: densities, and the best one.

With :math:`z = (t - \mu)/\sigma`, :math:`r = \sigma/\tau` and :math:`u = z - r` the log density of
an ex-Gaussian is

.. math:: \log g = -\log\tau + r(r/2 - z) + \log\Phi(u)
                 = -\log 2\tau - z^2/2 + \log\operatorname{erfcx}(-u/\sqrt 2),

the second form where u < 0: the first is then a difference of large numbers, and its limit for
:math:`\tau \to 0`, a normal density, would be lost. Its derivatives by the logarithms of the
parameters need nothing more than :math:`h = \phi(u)/\Phi(u)`:

.. math:: \mu\Bigl(\frac1\tau - \frac h\sigma\Bigr), \qquad r^2 - h(z + r), \qquad r(u + h) - 1.

**The best one.** The likelihood has several maxima: a narrow density on a part of the times with
lapses for the rest, a broad one on all of them, and, where it begins abruptly (:math:`\sigma \to
0`), one at each of the first times. So a lattice of shapes is looked at first, whose :math:`\mu`
are the first times and quantiles, and L-BFGS starts from the best shape of every :math:`\sigma`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.special import erfcx, log_ndtr

Array = NDArray[np.float64]
SHAPE = ("mu", "sigma", "tau")
BOUNDS = {"mu": (0.001, 30.0), "sigma": (0.001, 10.0), "tau": (0.001, 30.0)}
"""In s. Times are measured in ms: densities that are narrower describe the clock."""
_EDGES = [tuple(np.log(BOUNDS[name])) for name in SHAPE]
_WIDTHS = np.array([0.03, 0.15, 0.5, 1.0])
"""Of sigma and tau in the lattice, in parts of the central 80 % of the times."""
_FIRST, _QUANTILES = 4, (0.1, 0.25, 0.5, 0.75)
"""Of mu: how many of the first times, and quantiles."""
_LOOKED_AT = 400
"""Times, evenly chosen, by which the lattice is judged."""


def log_ex_gaussian(t: Array, mu: float, sigma: float, tau: float) -> Array:
    """Return the log density of an ex-Gaussian, in 1/s.

    Examples
    --------
    >>> from scipy.stats import exponnorm
    >>> t = np.array([0.3, 0.6, 2.0])
    >>> np.allclose(log_ex_gaussian(t, 0.4, 0.05, 0.1), exponnorm.logpdf(t, 2.0, 0.4, 0.05))
    True
    """
    return _with_slopes(t, mu, sigma, tau)[0]


def _with_slopes(t: Array, mu: float, sigma: float, tau: float) -> tuple[Array, Array]:
    """Return the log density and its derivatives by the logs of the parameters, shape (3, n)."""
    z, r = (t - mu) / sigma, sigma / tau
    u = z - r
    scaled = np.minimum(erfcx(-u / np.sqrt(2.0)), 1e300)
    h = np.sqrt(2.0 / np.pi) / scaled
    below = -0.5 * z**2 + np.log(0.5 * scaled)
    log_density = np.where(u < 0.0, below, r * (0.5 * r - z) + log_ndtr(u)) - np.log(tau)
    slopes = np.stack([mu * (1.0 / tau - h / sigma), r**2 - h * (z + r), r * (u + h) - 1.0])
    return log_density, slopes


class LapsingTimes:
    """Some response times, and the ex-Gaussian that suits them best for a share of lapses.

    Parameters
    ----------
    t : ndarray of shape (n,)
        Seconds.
    longest : float
        Seconds up to which lapses come.

    Examples
    --------
    >>> random = np.random.default_rng(1)
    >>> t = random.normal(0.5, 0.05, 4000) + random.exponential(0.1, 4000)
    >>> shape, _ = LapsingTimes(t, 5.0).best(1e-5)
    >>> np.exp(shape).round(2).tolist()
    [0.5, 0.05, 0.1]
    """

    def __init__(self, t: Array, longest: float) -> None:
        self.t, self.longest, self.n_evaluations = t, longest, 0
        if not t.size:
            return
        some = np.quantile(t, np.linspace(0.0, 1.0, _LOOKED_AT)) if t.size > _LOOKED_AT else t
        low, high = np.quantile(t, (0.1, 0.9))
        widths = _WIDTHS * max(high - low, 0.004)
        middles = np.concatenate([np.sort(t)[:_FIRST], np.quantile(t, _QUANTILES)])
        lattice = np.array(np.meshgrid(widths, middles, widths, indexing="ij"))[[1, 0, 2]]
        edges = np.exp(np.array(_EDGES).T)
        self._lattice = np.log(np.clip(lattice.reshape(3, len(widths), -1).T, *edges))
        shapes = np.exp(self._lattice)
        self._judged = np.array(
            [[log_ex_gaussian(some, *shape) for shape in row] for row in shapes]
        )

    def cost(self, shape: Array, log_lapse: float) -> tuple[float, Array]:
        """Return minus the log likelihood, and its slopes by log mu, sigma, tau and lapses."""
        self.n_evaluations += 1
        lapse, (mu, sigma, tau) = np.exp(log_lapse), np.exp(shape)
        log_density, slopes = _with_slopes(self.t, mu, sigma, tau)
        decided, lapsed = np.log1p(-lapse) + log_density, log_lapse - np.log(self.longest)
        both = np.logaddexp(decided, lapsed)
        share = np.exp(decided - both)
        by_lapse = np.sum(1.0 - share) - lapse / (1.0 - lapse) * share.sum()
        return -float(both.sum()), -np.append(slopes @ share, by_lapse)

    def starts(self, lapse: float) -> list[Array]:
        """Return the best shape of the lattice for every sigma, given a share of lapses."""
        both = np.logaddexp(np.log1p(-lapse) + self._judged, np.log(lapse / self.longest))
        best = both.sum(axis=-1).argmax(axis=0)
        return [self._lattice[at, width] for width, at in enumerate(best)]

    def best(self, lapse: float, starts: list[Array] | None = None) -> tuple[Array, float]:
        """Return the log parameters of the best ex-Gaussian, and minus its log likelihood.

        Parameters
        ----------
        lapse : float
            Share of lapses.
        starts : list of ndarray of shape (3,), optional
            Where to search from, if good places are known.
        """
        if not self.t.size:
            return np.log([0.5, 0.1, 0.1]), 0.0

        def cost(x: Array) -> tuple[float, Array]:
            value, slopes = self.cost(x, np.log(lapse))
            return value, slopes[:3]

        how: Any = {"method": "L-BFGS-B", "bounds": _EDGES}
        how["options"] = {"ftol": 1e-12, "gtol": 1e-5, "maxiter": 300}
        starts = self.starts(lapse) if starts is None else starts
        ends = [minimize(cost, x, jac=True, **how) for x in starts]
        end = min(ends, key=lambda each: float(each.fun))
        return np.asarray(end.x), float(end.fun)
