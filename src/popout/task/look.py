r"""What one look of the observer can be: all that is left to the observer before the next step.

`FixedRates`: nothing; every location observes at a rate of its own, as in the paper. `Shares`: how
a limited rate of information :math:`\Lambda` is divided among the locations, each of which then
works at the drift :math:`\sqrt{\alpha_l \Lambda v_l}`. `Gazes`: at which of several places the
eyes rest; gaze f gives location l the part :math:`v_{fl}` of the information that it could get at
best, all locations at once. A task answers with one of these (`Task.look`), and solver, simulator
and comparison ask for nothing else of its kind.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar


@dataclass(frozen=True)
class FixedRates:
    """Every location observes by itself.

    Examples
    --------
    >>> import popout as po
    >>> po.SearchTask(n_locations=2, drift=4.0).look
    FixedRates()
    """

    is_chosen: ClassVar[bool] = False
    names_place: ClassVar[bool] = False


class ChosenLook:
    """A look that is left to the observer: what part of its best rate each location gets."""

    is_chosen: ClassVar[bool] = True
    names_place: bool = False
    """Whether the answer "present" has to name the right place."""

    @property
    def rates(self) -> tuple[float, ...]:
        """Information of each location in 1/s at its best."""
        raise NotImplementedError

    def drifts(self, shares: Sequence[float]) -> list[float]:
        """Return the drift of each location under given shares of its best rate."""
        return [math.sqrt(part * rate) for part, rate in zip(shares, self.rates, strict=True)]


@dataclass(frozen=True)
class Shares(ChosenLook):
    """Locations share a limited rate of information, divided anew before every step.

    Attributes
    ----------
    information : float
        The rate Lambda in 1/s.
    visibility : tuple of float, shape (M,)
        What each location makes of the information that it is given.

    Examples
    --------
    >>> import popout as po
    >>> po.LimitedSearchTask(n_locations=2, information=32.0).look
    Shares(information=32.0, visibility=(1.0, 1.0))
    """

    information: float
    visibility: tuple[float, ...]

    @property
    def rates(self) -> tuple[float, ...]:
        """Information of a location that gets all of it."""
        return tuple(self.information * seen for seen in self.visibility)


@dataclass(frozen=True)
class Gazes(ChosenLook):
    """The eyes rest at one of several places, chosen anew before every fixation.

    Attributes
    ----------
    information : float
        Rate at the point of gaze in 1/s, averaged over a fixation and the saccade that follows.
    visibility : tuple of tuple of float, shape (G, M)
        What part of it each location receives, for each gaze.
    moves : tuple of tuple of int, shape (G, G), optional
        Where fixations last as long as the observer likes: steps that gaze takes to move.
    start : int
        Where it rests at first; of no account where fixations have a fixed length.
    names_place : bool
        Whether the answer names the place of the target.

    Examples
    --------
    >>> import popout as po
    >>> look = po.GazeTask(items=[(0, 0), (1, 0)], information=24.0, falloff=[(0, 1), (1, 0.5)],
    ...                    fixation=0.2, saccade=0.04).look
    >>> look.information, look.visibility, look.is_free
    (20.0, ((1.0, 0.5), (0.5, 1.0)), False)
    """

    information: float
    visibility: tuple[tuple[float, ...], ...]
    moves: tuple[tuple[int, ...], ...] | None = None
    start: int = 0
    names_place: bool = False

    @property
    def is_free(self) -> bool:
        """Whether fixations last as long as the observer likes."""
        return self.moves is not None

    @property
    def rates(self) -> tuple[float, ...]:
        """Information of a location that is looked at."""
        return (self.information,) * len(self.visibility[0])

    @property
    def best(self) -> tuple[float, ...]:
        """What each location receives from the gaze that sees it best."""
        return tuple(max(column) for column in zip(*self.visibility, strict=True))


Look = FixedRates | Shares | Gazes
