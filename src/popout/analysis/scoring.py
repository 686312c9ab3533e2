r"""What observers are measured against, and what they score.

An observer is scored on trials that are common to all that are compared. Its excess risk is

- over the exact optimum, where every location has a rate of its own (`OptimalReference`): the
  regret along the observer's own trials (see `regret`); `risk` is then the optimal risk plus the
  regret;
- over another observer (`SimulatedReference`): the paired difference, in which errors count by
  their posterior probability (see `score`). Its noise is far below that of `risk`, so it is not the
  difference of two risks of a table, only equal to it within their errors. Where information is
  shared out `risk` counts errors by their probability too, and the other observer may be the
  optimum: then there is another estimate, the mean loss less the exact risk, and the one with the
  smaller standard error counts. Where the best stopping was solved, both risks are exact, and the
  error is a bound on that of the computation.

A regret that few trials suffer is summed over more of them, in steps of ten times as many, until it
is known to a quarter of itself or all trials are used up. Where not one of *n* trials lost
anything, an excess of zero is not known without error: fewer than three in *n* lose anything
(95 %), and none loses more than an error costs. The standard error of such a zero is that cost
over *n*.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from popout.analysis.regret import Regret, regret, risk_above
from popout.analysis.score import Estimate, has_quick_posterior, mean_loss, paired_difference
from popout.exact import Solution
from popout.policies.observer import Observer
from popout.policies.stopping import Strategy
from popout.policies.stopping.exact_table import ExactTable
from popout.policies.vocabulary import OPTIMAL
from popout.simulation import Responses, Summary, Trials
from popout.task import Costs

Anybody = Observer | Strategy
ENOUGH, GROWTH = 0.25, 10
"""Relative error of a regret that ends the search for more trials, and by how much they grow."""


@dataclass(frozen=True, eq=False)
class Scored:
    """What an observer scored.

    Attributes
    ----------
    strategy : Strategy
    trials : Responses
    summary : Summary
        Of these trials.
    risk, excess : Estimate
        The risk, and how much of it is above that of the reference.
    reference : str
        What the excess is over.
    risk_trials, excess_trials : int
        On how many trials these two rest; 0 if they are exact.
    is_reference : bool
        Whether the strategy is the reference itself, so that its excess is zero without error.
    """

    strategy: Strategy
    trials: Responses
    summary: Summary
    risk: Estimate
    excess: Estimate
    reference: str
    risk_trials: int = 0
    excess_trials: int = 0
    is_reference: bool = False

    def row(self) -> dict[str, Any]:
        """Return its row of a table: scores, error rates, response times and parameters."""
        scores = {
            "strategy": self.strategy.label,
            "risk": self.risk.value,
            "risk_se": self.risk.se,
            "risk_trials": self.risk_trials,
            "excess": self.excess.value,
            "excess_se": self.excess.se,
            "excess_trials": self.excess_trials,
            "reference": self.reference,
            "is_reference": self.is_reference,
            "trials": self.summary.n_trials,
        }
        return scores | self.summary.row() | scores | self.strategy.numbers


@dataclass(frozen=True, eq=False)
class OptimalReference:
    """The exact optimum.

    Attributes
    ----------
    solution : Solution
    n_trials, seed : int
        Of the trials along which the regret is summed.
    most_trials : int
        To how many these may grow where few of them lose anything.
    whichever_is_sharper : bool
        Whether the excess is the simulated risk less the exact one where that is known better. The
        regret is the sharper one near the optimum only.

    Examples
    --------
    >>> from popout.exact import solve
    >>> from popout.simulation import simulate
    >>> from popout.policies.stopping import SPRT
    >>> from popout.task import SearchTask
    >>> task, costs = SearchTask(n_locations=2, drift=4.0), Costs(time=0.2)
    >>> reference = OptimalReference(solve(task, costs), n_trials=2000)
    >>> strategy = SPRT.for_task(task, -4.546, 4.546)
    >>> trials = simulate(task, strategy, 2000)
    >>> 3e-5 < reference.score(strategy, trials, costs).excess.value < 6e-5
    True
    """

    solution: Solution
    n_trials: int = 20_000
    seed: int = 1
    most_trials: int = 0
    whichever_is_sharper: bool = False

    def excess(self, strategy: Strategy) -> Regret:
        """Return the regret of a strategy."""
        n = self.n_trials
        while True:
            lost = regret(self.solution, strategy, n_trials=n, seed=self.seed)
            if n >= self.most_trials or 0.0 < lost.se <= ENOUGH * lost.value:
                return lost
            n = min(GROWTH * n, self.most_trials)

    def score(
        self, observer: Anybody, trials: Responses, costs: Costs, exact: Estimate | None = None
    ) -> Scored:
        """Score an observer on its trials."""
        strategy, summary = Observer.of(observer).strategy, trials.summary(costs)
        if _same(strategy, self.solution.strategy):
            risk = Estimate(self.solution.risk, self.solution.risk_error)
            nothing = Estimate(0.0, 0.0)
            return Scored(strategy, trials, summary, risk, nothing, OPTIMAL, is_reference=True)
        lost = self.excess(strategy)
        excess, n = Estimate(lost.value, lost.se), lost.n_trials
        if self.whichever_is_sharper and summary.risk_se < excess.se:
            excess = Estimate(summary.risk - self.solution.risk, summary.risk_se)
            n = summary.n_trials
        elif self.most_trials:
            excess = never_certain(excess, n, costs)
        risk = risk_above(self.solution, excess)
        return Scored(strategy, trials, summary, risk, excess, OPTIMAL, n, n)


@dataclass(frozen=True, eq=False)
class SimulatedReference:
    """An observer that was simulated on the same trials.

    Attributes
    ----------
    observer : Observer or Strategy
    trials : Responses
        Of the reference.
    exact : Estimate, optional
        Its risk, where it is the optimum of a task whose information is shared out.
    """

    observer: Anybody
    trials: Responses
    exact: Estimate | None = None

    def score(
        self, observer: Anybody, trials: Responses, costs: Costs, exact: Estimate | None = None
    ) -> Scored:
        """Score an observer on its trials; `exact` is its risk where that has been computed."""
        ours, theirs, best = Observer.of(observer), Observer.of(self.observer), self.exact
        summary = trials.summary(costs)
        n = n_risk = n_excess = summary.n_trials
        risk, excess = Estimate(summary.risk, summary.risk_se), Estimate(0.0, 0.0)
        quick = isinstance(trials, Trials) and has_quick_posterior(trials.task)
        if ours.attention is not None and isinstance(trials, Trials):
            risk = mean_loss(trials, costs)
        if exact is not None:
            risk, n_risk = exact, 0
        same = ours.attention is theirs.attention and _same(ours.strategy, theirs.strategy)
        if same:
            n_excess = n_risk
        elif exact is not None and best is not None:
            excess, n_excess = Estimate(exact.value - best.value, exact.se + best.se), 0
        else:
            paired = paired_difference(trials, self.trials, costs, by_probability=quick)
            excess = never_certain(paired, n, costs)
            if best is not None:
                if risk.se < excess.se:
                    excess = Estimate(risk.value - best.value, risk.se)
                risk = Estimate(best.value + excess.value, excess.se + best.se)
        label = OPTIMAL if best else theirs.label
        return Scored(ours.strategy, trials, summary, risk, excess, label, n_risk, n_excess, same)


Reference = OptimalReference | SimulatedReference


def _same(first: Strategy, second: Strategy) -> bool:
    """Return whether two strategies are one: the same object, or the same exact table."""
    if isinstance(first, ExactTable) and isinstance(second, ExactTable):
        return first.lower == second.lower and np.array_equal(first.table, second.table)
    return first is second


def never_certain(excess: Estimate, n: int, costs: Costs) -> Estimate:
    """Give a zero that no trial contradicts the error of one trial with an error."""
    if excess.value == excess.se == 0.0:
        return Estimate(0.0, max(costs.miss, costs.false_alarm) / n)
    return excess
