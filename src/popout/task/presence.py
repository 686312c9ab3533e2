"""What every task has: a prior probability of presence, a card, and a display to look at.

The display that `plot` draws is one that is as probable as any, put together without chance: the
target has its most probable orientation and location, the distractors share out the orientations
of the most probable mixture as their probabilities say. To draw displays at random use
`popout.Evidence.sample`.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING

from popout.drawing.representation import HasCard, count, listed
from popout.task.observation import GaussianWalk, Observation

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = [
    "Presence",
    "degrees",
    "example_display",
    "most_probable",
    "orientation_rows",
    "places",
    "share_out",
]


class Presence(HasCard, ABC):
    """What every task has."""

    prior: float
    dt: float

    @property
    def log_prior_odds(self) -> float:
        """The logarithm of P(C=1) / P(C=0)."""
        return math.log(self.prior) - math.log1p(-self.prior)

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw one display with a target, as probable as any.

        Parameters
        ----------
        ax : Axes, optional
            Where to draw; a new figure when left out.

        Returns
        -------
        Axes

        Examples
        --------
        >>> from matplotlib.figure import Figure
        >>> import popout as po
        >>> task = po.MixtureSearchTask.tied(6, [0], [30, 60], {0: 4, 30: 0, 60: -4})
        >>> print(task.plot(Figure().subplots()).get_xlabel())
        target 0° (in colour for the reader)
        others 30°
        """
        from popout.task.pictures import draw_example

        tilts, target, words = self._example()
        title = f"A display of {count(len(tilts), 'location')}"
        return draw_example(tilts, target, title, words, ax)

    @abstractmethod
    def _example(self) -> tuple[Sequence[float], int, str]:
        """Return the tilts of a display, the target's location, and words to put below."""

    def _common_facts(self) -> list[tuple[str, str]]:
        """Return the facts that every task's card ends with."""
        return [("P(present)", f"{self.prior:g}"), ("time step", f"{self.dt:g} s")]


def places(location_prior: Sequence[float]) -> str:
    """Say where the target may be."""
    return "uniform" if len(set(location_prior)) == 1 else listed(location_prior, digits=4)


def most_probable(p: Sequence[float]) -> int:
    """Return the index of the largest, the first of equals."""
    return max(range(len(p)), key=lambda k: (p[k], -k))


def degrees(label: float | str) -> str:
    """Name an orientation."""
    return label if isinstance(label, str) else f"{label:g}°"


def share_out(p: Sequence[float], n: int) -> list[int]:
    """Give n places to outcomes as their probabilities say, so that neighbours differ.

    Each place goes to the outcome that is furthest behind its due.

    Examples
    --------
    >>> share_out([0.5, 0.25, 0.25], 8)
    [0, 1, 2, 0, 0, 1, 2, 0]
    """
    given = [0] * len(p)
    order = []
    for place in range(1, n + 1):
        k = most_probable(
            [p[k] * place - given[k] if p[k] > 0 else -math.inf for k in range(len(p))]
        )
        given[k] += 1
        order.append(k)
    return order


def example_display(
    orientations: Sequence[float | str],
    target_prior: Sequence[float],
    location_prior: Sequence[float],
    others: Sequence[int],
) -> tuple[list[float], int, str]:
    """Put a display together from the orientations of its non-target locations.

    Parameters
    ----------
    orientations : sequence of (float or str), shape (K,)
    target_prior, location_prior : sequence of float, shape (K,), (M,)
    others : sequence of int, shape (M - 1,)
        Index of the orientation at each location without the target, in order.

    Returns
    -------
    tilts : list of float, length M
        NaN where the location is blank.
    target : int
    words : str
    """
    shown = orientations[most_probable(target_prior)]
    target = most_probable(location_prior)
    labels = [orientations[k] for k in others]
    display = [*labels[:target], shown, *labels[target:]]
    tilts = [math.nan if isinstance(label, str) else label for label in display]
    distinct = sorted({label for label in labels if not isinstance(label, str)})
    words = f"target {degrees(shown)} (in colour for the reader)"
    if distinct:
        words += f"\nothers {', '.join(degrees(label) for label in distinct)}"
    return tilts, target, words


def orientation_rows(
    orientations: Sequence[float | str], observation: Observation, *columns: Sequence[float]
) -> tuple[str, list[list[str]]]:
    """Return the heading of the observation and a table row for each orientation.

    Parameters
    ----------
    orientations : sequence of (float or str), shape (K,)
    observation : Observation
    *columns : sequence of float, shape (K,)
        Probabilities to show beside.
    """
    what = "drift (1/s)" if isinstance(observation, GaussianWalk) else "rate (spikes/s)"
    rows = [
        [degrees(label), listed(observation.rows[k], most=4), *(f"{c[k]:.4g}" for c in columns)]
        for k, label in enumerate(orientations)
    ]
    return what, rows
