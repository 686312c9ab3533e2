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
``n_trials`` ...      settings of simulation, tuning and solver, see `case.Settings`
====================  =============================================================================

A point is the base with one value of each axis put in. Any name but ``kind`` can be an axis. Points
are numbered in the order of the axes, the last one fastest; their number is the product of the
lengths, checked before anything is built.

Names are flat: an entry of a table within a table has the names of both, with a dot. A task, costs
and settings can only be judged together with the values of the axes, so points of the grid are
checked before a sweep starts.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import tomli_w

from popout.analysis.sweep.case import DEFAULTS, Case
from popout.task import Costs, InputError, Task
from popout.task.document import Document, DocumentFaults
from popout.task.faults import NOTHING, Fault, show

FORMAT = 1
"""Part of the identity; raised when the same file would give other numbers."""
MAX_POINTS = 10_000_000
"""A client holds half a kilobyte for each point when it writes the store."""
MAX_CHECKED = 4_000
"""Points that are checked before a sweep starts; a faulty one beyond is recorded as failed."""
MAX_LINES = 20
"""Faults that one message lists."""
REMEDY = "write a table [grid] of lists, e.g. n_locations = [2, 4, 8]"
TABLES = ("observation", "costs", "parameters")
"""Names of tables in a sweep file; they may be empty where the grid fills them."""
Place = tuple[str | int, ...]


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
        ``rates``, ``time_limit`` and ``seed``; see `popout.analysis.sweep.case.Settings`.

    Attributes
    ----------
    base : dict
        What every point shares, by name.
    axes : dict of str to tuple

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
    _text: str = field(compare=False, repr=False)

    def __init__(
        self,
        task: Task | Mapping[str, Any],
        costs: Costs | Mapping[str, Any] | None = None,
        axes: Mapping[str, Any] | None = None,
        **settings: Any,
    ) -> None:
        table = dict(task) if isinstance(task, Mapping) else task.as_dict()
        if isinstance(costs, Costs):
            costs = costs.as_dict()
        given = {**settings, "costs": costs, "grid": axes}
        table |= {name: value for name, value in given.items() if value is not None}
        self._take(Document(_plain(table), {}))

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
        return cls.__new__(cls)._take(Document.parse(text, name))

    @classmethod
    def load(cls, path: str | Path) -> Sweep:
        """Read a sweep from a TOML file; see `from_toml`.

        Parameters
        ----------
        path : str or Path
        """
        return cls.__new__(cls)._take(Document.load(path))

    def _take(self, document: Document) -> Sweep:
        """Read base and axes, or raise every fault, with its line if there is a text."""
        reader = _Reader(document)
        reader.read()
        reader.check()
        object.__setattr__(self, "base", reader.base)
        object.__setattr__(self, "axes", reader.axes)
        object.__setattr__(self, "_text", document.text)
        return self

    @property
    def text(self) -> str:
        """The sweep as a TOML file; one that was read from a file keeps its text."""
        return self._text or tomli_w.dumps({**nested(self.base), "grid": self.axes})

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

    def case(self, index: int) -> Case:
        """Return the task, the costs and the settings of a point."""
        return Case.of(nested({**self.base, **self.position(index)}))

    def position(self, index: int) -> dict[str, Any]:
        """Return the value of each axis at a point."""
        chosen = {}
        for name, values in reversed(list(self.axes.items())):
            index, place = divmod(index, len(values))
            chosen[name] = values[place]
        return {name: chosen[name] for name in self.axes}

    def values_of(self, name: str) -> tuple[Any, ...]:
        """Return every value that a name takes in the sweep."""
        return self.axes.get(name, (self.base.get(name, DEFAULTS.get(name)),))

    @property
    def sha256(self) -> str:
        """Identity: the hash of what is computed. Comments and layout of the file play no part."""
        base = {**DEFAULTS, **self.base}
        meaning = {"format": FORMAT, "base": base, "axes": list(self.axes.items())}
        return hashlib.sha256(json.dumps(meaning, sort_keys=True).encode()).hexdigest()


def nested(flat: Mapping[str, Any]) -> dict[str, Any]:
    """Turn names with dots into tables within tables.

    Examples
    --------
    >>> nested({"drift": 4.0, "costs.time": 0.2})
    {'drift': 4.0, 'costs': {'time': 0.2}}
    """
    tables: dict[str, Any] = {}
    for name, value in flat.items():
        *path, last = name.split(".")
        table = tables
        for part in path:
            table = table.setdefault(part, {})
        table[last] = value
    return tables


class _Reader:
    """Base and axes, where each of their names stands in the document, and the faults so far."""

    def __init__(self, document: Document) -> None:
        self.document, self.faults = document, DocumentFaults(document)
        self.base: dict[str, Any] = {}
        self.axes: dict[str, tuple[Any, ...]] = {}
        self.places: dict[str, Place] = {}

    def read(self) -> None:
        """Take the names of the base, then those of the grid, which may replace them."""
        table = {key: value for key, value in self.document.values.items() if key != "grid"}
        for place, value in _leaves(table):
            name = ".".join(place)
            self.base[name], self.places[name] = value, place
        grid = self.document.values.get("grid", NOTHING)
        if not isinstance(grid, dict) or not grid:
            self.faults.at(("grid",), "grid", "a table of axes", grid, REMEDY)
            return
        for place, values in _leaves(grid):
            self._take_axis(".".join(place), ("grid", *place), values)
        for name in list(self.places):  # a name that is a value here and a table there
            tables = [other for other in self.places if other.startswith(f"{name}.")]
            if tables:
                expected = f"a table, as {tables[0]} has it"
                value = self.axes.pop(name, self.base.pop(name, NOTHING))
                self.faults.at(self.places.pop(name), name, expected, value, "drop one of them")

    def _take_axis(self, name: str, place: Place, values: Any) -> None:
        what = f"grid.{name}"
        if not isinstance(values, tuple) or not values:
            self.faults.at(place, what, "a list of values", values, REMEDY)
        elif name == "kind":
            self.faults.at(place, what, "one kind of task", values, "write a sweep for each kind")
        elif name in self.axes:
            self.faults.at(place, what, "one list of values", values, "this axis is there twice")
        elif not _distinct(values):
            self.faults.at(place, what, "distinct values", values, "drop those given twice")
        else:
            self.axes[name], self.places[name] = values, place

    def check(self) -> None:
        """Raise every fault of the grid, and of the points on it."""
        shape = [len(values) for values in self.axes.values()]
        if math.prod(shape) > MAX_POINTS:
            got = " x ".join(map(str, shape)) + f" = {math.prod(shape)}"
            remedy = "write several sweeps, or shorter axes"
            self.faults.at(("grid",), "grid", f"at most {MAX_POINTS} points", got, remedy)
        else:
            self._check_points()
        self.faults.raise_if_any()

    def _check_points(self) -> None:
        """Record what is wrong with the points, each fault once, with its first point."""
        known: set[tuple[Place, Fault]] = set()
        for chosen in _combinations(self.axes):
            at = {name: self.axes[name][k] for name, k in chosen.items()}
            try:
                Case.of(nested({**self.base, **at}))
            except InputError as error:
                for fault in error.faults:
                    name, place = self._where((*fault.table, *fault.path), chosen)
                    if (place, fault) not in known:
                        known.add((place, fault))
                        point = ", ".join(f"{axis} = {value}" for axis, value in at.items())
                        note = f" (at {point})" if name in at and len(at) > 1 else ""
                        self.faults.record(replace(fault, note=note), place)
            if len(known) > MAX_LINES:
                break

    def _where(self, path: Place, chosen: Mapping[str, int]) -> tuple[str, Place]:
        """Return the name that a path in a point begins with, and its place in the document."""
        for length in range(len(path), 0, -1):
            name = ".".join(str(part) for part in path[:length])
            if name in self.places:
                position = (chosen[name],) if name in chosen else ()
                return name, (*self.places[name], *position, *path[length:])
        return "", path


def _leaves(table: Mapping[str, Any], path: tuple[str, ...] = ()) -> Iterator[tuple[Any, Any]]:
    """Yield path and value of every entry, those of tables within tables included."""
    for key, value in table.items():
        if isinstance(value, dict) and (value or key in TABLES):  # elsewhere {} is a fault
            yield from _leaves(value, (*path, key))
        else:
            yield (*path, key), _frozen(value)


def _combinations(axes: Mapping[str, tuple[Any, ...]]) -> Iterator[dict[str, int]]:
    """Yield positions on the axes: all, or a random choice where there are too many."""
    shape = [len(values) for values in axes.values()]
    n = math.prod(shape)
    rng = np.random.default_rng(0)
    for index in range(n) if n <= MAX_CHECKED else rng.integers(n, size=MAX_CHECKED):
        positions = np.unravel_index(index, shape)
        yield {name: int(k) for name, k in zip(axes, positions, strict=True)}


def _distinct(values: tuple[Any, ...]) -> bool:
    """Whether no value is there twice; 2 and 2.0 are one."""
    try:
        return len(set(values)) == len(values)
    except TypeError:  # a table among them, which is a fault of its own
        return len({json.dumps(value, default=str) for value in values}) == len(values)


def _frozen(value: Any) -> Any:
    """Turn lists into tuples, all the way down."""
    return tuple(_frozen(item) for item in value) if isinstance(value, list) else value


def _plain(value: Any) -> Any:
    """Turn arrays, ranges and NumPy's numbers into what a file could hold."""
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple | range):
        return [_plain(item) for item in value]
    if not isinstance(value, str | int | float):
        got = f"got {show(value)}; turn it into one of these"
        raise InputError(f"sweep: expected numbers, strings, lists and tables, {got}")
    return value
