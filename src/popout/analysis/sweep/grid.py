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
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import tomli_w

from popout.analysis.sweep.case import DEFAULTS, Case
from popout.analysis.sweep.reader import nested, read_sweep
from popout.task import Costs, InputError, Task
from popout.task.document import Document
from popout.task.faults import show

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
        base, axes = read_sweep(document)
        object.__setattr__(self, "base", base)
        object.__setattr__(self, "axes", axes)
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
