"""Trials of people, observer by observer, and how they were read.

`ObservedTrials` is what `read_trials` returns: for each observer `Responses`, as a simulation would
give them, and an account of the file: which column was taken for what, what the words in it mean,
what was dropped and why. Where a condition is taken apart, a *group* is what an observer did in one
condition; an observer has one group for each, and stays one observer.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from popout.drawing.plain import plain
from popout.drawing.representation import Card, HasCard, count
from popout.people.reading.base_rate import BaseRate, assumed_prior, base_rate_of
from popout.people.reading.datafile import natural_order
from popout.policies.stopping import Action
from popout.simulation.responses import Responses
from popout.task import Faults
from popout.task.faults import did_you_mean

if TYPE_CHECKING:
    from popout.people.reading.description import TrialsDescription

SHOWN = 25
"""Groups that a card lists one by one."""


class Group(NamedTuple):
    """An observer, and the condition where one is taken apart.

    Examples
    --------
    >>> Group("ag", "static").label, Group("ag").as_dict()
    ('ag, static', {'observer': 'ag'})
    """

    observer: str
    condition: str | None = None

    @property
    def label(self) -> str:
        """In words."""
        return ", ".join(filter(None, self))

    @property
    def key(self) -> str | tuple[str, str]:
        """What one looks it up by: the observer, or observer and condition."""
        return self.observer if self.condition is None else (self.observer, self.condition)

    def as_dict(self) -> dict[str, str]:
        """Return its columns of a table; that of conditions where there are any."""
        return {name: each for name, each in self._asdict().items() if each is not None}


@dataclass(frozen=True)
class Reading:
    """How a file was read.

    Attributes
    ----------
    file, sha256, form : str
        Name, hash and format; the hash of a frame is empty.
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
    split : str, optional
        The condition that is taken apart.
    """

    file: str
    sha256: str
    form: str
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
    split: str | None = None

    def facts(self) -> list[tuple[str, str]]:
        """Return name and value of everything, in words."""
        return [
            ("file", f"{self.file}, {self.form}"),
            *([("SHA-256", self.sha256)] if self.sha256 else []),
            ("columns", ", ".join(f"{role}={name}" for role, name in self.columns.items())),
            *self.meanings.items(),
            ("times", f"in {self.rt_unit} ({self.rt_unit_reason})"),
            ("kept", f"{self.fastest:g} to {self.slowest:g} s ({self.slowest_reason})"),
        ]

    def as_dict(self) -> dict[str, Any]:
        """Return the same for programs."""
        said = {name: value for name, value in vars(self).items() if name != "slowest_reason"}
        made: dict[str, Any] = plain({**said, "sha256": self.sha256 or None})
        return made


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
        Trials that were left out, by observer (rows; and condition, where one is taken apart) and
        reason (columns).
    condition_of : dict of str to ndarray of str
        The condition of each trial of an observer, where one is taken apart.

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
    condition_of: Mapping[str, NDArray[np.object_]] = field(default_factory=dict)

    def __len__(self) -> int:
        """Return the number of observers."""
        return len(self.observers)

    def __getitem__(self, observer: str) -> Responses:
        """Return the trials of one observer."""
        return self.observers[observer]

    def __repr__(self) -> str:
        """Return one line."""
        kept = f"{count(len(self), 'observer')}, {count(self.n_trials, 'trial')}"
        return f"ObservedTrials({kept}, {self.n_dropped} dropped)"

    @property
    def n_trials(self) -> int:
        """Trials that were kept."""
        return sum(len(trials) for trials in self.observers.values())

    @property
    def n_dropped(self) -> int:
        """Trials that were left out."""
        return int(self.dropped.to_numpy().sum())

    @property
    def set_sizes(self) -> tuple[int, ...]:
        """Set sizes that occur."""
        sizes = (np.unique(trials.columns["set_size"]) for trials in self.observers.values())
        return tuple(int(size) for size in np.unique(np.concatenate([*sizes])))

    @cached_property
    def groups(self) -> dict[Group, Responses]:
        """The trials of each observer in each condition, or of each observer if none is split."""
        groups = {}
        for name, trials in self.observers.items():
            labels = self.condition_of.get(name)
            if labels is None:
                groups[Group(name)] = trials
                continue
            for value in natural_order(set(labels)):
                some = trials.where(labels == value)
                groups[Group(name, value)] = replace(some, prior=assumed_prior(some.present))
        return groups

    @property
    def conditions(self) -> tuple[str, ...]:
        """Values of the condition that is taken apart; empty if none is."""
        return tuple(natural_order({each.condition for each in self.groups if each.condition}))

    @cached_property
    def base_rate(self) -> BaseRate:
        """How often a target is on the display, and whether models that assume half are misled."""
        return base_rate_of({each.label: some.present for each, some in self.groups.items()})

    @property
    def notes(self) -> tuple[str, ...]:
        """What the user should know."""
        return tuple(filter(None, (self.base_rate.note, *self.reading.notes)))

    def dropped_of(self, observer: str, condition: str | None = None) -> dict[str, int]:
        """Return how many trials of an observer were left out, by reason."""
        rows = self.dropped
        own = rows.index.get_level_values("observer") == observer
        if condition is not None:
            own &= rows.index.get_level_values("condition") == condition
        return {str(reason): int(n) for reason, n in rows[own].sum().items() if n}

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
        some = {name: trials for name, trials in self.observers.items() if name in observers}
        rows = self.dropped.index.get_level_values("observer").isin(list(some))
        return replace(self, observers=some, dropped=self.dropped[rows])

    def describe(self) -> TrialsDescription:
        """Return means, quantiles, error rates and slopes; see `describe_trials`."""
        from popout.people.reading.description import describe_trials

        return describe_trials(self)

    def to_pandas(self) -> pd.DataFrame:
        """Return one row per trial, of all observers."""
        frames = [trials.to_pandas() for trials in self.observers.values()]
        return pd.concat(frames, ignore_index=True)

    def card(self) -> Card:
        """Return how the file was read, what was dropped, and the trials of each observer."""
        facts: list[tuple[str, object]] = list(self.reading.facts())
        reasons = self.dropped.sum().astype(int)
        words = ", ".join(f"{n} {why}" for why, n in reasons.items() if n)
        rows_here = self.n_trials + self.n_dropped
        facts.append(("dropped", f"{self.n_dropped} of {rows_here} rows: {words}".rstrip(": ")))
        rows = [
            [*filter(None, each), len(some), _undecided(some), sum(self.dropped_of(*each).values())]
            for each, some in self.groups.items()
        ]
        more = f"and {len(rows) - SHOWN} more rows" if len(rows) > SHOWN else ""
        sizes = ", ".join(map(str, self.set_sizes))
        title = f"{count(self.n_trials, 'trial')} of {count(len(self), 'observer')}"
        split = [self.reading.split] if self.reading.split is not None else []
        headings = ["observer", *split, "trials", "no answer", "dropped"]
        note, keys = " ".join(filter(None, (more, *self.notes))), 1 + len(split)
        return Card(f"{title}, set sizes {sizes}", facts, headings, rows[:SHOWN], note, keys)

    def as_dict(self) -> dict[str, Any]:
        """Return the account of the file, and of every observer."""
        observers = []
        for each, some in self.groups.items():
            counts = {"trials": len(some), "no_answer": _undecided(some)}
            observers.append({**each.as_dict(), **counts, "dropped": self.dropped_of(*each)})
        reasons = {str(k): int(n) for k, n in self.dropped.sum().items() if n}
        return {
            **self.reading.as_dict(),
            "trials": self.n_trials,
            "dropped": reasons,
            "set_sizes": list(self.set_sizes),
            "base_rate": self.base_rate.as_dict(),
            "notes": list(self.notes),
            "observers": observers,
        }


def _undecided(trials: Responses) -> int:
    return int((trials.response == Action.WAIT).sum())
