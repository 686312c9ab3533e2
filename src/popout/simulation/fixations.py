r"""What the eyes did: fixations, places that were looked at again, and where the first one landed.

A fixation is a *refixation* if its place was fixated before in the same trial. Means are over the
trials of a class; the first fixation is counted over all of them, because nothing has been seen
when it is chosen. How far from the middle of the display it lands,

.. math:: \lVert y_f - \bar x \rVert, \qquad \bar x = \tfrac1M \sum_l x_l ,

says whether gaze starts between the items.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from popout.drawing.representation import Card, HasCard, count, with_error
from popout.noise.elementary import compiled

DIGITS = 12
"""Of a distance: places that are equally far away in all but rounding."""
NUMBER, AGAIN, FIRST, MOVING, NAMED = range(5)
"""Columns of what is recorded of a trial: fixations, refixations, the first gaze, the steps that
gaze moved where durations are free, and the item that was most likely at the end."""
NOTED = 5


@compiled
def note_fixation(seen: Any, gaze: int, noted: Any) -> None:
    """Count a fixation.

    Parameters
    ----------
    seen : ndarray of bool, shape (G,)
        The places fixated so far in this trial; updated in place.
    gaze : int
    noted : ndarray of int32, shape (NOTED,)
        Updated in place.
    """
    if noted[NUMBER] == 0:
        noted[FIRST] = gaze
    noted[NUMBER] += 1
    if seen[gaze]:
        noted[AGAIN] += 1
    seen[gaze] = True


@compiled
def note_fixations(seen: Any, gazes: Any, begins: Any, noted: Any) -> None:
    """Count a fixation of each of several trials in which one begins; see `note_fixation`."""
    for i in range(len(gazes)):
        if begins[i]:
            note_fixation(seen[i], gazes[i], noted[i])


@dataclass(frozen=True, eq=False, repr=False)
class Fixations(HasCard):
    """What the eyes did in each of some trials.

    Attributes
    ----------
    task : GazeTask
    present : ndarray of bool, shape (n,)
    number, refixations : ndarray of int, shape (n,)
        Fixations, and how many of them went where gaze had been before.
    first : ndarray of int, shape (n,)
        The place of the first one, -1 where there is none.
    resting : ndarray of float, shape (n,)
        Seconds that gaze rested, altogether.

    Examples
    --------
    >>> import popout as po
    >>> task = po.GazeTask([(0, 0), (1, 0), (2, 0)], information=20.0, falloff=0.8)
    >>> observer = po.Observer(po.ELM, po.SPRT.for_task(task, -3.0, 3.0))
    >>> fixations = po.simulate(task, observer, 2000, seed=1).fixations
    >>> fixations.first_at
    array([0., 1., 0.])
    >>> print(fixations)  # doctest: +ELLIPSIS
    Fixations in 2000 trials
      target      fixations      refixations
      absent  ...
    """

    task: Any
    present: NDArray[np.bool_]
    number: NDArray[np.int32]
    refixations: NDArray[np.int32]
    first: NDArray[np.int32]
    resting: NDArray[np.float64]

    @property
    def mean_duration(self) -> tuple[float, float]:
        """Mean duration of a fixation in seconds, and its standard error over trials."""
        n, total = len(self.number), max(1, int(self.number.sum()))
        mean = float(self.resting.sum()) / total
        spread = self.resting - mean * self.number  # of a ratio of means
        return mean, (float(np.sqrt((spread**2).sum() * n / max(1, n - 1))) / total)

    @property
    def first_at(self) -> NDArray[np.float64]:
        """Share of the first fixations at each place, shape (G,); NaN where there are none."""
        counts = np.bincount(self.first[self.first >= 0], minlength=self.task.n_gazes)
        return np.asarray(counts / counts.sum() if counts.any() else np.full(counts.shape, np.nan))

    @property
    def first_from_centre(self) -> tuple[float, float]:
        """Mean distance of the first fixation from the items' centre in degrees, and its error."""
        centre = np.mean(self.task.items, axis=0)
        away = np.linalg.norm(np.asarray(self.task.places) - centre, axis=1).round(DIGITS)
        return _mean(away[self.first[self.first >= 0]])

    def row(self) -> dict[str, float]:
        """Return its columns of a table: means by class with their standard errors.

        Examples
        --------
        See `Comparison`.
        """
        row = {}
        for side, chosen in (("absent", ~self.present), ("present", self.present)):
            for name in ("fixations", "refixations"):
                values = self.number if name == "fixations" else self.refixations
                row[f"{name}_{side}"], row[f"{name}_{side}_se"] = _mean(values[chosen])
        row["first_from_centre"], row["first_from_centre_se"] = self.first_from_centre
        if self.task.look.is_free:
            row["fixation_duration"], row["fixation_duration_se"] = self.mean_duration
        return row

    def as_dict(self) -> dict[str, Any]:
        """Return the means, and the share of first fixations at each place."""
        return {**self.row(), "first_at": self.first_at.tolist()}

    def card(self) -> Card:
        """Return what is shown of it."""
        row = self.row()
        rows = [
            [side]
            + [
                with_error(row[f"{name}_{side}"], row[f"{name}_{side}_se"])
                for name in ("fixations", "refixations")
            ]
            for side in ("absent", "present")
            if not math.isnan(row[f"fixations_{side}"])
        ]
        note = ""
        if (self.first >= 0).any():
            note = f"the first lands {far_words(*self.first_from_centre)} degrees from the centre"
            if self.task.look.is_free:
                note += f"; they last {far_words(*self.mean_duration)} s"
        headings = ["target", "fixations", "refixations"]
        return Card(
            f"Fixations in {count(len(self.number), 'trial')}",
            [],
            headings,
            rows,
            note if rows else "",
        )


def far_words(distance: float, se: float) -> str:
    """Return a distance with its error; a first gaze that is always the same has none.

    Examples
    --------
    >>> far_words(1.5, 0.0), far_words(1.5, 0.1)
    ('1.5', '1.50 +- 0.10')
    """
    return with_error(distance, se) if se > 0.0 else f"{distance:.3g}"


def _mean(values: NDArray[Any]) -> tuple[float, float]:
    """Return the mean and its standard error; NaN where there is too little to say."""
    n = len(values)
    se = float(values.std(ddof=1)) / math.sqrt(n) if n > 1 else math.nan
    if n > 1 and np.ptp(values) == 0.0:
        se = 0.0  # without the rounding of the mean
    return (float(values.mean()) if n else math.nan), se
