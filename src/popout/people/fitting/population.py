r"""A population over observers: what people have in common, and how far they differ.

Observer i has parameters :math:`x_i` in the unit cube (`popout.people.models.model`); in the
unbounded coordinates :math:`y = \mathrm{logit}\, x` they come from a normal population,

.. math::

   A u_i = y_i, \qquad u_i \sim N\bigl(\mu_{g(i)}, \mathrm{diag}(\sigma^2)\bigr), \qquad
   \mu_{gp} \sim N(0, 1.5^2), \qquad \sigma_p \sim N^+(0, 1),

with g(i) the level of a column that is constant within an observer, such as age, if one is named. A
is the identity but for parameters that vary with a condition: there u holds the mean over levels
and the differences between them, with half these widths, because people who are fast in one
condition are fast in the other. The priors are weak: :math:`\mu` covers the middle 95 % of what was
searched, and :math:`\sigma = 1` is already a factor of ten between observers for information, which
is searched over four decades, and of two for non-decision time.

**Sampling.** Exact, by Metropolis steps within Gibbs. Given :math:`\mu` and :math:`\sigma`,
observers are independent. With :math:`\Lambda_i` the outer product of the scores of the trials, the
log likelihood is near :math:`h_i^T u - u^T \Lambda_i u / 2`, and the conditional posterior near
:math:`q_i = N(m_i, S_i)`, :math:`S_i^{-1} = \Lambda_i + \mathrm{diag}(\sigma^{-2})`. Proposals

.. math::

   u' = m_i + \sqrt{1 - s^2}\,(u - m_i) + s\, S_i^{1/2} z
   \quad\text{and}\quad u' = u + s\, S_i^{1/2} z

take turns: the first leaves :math:`q_i` as it is and would never be refused were the approximation
right, the second does not mind if it is wrong. They follow :math:`\sigma` into the funnel of small
spreads. :math:`\mu` is drawn from its normal conditional, :math:`\log \sigma` by Metropolis steps.
Where trials say little, :math:`u_i` and :math:`\mu, \sigma` hold each other; so in turn they are
also moved with :math:`z_i = (u_i - \mu)/\sigma` kept (Yu and Meng 2011: interweaving), by a
proposal of the first kind: in :math:`(\mu, \sigma)` too the approximation is a quadratic form.
Steps s, and the :math:`\Lambda_i`, averaged over draws, are adapted in the first half, which is
thrown away.

Chains begin at the modes of Laplace's approximation, found by expectation-maximisation with
Newton steps on the same scores. A chain is a unit of work of its own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, logit

from popout.noise.seeds import Purpose, fresh_seed
from popout.people.models.conditioned import Conditioned
from popout.people.models.model import Model, position_of, values_at
from popout.people.passages.passage_tables import PassageTables
from popout.progress import Progress
from popout.simulation.responses import Responses

Array = NDArray[np.float64]
MEAN_SD, SPREAD = 1.5, 1.0
"""Widths of the priors of means and of spreads."""
_DIFFERENCE = 0.05  # of coordinates, for scores
_INNER = 3  # Metropolis steps of each observer in a sweep
_SHIFTED = 2  # times that population and observers move together in a sweep
_EM, _NEWTON = 12, 2  # rounds of expectation-maximisation, and Newton steps in each
_REFRESHED = 10  # times that the approximations are renewed in the first half
_TARGET = 0.35  # share of proposals to accept


@dataclass(frozen=True)
class Prior:
    """Of the population, one number for each coordinate.

    Attributes
    ----------
    centre, width : ndarray of shape (P,)
        Mean and standard deviation of the normal prior of means.
    spread : ndarray of shape (P,)
        Scale of the half-normal prior of standard deviations between observers.
    """

    centre: Array
    width: Array
    spread: Array

    @classmethod
    def weak(cls, names: Sequence[str], parameters: Sequence[str]) -> Prior:
        """Return the weak priors; differences between conditions have half the width."""
        factor = np.array([1.0 if name in parameters else 0.5 for name in names])
        return cls(np.zeros(len(names)), MEAN_SD * factor, SPREAD * factor)

    def draw(self, n_levels: int, random: np.random.Generator) -> tuple[Array, Array]:
        """Draw means, shape (G, P), and spreads, shape (P,)."""
        shape = (n_levels, len(self.centre))
        means = self.centre + self.width * random.standard_normal(shape)
        return means, self.spread * np.abs(random.standard_normal(shape[1]))


class Hierarchy:
    """The trials of several observers, a model, and a population that they come from.

    Parameters
    ----------
    model : Model
    people : mapping of str to Responses
    tables : PassageTables, optional
    levels : mapping of str to str, optional
        Of each observer, where means of the population differ.
    prior : Prior, optional
        Default: `Prior.weak`.
    """

    def __init__(
        self,
        model: Model,
        people: Mapping[str, Responses],
        tables: PassageTables | None = None,
        levels: Mapping[str, str] | None = None,
        prior: Prior | None = None,
    ) -> None:
        self.model, self.people = model, tuple(people)
        self.likelihoods = [model.likelihood(own, tables) for own in people.values()]
        own = [(levels or {}).get(name, "") for name in people]
        self.levels, self.level = np.unique(np.array(own), return_inverse=True)
        self.names, self.matrix = coordinates_of(model)
        parameters = base_names(model)
        self.prior = Prior.weak(self.names, parameters) if prior is None else prior

    def positions(self, u: Array) -> Array:
        """Return points of the unit cube, of coordinates with shape (..., P)."""
        return np.asarray(expit(u @ self.matrix.T))

    def coordinates(self, values: Mapping[str, float], edge: float = 0.02) -> Array:
        """Return the coordinates of some parameters, kept off the edges of their ranges."""
        x = np.clip(position_of(self.model.parameters, values), edge, 1.0 - edge)
        return np.asarray(np.linalg.solve(self.matrix, logit(x)), np.float64)

    def log_densities(self, i: int, u: Array) -> Array:
        """Return the log density of each trial of an observer."""
        values = values_at(self.model.parameters, self.positions(u))
        return self.likelihoods[i].log_densities(values)

    def total(self, i: int, u: Array) -> float:
        """Return the log likelihood of an observer; very low where it is not finite."""
        value = float(self.log_densities(i, u).sum())
        return value if np.isfinite(value) else -1e15

    def approximation(self, i: int, u: Array) -> tuple[Array, Array]:
        """Return slope and curvature of the log likelihood of an observer, from scores of trials.

        Returns
        -------
        slope : ndarray of shape (P,)
        curvature : ndarray of shape (P, P)
            The outer product of the scores, never negative.
        """
        steps = _DIFFERENCE * np.eye(len(u))
        pairs = [
            (self.log_densities(i, u + step), self.log_densities(i, u - step)) for step in steps
        ]
        scores = np.array([a - b for a, b in pairs]) / (2.0 * _DIFFERENCE)
        return scores.sum(axis=1), scores @ scores.T


def coordinates_of(model: Model) -> tuple[tuple[str, ...], Array]:
    """Return the names of the coordinates of a population, and the matrix A of y = A u."""
    if isinstance(model, Conditioned):
        return model.population_coordinates
    return tuple(p.name for p in model.parameters), np.eye(len(model.parameters))


def base_names(model: Model) -> tuple[str, ...]:
    """Return the names of parameters, whatever they vary with."""
    base = model.model if isinstance(model, Conditioned) else model
    return tuple(p.name for p in base.parameters)


@dataclass(eq=False)
class Modes:
    """Laplace's approximation of a population, where chains begin.

    Attributes
    ----------
    mean, spread : ndarray of shape (G, P) and (P,)
    u : ndarray of shape (N, P)
        Modes of the observers.
    linear, curvature : ndarray of shape (N, P) and (N, P, P)
        h and Lambda: the log likelihood is near ``linear @ u - u @ curvature @ u / 2``.
    """

    mean: Array
    spread: Array
    u: Array
    linear: Array
    curvature: Array


def find_modes(hierarchy: Hierarchy, starts: Mapping[str, Mapping[str, float]]) -> Modes:
    """Find means, spreads and observers by expectation-maximisation.

    Parameters
    ----------
    hierarchy : Hierarchy
    starts : mapping of str to mapping of str to float
        Parameters of each observer, from separate fits; middles where there is none.
    """
    prior, n = hierarchy.prior, len(hierarchy.people)
    size = len(hierarchy.names)
    u = np.array([
        hierarchy.coordinates(starts[name]) if name in starts else np.zeros(size)
        for name in hierarchy.people
    ])  # fmt: skip
    mean = np.array([u[hierarchy.level == g].mean(axis=0) for g in range(len(hierarchy.levels))])
    spread = np.maximum(u.std(axis=0), 0.3 * prior.spread)
    linear, curvature = np.zeros_like(u), np.zeros((n, size, size))
    for _ in range(_EM):
        sure, variance = spread**-2.0, np.empty_like(u)
        for i in range(n):
            centre = mean[hierarchy.level[i]]
            for _ in range(_NEWTON):
                slope, curve = hierarchy.approximation(i, u[i])
                u[i] = _newton(hierarchy, i, u[i], slope, curve, centre, sure)
            slope, curvature[i] = hierarchy.approximation(i, u[i])
            linear[i] = slope + curvature[i] @ u[i]
            variance[i] = np.diag(np.linalg.inv(curvature[i] + np.diag(sure)))
        for g in range(len(mean)):
            own = hierarchy.level == g
            weight = own.sum() * sure + prior.width**-2.0
            mean[g] = (u[own].sum(axis=0) * sure + prior.centre * prior.width**-2.0) / weight
        squares = ((u - mean[hierarchy.level]) ** 2 + variance).sum(axis=0)
        spread = np.clip(np.sqrt(squares / n), 0.05 * prior.spread, 2.0 * prior.spread)
    return Modes(mean, spread, u, linear, curvature)


def _newton(
    hierarchy: Hierarchy, i: int, u: Array, slope: Array, curve: Array, mean: Array, sure: Array
) -> Array:
    """Return a point of higher posterior density, or the same."""

    def height(at: Array) -> float:
        return hierarchy.total(i, at) - 0.5 * float(sure @ (at - mean) ** 2)

    step = np.linalg.solve(curve + np.diag(sure), slope - sure * (u - mean))
    before = height(u)
    for share in (1.0, 0.3, 0.1, 0.03):
        if height(u + share * step) > before:
            return np.asarray(u + share * step)
    return u


@dataclass(frozen=True, eq=False)
class Chain:
    """Draws of one chain.

    Attributes
    ----------
    mean : ndarray of shape (S, G, P)
    spread : ndarray of shape (S, P)
    u : ndarray of shape (S, N, P)
    log_likelihood : ndarray of shape (S, N)
    """

    mean: Array
    spread: Array
    u: Array
    log_likelihood: Array


class _Normal:
    """A normal distribution: its precision, and the product of precision and mean."""

    def __init__(self, precision: Array, linear: Array) -> None:
        self.lower = np.linalg.cholesky(precision)
        self.root = np.linalg.inv(self.lower).T
        self.middle = self.root @ (self.root.T @ linear)

    def noise(self, random: np.random.Generator) -> Array:
        """Draw about zero."""
        return np.asarray(self.root @ random.standard_normal(len(self.middle)))

    def proposal(self, at: Array, step: float, random: np.random.Generator) -> Array:
        """Return a place that leaves the distribution as it is."""
        kept = np.sqrt(1.0 - step**2) * (at - self.middle)
        return np.asarray(self.middle + kept + step * self.noise(random))

    def log_density(self, at: Array) -> float:
        """Return the log density, up to a constant."""
        away = (at - self.middle) @ self.lower
        return -0.5 * float(away @ away)


class _Sampler:
    """The state of a chain, and its moves."""

    def __init__(self, hierarchy: Hierarchy, modes: Modes, random: np.random.Generator) -> None:
        self.hierarchy, self.random = hierarchy, random
        self.mean, self.spread = modes.mean.copy(), modes.spread.copy()
        self.linear, self.curvature = modes.linear.copy(), modes.curvature.copy()
        n, size = modes.u.shape
        self.u = np.empty((n, size))
        for i in range(n):
            near = self._conditional(i)
            self.u[i] = near.proposal(near.middle, 1.0, random)
        self.value = np.array([hierarchy.total(i, self.u[i]) for i in range(n)])
        self.steps = np.full((n, 2), 0.7)
        self.shifts = np.full(1, 0.5)
        self.spread_steps = np.full(size, 0.5)
        self.rate = 0.0  # of adaptation; none in the second half
        self._averaged = 0

    def _conditional(self, i: int) -> _Normal:
        """Return the approximate conditional of an observer."""
        sure, mean = self.spread**-2.0, self.mean[self.hierarchy.level[i]]
        return _Normal(self.curvature[i] + np.diag(sure), self.linear[i] + sure * mean)

    def _accepted(self, log_ratio: float, steps: Array, where: Any, most: float) -> bool:
        """Decide on a proposal, and adapt the step that made it."""
        accepted = bool(np.log(self.random.random()) < log_ratio)
        if self.rate:
            change = np.exp(self.rate * (accepted - _TARGET))
            steps[where] = min(max(steps[where] * change, 0.01), most)
        return accepted

    def move_observer(self, i: int) -> None:
        """Move one observer, given the population."""
        hierarchy, sure = self.hierarchy, self.spread**-2.0
        mean = self.mean[hierarchy.level[i]]
        near = self._conditional(i)
        for k in range(_INNER):
            about, u = k % 2 == 0, self.u[i]
            step = self.steps[i, k % 2]
            if about:
                proposal = near.proposal(u, step, self.random)
            else:
                proposal = u + step * near.noise(self.random)
            value = hierarchy.total(i, proposal)
            ratio = value - self.value[i]
            ratio += 0.5 * float(sure @ ((u - mean) ** 2 - (proposal - mean) ** 2))
            if about:
                ratio += near.log_density(u) - near.log_density(proposal)
            if self._accepted(ratio, self.steps, (i, k % 2), 1.0 if about else 3.0):
                self.u[i], self.value[i] = proposal, value

    def move_population(self) -> None:
        """Draw means and spreads, given the observers."""
        hierarchy, prior, random = self.hierarchy, self.hierarchy.prior, self.random
        sure = self.spread**-2.0
        for g in range(len(self.mean)):
            own = self.u[hierarchy.level == g]
            weight = len(own) * sure + prior.width**-2.0
            middle = (own.sum(axis=0) * sure + prior.centre * prior.width**-2.0) / weight
            self.mean[g] = middle + random.standard_normal(len(sure)) / np.sqrt(weight)
        squares = ((self.u - self.mean[hierarchy.level]) ** 2).sum(axis=0)

        def height(spread: Array) -> Array:  # of the density of log spread
            n = len(self.u)
            own = (1 - n) * np.log(spread) - 0.5 * squares / spread**2
            return np.asarray(own - 0.5 * (spread / prior.spread) ** 2)

        for _ in range(4):
            proposal = self.spread * np.exp(self.spread_steps * random.standard_normal(len(sure)))
            accepted = np.log(random.random(len(sure))) < height(proposal) - height(self.spread)
            self.spread = np.where(accepted, proposal, self.spread)
            self.spread_steps *= np.exp(self.rate * (accepted - _TARGET))

    def shift(self) -> None:
        """Move means and spreads, and all observers with them: what is kept is z.

        With u = B phi, phi = (means, spreads), the approximate log likelihood is quadratic in phi,
        and so is the log prior, spreads of either sign being the same.
        """
        hierarchy, prior = self.hierarchy, self.hierarchy.prior
        n, size = self.u.shape
        groups, level = len(self.mean), hierarchy.level
        z = (self.u - self.mean[level]) / self.spread
        parts = np.zeros((n, size, groups + 1, size))
        every = np.arange(size)
        parts[np.arange(n)[:, None], every, level[:, None], every] = 1.0
        for p in range(size):
            parts[:, p, groups, p] = z[:, p]
        design = parts.reshape(n, size, -1)
        sure = np.concatenate([np.tile(prior.width**-2.0, groups), prior.spread**-2.0])
        centre = np.concatenate([np.tile(prior.centre, groups), np.zeros(size)])
        precision = np.einsum("nap,nab,nbq->pq", design, self.curvature, design) + np.diag(sure)
        linear = np.einsum("nap,na->p", design, self.linear) + sure * centre
        near = _Normal(precision, linear)
        phi = np.concatenate([self.mean.ravel(), self.spread])
        proposal = near.proposal(phi, self.shifts[0], self.random)
        u = design @ proposal
        value = np.array([hierarchy.total(i, each) for i, each in enumerate(u)])
        ratio = float((value - self.value).sum())
        ratio += near.log_density(phi) - near.log_density(proposal)
        ratio += 0.5 * float(sure @ ((phi - centre) ** 2 - (proposal - centre) ** 2))
        if self._accepted(ratio, self.shifts, 0, 1.0):
            self.u, self.value = u, value
            self.mean = proposal[: groups * size].reshape(groups, size)
            self.spread = np.abs(proposal[groups * size :])

    def refresh(self) -> None:
        """Average the approximations of the likelihoods over draws."""
        self._averaged += 1
        weight = 1.0 / self._averaged
        for i, u in enumerate(self.u):
            slope, curvature = self.hierarchy.approximation(i, u)
            self.linear[i] += weight * (slope + curvature @ u - self.linear[i])
            self.curvature[i] += weight * (curvature - self.curvature[i])

    def sweep(self) -> None:
        """Move everything once."""
        for i in range(len(self.u)):
            self.move_observer(i)
        self.move_population()
        for _ in range(_SHIFTED):
            self.shift()
            self.move_population()


def sample_chain(
    hierarchy: Hierarchy,
    modes: Modes,
    n_sweeps: int = 1000,
    seed: int = 1,
    chain: int = 0,
    keep: int = 250,
    progress: Progress | None = None,
) -> Chain:
    """Sample a population and its observers.

    Parameters
    ----------
    hierarchy : Hierarchy
    modes : Modes
        Where to begin.
    n_sweeps : int
        The first half is thrown away.
    seed, chain : int
        Chains of the same seed are independent.
    keep : int
        Draws to keep, at most.
    progress : Progress, optional
    """
    random = np.random.default_rng(fresh_seed(seed, Purpose.POPULATION, chain))
    sampler = _Sampler(hierarchy, modes, random)
    half = n_sweeps // 2
    kept = set(np.linspace(half, n_sweeps - 1, min(keep, n_sweeps - half)).astype(int).tolist())
    refreshed = set(np.linspace(half // 10, half * 8 // 10, _REFRESHED).astype(int).tolist())
    draws = []
    for k in range(n_sweeps):
        sampler.rate = (1.0 + k) ** -0.6 if k < half else 0.0
        if k in refreshed:
            sampler.refresh()
        sampler.sweep()
        if k in kept:
            state = (sampler.mean, sampler.spread, sampler.u, sampler.value)
            draws.append([each.copy() for each in state])
        if progress is not None and k % 10 == 0:
            progress(k / n_sweeps, f"population, chain {chain + 1}")
    return Chain(*(np.array(each) for each in zip(*draws, strict=True)))
