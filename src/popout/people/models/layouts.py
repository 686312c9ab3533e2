"""Where things were seen: the visibility of the places of a display, and that of the target's.

A trial carries both in columns of its `Responses`: ``layout``, the visibilities of all places in
words, best first (``1 1 0.3 0.3``), and ``visibility``, that of the target's place, NaN where there
is no target. Where nothing is said all places are seen alike.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from popout.people.models.model import set_sizes_of
from popout.simulation.responses import Responses
from popout.task import Faults

LAYOUT, VISIBILITY = "layout", "visibility"
LEAST_VISIBILITY = 0.05
"""Of a place, relative to the best: tables of first passages reach no farther."""


class Display(NamedTuple):
    """A kind of display.

    Attributes
    ----------
    layout : tuple of float
        Visibility of every place, best first.
    visibility : float
        Of the target's place; 0 without a target.
    """

    layout: tuple[float, ...]
    visibility: float

    @property
    def relative(self) -> tuple[float, ...]:
        """The layout with 1 at the place that is seen best."""
        return tuple(round(v / self.layout[0], 6) for v in self.layout)


def layout_words(visibilities: Iterable[float]) -> str:
    """Return a layout as columns have it.

    Examples
    --------
    >>> layout_words([0.3, 1.0, 1.0])
    '1 1 0.3'
    """
    return " ".join(f"{v:g}" for v in sorted(visibilities, reverse=True))


def layout_of(words: str) -> tuple[float, ...] | None:
    """Return the visibilities that a column says, best first, or None if it says none.

    Examples
    --------
    >>> layout_of("0.3 1 1"), layout_of("left"), layout_of("1 0.01")
    ((1.0, 1.0, 0.3), None, None)
    """
    try:
        numbers = [float(word) for word in words.split()]
    except ValueError:
        return None
    best = max(numbers, default=0.0)
    good = 0.0 < best < np.inf and min(numbers) >= LEAST_VISIBILITY * best
    return tuple(sorted(numbers, reverse=True)) if good else None


def seen_alike(responses: Responses) -> Responses:
    """Return the trials with layouts in which all places are seen alike."""
    sizes = set_sizes_of(responses)
    words = {M: layout_words([1.0] * M) for M in np.unique(sizes).tolist()}
    layouts = np.array([words[M] for M in sizes.tolist()], dtype=object)
    alike = {LAYOUT: layouts, VISIBILITY: np.where(responses.present, 1.0, np.nan)}
    return replace(responses, columns={**responses.columns, **alike})


def displays_of(responses: Responses) -> list[Display]:
    """Return the kind of display of each trial.

    Raises
    ------
    InputError
        If a layout says no visibilities, or others than those of as many places as there are
        items, or none of its places is as visible as that of the target.
    """
    if LAYOUT not in responses.columns:
        responses = seen_alike(responses)
    layouts, sizes = responses.columns[LAYOUT], set_sizes_of(responses)
    own = np.where(responses.present, responses.columns.get(VISIBILITY, np.nan), 0.0)
    known = {words: layout_of(str(words)) for words in dict.fromkeys(layouts)}
    faults, made = Faults("Responses"), []
    for words, v, M in dict.fromkeys(zip(layouts, own.tolist(), sizes.tolist(), strict=True)):
        layout = known[words]
        if layout is None or len(layout) != M:
            expected = f"the visibilities of {M} places, each from a twentieth of the best"
            faults.add(LAYOUT, expected, words, "write e.g. 1 1 0.3 0.3")
        elif v and v not in layout:
            faults.add(
                VISIBILITY, f"that of a place of the layout, {words}", v, "mend the target's"
            )
    faults.raise_if_any()
    for words, v in zip(layouts, own.tolist(), strict=True):
        made.append(Display(known[words] or (), v))
    return made


def places_in_words(layout: tuple[float, ...]) -> str:
    """Return a layout in short.

    Examples
    --------
    >>> places_in_words((1.0, 1.0, 0.3))
    '1 at 2, 0.3 at 1'
    """
    return ", ".join(f"{v:g} at {layout.count(v)}" for v in dict.fromkeys(layout))
