"""The certificate: what no strategy can beat, and how close one that exists comes."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from popout.certificate.bound import MOST_STEPS
from popout.drawing.plain import plain
from popout.drawing.representation import Card, HasCard, count, elapsed, with_error
from popout.policies.observer import Observer
from popout.policies.stopping import Strategy
from popout.policies.stopping.strategy import name_of
from popout.task import Costs, Task
from popout.task.look import Shares


@dataclass(frozen=True, eq=False)
class Certificate(HasCard):
    """A lower bound on the risk of every strategy, and the risk of one that exists.

    Attributes
    ----------
    task : Task
    costs : Costs
    lower, lower_se : float
        No strategy whatever has a risk below `lower`, but for its standard error.
    upper, upper_se : float
        Risk of `strategy`.
    gap, gap_se : float
        ``(upper - lower) / upper``: the share of its risk that any other strategy could save, at
        most. Both bounds come from the same trials, so the gap is known better than either.
    strategy : Strategy or Observer
        The best that was found.
    risks, gaps : dict of str to (float, float)
        Every strategy that was tried: its risk and its own gap, with standard errors.
    method : str
        Where the value function came from: "exact" or "regression".
    n_trials, n_learning : int
        Trials behind the bounds, and those spent on learning before.
    undecided : dict of str to int
        Trials that a strategy had not ended after `most_looks`. The better answer is given for it
        there, so that its risk is that of a strategy with a deadline.
    most_looks : int
        Where trials end.
    variance_ratio : float
        How many times more trials the mean cost would need for the error that the control variate
        gives.
    seconds : float

    Examples
    --------
    >>> import popout as po
    >>> task, costs = po.SearchTask(n_locations=2, drift=4.0), po.Costs(time=0.2)
    >>> found = po.certify(task, costs, most_trials=1024, seed=1)
    >>> found.lower <= found.upper, found.method
    (True, 'exact')
    >>> 0.0 <= found.gap < 0.01  # no other strategy could save more than this share
    True
    """

    task: Task
    costs: Costs
    lower: float
    lower_se: float
    upper: float
    upper_se: float
    gap: float
    gap_se: float
    strategy: Strategy | Observer
    risks: dict[str, tuple[float, float]]
    gaps: dict[str, tuple[float, float]]
    method: str
    n_trials: int
    n_learning: int
    variance_ratio: float
    seconds: float
    undecided: dict[str, int] = field(default_factory=dict)
    most_looks: int = MOST_STEPS

    @property
    def label(self) -> str:
        """Name of the strategy."""
        return str(getattr(self.strategy, "label", type(self.strategy).__name__))

    def __repr__(self) -> str:
        """Return one line."""
        lower, upper = with_error(self.lower, self.lower_se), with_error(self.upper, self.upper_se)
        return f"Certificate(lower={lower}, upper={upper}, {self.label}, {self.method})"

    @property
    def holds_for(self) -> str:
        """For whom no risk below `lower` is possible."""
        if self.task.search is not None or not isinstance(self.task.look, Shares):
            return "whatever an observer does"
        return (
            f"whatever an observer does who looks at one location at a time, in steps of "
            f"{self.task.dt:g} s, or divides longer steps so that each share is some of these"
        )

    def in_words(self) -> str:
        """Say what the numbers mean."""
        late = "".join(
            f" {name} had not ended {count(n, 'trial')} of {self.n_trials} after "
            f"{self.most_looks} looks; the better answer was given for it."
            for name, n in self.undecided.items()
            if n
        )
        if self.gap <= 2.0 * self.gap_se:
            most = f"{100 * (self.gap + 2 * self.gap_se):.2g} %"
            return (
                f"Nothing can be told between {self.label} and the best that there could be, "
                f"{self.holds_for}: what is left to gain is below {most} of its risk.{late}"
            )
        whoever = self.holds_for[0].upper() + self.holds_for[1:]
        return (
            f"{whoever}, the risk is {self.lower:.4g} or more; {self.label} has {self.upper:.4g}. "
            f"No such strategy could save more than {100 * self.gap:.2g} % of that "
            f"(standard error {100 * self.gap_se:.1g} %).{late}"
        )

    def card(self) -> Card:
        """Return what is shown of it."""
        gap = with_error(100 * self.gap, 100 * self.gap_se)
        return Card(
            f"Certificate, {count(self.task.n_locations, 'location')}",
            [
                ("no strategy is below", with_error(self.lower, self.lower_se)),
                (f"{self.label} reaches", with_error(self.upper, self.upper_se)),
                ("gap", f"{gap} % of its risk"),
                ("value function", self.method),
                ("trials", f"{self.n_trials} for the bounds, {self.n_learning} for learning"),
                ("control variate", f"saves a factor of {self.variance_ratio:.3g} in trials"),
                ("found in", elapsed(self.seconds)),
            ],
            ["strategy", "risk"] if len(self.risks) > 1 else (),
            [[name, with_error(*risk)] for name, risk in self.risks.items()]
            if len(self.risks) > 1
            else (),
            self.in_words(),
        )

    def as_dict(self) -> dict[str, Any]:
        """Return the numbers, for programs."""
        names = ("lower", "lower_se", "upper", "upper_se", "gap", "gap_se")
        of_each = ("risk", "risk_se", "gap", "gap_se", "undecided")
        risks = {
            name_of(name): dict(
                zip(of_each, (*risk, *self.gaps[name], self.undecided.get(name, 0)), strict=True)
            )
            for name, risk in self.risks.items()
        }
        numbers: dict[str, Any] = {name: getattr(self, name) for name in names}
        numbers |= {"strategy": name_of(self.label), "risks": risks, "method": self.method}
        numbers |= {
            "holds_for": self.holds_for,
            "trials": self.n_trials,
            "learning_trials": self.n_learning,
        }
        numbers |= {"variance_ratio": self.variance_ratio, "seconds": self.seconds}
        as_plain: dict[str, Any] = plain({**numbers, "meaning": self.in_words()})
        return as_plain
