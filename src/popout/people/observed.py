"""Trials of people, observer by observer, and how they were read.

`ObservedTrials` is what `read_trials` returns: for each observer `Responses`, as a simulation would
give them, and an account of the file: which column was taken for what, what the words in it mean,
what was dropped and why.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from popout.drawing.representation import Card, HasCard, count
from popout.people.known import KnownData
from popout.simulation.responses import Responses
from popout.strategies import Action
from popout.task import Faults
from popout.task.faults import did_you_mean

if TYPE_CHECKING:
    from popout.people.description import TrialsDescription

SHOWN = 25
"""Observers that a card lists one by one."""


@dataclass(frozen=True)
class Reading:
    """How a file was read.

    Attributes
    ----------
    file, sha256, form : str
        Name, hash and format; the hash of a frame is empty.
    known : KnownData, optional
        The data set, where the file is a known one.
    columns : dict of str to str
        The column that was taken for each role.
    meanings : dict of str to str
        What the words in a column mean, by role.
    rt_unit, rt_unit_reason : str
    fastest, slowest : float
        Response times that were kept, in seconds.
    slowest_reason : str
    rows : int
        In the file.
    conditions : dict of str to tuple of str
        Other columns with a few values.
    notes : tuple of str
        What the user should know.
    """

    file: str
    sha256: str
    form: str
    known: KnownData | None
    columns: Mapping[str, str]
    meanings: Mapping[str, str]
    rt_unit: str
    rt_unit_reason: str
    fastest: float
    slowest: float
    slowest_reason: str
    rows: int
    conditions: Mapping[str, tuple[str, ...]]
    notes: tuple[str, ...] = ()

    def facts(self) -> list[tuple[str, str]]:
        """Return name and value of everything, in words."""
        known = self.known
        return [
            ("file", f"{self.file}, {self.form}"),
            *([("data set", known.name), ("cite", known.citation)] if known else []),
            *([("licence", known.licence)] if known else []),
            *([("SHA-256", self.sha256)] if self.sha256 else []),
            ("columns", ", ".join(f"{role}={name}" for role, name in self.columns.items())),
            *self.meanings.items(),
            ("times", f"in {self.rt_unit} ({self.rt_unit_reason})"),
            ("kept", f"{self.fastest:g} to {self.slowest:g} s ({self.slowest_reason})"),
        ]

    def as_dict(self) -> dict[str, Any]:
        """Return the same for programs."""
        known = self.known
        return {
            "file": self.file,
            "sha256": self.sha256 or None,
            "form": self.form,
            "data_set": known.name if known else None,
            "citation": known.citation if known else None,
            "licence": known.licence if known else None,
            "columns": dict(self.columns),
            "meanings": dict(self.meanings),
            "rt_unit": self.rt_unit,
            "rt_unit_reason": self.rt_unit_reason,
            "fastest": self.fastest,
            "slowest": self.slowest,
            "rows": self.rows,
            "conditions": {name: list(values) for name, values in self.conditions.items()},
            "notes": list(self.notes),
        }


@dataclass(frozen=True, eq=False, repr=False)
class ObservedTrials(HasCard):
    """Trials of one or several observers.

    Attributes
    ----------
    observers : dict of str to Responses
        By name, in natural order. Columns of each: ``set_size``, ``observer``, ``block`` where it
        is known, and the conditions of the experiment.
    reading : Reading
    dropped : DataFrame
        Trials that were left out, by observer (rows) and reason (columns).

    Examples
    --------
    >>> import popout as po
    >>> import pandas as pd
    >>> table = pd.DataFrame(
    ...     {
    ...         "observer": "km",
    ...         "set_size": [3, 3, 6, 6],
    ...         "target": ["present", "absent", "present", "absent"],
    ...         "response": ["present", "absent", "absent", "absent"],
    ...         "rt": [0.512, 0.634, 0.689, 0.0],
    ...     }
    ... )
    >>> trials = po.read_trials(table)
    >>> trials
    ObservedTrials(1 observer, 3 trials, 1 dropped)
    >>> trials["km"].correct
    array([ True,  True, False])
    """

    observers: Mapping[str, Responses]
    reading: Reading
    dropped: pd.DataFrame

    def __len__(self) -> int:
        """Return the number of observers."""
        return len(self.observers)

    def __getitem__(self, observer: str) -> Responses:
        """Return the trials of one observer."""
        return self.observers[observer]

    def __repr__(self) -> str:
        """Return one line."""
        return (
            f"ObservedTrials({count(len(self), 'observer')}, {count(self.n_trials, 'trial')}, "
            f"{self.n_dropped} dropped)"
        )

    @property
    def n_trials(self) -> int:
        """Trials that were kept."""
        return sum(len(one) for one in self.observers.values())

    @property
    def n_dropped(self) -> int:
        """Trials that were left out."""
        return int(self.dropped.to_numpy().sum())

    @property
    def set_sizes(self) -> tuple[int, ...]:
        """Set sizes that occur."""
        found = (np.unique(one.columns["set_size"]) for one in self.observers.values())
        return tuple(int(size) for size in np.unique(np.concatenate([*found])))

    def dropped_of(self, observer: str) -> dict[str, int]:
        """Return how many trials of an observer were left out, by reason."""
        if observer not in self.dropped.index:
            return {}
        row = self.dropped.loc[observer]
        return {str(reason): int(n) for reason, n in row.items() if n}

    def choose(self, observers: Sequence[str]) -> ObservedTrials:
        """Return the trials of some observers.

        Raises
        ------
        InputError
            If there is no such observer.
        """
        faults = Faults("read_trials")
        for name in observers:
            if name not in self.observers:
                known = ", ".join(list(self.observers)[:SHOWN])
                remedy = did_you_mean(name, self.observers, "choose from them")
                faults.add("observers", f"some of {known}", name, remedy)
        if not observers:
            faults.add("observers", "at least one observer", "none", "leave it out for all")
        faults.raise_if_any()
        some = {name: one for name, one in self.observers.items() if name in observers}
        rows = [name for name in self.dropped.index if name in some]
        return replace(self, observers=some, dropped=self.dropped.loc[rows])

    def describe(self) -> TrialsDescription:
        """Return means, quantiles, error rates and slopes; see `describe_trials`."""
        from popout.people.description import describe_trials

        return describe_trials(self)

    def to_pandas(self) -> pd.DataFrame:
        """Return one row per trial, of all observers."""
        frames = [one.to_pandas() for one in self.observers.values()]
        return pd.concat(frames, ignore_index=True)

    def card(self) -> Card:
        """Return how the file was read, what was dropped, and the trials of each observer."""
        facts: list[tuple[str, object]] = list(self.reading.facts())
        reasons = self.dropped.sum().astype(int)
        words = ", ".join(f"{n} {why}" for why, n in reasons.items() if n)
        facts.append(
            ("dropped", f"{self.n_dropped} of {self.reading.rows} rows: {words}".rstrip(": "))
        )
        rows = [
            [
                name,
                len(one),
                int((one.response == Action.WAIT).sum()),
                sum(self.dropped_of(name).values()),
            ]
            for name, one in self.observers.items()
        ]
        more = f" and {len(rows) - SHOWN} more observers" if len(rows) > SHOWN else ""
        sizes = ", ".join(map(str, self.set_sizes))
        return Card(
            f"{count(self.n_trials, 'trial')} of {count(len(self), 'observer')}, set sizes {sizes}",
            facts,
            ["observer", "trials", "no answer", "dropped"],
            rows[:SHOWN],
            " ".join(filter(None, (more.strip(), *self.reading.notes))),
        )

    def as_dict(self) -> dict[str, Any]:
        """Return the account of the file, and of every observer."""
        reasons = {str(k): int(n) for k, n in self.dropped.sum().items() if n}
        return {
            **self.reading.as_dict(),
            "trials": self.n_trials,
            "dropped": reasons,
            "set_sizes": list(self.set_sizes),
            "observers": [
                {
                    "observer": name,
                    "trials": len(one),
                    "no_answer": int((one.response == Action.WAIT).sum()),
                    "dropped": self.dropped_of(name),
                }
                for name, one in self.observers.items()
            ],
        }
