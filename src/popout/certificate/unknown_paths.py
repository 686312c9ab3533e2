r"""Paths of search among unknown distractors, and what one more step is worth on average.

Given the kind *j* of a display (the mixture of its distractors, or the number of its items) and the
target's place, locations hardly depend on each other; `unknown_posterior` has the posteriors
:math:`\alpha_j` of the kind and :math:`o_l` of the target's place, and
:math:`S = \log \sum_l o_l`. The value function is regressed on log-sum-exps of :math:`\log o_l` at
a few scales, as for `SearchTask`, and on what a step is expected to tell: the logarithm of the mean
squared distance of a distractor's drifts from the target's, at the place where a target would be if
there is one. How long to wait depends on whether what looks like a target could still be a
distractor that is much like it, not on how sure one is of it. How far the same logarithm differs
with and without a target follows; of two kinds these and S together say how likely each is with and
without one.

**Conditional expectations.** Steps are drawn with the posterior mean drift :math:`m_l` of each
location in place of the unknown one and weighted by the likelihood ratio

.. math::

   \rho = \frac{1 + W'}{1 + W} \sum_j \alpha_j \frac{A'_j}{A_j}
          \Big/ \prod_l e^{m_l \Delta_l - m_l^2 \delta t / 2},

so that :math:`\mathbb{E}[v(x')] = \mathbb{E}_m[\rho\, v(x')]`, whatever :math:`m_l` is.
:math:`\rho` has mean one, which makes it a control variate.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import comb
from typing import Any

import numpy as np
from numpy.typing import NDArray

from popout.certificate.expectation import ShiftedSobol, corrected_means
from popout.certificate.problem import Array, Prices, Value
from popout.certificate.statistics import mesh_coordinates
from popout.certificate.unknown_posterior import Kinds, after, posteriors
from popout.evidence.sample import draw
from popout.policies.stopping import Strategy
from popout.task import Costs, Faults, GaussianWalk

SCALES = np.array([1.0, 1.8, 0.66, 4.0])
LEAST_APART = 1e-3
"""Orientations are as far apart as this share of the largest distance, at least: means of it have
logarithms, also where a distractor looks like the target."""


@dataclass(frozen=True)
class PosteriorStatistics:
    """Which statistics of the posterior are read: log-sum-exps, and one of the mixture."""

    with_mixture: bool

    @property
    def n_rows(self) -> int:
        """Number of statistics."""
        return len(SCALES) + 2 * self.with_mixture


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


class MixtureProblem:
    """A task with unknown distractors and Gaussian observations, and its costs, as arrays.

    Parameters
    ----------
    task : Task
    costs : Costs

    Examples
    --------
    >>> from popout.task import SceneSearchTask
    >>> task = SceneSearchTask.from_sets(4, [0], [20], [1, 3], {20: -4, 0: 4, "blank": -8})
    >>> MixtureProblem(task, Costs(time=0.5)).kinds.subsets
    array([[4., 4.],
           [1., 3.]])
    """

    block_size = 64
    passes = 5  # of learning: how long to wait depends on more, and settles later
    stiffness = 1e3  # of the splines: states scatter over more dimensions than they have

    def __init__(self, task: Any, costs: Costs) -> None:
        if not isinstance(task.observation, GaussianWalk):
            faults = Faults("certify")
            got = type(task.observation).__name__
            faults.add("observation", "a GaussianWalk", got, "spikes are not covered yet")
            faults.raise_if_any()
        drift = np.asarray(task.observation.rows, dtype=np.float64)
        displays = task.displays()
        mixtures, target = (
            np.array(x, dtype=np.float64) for x in (displays.mixtures, displays.target)
        )
        counts = np.array(displays.counts, dtype=np.int64)
        M = task.n_locations
        marginal = mixtures
        if len(counts):  # how often a location looks like what, given the number of items
            blank = np.eye(len(target))[displays.blank]
            share = (counts / M)[:, None]
            marginal = share * mixtures[0] + (1.0 - share) * blank
        apart = ((drift[:, None] - drift[None, :]) ** 2).sum(axis=2)
        apart = np.maximum(apart, LEAST_APART * apart.max())
        odds = task.prior / (1.0 - task.prior)
        self.task, self.costs, self.prices = task, costs, Prices.of(costs, task.dt)
        self.drift, self.bias = drift, (drift**2).sum(axis=1) / 2.0
        self.kinds = Kinds(
            prior=np.array(displays.count_prior if len(counts) else displays.mixture_prior),
            mixtures=mixtures,
            counts=counts,
            subsets=np.array(
                [[comb(M, n) for n in counts], [comb(M - 1, n - 1) for n in counts]],
                dtype=np.float64,
            ),
            blank=displays.blank,
            target=target,
            location_odds=odds * np.asarray(displays.location, dtype=np.float64),
            marginal=marginal,
            apart=apart,
            scales=SCALES,
        )

    @property
    def information(self) -> float:
        """Variance of the evidence of one step, of target against distractors at one location."""
        kinds = self.kinds
        apart = kinds.prior @ kinds.marginal @ kinds.apart @ kinds.target
        return float(apart * self.task.dt)

    def statistics(self, strategy: Strategy | None) -> PosteriorStatistics:
        """Return the statistics from which a value function is learned."""
        shown = self.kinds.marginal.max(axis=0) > 0.0
        pairs = self.kinds.apart[np.ix_(shown, self.kinds.target > 0.0)]
        return PosteriorStatistics(float(np.ptp(pairs)) > 0.0)

    def coordinates(self, statistics: PosteriorStatistics) -> Array:
        """Return the weights that turn statistics into coordinates of a mesh.

        With several kinds of display: the log odds, what a step is expected to tell; how far the
        log odds lie above the largest ones, the difference of a-SPRT's two statistics, and how far
        what a step tells depends on a target.
        """
        if not statistics.with_mixture:
            return mesh_coordinates(statistics.n_rows)
        rows = np.zeros((5, statistics.n_rows))
        rows[0, 0] = rows[1, 4] = rows[4, 5] = 1.0
        rows[2, 0], rows[2, 3] = 1.0, -1.0
        rows[3, 2], rows[3, 1] = 1.0, -1.0
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
    """Trials that walk together, see `popout.certificate.search_paths.SearchBlock`.

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
        own = int(self._generator.integers(0, 1 << 62))
        absent, present = (draw(task, P, 0, own, kind) for kind in ("absent", "present"))
        has_target = (np.arange(P) + self._generator.random()) / P >= 1.0 - task.prior
        shown = np.where(has_target[:, None], present.orientation, absent.orientation).T
        self._rate = problem.drift[shown].transpose(0, 2, 1)  # (M, C, P)
        self.x = np.zeros((M, C, P))
        self.k = 0
        self._look()

    def _look(self) -> None:
        problem = self.problem
        t = self.k * problem.task.dt
        L = np.einsum("kc,mcp->mkp", problem.drift, self.x) - problem.bias[:, None] * t
        self._ell = np.exp(L - L.max(axis=1, keepdims=True))
        ell = np.ascontiguousarray(self._ell.transpose(2, 0, 1))
        *self._known, self.S = posteriors(ell, problem.kinds, self.statistics.n_rows)

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
        A, alpha, odds = (x[trials] for x in self._known)
        mean, away = self._mean_drifts(ell, alpha, odds)
        n, K = len(trials), normals.shape[1]
        steps = normals.reshape(M, C, K) * np.sqrt(dt)
        # The factors of the likelihoods: of the mean drift, by trial, and of the noise, by point.
        fixed = np.exp((np.einsum("kc,pmc->pmk", problem.drift, mean) - problem.bias) * dt)
        factors = np.exp(np.einsum("kc,mcq->qmk", problem.drift, steps))
        proposal = np.einsum("pmc,mcq->pq", mean, steps)
        proposal += 0.5 * dt * (mean**2).sum(axis=(1, 2))[:, None]
        factors = np.ascontiguousarray(factors)
        known, n_rows = (A, alpha, odds), self.statistics.n_rows
        weight, S = after(ell * fixed, factors, problem.kinds, known, proposal, n_rows)
        v = problem.prices.stop(S[0]) - np.maximum(value.advantage(S), 0.0)
        share = odds / odds.sum(axis=1, keepdims=True)
        toward = np.stack(
            [share[:, :, None] * away, share[:, :, None] ** 2 * away, np.ones_like(away)]
        )
        direction = np.ascontiguousarray(toward.reshape(3, n, M * C).transpose(0, 2, 1))
        out = np.empty(n)
        corrected_means(weight * v.reshape(n, K), normals, direction, weight - 1.0, out)
        return out

    def _mean_drifts(self, ell: Array, alpha: Array, odds: Array) -> tuple[Array, Array]:
        """Return the posterior mean drift of each location, and target's less distractors'.

        Of scenes only nearly so: locations are taken one by one. Any drift would do.
        """
        problem = self.problem
        D = np.einsum("jk,pmk->pjm", problem.kinds.marginal, ell) + 1e-280
        p = np.einsum("pjm,jk->pmk", alpha[:, :, None] / D, problem.kinds.marginal) * ell
        distractor = np.einsum("pmk,kc->pmc", p, problem.drift)
        p = ell * problem.kinds.target
        p /= p.sum(axis=2, keepdims=True) + 1e-280
        target = np.einsum("pmk,kc->pmc", p, problem.drift)
        q = (odds / (1.0 + odds.sum(axis=1, keepdims=True)))[:, :, None]
        return distractor + q * (target - distractor), target - distractor
