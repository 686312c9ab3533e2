"""From the tables of a sweep to its base and axes, and to every fault of both.

Names are flat: an entry of a table within a table has the names of both, with a dot. A task, costs
and settings can only be judged together with the values of the axes, so the points of the grid are
checked, each part over its own axes alone.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from popout.analysis.sweep.case import DEFAULTS, KEYS, PAIR, SETTINGS, check_pair, check_settings
from popout.task.document import Document, DocumentFaults
from popout.task.faults import NOTHING, Fault, Faults
from popout.task.toml import build_costs, build_task

MAX_POINTS = 10_000_000
"""A client holds half a kilobyte for each point when it writes the store."""
MAX_CHECKED = 20_000
"""Combinations that are checked before a sweep starts; a faulty point beyond is a failed one."""
MAX_LINES = 20
"""Faulty combinations that one message lists."""
REMEDY = "write a table [grid] of lists, e.g. n_locations = [2, 4, 8]"
TABLES = ("observation", "costs", "parameters")
"""Names of tables in a sweep file; they may be empty where the grid fills them."""
PARTS = ("task", "costs", "settings", "pair")
Place = tuple[str | int, ...]
Base = dict[str, Any]
Axes = dict[str, tuple[Any, ...]]


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


def read_sweep(document: Document) -> tuple[Base, Axes]:
    """Return the base and the axes that a document describes.

    Raises
    ------
    InputError
        With every fault, those of combinations of axes included.
    """
    reader = _Reader(document)
    reader.read()
    n_points = math.prod(len(values) for values in reader.axes.values())
    if n_points > MAX_POINTS:
        got = " x ".join(str(len(values)) for values in reader.axes.values()) + f" = {n_points}"
        remedy = "write several sweeps, or shorter axes"
        reader.faults.at(("grid",), "grid", f"at most {MAX_POINTS} points", got, remedy)
    else:
        for part in PARTS:
            reader.check(part)
    reader.faults.raise_if_any()
    return reader.base, reader.axes


class _Reader:
    """Base and axes, where each of their names stands in the document, and the faults so far."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self.faults = DocumentFaults(document)
        self.base: Base = {}
        self.axes: Axes = {}
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

    def check(self, part: str) -> None:
        """Record what is wrong with the task, the costs or the settings of the points."""
        names = [name for name in self.places if part in _parts_of(name)]
        axes = {name: values for name, values in self.axes.items() if name in names}
        told: set[tuple[Place, Fault]] = set()
        for chosen in _combinations(axes):
            at = {name: axes[name][k] for name, k in chosen.items()}
            point = {name: at.get(name, self.base.get(name)) for name in names}
            for fault in _faults_of(part, nested(point)):
                name, place = self._where((*fault.table, *fault.path), chosen)
                if (place, fault) not in told:
                    told.add((place, fault))
                    combination = ", ".join(f"{axis} = {value}" for axis, value in at.items())
                    note = f" (at {combination})" if name in at and len(at) > 1 else ""
                    self.faults.record(replace(fault, note=note), place)
            if len(told) > MAX_LINES:
                break

    def _where(self, path: Place, chosen: Mapping[str, int]) -> tuple[str, Place]:
        """Return the name that a path in a point begins with, and its place in the document."""
        for length in range(len(path), 0, -1):
            name = ".".join(str(part) for part in path[:length])
            if name in self.places:
                position = (chosen[name],) if name in chosen else ()
                return name, (*self.places[name], *position, *path[length:])
        return "", path


def _faults_of(part: str, values: dict[str, Any]) -> list[Fault]:
    """Return what is wrong with one part of a point, each fault with its path in the point."""
    faults = DocumentFaults(Document(values, {}))
    settings = Faults("")
    if part == "task":
        build_task(faults, also=KEYS)
    elif part == "settings":
        check_settings(settings, values)
        return settings.faults
    elif part == "pair":
        task = build_task(faults, also=KEYS)
        check_settings(settings, values)
        if task is None or {fault.path[0] for fault in settings.faults} & set(PAIR):
            return []  # told with the settings
        settings = Faults("")
        pair: list[Any] = [values.get(name, DEFAULTS[name]) for name in PAIR]
        check_pair(settings, task, *pair)
        return settings.faults
    elif "costs" in values:
        build_costs(faults)
    else:
        faults.add("costs", "a table [costs]", NOTHING, "add [costs], time = ...")
    return faults.faults


def _parts_of(name: str) -> tuple[str, ...]:
    """Return the parts of a point that a name has a say in."""
    first = name.split(".")[0]
    if first == "kind":
        return PARTS
    if first in (*SETTINGS, "parameters"):
        return ("settings", "pair") if first in PAIR else ("settings",)
    if first == "dt":
        return ("task", "settings", "pair")  # which time limits it allows
    return ("costs",) if first == "costs" else ("task", "pair")


def _leaves(table: Mapping[str, Any], path: tuple[str, ...] = ()) -> Iterator[tuple[Any, Any]]:
    """Yield path and value of every entry, those of tables within tables included."""
    for key, value in table.items():
        if isinstance(value, dict) and (value or key in TABLES):  # elsewhere {} is a fault
            yield from _leaves(value, (*path, key))
        else:
            yield (*path, key), _frozen(value)


def _combinations(axes: Axes) -> Iterator[dict[str, int]]:
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
