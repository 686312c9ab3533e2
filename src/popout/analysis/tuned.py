"""What tuning returns: the strategy, its parameters, and how well they and the risk are known."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from popout.drawing.plain import plain
from popout.drawing.representation import Card, HasCard, count, with_error
from popout.policies.stopping import BoundaryStrategy, Recipe


class Method(StrEnum):
    """How the risk of a candidate is found."""

    EXACT = "exact"
    MONTE_CARLO = "monte carlo"


@dataclass(frozen=True)
class Tuned(HasCard):
    """A tuned strategy, and how well its risk and its parameters are known.

    Attributes
    ----------
    recipe : type of Recipe
    strategy : BoundaryStrategy
    parameters, parameters_se : dict of str to float
        The optimum and its standard error; inf where the risk is flat within the noise and no small
        problem says more.
    risk, risk_se : float
        Scored on fresh trials. With the exact method the error is that of the solution and of the
        regret together.
    risk_in_sample : float
        The value that the search minimised; below the risk, on average, by its optimism.
    method : Method
    evaluations : int
    converged : bool
        False when the optimum still moved after 12 surfaces.
    undecided : int
        Trials of the score that reached the time limit; with any, the risk is a lower bound.
    expected : dict of str to float
        The optimum expected from small problems, where it had a part in the result.

    Examples
    --------
    >>> import popout as po
    >>> task, costs = po.SearchTask(n_locations=2, drift=4.0), po.Costs(time=0.2)
    >>> tuned = po.tune(po.ASPRT, task, costs, n_trials=2000, seed=1)
    >>> sorted(tuned.parameters), tuned.converged
    (['a_minus', 'a_plus'], True)
    >>> abs(tuned.risk - po.solve(task, costs).risk) < 4 * tuned.risk_se + 1e-4
    True
    """

    recipe: type[Recipe]
    strategy: BoundaryStrategy
    parameters: dict[str, float] = field(hash=False)
    parameters_se: dict[str, float] = field(hash=False)
    risk: float
    risk_se: float
    risk_in_sample: float
    method: Method
    evaluations: int
    converged: bool
    undecided: int = 0
    expected: dict[str, float] = field(default_factory=dict, hash=False)

    @property
    def numbers(self) -> dict[str, float]:
        """The optimum, by the names that the strategy has for the parameters (``tau_plus``)."""
        return self._by_attribute(self.parameters)

    @property
    def errors(self) -> dict[str, float]:
        """Standard errors, by the names that the strategy has for the parameters."""
        return self._by_attribute(self.parameters_se)

    def _by_attribute(self, values: dict[str, float]) -> dict[str, float]:
        return {self.recipe.attributes.get(name, name): value for name, value in values.items()}

    def card(self) -> Card:
        """Return what is shown of it."""
        state = "converged" if self.converged else "NOT converged"
        return Card(
            f"{self.strategy.label}, tuned: risk {with_error(self.risk, self.risk_se)}",
            [("found", f"{self.method}, {self.evaluations} evaluations, {state}")],
            ["parameter", "value"],
            [
                [name, tuned_value(value, self.parameters_se[name])]
                for name, value in self.parameters.items()
            ],
            f"{count(self.undecided, 'trial')} undecided; the risk is a lower bound"
            if self.undecided
            else "",
        )

    def as_dict(self) -> dict[str, Any]:
        """Return everything but recipe and strategy, of which only the label remains."""
        values = {key: value for key, value in vars(self).items() if key != "recipe"}
        found: dict[str, Any] = plain({**values, "strategy": self.strategy.label})
        return found


def tuned_value(value: float, se: float) -> str:
    """Return a tuned parameter in words.

    Examples
    --------
    >>> tuned_value(1.642, 0.031), tuned_value(0.7, math.inf)
    ('1.642 +- 0.031', '0.7000 (not determined by these trials)')
    """
    if math.isfinite(se):
        return with_error(value, se)
    return f"{value:.4f} (not determined by these trials)"
