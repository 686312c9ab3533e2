"""What a decision strategy is: given the evidence and the time, wait or answer.

The observer holds one log likelihood ratio per location, ``Z`` of shape (..., M), and the time
``t`` since the display came on. A strategy maps ``(Z, t)`` to one of three actions (the ``D`` of
the paper's Equation 7): wait, declare the target absent, declare it present.

The simulation standard (solver and simulator agree on it):

1. at ``t = 0``, ``Z = 0``, and the strategy may decide at once (RT = 0);
2. otherwise every location receives one step of evidence, ``t`` grows by ``dt``, and the strategy
   looks again;
3. when both tests are satisfied at the same look, **present wins**;
4. a trial that reaches the time limit is undecided: it is counted, never guessed.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import IntEnum
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from popout.drawing.representation import Card, HasCard

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Margins = tuple[NDArray[np.float64], NDArray[np.float64]]
"""Of the tests for "absent" and "present", each of shape (...)."""


class Action(IntEnum):
    """What the observer does after a look.

    Examples
    --------
    >>> Action.PRESENT
    <Action.PRESENT: 2>
    >>> int(Action.WAIT)
    0
    """

    WAIT = 0
    ABSENT = 1
    PRESENT = 2


@dataclass(frozen=True)
class ScaledTest:
    """The numbers with which the compiled kernel runs a strategy of the scaled family.

    Attributes
    ----------
    tau_minus, tau_plus : ndarray of shape (n_looks,)
        Thresholds at looks 0, 1, 2, ...; the last one holds for all later looks.
    a_minus, a_plus : float
    c_minus, c_plus, offset : ndarray of shape (M,)
    """

    tau_minus: NDArray[np.float64]
    tau_plus: NDArray[np.float64]
    a_minus: float
    a_plus: float
    c_minus: NDArray[np.float64]
    c_plus: NDArray[np.float64]
    offset: NDArray[np.float64]


TYPED = {"tau_minus": "lower", "tau_plus": "upper"}
"""What programs call the paper's letters, as `popout.thresholds` does."""


def name_of(label: str) -> str:
    """Return the name of a strategy as it is typed, for programs; a label with a comma stays.

    Examples
    --------
    >>> [name_of(label) for label in ("a-SPRT", "SPRT-opt", "Hardmax", "time-varying SPRT")]
    ['a-sprt', 'sprt-opt', 'hardmax', 'time-varying-sprt']
    """
    return label if "," in label else label.lower().replace(" ", "-")


def typed(parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Return parameters by the names that programs know.

    Examples
    --------
    >>> typed({"tau_minus": -3.0, "a_plus": 0.7})
    {'lower': -3.0, 'a_plus': 0.7}
    """
    return {TYPED.get(name, name): value for name, value in parameters.items()}


class Strategy(HasCard, ABC):
    """When to stop and what to say.

    A strategy of your own is one method in plain NumPy; `popout.simulate` runs it unchanged, on
    the same noise as the built-in ones. Tables call it by its `label`, an attribute of the class or
    of the object.

    Examples
    --------
    A deadline: answer after 0.3 s, whatever the evidence.

    >>> class Deadline(Strategy):
    ...     label = "deadline"
    ...
    ...     def decide(self, Z, t):
    ...         guess = np.where(np.max(Z, axis=-1) > 0, Action.PRESENT, Action.ABSENT)
    ...         return np.where(np.asarray(t) >= 0.3, guess, Action.WAIT).astype(np.int8)
    >>> Deadline().decide(np.array([[1.0, -2.0], [-1.0, -3.0]]), 0.3)
    array([2, 1], dtype=int8)
    """

    @property
    def label(self) -> str:
        """What tables and pictures call it; the name of the class unless it says otherwise."""
        return type(self).__name__

    @property
    def parameters(self) -> dict[str, Any]:
        """The numbers that make it, by name: a number each, or a list; none unless it says so."""
        return {}

    @property
    def numbers(self) -> dict[str, float]:
        """Those of the parameters that are single numbers: columns of a table."""
        return {name: v for name, v in self.parameters.items() if isinstance(v, float)}

    @property
    def n_locations(self) -> int | None:
        """Number of locations the strategy is made for; None if it takes any."""
        return None

    def scaled_test(self, times: NDArray[np.float64]) -> ScaledTest | None:
        """Return the compiled form, with the thresholds at each of the `times` (the looks).

        None unless the strategy belongs to the scaled family: it is then asked at every look.
        """
        return None

    def card(self) -> Card:
        """Return the label and what is known of any strategy."""
        M = "any number" if self.n_locations is None else str(self.n_locations)
        return Card(self.label, [("locations", M)])

    def as_dict(self) -> dict[str, Any]:
        """Return its name, as it is typed, and its parameters; thresholds are lower and upper."""
        return {"strategy": name_of(self.label), "parameters": typed(self.parameters)}

    @abstractmethod
    def decide(self, Z: ArrayLike, t: ArrayLike) -> NDArray[np.int8]:
        """Return the `Action` for each state.

        Parameters
        ----------
        Z : array_like of shape (..., M)
            Local log likelihood ratios.
        t : array_like, broadcastable to shape (...)
            Seconds since the display came on.

        Returns
        -------
        actions : ndarray of int8, shape (...)
            Values of `Action`.
        """


def margins_by_look(
    Z: ArrayLike,
    look: NDArray[np.int64],
    margins_at: Callable[[int, NDArray[np.float64]], Margins],
) -> Margins:
    """Return margins that change from look to look.

    Parameters
    ----------
    Z : array_like of shape (..., M)
    look : ndarray of int, broadcastable to shape (...)
    margins_at : callable
        Maps the number of a look and its states to their margins.
    """
    Z = np.asarray(Z, dtype=np.float64)
    look = np.broadcast_to(look, Z.shape[:-1])
    absent, present = np.empty(Z.shape[:-1]), np.empty(Z.shape[:-1])
    for k in np.unique(look):
        now = look == k
        absent[now], present[now] = margins_at(int(k), Z[now])
    return absent, present


class BoundaryStrategy(Strategy):
    """A strategy made of two tests, each of them a continuous function of the state.

    A test is satisfied when its margin is zero or positive. The exact evaluator uses the margins,
    not the decisions, to place the boundary between the nodes of its grid.

    Examples
    --------
    >>> import numpy as np, popout as po
    >>> class Strongest(po.BoundaryStrategy):
    ...     label = "the strongest location alone"
    ...     def margins(self, Z, t):
    ...         top = np.max(Z, axis=-1)
    ...         return -3.0 - top, top - 3.0
    >>> Strongest().decide([[-4.0, -5.0], [0.0, 4.0]], 0.1)
    array([1, 2], dtype=int8)
    """

    @property
    def settles(self) -> float:
        """Time in seconds after which the tests no longer change; 0 if they never do."""
        return 0.0

    @property
    def period(self) -> float:
        """Time in seconds after which the tests repeat; 0 if they do not change in that way."""
        return 0.0

    @property
    def is_axis_aligned(self) -> bool:
        """Whether the boundary consists of faces across the axes, meeting in corners."""
        return False

    @abstractmethod
    def margins(self, Z: ArrayLike, t: ArrayLike) -> Margins:
        """Return how far inside each stopping region the state is.

        Parameters
        ----------
        Z : array_like of shape (..., M)
            Local log likelihood ratios.
        t : array_like, broadcastable to shape (...)
            Seconds since the display came on.

        Returns
        -------
        absent, present : ndarray of float, shape (...)
            Continuous in `Z`; the test is satisfied where the margin is >= 0.
        """

    def decide(self, Z: ArrayLike, t: ArrayLike) -> NDArray[np.int8]:
        """Return the `Action` for each state; present wins when both tests are satisfied."""
        absent, present = self.margins(Z, t)
        actions = np.where(absent >= 0, np.int8(Action.ABSENT), np.int8(Action.WAIT))
        return np.where(present >= 0, np.int8(Action.PRESENT), actions)

    def plot(
        self, ax: Axes | None = None, *, plane: tuple[int, int] = (0, 1), t: float = 0.0
    ) -> Axes:
        """Draw where the strategy answers and where it waits.

        With one location: over time. With more: in the plane of two, all others ruled out.

        Parameters
        ----------
        ax : Axes, optional
            Where to draw; a new figure when left out.
        plane : pair of int
            Two locations, from 0.
        t : float
            Seconds since the display came on, for a strategy that changes with time.

        Examples
        --------
        >>> from matplotlib.figure import Figure
        >>> import popout as po
        >>> task = po.SearchTask(n_locations=2, drift=4.0)
        >>> ax = po.SPRT.for_task(task, -4.5, 4.5).plot(Figure().subplots())
        >>> ax.get_title(), ax.get_xlabel()
        ('SPRT', '$Z_{1}$ (nats)')
        """
        from popout.policies.plane_pictures import draw_strategy

        return draw_strategy(self, ax, plane, t)
