"""What `predict_observers` returns: the cells of each observer, and scores where there are data."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from popout.drawing.plain import plain
from popout.drawing.representation import Card, HasCard, count, listing
from popout.people.models.changes import situation_words, varying
from popout.people.models.situation import FIELDS, Situation
from popout.people.prediction.held_against import SCORES, RealisedShare, mean_share
from popout.people.prediction.predicted_cells import MEASURES
from popout.people.reading.description import CLASSES
from popout.people.reading.observed import TITLES, ObservedTrials
from popout.reports.words import fixed

SHOWN = 30
"""Rows of cells that a card lists."""
NOTE = "In brackets 95 % intervals from the fit, of the mean over many trials."
SCORES_NOTE = (
    "Log density per trial in nats, more is better. predicted and kept have seen no new trial; "
    "refitted and yardstick are cross-validated. share: 0 is thresholds kept, 1 is as predicted."
)


def situation_of(row: Mapping[str, Any]) -> Situation:
    """Return the situation of a cell."""
    known = {name: row[name] for name in FIELDS if row.get(name) is not None}
    return Situation(**{name: float(value) for name, value in known.items()})


@dataclass(frozen=True, eq=False)
class PredictedObserver:
    """One observer in another experiment.

    Attributes
    ----------
    observer : str
    model : str
        Of the fits the one that predicts.
    cells : sequence of mapping
        For each situation, set size and class: ``mean_rt``, ``error_rate``, ``no_answer``, each
        with ``_interval``, and ``kept_`` each; with data also ``trials`` and ``observed_`` each.
    notes : sequence of str
        What the user should know.
    log_score : mapping of str to float, optional
        Nats per trial: `SCORES`; ``over_kept`` with ``over_kept_se``, over trials.
    share : RealisedShare, optional
        Of the ideal shift.
    """

    observer: str
    model: str
    cells: Sequence[Mapping[str, Any]]
    notes: Sequence[str] = ()
    log_score: Mapping[str, float] | None = None
    share: RealisedShare | None = None

    @classmethod
    def from_dict(cls, stored: Mapping[str, Any]) -> PredictedObserver:
        """Return it from what a job stored."""
        share = stored["share"]
        nan = {} if share is None or share["se"] is not None else {"se": np.nan}
        made = None if share is None else RealisedShare(**{**share, **nan})
        return cls(**{**stored, "share": made})

    @cached_property
    def situations(self) -> tuple[Situation, ...]:
        """That there are cells of."""
        return tuple(dict.fromkeys(map(situation_of, self.cells)))

    def of(self, situation: Situation, target: str) -> pd.DataFrame:
        """Return the cells of a situation and a class, by set size."""
        rows = [r for r in self.cells if situation_of(r) == situation and r["target"] == target]
        frame = pd.DataFrame(rows).sort_values("set_size", ignore_index=True)
        others = ["target", *(f"{name}_interval" for name in MEASURES)]
        return frame.astype(dict.fromkeys(frame.columns.difference(others), float))

    def as_dict(self) -> dict[str, Any]:
        """Return what ``--json`` prints for the observer."""
        known = {each.name: getattr(self, each.name) for each in fields(self)}
        made: dict[str, Any] = plain({**known, "share": self.share and vars(self.share)})
        return made


@dataclass(frozen=True, eq=False, repr=False)
class PredictedObservers(HasCard):
    """Observers in another experiment, and how they fare beside data.

    Attributes
    ----------
    observers : dict of str to PredictedObserver
    fits : str
        Folder of the fits.
    fields : tuple of str
        Fields of a situation that were changed.
    notes : tuple of str
        What the user should know.
    failed : dict of str to str
        Messages of observers that could not be predicted.
    report : str
        Path of the page; empty if there is none.
    seconds : float
    against : ObservedTrials, optional
        What was done there.

    Examples
    --------
    What `predict_observers` returns; here before anybody was predicted:

    >>> import popout as po
    >>> po.PredictedObservers({}, "results")
    PredictedObservers(0 observers of results)
    """

    observers: Mapping[str, PredictedObserver]
    fits: str
    fields: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    failed: Mapping[str, str] = field(default_factory=dict)
    report: str = ""
    seconds: float = 0.0
    against: ObservedTrials | None = None

    def __getitem__(self, observer: str) -> PredictedObserver:
        """Return an observer by name."""
        return self.observers[observer]

    def __repr__(self) -> str:
        """Return one line."""
        return f"PredictedObservers({count(len(self.observers), 'observer')} of {self.fits})"

    @cached_property
    def told(self) -> tuple[str, ...]:
        """Fields that tell situations: what was changed, and what differs."""
        several = varying(each for own in self.observers.values() for each in own.situations)
        return tuple(name for name in FIELDS if name in {*self.fields, *several})

    @property
    def is_compared(self) -> bool:
        """Whether there are data."""
        return any(own.log_score is not None for own in self.observers.values())

    @property
    def there(self) -> list[tuple[str, str]]:
        """What the other experiment is, in words, where there are data of it."""
        if self.against is None:
            return []
        wanted = {"file", *TITLES.values(), "kept", "dropped"}
        facts = [fact for fact in self.against.facts() if fact[0] in wanted]
        for own in [*self.observers.values()][:1] if self.fields else []:
            facts.append(("set by hand", situation_words(own.situations[0], self.fields)))
        return facts

    def words(self, situation: Situation) -> str:
        """Return what tells a situation from the others, in words."""
        return situation_words(situation, self.told)

    def to_pandas(self) -> pd.DataFrame:
        """Return one row for each observer and cell."""
        rows = []
        for own in self.observers.values():
            for cell in own.cells:
                row: dict[str, Any] = {"observer": own.observer, "model": own.model}
                for name, value in cell.items():
                    if name.endswith("_interval"):
                        row |= dict(
                            zip((f"{name[:-9]}_low", f"{name[:-9]}_high"), value, strict=True)
                        )
                    else:
                        row[name] = value
                rows.append(row)
        return pd.DataFrame(rows)

    def scores(self) -> pd.DataFrame:
        """Return one row for each observer with data: log scores per trial, and the share."""
        rows = []
        for own in self.observers.values():
            if own.log_score is not None and own.share is not None:
                share = {f"share_{k}": v for k, v in vars(own.share).items()}
                rows.append({"observer": own.observer, **own.log_score, **share})
        return pd.DataFrame(rows)

    @cached_property
    def group(self) -> dict[str, dict[str, float]]:
        """Means over observers with standard errors between them.

        Of each score, what it has over `predicted` (nats per trial); of ``share`` the mean over
        people, where two or more determine it.
        """
        table, group = self.scores(), dict[str, dict[str, float]]()
        if len(table) < 2:
            return group
        for name in SCORES[1:]:
            gain = table[name] - table["predicted"]
            se = float(gain.std(ddof=1) / np.sqrt(len(gain)))
            group[name] = {"value": float(gain.mean()), "se": se, "n": len(gain)}
        known = table[table["share_determined"]]
        if len(known) > 1:
            group["share"] = mean_share(known["share_value"].tolist(), known["share_se"].tolist())
        return group

    def plot(self) -> Figure:
        """Draw the mean response times of every observer, predicted and, with data, observed."""
        from popout.people.prediction.prediction_pictures import draw_cells

        return draw_cells(self, "mean_rt")

    def cell_rows(self) -> tuple[list[str], list[list[str]]]:
        """Return headings and a row for each observer, situation and set size, in words."""
        headings = ["observer", *(["where"] if self.told else []), "items"]
        headings += ["RT absent (s)", "RT present (s)", "false alarms (%)", "misses (%)"]
        rows = []
        for own in self.observers.values():
            for each in own.situations:
                tables = [own.of(each, kind).to_dict("records") for kind in CLASSES]
                for cells in zip(*tables, strict=True):
                    row = [own.observer, *([self.words(each)] if self.told else [])]
                    row.append(f"{cells[0]['set_size']:g}")
                    for name, factor in (("mean_rt", 1.0), ("error_rate", 100.0)):
                        row += [_cell_words(cell, name, factor) for cell in cells]
                    rows.append(row)
        return headings, rows

    def score_rows(self) -> tuple[list[str], list[list[str]]]:
        """Return headings and a row for each observer with data, and one for their mean."""
        rows = []
        for row in self.scores().to_dict("records"):
            ends = (row[f"share_{name}"] for name in ("value", "low", "high"))
            share = _share_words(*ends) if row["share_determined"] else "not determined"
            rows.append([row["observer"], *(f"{row[name]:z.3f}" for name in SCORES), share])
        if group := self.group:
            gains = (group[name] for name in SCORES[1:])
            words = [f"{each['value']:+z.3f} +- {each['se']:.3f}" for each in gains]
            mean, share = group.get("share"), "-"
            if mean is not None:
                share = _share_words(mean["value"], mean["low"], mean["high"])
            rows.append(["mean over predicted", "0", *words, share])
        return ["observer", *SCORES, "share"], rows

    def card(self) -> Card:
        """Return the cells of every observer."""
        headings, rows = self.cell_rows()
        facts: list[tuple[str, object]] = [("fits", self.fits)]
        if self.report:
            facts.append(("report", self.report))
        facts += self.there
        if self.failed:
            facts.append(("failed", listing(list(self.failed))))
        seen = " After the slash: observed." if self.is_compared else ""
        more = f" {len(rows) - SHOWN} more rows are not shown." if len(rows) > SHOWN else ""
        note = f"{NOTE}{seen}{more} " + " ".join(self.all_notes)
        title = f"{count(len(self.observers), 'observer')} in another experiment"
        return Card(title, facts, headings, rows[:SHOWN], note.strip(), 2 + bool(self.told))

    def score_card(self) -> Card:
        """Return log scores and shares."""
        headings, rows = self.score_rows()
        return Card("Held against data", [], headings, rows, SCORES_NOTE)

    @property
    def all_notes(self) -> list[str]:
        """What the user should know, that of observers with their names."""
        return [*self.notes, *_shared(self.observers.values())]

    def as_dict(self) -> dict[str, Any]:
        """Return what ``--json`` prints."""
        made: dict[str, Any] = plain(
            {
                "observers": [own.as_dict() for own in self.observers.values()],
                "group": self.group,
                "fits": self.fits,
                "notes": self.notes,
                "data": None if self.against is None else self.against.as_dict(),
                "failed": self.failed,
                "report": self.report or None,
                "seconds": self.seconds,
            }
        )
        return made


def _share_words(value: float, low: float, high: float) -> str:
    return f"{value:z.2f} ({low:z.2f} to {high:z.2f})"


def _cell_words(row: Mapping[Any, Any], name: str, factor: float) -> str:
    low, high = (factor * (np.nan if end is None else end) for end in row[f"{name}_interval"])
    words = f"{fixed(factor * row[name])} ({fixed(low, 2)} to {fixed(high, 2)})"
    seen = row.get(f"observed_{name}")
    return words if seen is None else f"{words} / {fixed(factor * seen)}"


def _shared(some: Iterable[PredictedObserver]) -> list[str]:
    """Return the notes of observers, each once, with all whom it concerns."""
    whom: dict[str, list[str]] = {}
    for own in some:
        for note in own.notes:
            whom.setdefault(note, []).append(own.observer)
    return [f"{listing(names)}: {note}" for note, names in whom.items()]
