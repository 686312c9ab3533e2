"""What an attention policy is: given the evidence and the time, how to share out the information.

The observer holds one log likelihood ratio per location, ``Z`` of shape (..., M), and the time
``t`` since the display came on. A policy maps ``(Z, t)`` to shares of the information that the
next step brings: zero or more for each location, one in all.

The simulation standard of `popout.policies.stopping.strategy` gains one point. Before each step of
evidence, and only if the strategy waits, the policy is asked once; the shares hold for that step.
Policy and strategy see the same ``Z`` and ``t`` and know nothing of each other, so any two combine.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from popout.drawing.representation import Card, HasCard
from popout.task import Costs, Task
from popout.task.look import ChosenLook, Shares

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from popout.policies.stopping import BoundaryStrategy


class Attention(HasCard, ABC):
    """Where to look.

    A policy of your own is one method in plain NumPy; solver and simulator run it unchanged.

    Examples
    --------
    Look at the two most likely locations, half and half.

    >>> class TopTwo(Attention):
    ...     def shares(self, Z, t):
    ...         order = np.argsort(-np.asarray(Z), axis=-1, kind="stable")
    ...         return 0.5 * (np.argsort(order, axis=-1) < 2)
    >>> TopTwo().shares([[0.3, -1.0, 2.0]], 0.1)
    array([[0.5, 0. , 0.5]])
    """

    kind_of_look: ClassVar[type[ChosenLook]] = Shares
    """What it chooses among."""
    chooses_durations: ClassVar[bool] = False
    """Whether it says how long the eyes rest."""

    @property
    def label(self) -> str:
        """What tables and pictures call it; the name of the class unless it says otherwise."""
        return type(self).__name__

    @property
    def parameters(self) -> dict[str, Any]:
        """The numbers that make it, by name; none unless it says so."""
        return {}

    @property
    def n_locations(self) -> int | None:
        """Number of locations the policy is made for; None if it takes any."""
        return None

    @property
    def settles(self) -> float:
        """Time in seconds after which the policy no longer changes; 0 if it never does."""
        return 0.0

    def made_for(self, task: Any) -> Attention:
        """Return the policy for a task, where it has something to take from it."""
        return self

    def for_costs(self, costs: Costs) -> Attention:
        """Return the policy for costs, where these matter to where it looks."""
        return self

    def card(self) -> Card:
        """Return the name and what is known of any policy."""
        M = "any number" if self.n_locations is None else str(self.n_locations)
        return Card(self.label, [("locations", M)])

    def as_dict(self) -> dict[str, Any]:
        """Return label and parameters."""
        return {"attention": self.label, "parameters": self.parameters}

    @abstractmethod
    def shares(self, Z: ArrayLike, t: ArrayLike) -> NDArray[np.float64]:
        """Return the shares of information of the next step.

        Parameters
        ----------
        Z : array_like of shape (..., M)
            Local log likelihood ratios.
        t : array_like, broadcastable to shape (...)
            Seconds since the display came on.

        Returns
        -------
        shares : ndarray of float, shape (..., M)
            Zero or more, with a sum of one over the last axis.
        """

    def plot(
        self,
        ax: Axes | None = None,
        *,
        strategy: BoundaryStrategy | None = None,
        plane: tuple[int, int] = (0, 1),
        n_locations: int = 2,
    ) -> Axes:
        """Draw where the policy looks, in the plane of two locations, all others ruled out.

        Parameters
        ----------
        ax : Axes, optional
            Where to draw; a new figure when left out.
        strategy : BoundaryStrategy, optional
            Its regions are drawn on top.
        plane : pair of int
            Two locations, from 0.
        n_locations : int
            For a policy that takes any number.

        Examples
        --------
        >>> from matplotlib.figure import Figure
        >>> from popout.policies.looking import Serial
        >>> Serial((-0.7, -0.7)).plot(Figure().subplots()).get_title()
        'serial'
        """
        from popout.policies.plane_pictures import draw_attention

        return draw_attention(self, ax, strategy, plane, n_locations)


def log_location_prior(task: Task) -> tuple[float, ...]:
    """Return log P(l_T = l | C=1) for each location; -inf where the target never is.

    Examples
    --------
    >>> from popout.task import SearchTask
    >>> log_location_prior(SearchTask(n_locations=1, drift=4.0))
    (0.0,)
    """
    return tuple(math.log(p) if p > 0 else -math.inf for p in task.location_prior)
