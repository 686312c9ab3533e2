r"""Times that are ex-Gaussian but for a share of lapses: densities, and the best one.

With :math:`z = (t - \mu)/\sigma`, :math:`r = \sigma/\tau` and :math:`u = z - r` the log density of
an ex-Gaussian is

.. math:: \log g = -\log\tau + r(r/2 - z) + \log\Phi(u)
                 = -\log 2\tau - z^2/2 + \log\operatorname{erfcx}(-u/\sqrt 2),

the second form where u < 0: the first is then a difference of large numbers, and its limit for
:math:`\tau \to 0`, a normal density, would be lost. Its derivatives by the logarithms of the
parameters need nothing more than :math:`h = \phi(u)/\Phi(u)`:

.. math:: \mu\Bigl(\frac1\tau - \frac h\sigma\Bigr), \qquad r^2 - h(z + r), \qquad r(u + h) - 1.

The distribution function is :math:`G = \Phi(z) - \tau g`, with the derivatives
:math:`-\mu g`, :math:`\sigma^2 g'` (the heat equation) and :math:`-\tau g\,(1 + s_\tau)`, where
:math:`s_\tau` is the last of those above. With it go time limits and the window of answers that are
kept, as for every model (`popout.people.models.model`).

**The best one.** The likelihood has several maxima: a narrow density on a part of the times with
lapses for the rest, a broad one on all of them, and, where it begins abruptly (:math:`\sigma \to
0`), one at each of the first times. So a lattice of shapes is looked at first, whose :math:`\mu`
are the first times and quantiles, and L-BFGS starts from the best shape of every :math:`\sigma`.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.special import erfcx, log_ndtr, ndtr

from popout.people.models.model import LEAST_CHANCE

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


def kept_mass(
    shape: Array, lapse: float, ends: tuple[Array, Array, Array]
) -> tuple[Array, Array, Array, Array]:
    """Return the probability of no answer, and that of all that is kept, with their slopes.

    Parameters
    ----------
    shape : ndarray of shape (3,)
        mu, sigma and tau.
    lapse : float
    ends : tuple of three ndarray of shape (U,)
        Where answers that are kept begin and end, and the time limits; inf if there is none.

    Returns
    -------
    none, kept : ndarray of shape (U,)
    none_slopes, kept_slopes : ndarray of shape (4, U)
        By the logarithms of mu, sigma, tau and lapses.
    """
    first, last, limit = ends
    limited = np.isfinite(limit)
    stops = np.array([first, last, np.where(limited, limit, last)])
    mu, sigma, tau = shape
    log_density, by = _with_slopes(stops, mu, sigma, tau)
    g = np.exp(log_density)
    rising = ndtr((stops - mu) / sigma) - tau * g
    factors = [np.full_like(g, -mu), -(sigma**2) * by[0] / mu, -tau * (1.0 + by[2])]
    slopes = (1.0 - lapse) * g * np.array(factors)
    late, inside = 1.0 - rising[2], rising[1] - rising[0]
    none = limited * np.maximum((1.0 - lapse) * late, LEAST_CHANCE)
    kept = (1.0 - lapse) * inside + lapse * (1.0 - first / last) + none
    none_slopes = limited * np.vstack([-slopes[:, 2], [-lapse * late]])
    by_lapse = lapse * (1.0 - first / last - inside)
    kept_slopes = np.vstack([slopes[:, 1] - slopes[:, 0], [by_lapse]]) + none_slopes
    return none, np.maximum(kept, LEAST_CHANCE), none_slopes, kept_slopes


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
    last, limit : ndarray of shape (n + m,)
        Of these trials, and of m without an answer: when lapses and answers that are kept end, and
        the time limit; inf if there is none.
    fastest : float
        When answers that are kept begin.

    Examples
    --------
    Whether late times are unknown or not makes no difference to the estimates:

    >>> random = np.random.default_rng(1)
    >>> t = random.normal(0.5, 0.05, 4000) + random.exponential(0.1, 4000)
    >>> early = t[t < 0.7]
    >>> shape, _ = LapsingTimes(early, np.full(4000, 0.7), np.full(4000, 0.7)).best(1e-5)
    >>> np.exp(shape).round(2).tolist()
    [0.5, 0.05, 0.1]
    """

    def __init__(self, t: Array, last: Array, limit: Array, fastest: float = 0.0) -> None:
        self.t, self.n_evaluations = t, 0
        self._last = last[: t.size]
        spaces, which = np.unique([last, limit], axis=1, return_inverse=True)
        self._ends = np.full(len(spaces[0]), fastest), spaces[0], spaces[1]
        self._space = which.reshape(-1)
        groups = (self._space, self._space[t.size :])
        self._n, self._n_waits = (np.bincount(each, minlength=len(spaces[0])) for each in groups)

    @cached_property
    def _lattice(self) -> tuple[Array, Array]:
        """Log shapes, (n, n_sigma, 3), and log densities of some times under each."""
        t = self.t
        some = np.quantile(t, np.linspace(0.0, 1.0, _LOOKED_AT)) if t.size > _LOOKED_AT else t
        low, high = np.quantile(t, (0.1, 0.9))
        widths = _WIDTHS * max(high - low, 0.004)
        middles = np.concatenate([np.sort(t)[:_FIRST], np.quantile(t, _QUANTILES)])
        lattice = np.array(np.meshgrid(widths, middles, widths, indexing="ij"))[[1, 0, 2]]
        edges = np.exp(np.array(_EDGES).T)
        shapes = np.clip(lattice.reshape(3, len(widths), -1).T, *edges)
        judged = [[log_ex_gaussian(some, *shape) for shape in row] for row in shapes]
        return np.log(shapes), np.array(judged)

    def log_densities(self, shape: Array, lapse: float) -> Array:
        """Return the log density of each time, then the log probability of each silence."""
        mu, sigma, tau = shape
        none, kept, *_ = kept_mass(shape, lapse, self._ends)
        decided = np.log1p(-lapse) + log_ex_gaussian(self.t, mu, sigma, tau)
        both = np.logaddexp(decided, np.log(lapse / self._last))
        silent = np.log(none[self._space[self.t.size :]])
        return np.append(both, silent) - np.log(kept[self._space])

    def cost(self, shape: Array, log_lapse: float) -> tuple[float, Array]:
        """Return minus the log likelihood, and its slopes by log mu, sigma, tau and lapses."""
        self.n_evaluations += 1
        lapse, (mu, sigma, tau) = np.exp(log_lapse), np.exp(shape)
        log_density, slopes = _with_slopes(self.t, mu, sigma, tau)
        decided, lapsed = np.log1p(-lapse) + log_density, log_lapse - np.log(self._last)
        both = np.logaddexp(decided, lapsed)
        share = np.exp(decided - both)
        by_lapse = np.sum(1.0 - share) - lapse / (1.0 - lapse) * share.sum()
        none, kept, by_none, by_kept = kept_mass(np.array([mu, sigma, tau]), lapse, self._ends)
        silent = self._n_waits > 0
        total = both.sum() - self._n @ np.log(kept)
        total += self._n_waits[silent] @ np.log(none[silent])
        by = np.append(slopes @ share, by_lapse) - by_kept @ (self._n / kept)
        by += by_none[:, silent] @ (self._n_waits[silent] / none[silent])
        return -float(total), -by

    def starts(self, lapse: float) -> list[Array]:
        """Return the best shape of the lattice for every sigma, given a share of lapses."""
        lattice, judged = self._lattice
        both = np.logaddexp(np.log1p(-lapse) + judged, np.log(lapse / self._last.max()))
        best = both.sum(axis=-1).argmax(axis=0)
        return [lattice[at, width] for width, at in enumerate(best)]

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
            late = np.log([2.0 * self._ends[1].max(initial=0.25), 0.1, 0.1])
            return late, self.cost(late, np.log(lapse))[0]

        def cost(x: Array) -> tuple[float, Array]:
            value, slopes = self.cost(x, np.log(lapse))
            return value, slopes[:3]

        how: Any = {"method": "L-BFGS-B", "bounds": _EDGES}
        how["options"] = {"ftol": 1e-12, "gtol": 1e-5, "maxiter": 300}
        starts = self.starts(lapse) if starts is None else starts
        ends = [minimize(cost, x, jac=True, **how) for x in starts]
        end = min(ends, key=lambda each: float(each.fun))
        return np.asarray(end.x), float(end.fun)
