"""Tasks and costs as TOML files, without loss.

A file names its kind and then the fields of the description, as in Python::

    kind = "search"
    n_locations = 2
    drift = 4.0

    [costs]
    time = 0.2

An `[observation]` table (for the tasks that have one) names its own kind. Defaults that nobody
typed are left out; floats are written with the digits that bring back the same number.

Whoever reads a larger file with a task in it (a sweep) builds the parts with `Task.read` and
`Costs.read`, which record every fault with its line.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from popout.task.costs import Costs
from popout.task.document import Document, DocumentFaults
from popout.task.kinds import Schema
from popout.task.observation import Observation
from popout.task.task import Task

if TYPE_CHECKING:
    from pathlib import Path


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
    import tomli_w

    table = task.as_dict()
    return tomli_w.dumps(table if costs is None else {**table, "costs": costs.as_dict()})


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
    return _problem(Document.parse(text))[0]


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
    with open(path, "w", encoding="utf-8") as file:
        file.write(task_to_toml(task, costs))


def load_task(path: str | Path) -> Task:
    """Read a task from a TOML file; see `task_from_toml`.

    Parameters
    ----------
    path : str or Path

    Examples
    --------
    >>> import popout as po
    >>> task = po.load_task("examples/tasks/homogeneous.toml")
    >>> task.n_locations, task.drift
    (8, 4.0)
    """
    return _problem(Document.load(path))[0]


def load_problem(path: str | Path) -> tuple[Task, Costs | None]:
    r"""Read a task and its costs from a TOML file; every fault of both is in one message.

    Parameters
    ----------
    path : str or Path

    Returns
    -------
    task : Task
    costs : Costs or None
        None without a table `[costs]`.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from popout.task import InputError
    >>> from popout.task.toml import load_problem
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder) / "task.toml"
    ...     _ = path.write_text('kind = "search"\ndrift = [8, 3]\n[costs]\ntime = 0.2')
    ...     load_problem(path)[1]
    Costs(time=0.2, miss=1.0, false_alarm=1.0)
    """
    return _problem(Document.load(path))


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
    document = Document.load(path)
    faults = DocumentFaults(document)
    if "costs" not in document.values:
        faults.add("costs", "a table [costs]", tuple(document.values), "add [costs], time = ...")
    faults.raise_if_any()
    costs = Costs.read(faults, ("costs",))
    faults.raise_if_any()
    assert costs is not None
    return costs


def _problem(document: Document) -> tuple[Task, Costs | None]:
    faults = DocumentFaults(document)
    costs = Costs.read(faults, ("costs",)) if "costs" in document.values else None
    task = Task.read(faults, also=["costs"])
    faults.raise_if_any()
    assert task is not None
    return task, costs


DIALECT = "https://json-schema.org/draft/2020-12/schema"


def task_schema() -> Schema:
    """Return the schema of task files.

    Examples
    --------
    >>> from popout.task.toml import task_schema
    >>> schema = task_schema()
    >>> [kind["$ref"] for kind in schema["oneOf"]][:2]
    ['#/$defs/search', '#/$defs/discrimination']
    >>> schema["$defs"]["search"]["properties"]["drift"]["description"]
    'Drift rate mu in 1/s, one for all locations or one each: +mu at a target, -mu at a distractor.'
    """
    return {
        "$schema": DIALECT,
        "$id": "urn:popout:task",
        "title": "A search task, as popout reads it from TOML",
        "type": "object",
        "oneOf": [{"$ref": f"#/$defs/{kind}"} for kind in Task.kinds],
        "$defs": {**kind_schemas(["costs"]), "costs": Costs.schema()},
    }


def kind_schemas(also: Iterable[str] = (), complete: bool = True) -> dict[str, Schema]:
    """Return the definitions of every kind of task and of observation.

    Parameters
    ----------
    also : iterable of str
        Further keys at the top of the file; each is a definition.
    complete : bool
        Whether all that a task needs must be there.
    """
    extra = {name: {"$ref": f"#/$defs/{name}"} for name in also}
    tasks = {kind: cls.schema(extra, complete) for kind, cls in Task.kinds.items()}
    laws = {kind: cls.schema(complete=complete) for kind, cls in Observation.kinds.items()}
    either = {"oneOf": [{"$ref": f"#/$defs/{kind}"} for kind in laws]}
    return {**tasks, **laws, "observation": either}
