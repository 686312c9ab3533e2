r"""What an observer of limited information loses against the joint optimum.

The regret of a pair of attention policy :math:`\alpha` and strategy :math:`\sigma` is
:math:`R(\alpha, \sigma) - R^*`, both computed on grids (`evaluate`, `solve`), without
noise. Its error adds the bounds on the errors of the two risks.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from popout.drawing.representation import Card, HasCard, with_error
from popout.exact import Evaluation, Solution, evaluate
from popout.policies.looking import Attention
from popout.policies.looking.names import made_for
from popout.policies.observer import Observer
from popout.policies.stopping import BoundaryStrategy


@dataclass(frozen=True)
class JointRegret(HasCard):
    """What a pair of attention and strategy risks above the joint optimum.

    Attributes
    ----------
    value, error : float
        The regret, and the estimated bound on its error.
    optimal_risk : float
    evaluation : Evaluation
        Of the pair: its risk, error rates and mean response times.

    Examples
    --------
    >>> import popout as po
    >>> task, costs = po.LimitedSearchTask(n_locations=2, information=32.0), po.Costs(time=0.2)
    >>> best = po.solve(task, costs, rtol=1e-2)
    >>> serial = po.Serial.for_task(task)
    >>> lost = po.joint_regret(best, serial, po.SPRT.for_task(task, -3.0, 3.0), rtol=1e-2)
    >>> lost.optimal_risk < lost.evaluation.risk, 0.0 < lost.relative < 1.0
    (True, True)
    """

    value: float
    error: float
    optimal_risk: float
    evaluation: Evaluation

    @property
    def relative(self) -> float:
        """The regret as a share of the optimal risk."""
        return self.value / self.optimal_risk

    def as_dict(self) -> dict[str, Any]:
        """Return the regret with its error, and both risks."""
        return {
            "regret": self.value,
            "regret_error": self.error,
            "relative": self.relative,
            "optimal_risk": self.optimal_risk,
            "risk": self.evaluation.risk,
            "risk_error": self.evaluation.risk_error,
        }

    def card(self) -> Card:
        """Return what is shown of it."""
        return Card(
            f"regret {with_error(self.value, self.error)}",
            [
                ("of the optimal risk", f"{100 * self.relative:.3g} %"),
                ("optimal risk", f"{self.optimal_risk:.6g}"),
                ("risk", with_error(self.evaluation.risk, self.evaluation.risk_error)),
            ],
        )


def joint_regret(
    solution: Solution,
    attention: Attention | type[Attention],
    strategy: BoundaryStrategy,
    rtol: float = 1e-3,
) -> JointRegret:
    """Compute what an attention policy and a strategy lose against the joint optimum.

    Parameters
    ----------
    solution : Solution
        Of `popout.solve`.
    attention : Attention or a class of it
        A policy that does not change with time.
    strategy : BoundaryStrategy
        It must stop: on every axis the region of waiting has to end.
    rtol : float
        Wanted relative accuracy of the risk of the pair.

    Examples
    --------
    >>> import popout as po
    >>> task, costs = po.LimitedSearchTask(n_locations=2, information=32.0), po.Costs(time=0.2)
    >>> best = po.solve(task, costs)
    >>> lost = joint_regret(best, po.Serial.for_task(task), po.SPRT.for_task(task, -4.6, 5.2))
    >>> 0.005 < lost.relative < 0.015
    True
    """
    observer = Observer(made_for(attention, solution.task), strategy)
    found = evaluate(solution.task, observer, solution.costs, rtol)
    return JointRegret(
        value=found.risk - solution.risk,
        error=found.risk_error + solution.risk_error,
        optimal_risk=solution.risk,
        evaluation=found,
    )
