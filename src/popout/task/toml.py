"""Tasks and costs as TOML files, without loss.

A file names its kind and then the fields of the description, as in Python::

    kind = "search"
    n_locations = 2
    drift = 4.0

    [costs]
    time = 0.2

An `[observation]` table (for the tasks that have one) names its own kind. Defaults that nobody
typed are left out; floats are written with the digits that bring back the same number.
"""

from __future__ import annotations

import inspect
import tomllib
from dataclasses import fields
from pathlib import Path
from typing import Any

import tomli_w

from popout.task.costs import Costs
from popout.task.discrimination import DiscriminationTask
from popout.task.faults import Faults, InputError
from popout.task.fields import Uniform
from popout.task.mixture import MixtureSearchTask
from popout.task.observation import GaussianWalk, PoissonSpikes
from popout.task.scene import SceneSearchTask
from popout.task.search import SearchTask

__all__ = ["Task", "load_costs", "load_task", "save_task", "task_from_toml", "task_to_toml"]

Task = SearchTask | DiscriminationTask | MixtureSearchTask | SceneSearchTask

TASKS: dict[str, type] = {
    "search": SearchTask,
    "discrimination": DiscriminationTask,
    "mixture-search": MixtureSearchTask,
    "scene-search": SceneSearchTask,
}
OBSERVATIONS: dict[str, type] = {"gaussian-walk": GaussianWalk, "poisson-spikes": PoissonSpikes}


def task_to_toml(task: Task, costs: Costs | None = None) -> str:
    """Write a task, and costs if given, as TOML.

    Parameters
    ----------
    task : Task
    costs : Costs, optional
        Written as the table `[costs]`.

    Examples
    --------
    >>> from popout.task import Costs, SearchTask, task_to_toml
    >>> print(task_to_toml(SearchTask(n_locations=2, drift=4.0), Costs(time=0.2)))
    kind = "search"
    n_locations = 2
    drift = 4.0
    dt = 0.01
    prior = 0.5
    <BLANKLINE>
    [costs]
    time = 0.2
    miss = 1.0
    false_alarm = 1.0
    <BLANKLINE>
    """
    document = _table(task, TASKS)
    if costs is not None:
        document["costs"] = _table(costs)
    return tomli_w.dumps(document)


def task_from_toml(text: str) -> Task:
    r"""Read a task from TOML.

    Parameters
    ----------
    text : str
        The content of a file; a table `[costs]` is checked and otherwise ignored.

    Raises
    ------
    InputError
        With every fault of the text: unknown or missing keys, faulty fields, faulty parts.

    Examples
    --------
    >>> from popout.task import task_from_toml
    >>> task_from_toml('kind = "search"\nn_locations = 2\ndrift = 4.0').drifts
    (4.0, 4.0)
    """
    document = _parse(text, "task")
    faults = Faults("")
    if "costs" in document:
        _build(faults, "Costs", Costs, document.pop("costs"))
    task = _build_kind(faults, "task", document, TASKS)
    faults.raise_if_any()
    return task  # type: ignore[no-any-return]


def save_task(task: Task, path: str | Path, costs: Costs | None = None) -> None:
    """Write a task, and costs if given, to a TOML file.

    Parameters
    ----------
    task : Task
    path : str or Path
    costs : Costs, optional

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from popout.task import SearchTask, load_task, save_task
    >>> task = SearchTask(drift=(8.0, 3.0))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder) / "task.toml"
    ...     save_task(task, path)
    ...     load_task(path) == task
    True
    """
    Path(path).write_text(task_to_toml(task, costs), encoding="utf-8")


def load_task(path: str | Path) -> Task:
    """Read a task from a TOML file; see `task_from_toml`.

    Parameters
    ----------
    path : str or Path

    Examples
    --------
    See `save_task`.
    """
    return task_from_toml(_read(path))


def load_costs(path: str | Path) -> Costs:
    r"""Read the table `[costs]` of a TOML file.

    Parameters
    ----------
    path : str or Path

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from popout.task import load_costs
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder) / "task.toml"
    ...     _ = path.write_text("[costs]\ntime = 0.2")
    ...     load_costs(path)
    Costs(time=0.2, miss=1.0, false_alarm=1.0)
    """
    document = _parse(_read(path), str(path))
    faults = Faults("")
    if "costs" not in document:
        faults.add("costs", "a table [costs]", tuple(document), "add [costs] with time = ...")
    costs = _build(faults, "Costs", Costs, document.get("costs", {"time": 1.0}))
    faults.raise_if_any()
    return costs  # type: ignore[no-any-return]


# -- from objects to tables -------------------------------------------------------------------


def _table(description: Any, kinds: dict[str, type] | None = None) -> dict[str, Any]:
    """Return the fields of a description as TOML values, its kind first."""
    table: dict[str, Any] = {}
    if kinds:
        table["kind"] = next(name for name, cls in kinds.items() if cls is type(description))
    for field in fields(description):
        value = getattr(description, field.name)
        if isinstance(value, GaussianWalk | PoissonSpikes):
            table[field.name] = _table(value, OBSERVATIONS)
        elif not isinstance(value, Uniform):
            table[field.name] = value
    return table


# -- from tables to objects -------------------------------------------------------------------


def _read(path: str | Path) -> str:
    try:
        return Path(path).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        faults = Faults("")
        faults.add("path", "a readable TOML file", str(path), f"check the path ({error})")
        raise InputError(faults.lines) from error


def _parse(text: str, subject: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        faults = Faults("")
        faults.add(subject, "valid TOML", text, str(error))
        raise InputError(faults.lines) from error


def _build_kind(faults: Faults, subject: str, table: Any, kinds: dict[str, type]) -> Any:
    """Build the description whose kind a table names, or record what is wrong with it."""
    kind = table.get("kind") if isinstance(table, dict) else None
    if not isinstance(kind, str) or kind not in kinds:
        names = ", ".join(f'"{name}"' for name in kinds)
        faults.add(f"{subject}.kind", f"one of {names}", kind, "say what the table describes")
        return None
    rest = {key: value for key, value in table.items() if key != "kind"}
    return _build(faults, kinds[kind].__name__, kinds[kind], rest)


def _build(faults: Faults, subject: str, cls: type, table: Any) -> Any:
    """Call a description with the entries of a table; every fault is recorded, none raised."""
    if not isinstance(table, dict):
        faults.add(subject, "a table", table, f"write [{subject.lower()}] and its fields")
        return None
    parameters = inspect.signature(cls).parameters
    known = {key: value for key, value in table.items() if key in parameters}
    for key in sorted(table.keys() - parameters.keys()):
        faults.add(f"{subject}.{key}", f"one of {', '.join(parameters)}", key, "rename or drop it")
    hollow = "observation" in known
    if hollow:
        part = _build_kind(faults, "observation", known["observation"], OBSERVATIONS)
        hollow = part is None
        known["observation"] = part
    for name, parameter in parameters.items():
        if parameter.default is parameter.empty:
            known.setdefault(name, None)
    try:
        return cls(**known)
    except InputError as error:
        # A part that could not be built has been reported already; its absence is no new fault.
        echo = f"{subject}.observation: "
        faults.lines += [line for line in error.lines if not (hollow and line.startswith(echo))]
        return None
