"""From a sweep file to a base and axes, and to every fault of both with its line.

Names are flat: an entry of a table within a table has the names of both, with a dot. A task, costs
and settings can only be judged together with the values of the axes, so the points of the grid are
checked, each part over its own axes alone.
"""

from __future__ import annotations

import itertools
import json
import math
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any

from popout.analysis.sweep.case import KEYS, SETTINGS, read_costs, read_settings
from popout.simulation.time_limit import limit_fault
from popout.task import SearchTask
from popout.task.document import NOTHING, Document, DocumentFaults
from popout.task.faults import as_float
from popout.task.toml import build_task

__all__ = ["Reader", "nested"]

MAX_CHECKED = 20_000
"""Combinations that are checked one by one before a sweep starts."""
MAX_LINES = 20
"""Faulty combinations that one message lists."""
REMEDY = "write a table [grid] of lists, e.g. n_locations = [2, 4, 8]"

TABLES = ("observation", "costs", "parameters")
"""Names of tables in a sweep file; they may be empty where the grid fills them."""

DEFAULT_DT = SearchTask(n_locations=1, drift=1.0).dt

Place = tuple[str | int, ...]


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


class Reader:
    """From a document to base and axes, and to the faults of their combinations."""

    def __init__(self, document: Document, faults: DocumentFaults) -> None:
        self.document, self.faults = document, faults
        self.base: dict[str, Any] = {}
        self.axes: dict[str, tuple[Any, ...]] = {}
        self.places: dict[str, Place] = {}
        table = {key: value for key, value in document.values.items() if key != "grid"}
        for name, place, value in self._leaves(table, ()):
            self.base[name] = value
            self.places[name] = place
        grid = document.values.get("grid", NOTHING)
        if not isinstance(grid, dict) or not grid:
            faults.at(("grid",), "grid", "a table of axes", grid, REMEDY)
            return
        for name, place, values in self._leaves(grid, ("grid",)):
            self._take_axis(name, place, values)
        self._check_names()

    def _leaves(self, table: Mapping[str, Any], path: Place) -> Iterator[tuple[str, Place, Any]]:
        """Yield name, place and value of every entry, those of nested tables with dotted names."""
        for key, value in table.items():
            place = (*path, key)
            if isinstance(value, dict) and (value or key in TABLES):  # elsewhere {} is a fault
                yield from self._leaves(value, place)
            else:
                start = 1 if path[:1] == ("grid",) else 0
                yield ".".join(str(part) for part in place[start:]), place, _frozen(value)

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
            self.axes[name] = values
            self.places[name] = place

    def _check_names(self) -> None:
        """Refuse a name that is a value here and a table there, e.g. costs and costs.time."""
        for name in list(self.places):
            tables = [other for other in self.places if other.startswith(f"{name}.")]
            if tables:
                expected = f"a table, as {tables[0]} has it"
                value = self.axes.pop(name, self.base.pop(name, NOTHING))
                self.faults.at(self.places.pop(name), name, expected, value, "drop one of them")

    # -- combinations -------------------------------------------------------------------------

    def check_points(self) -> None:
        """Check task, costs and settings of the points, each part over its own axes."""
        for part, read in _PARTS.items():
            axes = {name: values for name, values in self.axes.items() if _part_of(name) == part}
            before = len(self.faults.lines)
            for chosen in _combinations(axes):
                found = DocumentFaults(self._part_of_point(part, chosen))
                read(found)
                if found:
                    self.faults.take(found, self._notes(chosen))
                if len(self.faults.lines) > before + MAX_LINES:
                    break
        self._check_time_limits()

    def _check_time_limits(self) -> None:
        """Compare every time limit with every time step, which belong to different parts."""
        pair = ("dt", "time_limit")
        axes = {name: values for name, values in self.axes.items() if name in pair}
        for chosen in _combinations(axes):
            at = {name: values[chosen[name]] for name, values in axes.items()}
            step = as_float(at.get("dt", self.base.get("dt", DEFAULT_DT)))
            limit = as_float(at.get("time_limit", self.base.get("time_limit")))
            if step is None or limit is None or not (step > 0 and 0 < limit < math.inf):
                continue  # no limit, or one that has been reported
            expected, remedy = limit_fault(limit, step)
            if expected:
                place = self.places["time_limit"]
                if "time_limit" in chosen:
                    place = (*place, chosen["time_limit"])
                self.faults.at(place, "time_limit", expected, limit, remedy)

    def _notes(self, chosen: Mapping[str, int]) -> dict[int, str]:
        """Say which combination is meant, on the lines of the axes that take part in it."""
        if len(chosen) < 2:
            return {}
        at = ", ".join(f"{name} = {self.axes[name][k]}" for name, k in chosen.items())
        return {
            self.document.line((*self.places[name], k)): f" (at {at})" for name, k in chosen.items()
        }

    def _part_of_point(self, part: str, chosen: Mapping[str, int]) -> Document:
        """Return one part of a point as a document that knows the lines of the whole."""
        point: dict[str, Any] = {}
        lines: dict[Place, int] = {}
        for name, place in self.places.items():
            if name != "kind" and _part_of(name) != part:
                continue
            if name in chosen:
                place = (*place, chosen[name])
            point[name] = self.axes[name][chosen[name]] if name in chosen else self.base[name]
            lines[tuple(name.split("."))] = self.document.line(place)
        return Document(nested(point), lines, self.document.name)


_PARTS: dict[str, Callable[[DocumentFaults], object]] = {
    "task": partial(build_task, also=KEYS),
    "costs": read_costs,
    "settings": read_settings,
}


def _part_of(name: str) -> str:
    """Return which part of a point a name belongs to."""
    first = name.split(".")[0]
    if first in SETTINGS or first == "parameters":
        return "settings"
    return "costs" if first == "costs" else "task"


def _combinations(axes: Mapping[str, tuple[Any, ...]]) -> Iterator[dict[str, int]]:
    """Yield positions on the axes: all, or those of pairs of axes where there are too many."""

    def positions(names: tuple[str, ...]) -> Iterator[dict[str, int]]:
        for chosen in itertools.product(*(range(len(axes[name])) for name in names)):
            yield dict(zip(names, chosen, strict=True))

    if math.prod(len(values) for values in axes.values()) <= MAX_CHECKED:
        yield from positions(tuple(axes))
        return
    first = dict.fromkeys(axes, 0)
    pairs = sorted(  # the short ones first: they are checked in full
        itertools.combinations(axes, min(2, len(axes))),
        key=lambda pair: math.prod(len(axes[name]) for name in pair),
    )
    chain = itertools.chain.from_iterable(positions(pair) for pair in pairs)
    for chosen in itertools.islice(chain, MAX_CHECKED):
        yield {**first, **chosen}


def _distinct(values: tuple[Any, ...]) -> bool:
    """Whether no value is there twice; 2 and 2.0 are one."""
    try:
        return len(set(values)) == len(values)
    except TypeError:  # a table among them, which is a fault of its own
        return len({json.dumps(value, default=str) for value in values}) == len(values)


def _frozen(value: Any) -> Any:
    """Turn lists into tuples, all the way down."""
    return tuple(_frozen(item) for item in value) if isinstance(value, list) else value
