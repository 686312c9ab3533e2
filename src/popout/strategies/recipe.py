r"""Recipes: how a named strategy of the paper is made for a task, and what may be tuned.

A strategy is a finished object with every number in it. A *recipe* makes one from a task and the
one-dimensional thresholds of visual discrimination, :math:`\tau^{(l)}_\pm`, and says which
parameters are free. ``popout.tune`` and ``popout.compare`` take recipes:
``po.compare(task, costs, [po.ASPRT, po.SPRTOpt, po.SPRT, po.Hardmax])``.

Thresholds are on the scale of the *posterior* log odds of presence: they are the optimal pair of
discrimination with an even prior (paper, Methods, "Translating optimal thresholds"). The priors of
presence and of location enter through the offset of each location, see `scaled_sprt`.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from popout.strategies.base import BoundaryStrategy
from popout.task import Faults, Task

__all__ = ["Parameter", "Recipe", "Thresholds", "thresholds_per_location"]

Thresholds = float | Sequence[float]
"""One threshold for all locations, or one per location."""


@dataclass(frozen=True)
class Parameter:
    """A number that `popout.tune` may choose.

    Parameters
    ----------
    name : str
        Keyword of the recipe's ``for_task``.
    start : float
        Where the search begins.
    lower, upper : float
        The search stays strictly inside.
    scale : float
        A change of the parameter that matters: the first step of the search.
    logarithmic : bool
        Whether steps multiply instead of add; `scale` is then a change of the logarithm.

    Examples
    --------
    >>> a_plus = Parameter("a_plus", start=0.7, lower=0.05, upper=50.0, scale=0.2, logarithmic=True)
    >>> round(a_plus.at(1.0), 4), round(a_plus.steps_to(0.7), 4)
    (0.855, 0.0)
    """

    name: str
    start: float
    lower: float
    upper: float
    scale: float
    logarithmic: bool = False

    def at(self, steps: float) -> float:
        """Return the value so many steps of `scale` away from the start."""
        if self.logarithmic:
            return self.start * math.exp(steps * self.scale)
        return self.start + steps * self.scale

    def steps_to(self, value: float) -> float:
        """Return how many steps of `scale` lead from the start to a value."""
        if self.logarithmic:
            return math.log(value / self.start) / self.scale
        return (value - self.start) / self.scale

    def spread(self, value: float, steps: float) -> float:
        """Return how much a few steps of `scale` change the parameter around a value."""
        return steps * self.scale * (value if self.logarithmic else 1.0)


class Recipe(ABC):
    """A named way to make a strategy for a task; a class of class methods, never instantiated."""

    name: ClassVar[str]
    """As on the command line, for example ``"a-sprt"``."""
    attributes: ClassVar[Mapping[str, str]] = {}
    """Parameters that the finished strategy holds under another name."""

    @classmethod
    def parameters(
        cls, task: Task, tau_minus: Thresholds, tau_plus: Thresholds
    ) -> tuple[Parameter, ...]:
        """Return the parameters that may be tuned; none unless the recipe says so."""
        return ()

    @classmethod
    def starts(
        cls, task: Task, tau_minus: Thresholds, tau_plus: Thresholds
    ) -> tuple[dict[str, float], ...]:
        """Return where searches should begin, by name; several where the risk has several valleys.

        Where every parameter has its own `Parameter.start`, unless the recipe says otherwise.
        """
        return ({p.name: p.start for p in cls.parameters(task, tau_minus, tau_plus)},)

    @classmethod
    def beyond(
        cls, task: Task, tau_minus: Thresholds, tau_plus: Thresholds
    ) -> tuple[dict[str, float], ...]:
        """Return parameters beyond the bounds of the search that may still be the best, by name."""
        return ()

    @classmethod
    @abstractmethod
    def for_task(cls, *args: Any, **parameters: Any) -> BoundaryStrategy:
        """Return the strategy ``for_task(task, tau_minus, tau_plus, **parameters)``."""


def thresholds_per_location(
    owner: str, task: Task, tau_minus: Thresholds, tau_plus: Thresholds
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the 1-D thresholds as two arrays of shape (M,), or raise `InputError`.

    Parameters
    ----------
    owner : str
        Named in the error message.
    task : Task
        Gives M; a task with unknown distractors counts as one location, see `location_offsets`.
    tau_minus, tau_plus : float or sequence of float, length M
        Lower and upper thresholds of discrimination at each location.

    Examples
    --------
    >>> from popout.task import SearchTask
    >>> thresholds_per_location("doc", SearchTask(n_locations=2, drift=4.0), -2.5, (2.5, 2.0))
    (array([-2.5, -2.5]), array([2.5, 2. ]))
    """
    n = task.n_states
    faults = Faults(owner)
    arrays = []
    for field, tau in (("tau_minus", tau_minus), ("tau_plus", tau_plus)):
        values = np.atleast_1d(np.asarray(tau, dtype=np.float64))
        if values.shape not in ((1,), (n,)):
            faults.add(
                field,
                f"one number or one per location ({n})",
                tau,
                "give the 1-D threshold of every location",
            )
        elif not np.isfinite(values).all():
            faults.add(field, "finite numbers", tau, "solve the 1-D problem first")
        arrays.append(values)
    faults.raise_if_any()
    lower, upper = (np.broadcast_to(values, (n,)).copy() for values in arrays)
    if not (lower <= upper).all():
        faults.add(
            "tau_minus",
            "not above tau_plus at any location",
            (tau_minus, tau_plus),
            "swap them or check their signs",
        )
    faults.raise_if_any()
    return lower, upper
