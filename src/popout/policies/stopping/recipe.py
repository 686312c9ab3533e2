r"""Recipes: how a named strategy of the paper is made for a task, and what may be tuned.

A strategy is a finished object with every number in it. A *recipe* makes one from a task and the
one-dimensional thresholds of visual discrimination, :math:`\tau^{(l)}_\pm`, and says which
parameters are free. ``popout.tune`` and ``popout.compare`` take recipes:
``po.compare(task, costs, [po.ASPRT, po.SPRTOpt, po.SPRT, po.Hardmax])``.

Thresholds are on the scale of the *posterior* log odds of presence: they are the optimal pair of
discrimination with an even prior (paper, Methods, "Translating optimal thresholds"). The priors of
presence and of location enter through the offset of each location, see `scaled_sprt`. Given `Costs`
in their place, a recipe has them solved: ``po.SPRT.for_task(task, costs)``.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from popout.policies.stopping.strategy import BoundaryStrategy, Strategy
from popout.task import Costs, Fault, Faults, InputError, Task

PerLocation = float | Sequence[float]
"""One number for all locations, or one for each."""
Lower = PerLocation | Costs
"""Lower thresholds of discrimination; or `Costs`, for which both thresholds are solved."""
Upper = PerLocation | None
"""Upper thresholds of discrimination; None after `Costs`."""
MOST_DECIMALS = 4
"""Of a probability as people type it; a threshold that was computed has more."""
NEAREST = 1e-4
"""How near to a cliff a search goes, in steps."""
RECIPES: dict[str, type[Recipe]] = {}
"""Every recipe by its name, in the order of definition. A class that has a name enters itself."""


@dataclass(frozen=True)
class Parameter:
    r"""A number that `popout.tune` may choose.

    Searches count in steps from the start. Towards a bound at which the risk jumps (a *cliff*)
    steps get shorter, so that a search comes as near as it needs and never falls: with *d* steps of
    `scale` left to the cliff, the coordinate is :math:`\log(e^d - 1)`, which is *d* far away and
    :math:`\log d` close by.

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
    cliff : float, optional
        `lower` or `upper`, if the risk jumps there.

    Examples
    --------
    >>> a_plus = Parameter("a_plus", start=0.7, lower=0.05, upper=50.0, scale=0.2, logarithmic=True)
    >>> round(a_plus.at(1.0), 4), round(a_plus.steps_to(0.7), 4)
    (0.855, 0.0)
    >>> threshold = Parameter("lower", -2.0, lower=-25.0, upper=0.0, scale=0.5, cliff=0.0)
    >>> [round(threshold.at(steps), 4) for steps in (-1.0, 1.0, 9.0)]
    [-2.4942, -1.5156, -0.0033]
    """

    name: str
    start: float
    lower: float
    upper: float
    scale: float
    logarithmic: bool = False
    cliff: float | None = None

    def at(self, steps: float) -> float:
        """Return the value that lies a number of steps of `scale` away from the start."""
        return self.from_axis(self._unwound(self._wound(self.axis(self.start)) + steps))

    def steps_to(self, value: float) -> float:
        """Return how many steps of `scale` lead from the start to a value."""
        return self._wound(self.axis(value)) - self._wound(self.axis(self.start))

    def axis(self, value: float) -> float:
        """Return the value, or its logarithm where steps multiply."""
        return math.log(value) if self.logarithmic else value

    def from_axis(self, x: float) -> float:
        """Return the value with this `axis`."""
        return math.exp(x) if self.logarithmic else x

    def pace(self, value: float) -> float:
        """Return how much one step changes `axis` around a value."""
        return self.scale * -math.expm1(-self._left(self.axis(value)))

    def spread(self, value: float, steps: float) -> float:
        """Return how much a few steps change the parameter around a value."""
        return steps * self.pace(value) * (value if self.logarithmic else 1.0)

    def _left(self, x: float) -> float:
        """Return how many steps of `scale` are left to the cliff."""
        if self.cliff is None:
            return math.inf
        return max(NEAREST, abs(self.axis(self.cliff) - x) / self.scale)

    @property
    def _uphill(self) -> float:
        """1 if the cliff is the upper bound, -1 if it is the lower one."""
        return 1.0 if self.cliff == self.upper else -1.0

    def _wound(self, x: float) -> float:
        """Return a coordinate in which the search takes equal steps."""
        if self.cliff is None:
            return x / self.scale
        left = self._left(x)
        return -self._uphill * (left + math.log(-math.expm1(-left)))

    def _unwound(self, steps: float) -> float:
        if self.cliff is None:
            return steps * self.scale
        left = float(np.logaddexp(0.0, -self._uphill * steps))
        return self.axis(self.cliff) - self._uphill * self.scale * left


@dataclass(frozen=True)
class Tunable:
    """What may be tuned in a recipe, and where to look for the best values.

    Attributes
    ----------
    parameters : tuple of Parameter
    starts : tuple of dict of str to float
        Where searches begin, by name; several where the risk has several valleys. Each parameter's
        own start when left out.
    contains : tuple of dict of str to float
        Values that make it a simpler strategy, within the bounds. The tuned one must not be worse.
    at_once : tuple of dict of str to float
        Values outside the bounds with which the strategy answers before looking. They are compared
        with what the searches find.
    """

    parameters: tuple[Parameter, ...] = ()
    starts: tuple[dict[str, float], ...] = ()
    contains: tuple[dict[str, float], ...] = ()
    at_once: tuple[dict[str, float], ...] = ()


class Recipe(ABC):
    """A named way to make a strategy for a task; a class of class methods, never instantiated.

    A recipe of your own is known by its name as soon as the class is defined.

    Examples
    --------
    >>> from popout.policies.stopping import SPRT
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

    def __new__(cls, *args: Any, **parameters: Any) -> Any:
        """Refuse to make an object, unless the class is the strategy as well."""
        if issubclass(cls, Strategy):
            return super().__new__(cls)
        name = cls.__name__
        given = ", ".join([*map(repr, args), *(f"{k}={v!r}" for k, v in parameters.items())])
        remedy = f"write {name}.for_task(task, costs), or give {name} itself to compare or simulate"
        expected = "a task to make the strategy for"
        raise InputError([Fault("", (name,), expected, f"{name}({given})", remedy)])

    @classmethod
    def tunable(cls, task: Task, tau_minus: PerLocation, tau_plus: PerLocation) -> Tunable:
        """Return what may be tuned; nothing unless the recipe says so."""
        return Tunable()

    @classmethod
    @abstractmethod
    def for_task(cls, *args: Any, **parameters: Any) -> BoundaryStrategy:
        """Return the strategy ``for_task(task, tau_minus, tau_plus, **parameters)``."""


def recipe_of(wanted: object) -> type[Recipe] | None:
    """Return the recipe that is meant by itself or by its name; None if there is no such recipe.

    Examples
    --------
    >>> recipe_of("sprt").name, recipe_of("luck")
    ('sprt', None)
    """
    recipe = RECIPES.get(wanted) if isinstance(wanted, str) else wanted
    return recipe if isinstance(recipe, type) and issubclass(recipe, Recipe) else None


def state_prior(task: Task) -> NDArray[np.float64]:
    """Return the prior of each number that a strategy sees, shape (M,).

    With unknown distractors that is one number, the log likelihood ratio of presence, which already
    holds the prior of location.
    """
    return np.asarray(task.location_prior if task.n_states == task.n_locations else (1.0,))


def mean_thresholds(
    owner: str, task: Task, tau_minus: Lower, tau_plus: Upper = None
) -> tuple[float, float]:
    """Return one pair of thresholds: those of the locations, averaged under the location prior.

    Examples
    --------
    >>> from popout.task import SearchTask
    >>> mean_thresholds("doc", SearchTask(drift=(8.0, 3.0)), (-4.0, -2.0), (4.0, 2.0))
    (-3.0, 3.0)
    """
    lower, upper = thresholds_per_location(owner, task, tau_minus, tau_plus)
    weights = state_prior(task)
    return float(weights @ lower), float(weights @ upper)


def thresholds_per_location(
    owner: str, task: Task, tau_minus: Lower, tau_plus: Upper = None
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the 1-D thresholds as two arrays of shape (M,), or raise `InputError`.

    Parameters
    ----------
    owner : str
        Named in the error message.
    task : Task
        Gives M; a task with unknown distractors counts as one location, see `state_prior`.
    tau_minus, tau_plus : float or sequence of float, length M; or Costs alone
        Lower and upper thresholds of discrimination at each location, or the costs to solve it for.

    Examples
    --------
    >>> from popout.task import SearchTask
    >>> thresholds_per_location("doc", SearchTask(n_locations=2, drift=4.0), -2.5, (2.5, 2.0))
    (array([-2.5, -2.5]), array([2.5, 2. ]))
    """
    faults = Faults(owner)
    if not isinstance(task, Task):
        faults.add("task", "a task such as SearchTask", task, "describe what the observer faces")
    if isinstance(tau_minus, Costs) and tau_plus is None:
        faults.raise_if_any()
        import popout  # what solves them is built on recipes; it is loaded when it is asked for

        tau_minus, tau_plus = popout.threshold_pair(task, tau_minus)
    elif tau_plus is None:
        expected = "costs alone, or two thresholds"
        remedy = "give Costs, e.g. Costs(time=0.2), or tau_minus and tau_plus"
        faults.add("tau_plus", expected, tau_minus, remedy)
    faults.raise_if_any()
    n = len(state_prior(task))
    arrays = []
    for field, tau in (("tau_minus", tau_minus), ("tau_plus", tau_plus)):
        values = _numbers(tau)
        if values.shape not in ((1,), (n,)):
            remedy = "give the 1-D threshold of every location"
            faults.add(field, f"one number or one per location ({n})", tau, remedy)
        elif not np.isfinite(values).all():
            faults.add(field, "finite numbers", tau, "solve the 1-D problem first")
        arrays.append(values)
    faults.raise_if_any()
    lower, upper = (np.broadcast_to(values, (n,)).copy() for values in arrays)
    given = tau_minus, tau_plus
    if not (lower <= upper).all():
        expected = "not above tau_plus at any location"
        faults.add("tau_minus", expected, given, "swap them or check their signs")
    elif _look_like_probabilities(*arrays):
        odds = ", ".join(f"{math.log(p / (1.0 - p)):.3g}" for p in (lower[0], upper[0]))
        expected = "log odds, as a rule one below and one above 0"
        remedy = f"these look like probabilities, whose log odds are {odds}"
        faults.add("tau_minus, tau_plus", expected, given, remedy)
    faults.raise_if_any()
    return lower, upper


def _numbers(values: object) -> NDArray[np.float64]:
    """Return what was given as an array; a shape that nobody expects if it is no numbers."""
    try:
        return np.atleast_1d(np.asarray(values, dtype=np.float64))
    except (TypeError, ValueError):
        return np.empty((0, 0))


def _look_like_probabilities(lower: NDArray[np.float64], upper: NDArray[np.float64]) -> bool:
    """Return whether thresholds were typed as probabilities, such as 0.05 and 0.95.

    Log odds may lie between 0 and 1, both of them, where errors cost differently; those are
    computed, and have more digits than anybody types.
    """
    both = np.concatenate([lower, upper])
    typed = bool((both == both.round(MOST_DECIMALS)).all())
    return typed and bool(
        (lower > 0).all() and (lower < 0.5).all() and (upper > 0.5).all() and (upper < 1).all()
    )
