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
from popout.drawing.representation import Card, HasCard, count, listing
from popout.people.models.situation import situations_of
from popout.people.reading.datafile import natural_order
from popout.policies.stopping import Action
from popout.simulation.responses import Responses
from popout.task import Faults
from popout.task.faults import did_you_mean

if TYPE_CHECKING:
    from popout.people.reading.description import TrialsDescription

SHOWN = 25
"""Groups that a card lists one by one."""
MOST_LEVELS = 12
"""Of a condition."""
TITLES = {"prior": "targets", "pay": "pay", "deadline": "time limit", "dynamic": "displays"}
TITLES |= {"places": "places"}
"""Of what is at stake."""
FAST, SLOW = "faster than", ("slower than", "after the time limit")
"""What reasons to drop an answer begin with that was cut on either side of the window."""


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
    stakes : dict of str to str
        Base rate (``prior``), ``pay``, ``deadline`` and ``dynamic``, ``places`` where they are
        known, and where all that is from, in words.
    others : dict of str to int
        Number of values that each column of the file has in the trials.
    remarks : tuple of str
        What the user should know, besides what is pooled.
    pooled : dict of str to tuple of str
        Conditions that are not taken apart, with their levels.
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
    stakes: Mapping[str, str] = field(default_factory=dict)
    others: Mapping[str, int] = field(default_factory=dict)
    remarks: tuple[str, ...] = ()
    pooled: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    split: str | None = None

    @property
    def notes(self) -> tuple[str, ...]:
        """What the user should know."""
        return self.notes_beside(())

    def notes_beside(self, columns: Sequence[str]) -> tuple[str, ...]:
        """Return what the user should know who takes some columns apart."""
        left = {name: levels for name, levels in self.pooled.items() if name not in columns}
        if not left:
            return self.remarks
        words = listing([f"{name} ({', '.join(levels)})" for name, levels in left.items()])
        first, levels = next(iter(left.items()))
        choose = f"choose with where (--where {first}={levels[0]})"
        apart = f"describe --split {first}, fit --vary {first}"
        return (*self.remarks, f"Pooled: {words}; {choose}, or take one apart: {apart}.")

    def facts(self) -> list[tuple[str, str]]:
        """Return name and value of everything, in words."""
        return [
            ("file", f"{self.file}, {self.form}"),
            *([("SHA-256", self.sha256)] if self.sha256 else []),
            ("columns", ", ".join(f"{role}={name}" for role, name in self.columns.items())),
            *self.meanings.items(),
            ("times", f"in {self.rt_unit} ({self.rt_unit_reason})"),
            *((TITLES[name], words) for name, words in self.stakes.items()),
            ("kept", f"{self.fastest:g} to {self.slowest:g} s ({self.slowest_reason})"),
        ]

    def as_dict(self) -> dict[str, Any]:
        """Return the same for programs."""
        apart = ("slowest_reason", "others", "remarks", "pooled")
        said = {k: v for k, v in vars(self).items() if k not in apart} | {"notes": self.notes}
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
                prior = mean_prior(some.columns.get("prior", np.array([some.prior])))
                groups[Group(name, value)] = replace(some, prior=prior)
        return groups

    @property
    def conditions(self) -> tuple[str, ...]:
        """Values of the condition that is taken apart; empty if none is."""
        return tuple(natural_order({each.condition for each in self.groups if each.condition}))

    @property
    def notes(self) -> tuple[str, ...]:
        """What the user should know."""
        return self.reading.notes

    @cached_property
    def situations(self) -> pd.DataFrame:
        """What is at stake, a row for each observer (and condition) and situation.

        Columns ``prior``, ``miss``, ``false_alarm``, ``deadline``, ``period``, and the number of
        ``trials``, of ``targets`` and of ``time_outs``.
        """
        rows = []
        for group, trials in self.groups.items():
            several, number = situations_of(trials)
            for k, each in enumerate(several):
                own = trials.where(number == k)
                counts = {"trials": len(own), "targets": int(own.present.sum())}
                counts["time_outs"] = _undecided(own)
                rows.append({**group.as_dict(), **vars(each), **counts})
        return pd.DataFrame(rows)

    def levels(self, column: str) -> dict[str, NDArray[np.object_]]:
        """Return the level of a condition, in words, for each trial of every observer.

        Raises
        ------
        InputError
            If it is no condition; see `check_condition`.
        """
        faults = Faults("ObservedTrials")
        self.check_condition(column, faults)
        faults.raise_if_any()
        return self._levels(column)

    def _levels(self, column: str) -> dict[str, NDArray[np.object_]]:
        values = {name: own.columns.get(column) for name, own in self.observers.items()}
        return {
            name: np.array([v if isinstance(v, str) else f"{v:g}" for v in each], dtype=object)
            for name, each in values.items()
            if each is not None
        }

    def check_condition(
        self, name: str, faults: Faults, where: str = "condition"
    ) -> tuple[str, ...]:
        """Return the levels of a condition that trials have; add a fault if there are no two.

        Parameters
        ----------
        name : str
            Of a column of the file; ``set_size`` and ``block`` are known by their roles, too.
        faults : Faults
        where : str
            The argument that names it.
        """
        levels = self._levels(name)
        some = natural_order({level for each in levels.values() for level in each})
        known = ", ".join(self.reading.conditions) or "none"
        if len(levels) < len(self) and name not in self.reading.others:
            remedy = did_you_mean(name, self.reading.others, f"conditions are {known}")
            faults.add(where, "a column of the file", name, remedy)
        elif len(levels) < len(self) or len(some) > MOST_LEVELS:
            got = f"{name}, with {count(self.reading.others.get(name, len(some)), 'value')}"
            expected = f"a condition of 2 to {MOST_LEVELS} levels"
            faults.add(where, expected, got, f"conditions are {known}")
        elif "" in some:
            lacking = sum(int((each == "").sum()) for each in levels.values())
            remedy = "leave these trials out with where"
            faults.add(where, f"a level of {name} for every trial", f"{lacking} without", remedy)
        elif len(some) < 2:
            remedy = f"conditions are {known}"
            faults.add(where, f"two levels of {name} with trials", f"{some[0]} alone", remedy)
        return tuple(some)

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
        frames = [
            own.to_pandas().assign(prior=own.columns.get("prior", own.prior))
            for own in self.observers.values()
        ]
        return pd.concat(frames, ignore_index=True)

    def facts(self) -> list[tuple[str, str]]:
        """Return how the file was read and what was dropped, in words."""
        reasons = self.dropped.sum().astype(int)
        words = ", ".join(f"{n} {why}" for why, n in reasons.items() if n)
        rows_here = self.n_trials + self.n_dropped
        dropped = f"{self.n_dropped} of {rows_here} rows: {words}".rstrip(": ")
        return [*self.reading.facts(), ("dropped", dropped)]

    def card(self) -> Card:
        """Return how the file was read, what was dropped, and the trials of each observer."""
        facts: list[tuple[str, object]] = list(self.facts())
        rates = {own.prior for own in self.groups.values()}
        rows = []
        for each, some in self.groups.items():
            dropped = self.dropped_of(*each)
            fast, slow = (_cut(dropped, words) for words in (FAST, SLOW))
            others = sum(dropped.values()) - fast - slow
            own = [f"{100 * some.prior:.3g} %"] if len(rates) > 1 else []
            row = [*filter(None, each), len(some), *own, _undecided(some), fast, slow, others]
            rows.append(row)
        more = f"and {len(rows) - SHOWN} more rows" if len(rows) > SHOWN else ""
        sizes = ", ".join(map(str, self.set_sizes))
        title = f"{count(self.n_trials, 'trial')} of {count(len(self), 'observer')}"
        split = [self.reading.split] if self.reading.split is not None else []
        own = ["targets"] if len(rates) > 1 else []
        headings = ["observer", *split, "trials", *own, "time-outs", "too fast", "too slow"]
        headings.append("else dropped")
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
            "situations": plain(self.situations.to_dict("records")),
            "notes": list(self.notes),
            "observers": observers,
        }


def mean_prior(priors: NDArray[np.float64]) -> float:
    """Return the mean of base rates; exactly theirs if they are all alike."""
    return float(priors[0] if (priors == priors[0]).all() else priors.mean())


def _cut(dropped: Mapping[str, int], words: str | tuple[str, ...]) -> int:
    return sum(n for reason, n in dropped.items() if reason.startswith(words))


def _undecided(trials: Responses) -> int:
    return int((trials.response == Action.WAIT).sum())
