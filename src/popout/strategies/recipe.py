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

__all__ = ["RECIPES", "Parameter", "PerLocation", "Recipe", "Tunable", "thresholds_per_location"]

PerLocation = float | Sequence[float]
"""One number for all locations, or one for each."""
RECIPES: dict[str, type[Recipe]] = {}
"""Every recipe by its name, in the order of definition. A class that has a name enters itself."""


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


@dataclass(frozen=True)
class Tunable:
    """What may be tuned in a recipe, and where to look for the best values.

    Attributes
    ----------
    parameters : tuple of Parameter
    starts : tuple of dict of str to float
        Where searches begin, by name; several where the risk has several valleys. Each parameter's
        own start when left out.
    at_once : tuple of dict of str to float
        Values outside the bounds with which the strategy answers before looking. They are compared
        with what the searches find.
    """

    parameters: tuple[Parameter, ...] = ()
    starts: tuple[dict[str, float], ...] = ()
    at_once: tuple[dict[str, float], ...] = ()


class Recipe(ABC):
    """A named way to make a strategy for a task; a class of class methods, never instantiated.

    A recipe of your own is known by its name as soon as the class is defined.

    Examples
    --------
    >>> from popout.strategies import SPRT
    >>> class Hasty(Recipe):
    ...     name = "hasty"
    ...
    ...     @classmethod
    ...     def for_task(cls, task, tau_minus, tau_plus):
    ...         return SPRT.for_task(task, 0.5 * tau_minus, 0.5 * tau_plus)
    >>> RECIPES.pop("hasty").name
    'hasty'
    """

    name: ClassVar[str]
    """As on the command line, for example ``"a-sprt"``."""
    attributes: ClassVar[Mapping[str, str]] = {}
    """Parameters that the finished strategy holds under another name."""
    is_local: ClassVar[bool] = False
    """Whether it tests every location by itself, which takes one log likelihood ratio for each."""

    def __init_subclass__(cls, **keywords: Any) -> None:
        """Enter the recipe under its name."""
        super().__init_subclass__(**keywords)
        if "name" in vars(cls):
            RECIPES[cls.name] = cls

    @classmethod
    def tunable(cls, task: Task, tau_minus: PerLocation, tau_plus: PerLocation) -> Tunable:
        """Return what may be tuned; nothing unless the recipe says so."""
        return Tunable()

    @classmethod
    @abstractmethod
    def for_task(cls, *args: Any, **parameters: Any) -> BoundaryStrategy:
        """Return the strategy ``for_task(task, tau_minus, tau_plus, **parameters)``."""


def state_prior(task: Task) -> NDArray[np.float64]:
    """Return the prior of each number that a strategy sees, shape (M,).

    With unknown distractors that is one number, the log likelihood ratio of presence, which already
    holds the prior of location.
    """
    return np.asarray(task.location_prior if task.n_states == task.n_locations else (1.0,))


def mean_thresholds(
    owner: str, task: Task, tau_minus: PerLocation, tau_plus: PerLocation
) -> tuple[float, float]:
    """Return one pair of thresholds: those of the locations, averaged under the location prior.

    Examples
    --------
    >>> from popout.task import SearchTask
    >>> mean_thresholds("doc", SearchTask(drift=(8.0, 3.0)), (-4.0, -2.0), (4.0, 2.0))
    (-3.0, 3.0)
    """
    weights = state_prior(task)
    lower, upper = thresholds_per_location(owner, task, tau_minus, tau_plus)
    return float(weights @ lower), float(weights @ upper)


def thresholds_per_location(
    owner: str, task: Task, tau_minus: PerLocation, tau_plus: PerLocation
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the 1-D thresholds as two arrays of shape (M,), or raise `InputError`.

    Parameters
    ----------
    owner : str
        Named in the error message.
    task : Task
        Gives M; a task with unknown distractors counts as one location, see `state_prior`.
    tau_minus, tau_plus : float or sequence of float, length M
        Lower and upper thresholds of discrimination at each location.

    Examples
    --------
    >>> from popout.task import SearchTask
    >>> thresholds_per_location("doc", SearchTask(n_locations=2, drift=4.0), -2.5, (2.5, 2.0))
    (array([-2.5, -2.5]), array([2.5, 2. ]))
    """
    n = len(state_prior(task))
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
