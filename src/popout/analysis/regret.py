r"""Regret: the excess risk of a strategy, without the noise of a difference of two risks.

Let :math:`V^*` be the optimal value and :math:`Q^*(Z, D)` the risk of taking action *D* once and
acting optimally ever after. Along the trials of any strategy, drawn from the prior, the risk
telescopes into

.. math::

   R - R^* = \mathbb{E} \sum_{k \ge 0} \bigl[ Q^*(Z_k, D_k) - V^*(Z_k) \bigr],

a sum over the looks of a trial, its last one included. Every term is non-negative and most are
zero, so a few thousand trials give a regret of 1e-5 to a few percent, where the difference of two
simulated risks would need 1e9. The terms also say *how* it is lost: they are collected by action.

Where the observer shares out a limited rate of information, or items are reshuffled, both risks are
computed on grids
(`popout.solve`, `popout.evaluate`), and the regret is their difference: without noise, and with the
bounds on their errors added.

Between the nodes of the exact solution :math:`Q^*` follows a cubic spline
(`popout.exact.value_grid`). It goes on beyond the grid of the solution
(`popout.exact.value_grid`), where strategies walk that wait too long.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from popout.analysis.losses import losses_by_table
from popout.analysis.score import Estimate, stratified
from popout.drawing.representation import Card, HasCard, count, with_error
from popout.evidence import Condition
from popout.exact import Evaluation, Solution, evaluate
from popout.policies.observer import Observer, check_size, checked_attention
from popout.policies.stopping import Action, Strategy
from popout.simulation.simulator import default_threads, trials_of
from popout.simulation.tally import Columns
from popout.simulation.time_limit import steps_within
from popout.task import Faults

Array = NDArray[np.float64]
WORDS = {
    Action.WAIT: "waiting",
    Action.ABSENT: 'saying "absent"',
    Action.PRESENT: 'saying "present"',
}


@dataclass(frozen=True, eq=False)
class Regret(HasCard, Estimate):
    """What an observer loses against the optimum.

    Attributes
    ----------
    value, se : float
        Excess risk and its standard error; where information is shared out, the bound on its error.
    optimal_risk : float
    by_action : dict of Action to float
        The part lost by waiting where one should answer, and by answering too early or wrongly;
        empty where information is shared out.
    undecided : int
    per_trial : ndarray of shape (n_trials,)
        The sum of advantages along each trial.
    present : ndarray of bool, shape (n_trials,)
        The class of each trial.
    evaluation : Evaluation or None
        Where information is shared out: risk, error rates and mean response times of the observer.

    Examples
    --------
    >>> import popout as po
    >>> task, costs = po.SearchTask(n_locations=2, drift=4.0), po.Costs(time=0.2)
    >>> lost = po.regret(po.solve(task, costs), po.SPRT.for_task(task, -2.0, 2.0), n_trials=2000)
    >>> lost.value > 5 * lost.se, lost.n_trials
    (True, 2000)
    >>> max(lost.by_action, key=lost.by_action.get) is po.Action.WAIT  # it answers too soon
    False
    """

    optimal_risk: float
    by_action: dict[Action, float] = field(default_factory=dict)
    per_trial: Array = field(default_factory=lambda: np.zeros(0))
    present: NDArray[np.bool_] = field(default_factory=lambda: np.zeros(0, dtype=np.bool_))
    evaluation: Evaluation | None = None

    @property
    def n_trials(self) -> int:
        """Number of trials; 0 where it was computed on grids."""
        return len(self.per_trial)

    @property
    def relative(self) -> float:
        """The regret as a share of the optimal risk."""
        return self.value / self.optimal_risk

    def __repr__(self) -> str:
        """Return one line; the trials would fill pages."""
        trials = count(self.n_trials, "trial") if self.n_trials else "exact"
        return f"Regret({with_error(self.value, self.se)}, {trials})"

    def card(self) -> Card:
        """Return what is shown of it."""
        facts = [(f"lost by {WORDS[action]}", f"{v:.3g}") for action, v in self.by_action.items()]
        if self.n_trials:
            undecided = f", {self.undecided} undecided" if self.undecided else ""
            facts.append(("from", count(self.n_trials, "trial") + undecided))
        if self.evaluation is not None:
            facts += [
                ("of the optimal risk", f"{100 * self.relative:.3g} %"),
                ("optimal risk", f"{self.optimal_risk:.6g}"),
            ]
        return Card(f"Excess risk over the optimum: {with_error(self.value, self.se)}", facts)

    def as_dict(self) -> dict[str, Any]:
        """Return the regret, where it was lost, and the number of trials."""
        lost = {action.name.lower(): value for action, value in self.by_action.items()}
        counts = {"trials": self.n_trials, "undecided": self.undecided}
        numbers = {"value": self.value, "se": self.se, "optimal_risk": self.optimal_risk}
        return {**numbers, "by_action": lost, **counts}


def risk_above(solution: Solution, excess: Estimate) -> Estimate:
    """Return the risk that exceeds the exact optimum by so much; its error is that of both."""
    se = math.hypot(excess.se, solution.risk_error)
    return Estimate(solution.risk + excess.value, se, undecided=excess.undecided)


def regret(
    optimum: Solution,
    observer: Observer | Strategy,
    *,
    n_trials: int = 20_000,
    seed: int = 1,
    time_limit: float | None = None,
) -> Regret:
    """Return the excess risk of an observer over the optimum.

    Parameters
    ----------
    optimum : Solution
        Of `popout.solve`, which holds the task and the costs.
    observer : Observer or Strategy
        With attention where information is shared out; there its regret is computed, and nothing
        that follows is needed.
    n_trials : int
    seed : int
    time_limit : float, optional
        Seconds; see `popout.simulation.default_time_limit`.

    Returns
    -------
    Regret

    Examples
    --------
    >>> import popout as po
    >>> task, costs = po.SearchTask(n_locations=2, drift=4.0), po.Costs(time=0.2)
    >>> sprt = po.SPRT.for_task(task, -4.546, 4.546)
    >>> 3e-5 < regret(po.solve(task, costs), sprt, n_trials=2000).value < 6e-5
    True

    Where information is shared out:

    >>> limited = po.LimitedSearchTask(n_locations=2, information=32.0)
    >>> serial = po.Observer(po.Serial.for_task(limited), po.SPRT.for_task(limited, -4.6, 5.2))
    >>> 0.005 < regret(po.solve(limited, costs), serial).relative < 0.015
    True
    """
    faults = Faults("regret")
    if not isinstance(optimum, Solution):
        faults.add("optimum", "a Solution", optimum, "solve the task")
    if not isinstance(observer, Observer | Strategy):
        remedy = "make one, e.g. SPRT.for_task(task, costs)"
        faults.add("observer", "an observer or a strategy", observer, remedy)
    faults.raise_if_any()
    if optimum.attention is not None or optimum.phases is not None:
        evaluation = evaluate(optimum.task, observer, optimum.costs)
        return Regret(
            evaluation.risk - optimum.risk,
            evaluation.risk_error + optimum.risk_error,
            optimal_risk=optimum.risk,
            evaluation=evaluation,
        )
    task, whole = optimum.task, Observer.of(observer)
    strategy = whole.strategy
    checked_attention(faults, task, whole.attention)
    n = faults.integer("n_trials", n_trials, "ask for two or more", at_least=2)
    seed = faults.integer("seed", seed, "choose any number")
    n_steps = steps_within(task, time_limit, faults)
    check_size(faults, task, strategy)
    faults.raise_if_any()
    threads = default_threads()
    trials = Columns.empty(n)
    trials_of(task, strategy, seed, Condition.PRIOR, n_steps, threads)(0, trials)
    spline = optimum.value_grid.risk_spline
    lost = losses_by_table(spline, task, seed, trials, threads)
    present = trials.target >= 0
    total = stratified(lost.per_trial, present, task.prior)
    return Regret(
        value=total.value,
        se=total.se,
        optimal_risk=optimum.risk,
        by_action={action: float(lost.by_action[action]) / n for action in Action},
        undecided=int((trials.response == Action.WAIT).sum()),
        per_trial=lost.per_trial,
        present=present,
    )
