"""The optimal pair of thresholds at one location: solved with steps, in closed form without."""

from __future__ import annotations

from dataclasses import dataclass

from popout.drawing.representation import Card, HasCard, with_error
from popout.exact.continuous_discrimination import ContinuousDiscrimination
from popout.exact.solver import solve
from popout.exact.waiting_region import WaitingRegion
from popout.progress import Progress
from popout.task import Costs, Faults, SearchTask, check_costs


@dataclass(frozen=True)
class Thresholds(HasCard):
    """The optimal pair of thresholds for discrimination at one location.

    Attributes
    ----------
    drift : float
        Drift rate in 1/s.
    lower, upper : float
        On the log posterior odds: say "absent" at or below `lower`, "present" at or above `upper`.
        They do not depend on the prior. Where waiting never pays both are equal.
    lower_error, upper_error : float
        Bounds on their errors (`waiting_region`; rounding alone in continuous time).
    risk, risk_error : float
        Of the optimal strategy, for the prior that was given.
    log_prior_odds : float
        Subtract it from a threshold to get one for the log likelihood ratio.
    notes : tuple of str
        What looks wrong with the problem, such as a step as long as the response.
    """

    drift: float
    lower: float
    upper: float
    lower_error: float
    upper_error: float
    risk: float
    risk_error: float
    log_prior_odds: float
    notes: tuple[str, ...] = ()

    def card(self) -> Card:
        """Return what is shown of it."""
        return Card(
            "Optimal thresholds of discrimination, in log posterior odds",
            [
                ("drift", f"{self.drift:g} (1/s)"),
                ('say "absent"', f"at or below {with_error(self.lower, self.lower_error)}"),
                ('say "present"', f"at or above {with_error(self.upper, self.upper_error)}"),
                ("risk", with_error(self.risk, self.risk_error)),
            ],
            note=" ".join(self.notes),
        )


def thresholds(
    drift: float,
    costs: Costs,
    *,
    dt: float = 0.01,
    prior: float = 0.5,
    rtol: float = 1e-6,
    progress: Progress | None = None,
) -> Thresholds:
    """Find the optimal thresholds for telling a target from a distractor at one location.

    Parameters
    ----------
    drift : float
        Drift rate in 1/s: +drift for a target, -drift for a distractor.
    costs : Costs
    dt : float
        Time step in seconds; 0 is continuous time, in closed form.
    prior : float
        Probability of a target.
    rtol : float
        Wanted relative accuracy of the risk; thresholds are more accurate than that.
    progress : callable, optional
        Told the level, the iteration and the residual.

    Examples
    --------
    >>> import popout as po
    >>> pair = po.thresholds(4.0, po.Costs(time=0.2))
    >>> print(f"{pair.lower:.3f} {pair.upper:.3f} {pair.risk:.6f}")
    -4.546 4.546 0.038068
    >>> limit = po.thresholds(4.0, po.Costs(time=0.2), dt=0)
    >>> print(f"{limit.lower:.3f} {limit.upper:.3f} {limit.risk:.6f}")
    -5.011 5.011 0.037524
    """
    if isinstance(dt, int | float) and dt == 0:
        return _continuous(drift, costs, prior)
    task = SearchTask(n_locations=1, drift=drift, dt=dt, prior=prior)
    solution = solve(task, costs, rtol, progress=progress)
    region = WaitingRegion.of(solution.value_grid.discretisation.sd[0], costs, task.dt)
    return Thresholds(
        drift=task.drifts[0],
        lower=region.lower,
        upper=region.upper,
        lower_error=region.lower_error,
        upper_error=region.upper_error,
        risk=solution.risk,
        risk_error=solution.risk_error,
        log_prior_odds=task.log_prior_odds,
        notes=solution.notes,
    )


def _continuous(drift: float, costs: Costs, prior: float) -> Thresholds:
    """Return the thresholds of continuous time, which are exact up to rounding."""
    task = SearchTask(n_locations=1, drift=drift, prior=prior)
    faults = Faults("thresholds")
    check_costs(faults, "costs", costs)
    faults.raise_if_any()
    problem, odds = ContinuousDiscrimination.of(task.drifts[0], costs), task.log_prior_odds
    return Thresholds(
        drift=task.drifts[0],
        lower=problem.lower,
        upper=problem.upper,
        lower_error=problem.threshold_error,
        upper_error=problem.threshold_error,
        risk=(1.0 - task.prior) * problem.value(odds),
        risk_error=(1.0 - task.prior) * problem.value_error(odds),
        log_prior_odds=odds,
    )
