r"""What strategies are measured against, and what they score.

A strategy is scored on trials that are common to all that are compared. Its excess risk is

- over the exact optimum, where that is solved (`OptimalReference`): the regret along the strategy's
  own trials (see `regret`); `risk` is then the optimal risk plus the regret;
- over another strategy (`SimulatedReference`): the paired difference, in which errors count by
  their posterior probability (see `score`). Its noise is far below that of `risk`, so it is not the
  difference of two risks of a table, only equal to it within their errors.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any

from popout.analysis.making import OPTIMAL
from popout.analysis.regret import regret, risk_above
from popout.analysis.score import Estimate, has_quick_posterior, paired_difference
from popout.exact import Solution
from popout.simulation import Responses, Summary, Trials
from popout.strategies import Strategy
from popout.task import Costs

__all__ = ["OptimalReference", "Reference", "Scored", "SimulatedReference"]


@dataclass(frozen=True, eq=False)
class Scored:
    """What a strategy scored.

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
    """

    strategy: Strategy
    trials: Responses
    summary: Summary
    risk: Estimate
    excess: Estimate
    reference: str

    def row(self) -> dict[str, Any]:
        """Return its row of a table: scores, error rates, response times and parameters."""
        scores = {
            "strategy": self.strategy.label,
            "risk": self.risk.value,
            "risk_se": self.risk.se,
            "excess": self.excess.value,
            "excess_se": self.excess.se,
            "reference": self.reference,
        }
        return scores | self.summary.row() | scores | self.strategy.numbers


class Reference(ABC):
    """What strategies are measured against."""

    @property
    @abstractmethod
    def label(self) -> str:
        """Its name in tables."""

    @abstractmethod
    def score(self, strategy: Strategy, trials: Responses, costs: Costs) -> Scored:
        """Score a strategy on its trials."""


@dataclass(frozen=True, eq=False)
class OptimalReference(Reference):
    """The exact optimum.

    Attributes
    ----------
    solution : Solution
    n_trials, seed : int
        Of the trials along which the regret is summed.
    whichever_is_sharper : bool
        Whether the excess is the simulated risk less the exact one where that is known better. The
        regret is the sharper one near the optimum only.

    Examples
    --------
    >>> from popout.exact import solve
    >>> from popout.simulation import simulate
    >>> from popout.strategies import SPRT
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
    seed: int = 0
    whichever_is_sharper: bool = False

    @property
    def label(self) -> str:
        """Its name in tables."""
        return OPTIMAL

    def excess(self, strategy: Strategy) -> Estimate:
        """Return the regret of a strategy."""
        return regret(
            self.solution, strategy, n_trials=self.n_trials, seed=self.seed, with_map=False
        )

    def score(self, strategy: Strategy, trials: Responses, costs: Costs) -> Scored:
        """Score a strategy on its trials."""
        summary, excess = trials.summary(costs), self.excess(strategy)
        if self.whichever_is_sharper and summary.risk_se < excess.se:
            excess = Estimate(summary.risk - self.solution.risk, summary.risk_se)
        risk = risk_above(self.solution, excess)
        return Scored(strategy, trials, summary, risk, excess, self.label)


@dataclass(frozen=True, eq=False)
class SimulatedReference(Reference):
    """A strategy that was simulated on the same trials.

    Attributes
    ----------
    strategy : Strategy
    trials : Responses
        Of the reference.
    """

    strategy: Strategy
    trials: Responses

    @property
    def label(self) -> str:
        """Its name in tables."""
        return self.strategy.label

    def score(self, strategy: Strategy, trials: Responses, costs: Costs) -> Scored:
        """Score a strategy on its trials."""
        summary = trials.summary(costs)
        by_probability = isinstance(trials, Trials) and has_quick_posterior(trials.task)
        excess = paired_difference(trials, self.trials, costs, by_probability=by_probability)
        risk = Estimate(summary.risk, summary.risk_se)
        return Scored(strategy, trials, summary, risk, excess, self.label)
