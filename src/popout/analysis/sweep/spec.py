"""What a sweep computes: a base, and a grid of axes over it.

Everything a point depends on has one name, in the file, in the grid and in Python:

====================  =============================================================================
name                  meaning
====================  =============================================================================
``kind``, task field  the task, as in a task file (``n_locations``, ``drift``, ``dt``, ``prior``,
                      ``observation.drift``, ...)
``costs.*``           ``costs.time``, ``costs.miss``, ``costs.false_alarm``
``result``            ``exact``, ``simulated`` or ``tuned``, see `popout.analysis.sweep.point`
``strategy``          name of a strategy
``parameters.*``      parameters of the strategy; those left out are computed or tuned
``n_trials`` ...      settings of simulation, tuning and solver, see `case.SETTINGS`
====================  =============================================================================

A point is the base with one value of each axis put in. Any name but ``kind`` can be an axis. Points
are numbered in the order of the axes, the last one fastest; their number is the product of the
lengths, checked before anything is built.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import tomli_w

from popout.analysis.sweep.case import SETTINGS, Case
from popout.analysis.sweep.reader import Reader, nested
from popout.task import Costs, InputError, Task, task_to_toml
from popout.task.document import Document, DocumentFaults

__all__ = ["MAX_POINTS", "Sweep", "unpacked"]

MAX_POINTS = 10_000_000
"""A client holds half a kilobyte for each point when it writes the store."""
FORMAT = 1
"""Part of the identity; raised when the same file would give other numbers."""


@dataclass(frozen=True, init=False)
class Sweep:
    """A grid of points over a base.

    Parameters
    ----------
    task : Task or mapping
        The base: a task, or the table of a task file. A table may leave out what an axis gives.
    costs : Costs or mapping, optional
        May be left out where an axis gives ``costs.time``.
    axes : mapping of str to sequence
        Values of each axis, by name (see the module). A value may be a sequence itself, such as a
        drift for each location.
    **settings
        ``result``, ``strategy``, ``parameters``, ``n_trials``, ``tune_trials``, ``rtol``,
        ``rates``, ``time_limit`` and ``seed``; see `popout.analysis.sweep.case.SETTINGS`.

    Attributes
    ----------
    base : dict
        What every point shares, by name.
    axes : dict of str to tuple
    text : str
        The sweep as a TOML file; a sweep that was read keeps its text.

    Raises
    ------
    InputError
        With every fault, those of combinations of axes included.

    Examples
    --------
    >>> import popout as po
    >>> grid = po.Sweep(
    ...     po.SearchTask(n_locations=2, drift=4.0),
    ...     po.Costs(time=0.2),
    ...     axes={"n_locations": [2, 4, 8], "costs.time": [0.2, 0.5]},
    ...     result="simulated",
    ...     strategy="sprt",
    ... )
    >>> grid.shape, grid.n_points
    ((3, 2), 6)
    >>> case = grid.case(5)
    >>> case.task.n_locations, case.costs.time
    (8, 0.5)
    """

    base: Mapping[str, Any]
    axes: Mapping[str, tuple[Any, ...]]
    text: str = field(compare=False, repr=False)

    def __init__(
        self,
        task: Task | Mapping[str, Any],
        costs: Costs | Mapping[str, Any] | None = None,
        axes: Mapping[str, Any] | None = None,
        **settings: Any,
    ) -> None:
        table = dict(task) if isinstance(task, Mapping) else _table(task)
        if isinstance(costs, Costs):
            costs = {"time": costs.time, "miss": costs.miss, "false_alarm": costs.false_alarm}
        parts = {**settings, "costs": costs, "grid": axes}
        table |= {name: value for name, value in parts.items() if value is not None}
        try:
            self._read(Document.parse(tomli_w.dumps(_plain(table))))
        except (TypeError, ValueError) as error:
            if not isinstance(error, InputError):
                got = f"got something that TOML has no word for; {error}"
                raise InputError(f"sweep: expected numbers, strings and lists, {got}") from error
            # The user wrote no lines.
            raise InputError(replace(fault, line=None) for fault in error.faults) from None

    @classmethod
    def from_toml(cls, text: str, name: str = "") -> Sweep:
        r"""Read a sweep from TOML: a task file with settings and a table `[grid]`.

        Parameters
        ----------
        text : str
        name : str
            What to call the file in messages.

        Examples
        --------
        >>> Sweep.from_toml('''
        ... kind = "search"
        ... drift = 4.0
        ... costs.time = 0.2
        ... result = "exact"
        ... [grid]
        ... n_locations = [1, 2, 3]
        ... ''').shape
        (3,)
        """
        sweep = cls.__new__(cls)
        sweep._read(Document.parse(text, name))
        return sweep

    @classmethod
    def load(cls, path: str | Path) -> Sweep:
        """Read a sweep from a TOML file; see `from_toml`.

        Parameters
        ----------
        path : str or Path
        """
        sweep = cls.__new__(cls)
        sweep._read(Document.load(path))
        return sweep

    def _read(self, document: Document) -> None:
        faults = DocumentFaults(document)
        reader = Reader(document, faults)
        object.__setattr__(self, "base", reader.base)
        object.__setattr__(self, "axes", reader.axes)
        object.__setattr__(self, "text", document.text)
        if self.n_points > MAX_POINTS:
            got = " x ".join(str(n) for n in self.shape) + f" = {self.n_points}"
            remedy = "write several sweeps, or shorter axes"
            faults.at(("grid",), "grid", f"at most {MAX_POINTS} points", got, remedy)
        reader.check_points()
        faults.raise_if_any()

    # -- the grid ---------------------------------------------------------------------------

    @property
    def shape(self) -> tuple[int, ...]:
        """Length of each axis."""
        return tuple(len(values) for values in self.axes.values())

    @property
    def n_points(self) -> int:
        """Number of points."""
        return math.prod(self.shape)

    @property
    def dims(self) -> tuple[str, ...]:
        """Name of each dimension of the dataset: that of the axis, dots as underscores."""
        return tuple(name.replace(".", "_") for name in self.axes)

    def point(self, index: int) -> dict[str, Any]:
        """Return everything a point depends on, by name."""
        chosen = dict(self.base)
        for name, values in reversed(list(self.axes.items())):
            index, place = divmod(index, len(values))
            chosen[name] = values[place]
        return chosen

    def case(self, index: int) -> Case:
        """Return the task, the costs and the settings of a point."""
        return Case.of(nested(self.point(index)))

    def packed(self, indices: Iterable[int]) -> bytes:
        """Return some points in few bytes, for the way to a worker; see `unpacked`.

        The scheduler keeps what passes through it for a while, and bytes cost it least.
        """
        rows = [[int(k), *(self.point(int(k))[name] for name in self.axes)] for k in indices]
        return json.dumps([self.base, list(self.axes), rows]).encode()

    def values_of(self, name: str) -> tuple[Any, ...]:
        """Return every value that a name takes in the sweep."""
        return self.axes.get(name, (self.base.get(name, SETTINGS.get(name)),))

    @property
    def sha256(self) -> str:
        """Identity: the hash of what is computed. Comments and layout of the file play no part."""
        base = {**SETTINGS, **self.base}
        meaning = {"format": FORMAT, "base": base, "axes": list(self.axes.items())}
        return hashlib.sha256(json.dumps(meaning, sort_keys=True).encode()).hexdigest()


def unpacked(unit: bytes) -> list[tuple[int, dict[str, Any]]]:
    """Return the number of each point of a unit, and what it depends on, in nested tables.

    Examples
    --------
    >>> base = {"kind": "search", "n_locations": 1, "costs": {"time": 0.2}}
    >>> sweep = Sweep(base, axes={"drift": [2.0, 4.0]}, result="exact")
    >>> ((index, table),) = unpacked(sweep.packed([1]))
    >>> index, table["drift"], table["costs"]
    (1, 4.0, {'time': 0.2})
    """
    base, names, rows = json.loads(unit)
    return [
        (index, nested({**base, **dict(zip(names, values, strict=True))}))
        for index, *values in rows
    ]


def _table(task: Task) -> dict[str, Any]:
    return Document.parse(task_to_toml(task)).values


def _plain(value: Any) -> Any:
    """Turn arrays, ranges and NumPy's numbers into what TOML knows."""
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple | range):
        return [_plain(item) for item in value]
    return value
