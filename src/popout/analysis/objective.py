r"""What `tune` minimises: the risk of a strategy, estimated in batches on common trials.

Two estimates of one quantity:

- `SimulatedRisk`: the losses of simulated trials, with the posterior probability of an error in
  place of the error (see `score`): the difference of two candidates is then a thousand times less
  noisy. Tasks with unknown distractors have no quick way to the posterior at a decision, and take
  the errors as they fall;
- `RegretObjective`: :math:`R^* + \text{regret}`, where the exact solution gives :math:`R^*` and the
  sum of advantages along the strategy's own trials gives the regret (see `regret`). Its noise is
  proportional to the regret itself, so it vanishes where the search ends: optima that differ by
  1e-6 in risk can be told apart with a few thousand trials.

Some thresholds are never reached: where a distractor can look like the target S settles. Simulated
trials of a search therefore end after ten times what going on can be worth (`Costs.patience`: the
best observer takes that long in 2.5 % of the trials at most, and in practice in none). One that is
undecided then counts as the more costly error, on top of its time: more than any answer at once
would have cost, so that thresholds out of reach lose. What the search ends with is scored without
such a charge, and with the usual time limit; undecided trials are counted.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from popout.analysis.regret import regret, risk_above
from popout.analysis.score import (
    Estimate,
    batch_means,
    expected_losses,
    has_quick_posterior,
    mean_loss,
)
from popout.exact import Solution
from popout.policies.looking import Attention
from popout.policies.observer import Observer
from popout.policies.stopping import Action, BoundaryStrategy
from popout.simulation import Trials, simulate
from popout.simulation.simulator import Options
from popout.simulation.time_limit import default_time_limit
from popout.task import Costs, Task

Array = NDArray[np.float64]
PATIENCE = 10.0
"""After how many times `Costs.patience` a simulated trial of a search ends."""
N_BATCHES = 40
"""Batches of trials, from which errors are estimated."""


@dataclass(frozen=True)
class SimulatedRisk:
    """The mean loss of simulated trials.

    Parameters
    ----------
    task : Task
    costs : Costs
    n_trials : int
    threads : int, optional
    attention : Attention, optional
        Where the observer looks, if the task leaves that to it.
    """

    task: Task
    costs: Costs
    n_trials: int
    threads: int | None = None
    attention: Attention | None = None
    _first: dict[int, tuple[Trials, Array]] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )

    def batches(self, strategy: BoundaryStrategy, seed: int) -> Array:
        """Return the risk in `N_BATCHES` batches of trials; their mean is the estimate."""
        limit = min(default_time_limit(self.task), PATIENCE * self.costs.patience)
        trials = self._trials(strategy, seed, max(limit, self.task.dt))
        if has_quick_posterior(self.task):
            losses = self._probable_losses(trials)
        else:
            losses = trials.losses(self.costs)
        charge = max(self.costs.miss, self.costs.false_alarm)
        losses = losses + charge * (trials.response == Action.WAIT)
        return batch_means(losses, trials.present, self.task.prior, N_BATCHES)

    def score(self, strategy: BoundaryStrategy, seed: int) -> Estimate:
        """Return the risk and its standard error."""
        if self.attention is not None:
            trials = self._trials(strategy, seed)
            undecided = int((trials.response == Action.WAIT).sum())
            return replace(mean_loss(trials, self.costs), undecided=undecided)
        tally = simulate(self.task, strategy, self.n_trials, seed, threads=self.threads, keep=False)
        summary = tally.summary(self.costs)
        return Estimate(summary.risk, summary.risk_se, undecided=summary.undecided)

    def _trials(
        self, strategy: BoundaryStrategy, seed: int, time_limit: float | None = None
    ) -> Trials:
        options: Options = {"time_limit": time_limit, "threads": self.threads}
        observer = Observer(self.attention, strategy)
        return simulate(self.task, observer, self.n_trials, seed, **options)

    def _probable_losses(self, trials: Trials) -> Array:
        """Return the probable loss of each trial; known already where the first ones ended so."""
        if trials.seed not in self._first:
            self._first[trials.seed] = trials, expected_losses(trials, self.costs)
        first, known = self._first[trials.seed]
        differ = np.flatnonzero((trials.response != first.response) | (trials.steps != first.steps))
        losses = known.copy()
        losses[differ] = expected_losses(trials, self.costs, differ)
        return losses


@dataclass(frozen=True)
class RegretObjective:
    """The risk of the exact optimum plus the regret.

    Parameters
    ----------
    solution : Solution
    n_trials : int
    """

    solution: Solution
    n_trials: int

    def batches(self, strategy: BoundaryStrategy, seed: int) -> Array:
        """Return the risk in batches of trials."""
        lost = regret(self.solution, strategy, n_trials=self.n_trials, seed=seed)
        prior = self.solution.task.prior
        return self.solution.risk + batch_means(lost.per_trial, lost.present, prior, N_BATCHES)

    def score(self, strategy: BoundaryStrategy, seed: int) -> Estimate:
        """Return the risk and its error: that of the solution and that of the regret."""
        lost = regret(self.solution, strategy, n_trials=self.n_trials, seed=seed)
        return risk_above(self.solution, lost)


Objective = SimulatedRisk | RegretObjective
"""An estimate of the risk on common trials."""
