"""Where the target was, and how visible the places of a display are.

An export of the laboratory says it by itself: the items of a trial carry their contrast and place.
It is taken where contrasts differ, and distractors and targets have one orientation each: there the
contrast is all that sets places apart. In any other file two columns can say it, ``layout`` and
``visibility`` (`popout.people.models.layouts`), or the user, by the column that holds the target's
place: ``{"place": {"left": 1, "right": 0.3}}`` are two places, both of them on every display.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from popout.drawing.representation import listing
from popout.people.models.layouts import (
    LAYOUT,
    VISIBILITY,
    layout_of,
    layout_words,
    places_in_words,
)
from popout.people.reading.datafile import DataFile, plain_word
from popout.task import Faults
from popout.task.faults import as_float, did_you_mean

Words = NDArray[np.object_]
Given = Mapping[str, Mapping[str, float]]


@dataclass(frozen=True, eq=False)
class Places:
    """The layout of each row of a file, and the visibility of the target's place.

    Attributes
    ----------
    layout : ndarray of str, shape (n,)
    visibility : ndarray of float, shape (n,)
        NaN without a target.
    source : str
    """

    layout: Words
    visibility: NDArray[np.float64]
    source: str

    @property
    def columns(self) -> dict[str, NDArray[Any]]:
        """Return them as columns of `Responses`."""
        return {LAYOUT: self.layout, VISIBILITY: self.visibility}

    def words(self, rows: NDArray[np.bool_]) -> str:
        """Return the layouts of some rows, visibility and number of places, in words."""
        layouts = (layout_of(words) or () for words in dict.fromkeys(self.layout[rows]))
        return f"visibility {'; '.join(map(places_in_words, layouts))}; {self.source}"


def read_places(
    file: DataFile,
    given: Given | None,
    ours: bool,
    shown: NDArray[np.bool_],
    present: NDArray[np.bool_],
    size: NDArray[np.int64],
    faults: Faults,
) -> Places | None:
    """Return what is known of places, or None if that is nothing.

    Parameters
    ----------
    file : DataFile
    given : mapping, optional
        ``{column: {place: visibility}}``, as the user says it.
    ours : bool
        Whether it is an export of the laboratory.
    shown, present : ndarray of bool, shape (n,)
        Rows that count, and whether they have a target.
    size : ndarray of int, shape (n,)
    faults : Faults
    """
    if given is not None:
        places = _said(file, given, shown, present, faults)
    elif ours:
        places = _exported(file, shown)
    else:
        places = _named(file, shown)
    if places is not None and not faults:
        _check(places, shown, present, size, faults)
    return places


def _said(
    file: DataFile,
    given: Given,
    shown: NDArray[np.bool_],
    present: NDArray[np.bool_],
    faults: Faults,
) -> Places | None:
    """Return what the user says: the visibility of each place that the target's column holds."""
    name, levels = next(iter(given.items())) if isinstance(given, Mapping) else (given, None)
    if len(given if levels else ()) != 1 or not isinstance(levels, Mapping):
        expected = "the visibility of each place, by the column that holds the target's"
        faults.add(VISIBILITY, expected, given, "write e.g. place:left=1,right=0.3")
        return None
    if (column := file.column(name)) is None:
        remedy = did_you_mean(name, file.names, f"the file has {', '.join(file.names)[:300]}")
        faults.add(VISIBILITY, "the name of a column", name, remedy)
        return None
    known = {plain_word(str(level)): as_float(v) or np.nan for level, v in levels.items()}
    holds = {*column.labels[shown & present]} - {""}
    if unknown := sorted(holds - {*known}):
        words = f"a visibility for every place in {name}"
        faults.add(VISIBILITY, words, f"none for {listing(unknown[:6])}", f"add {unknown[0]}=1")
    layout = np.full(len(present), layout_words(known.values()), dtype=object)
    visibility = np.array([known.get(label, np.nan) for label in column.labels])
    return Places(layout, np.where(present, visibility, np.nan), "as given")


def _exported(file: DataFile, shown: NDArray[np.bool_]) -> Places | None:
    """Return what an export of the laboratory says, where contrast alone sets places apart."""
    n, items, target = len(shown), file.column("items"), file.column("target_place")
    if items is None or target is None:
        return None
    layout, visibility = np.full(n, "", dtype=object), np.full(n, np.nan)
    kinds: dict[bool, set[float]] = {True: set(), False: set()}
    for row in np.flatnonzero(shown):
        try:
            display = json.loads(items.labels[row])
            contrast = {item["place"]: float(item["contrast"]) for item in display}
            for item in display:
                kinds[item["place"] == target.numbers[row]].add(item["orientation"])
        except (ValueError, KeyError, TypeError):
            return None
        layout[row] = layout_words(contrast.values())
        visibility[row] = contrast.get(target.numbers[row], np.nan)
    same = len({words for each in layout[shown] for words in each.split()}) == 1
    if same or any(len(orientations) > 1 for orientations in kinds.values()):
        return None
    return Places(layout, visibility, "contrasts of the laboratory")


def _named(file: DataFile, shown: NDArray[np.bool_]) -> Places | None:
    layout, visibility = file.column(LAYOUT), file.column(VISIBILITY)
    if layout is None or visibility is None or not visibility.is_numeric:
        return None
    words = [layout_of(each) for each in layout.labels]
    if any(each is None for each, here in zip(words, shown, strict=True) if here):
        return None  # a column of that name that says something else
    own = np.array([layout_words(each or ()) for each in words], dtype=object)
    return Places(own, np.asarray(visibility.numbers, float), "as the file says")


def _check(
    places: Places,
    shown: NDArray[np.bool_],
    present: NDArray[np.bool_],
    size: NDArray[np.int64],
    faults: Faults,
) -> None:
    """Refuse layouts that are none, or of another size, and targets nowhere on them."""
    known = {words: layout_of(words) for words in dict.fromkeys(places.layout[shown])}
    for words, layout in known.items():
        if layout is None:
            expected = "visibilities above 0, the least from a twentieth of the best"
            faults.add(VISIBILITY, expected, words, "leave out places that nobody can see")
            return
        here = shown & (places.layout == words)
        if (other := size[here] != len(layout)).any():
            got = f"{size[here][other][0]} items on {int(other.sum())} of them"
            remedy = "name every place, or choose the displays that have them all with where"
            faults.add(VISIBILITY, f"displays of {len(layout)} places ({words})", got, remedy)
        nowhere = here & present & ~np.isin(places.visibility, layout)
        if nowhere.any():
            got = f"{int(nowhere.sum())} without"
            remedy = "say where each target was, or leave these trials out with where"
            faults.add(VISIBILITY, f"a place of {words} for every target", got, remedy)
