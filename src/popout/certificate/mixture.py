r"""Paths of search among unknown distractors, and what one more step is worth on average.

Given a mixture *j* of distractors and the target's place, locations are independent. With the
likelihoods :math:`\ell_{l\theta} = e^{w_\theta x_l - b_\theta t}` of the orientations at a location
(relative to an observation without drift),

.. math::

   D_{jl} = \sum_\theta \varphi^{(j)}_\theta \ell_{l\theta}, \quad
   T_l = \sum_\theta P(\theta \mid \text{target})\, \ell_{l\theta}, \quad
   \alpha_j \propto P(j) \prod_l D_{jl}, \quad
   o_l = \frac{P(l_T = l)}{P(C = 0)} \sum_j \alpha_j \frac{T_l}{D_{jl}} .

:math:`\alpha` is the posterior of the mixture given that no target is there and :math:`o_l` the
posterior odds of a target at *l*; :math:`S = \log \sum_l o_l`. The value function is regressed on
log-sum-exps of :math:`\log o_l` at a few scales, as for `SearchTask`, and on
:math:`\log \sum_j \alpha_j^2`, how sure one is of the mixture.

**Conditional expectations.** Steps are drawn with the posterior mean drift :math:`m_l` of each
location in place of the unknown one and weighted by the likelihood ratio

.. math::

   \rho = \frac{1 + W'}{1 + W} \sum_j \alpha_j \prod_l \frac{D'_{jl}}{D_{jl}}
          \Big/ \prod_l e^{m_l \Delta_l - m_l^2 \delta t / 2},

so that :math:`\mathbb{E}[v(x')] = \mathbb{E}_m[\rho\, v(x')]`. :math:`\rho` has mean one, which
makes it a control variate.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from popout.certificate.draws import ShiftedSobol
from popout.certificate.expectation import corrected_means
from popout.certificate.mixture_kernels import SCALES, after_steps, posteriors
from popout.certificate.problem import Array, Prices, Value
from popout.certificate.statistics import mesh_coordinates
from popout.strategies import Strategy
from popout.task import Costs, Faults, GaussianWalk, MixtureSearchTask


@dataclass(frozen=True)
class PosteriorStatistics:
    """Which statistics of the posterior are read: log-sum-exps, and one of the mixture."""

    with_mixture: bool

    @property
    def n_rows(self) -> int:
        """Number of statistics."""
        return len(SCALES) + self.with_mixture


@dataclass(frozen=True, eq=False)
class LearnedFromPosterior(Strategy):
    """Greedy on a value function of the whole posterior, which S alone does not give."""

    value: Value
    label: str = "learned"

    def decide(self, Z: Any, t: Any) -> NDArray[np.int8]:
        """Refuse: S alone does not say what this strategy does."""
        faults = Faults("learned strategy")
        faults.add("Z", "the whole evidence", "S alone", "its risk is in the certificate")
        faults.raise_if_any()
        raise AssertionError


@dataclass(frozen=True, eq=False)
class MixtureProblem:
    """A `MixtureSearchTask` with Gaussian observations, and its costs, as arrays.

    Parameters
    ----------
    task : MixtureSearchTask
    costs : Costs
    """

    task: MixtureSearchTask
    costs: Costs
    prices: Prices = field(init=False)
    drift: Array = field(init=False)
    bias: Array = field(init=False)
    mixtures: Array = field(init=False)
    mixture_prior: Array = field(init=False)
    target: Array = field(init=False)
    location_odds: Array = field(init=False)

    block_size = 64

    def __post_init__(self) -> None:
        """Translate the task."""
        task = self.task
        if not isinstance(task.observation, GaussianWalk):
            faults = Faults("certify")
            got = type(task.observation).__name__
            faults.add("observation", "a GaussianWalk", got, "spikes are not covered yet")
            faults.raise_if_any()
        drift = np.asarray(task.observation.rows, dtype=np.float64)
        odds = task.prior / (1.0 - task.prior)
        arrays: dict[str, Any] = {
            "prices": Prices.of(self.costs, task.dt),
            "drift": drift,
            "bias": (drift**2).sum(axis=1) / 2.0,
            "mixtures": np.array(task.mixtures, dtype=np.float64),
            "mixture_prior": np.array(task.mixture_prior, dtype=np.float64),
            "target": np.array(task.target_prior, dtype=np.float64),
            "location_odds": odds * np.asarray(task.location_prior, dtype=np.float64),
        }
        for name, value in arrays.items():
            object.__setattr__(self, name, value)

    @property
    def law(self) -> tuple[Array, Array, Array, Array]:
        """What the compiled functions read: mixtures and their prior, target, location."""
        return self.mixtures, self.mixture_prior, self.target, self.location_odds

    @property
    def information(self) -> float:
        """Variance of the evidence of one step, of target against distractors at one location."""
        away = self.drift - self.target @ self.drift
        spread = (self.mixture_prior @ self.mixtures) @ (away**2).sum(axis=1)
        return float(spread * self.task.dt)

    def statistics(self, strategy: Strategy | None, many: bool = False) -> PosteriorStatistics:
        """Return the statistics from which a value function is learned."""
        return PosteriorStatistics(len(self.mixture_prior) > 1)

    def coordinates(self, statistics: PosteriorStatistics) -> Array:
        """Return the weights that turn statistics into coordinates of a mesh."""
        rows = mesh_coordinates(statistics.n_rows, statistics.n_rows)
        rows[4:, 0] = 0.0
        return rows

    def learned_strategy(self, value: Value) -> Strategy:
        """Return the strategy that is greedy on a value function."""
        return LearnedFromPosterior(value)

    def block(
        self, seed: int, number: int, statistics: PosteriorStatistics, log2_points: int
    ) -> MixtureBlock:
        """Return a block of trials at their start."""
        return MixtureBlock(self, seed, number, statistics, log2_points)


class MixtureBlock:
    """Trials that walk together, see `popout.certificate.search.SearchBlock`.

    Attributes
    ----------
    x : ndarray of shape (M, n_channels, P)
        Observations since the display came on.
    """

    def __init__(
        self,
        problem: MixtureProblem,
        seed: int,
        number: int,
        statistics: PosteriorStatistics,
        log2_points: int,
    ) -> None:
        task, P = problem.task, problem.block_size
        self.problem, self.statistics, self.number = problem, statistics, number
        self._generator = np.random.default_rng([seed, number])
        M, C = task.n_locations, problem.drift.shape[1]
        self._halves = [ShiftedSobol(M * C, log2_points - 1, self._generator) for _ in range(2)]
        self._rate = problem.drift[self._orientations(P)].transpose(0, 2, 1)  # (M, C, P)
        self.x = np.zeros((M, C, P))
        self.k = 0
        self._look()

    def _orientations(self, P: int) -> NDArray[np.int64]:
        """Draw displays: the orientation at each location, shape (M, P)."""
        problem, chance = self.problem, self._generator
        task, M = problem.task, self.problem.task.n_locations
        K = len(problem.target)
        present = (np.arange(P) + chance.random()) / P >= 1.0 - task.prior
        place = chance.choice(M, P, p=np.asarray(task.location_prior))
        mixture = chance.choice(len(problem.mixture_prior), P, p=problem.mixture_prior)
        shown = np.array(
            [chance.choice(K, M, p=problem.mixtures[j]) for j in mixture], dtype=np.int64
        ).T
        targets = chance.choice(K, P, p=problem.target)
        here = np.flatnonzero(present)
        shown[place[here], here] = targets[here]
        return shown

    def _look(self) -> None:
        problem = self.problem
        t = self.k * problem.task.dt
        L = np.einsum("kc,mcp->mkp", problem.drift, self.x) - problem.bias[:, None] * t
        self._ell = np.exp(L - L.max(axis=1, keepdims=True))
        P, M = self.x.shape[2], len(problem.location_odds)
        J = len(problem.mixture_prior)
        self._posterior = np.empty((P, J, M)), np.empty((P, J)), np.empty((P, M))
        self.S = np.empty((self.statistics.n_rows, P))
        ell = np.ascontiguousarray(self._ell.transpose(2, 0, 1))
        posteriors(ell, problem.law, *self._posterior, self.S)

    def advance(self) -> None:
        """Give every trial one more step of evidence."""
        dt = self.problem.task.dt
        noise = self._generator.standard_normal(self.x.shape)
        self.x += self._rate * dt + np.sqrt(dt) * noise
        self.k += 1
        self._look()

    def decide(self, strategy: Strategy, trials: NDArray[np.int64]) -> NDArray[np.int8]:
        """Return what a strategy on the log likelihood ratio S does in some trials now."""
        S = self.S[0, trials] - self.problem.task.log_prior_odds
        actions = strategy.decide(S[:, None], self.k * self.problem.task.dt)
        return np.asarray(actions).astype(np.int8)

    def expected(self, value: Value, trials: NDArray[np.int64]) -> Array:
        """Return an unbiased estimate of the expected value after one more step."""
        problem, dt = self.problem, self.problem.task.dt
        normals = np.concatenate([half.normals() for half in self._halves], axis=1)
        M, C, _ = self.x.shape
        ell = np.ascontiguousarray(self._ell[:, :, trials].transpose(2, 0, 1))
        D, alpha, odds = (part[trials] for part in self._posterior)
        mean, away = self._mean_drifts(ell, D, alpha, odds)
        n, K = len(trials), normals.shape[1]
        steps = normals.reshape(M, C, K) * np.sqrt(dt)
        # The factors of the likelihoods: of the mean drift, by trial, and of the noise, by point.
        fixed = np.exp((np.einsum("kc,pmc->pmk", problem.drift, mean) - problem.bias) * dt)
        factors = np.exp(np.einsum("kc,mcq->qmk", problem.drift, steps))
        proposal = np.einsum("pmc,mcq->pq", mean, steps)
        proposal += 0.5 * dt * (mean**2).sum(axis=(1, 2))[:, None]
        weight = np.empty((n, K))
        S = np.empty((self.statistics.n_rows, n * K))
        factors = np.ascontiguousarray(factors)
        after_steps(ell * fixed, factors, problem.law, (D, alpha, odds), proposal, weight, S)
        v = problem.prices.stop(S[0]) - np.maximum(value.advantage(S), 0.0)
        share = odds / odds.sum(axis=1, keepdims=True)
        toward = np.stack(
            [share[:, :, None] * away, share[:, :, None] ** 2 * away, np.ones_like(away)]
        )
        direction = np.ascontiguousarray(toward.reshape(3, n, M * C).transpose(0, 2, 1))
        out = np.empty(n)
        corrected_means(weight * v.reshape(n, K), normals, direction, weight - 1.0, out)
        return out

    def _mean_drifts(self, ell: Array, D: Array, alpha: Array, odds: Array) -> tuple[Array, Array]:
        """Return the posterior mean drift of each location, and target's less distractors'."""
        problem = self.problem
        by_mixture = alpha[:, :, None] / D
        p = np.einsum("pjm,jk->pmk", by_mixture, problem.mixtures) * ell
        distractor = np.einsum("pmk,kc->pmc", p, problem.drift)
        p = ell * problem.target
        target = np.einsum("pmk,kc->pmc", p / p.sum(axis=2, keepdims=True), problem.drift)
        q = (odds / (1.0 + odds.sum(axis=1, keepdims=True)))[:, :, None]
        return distractor + q * (target - distractor), target - distractor
