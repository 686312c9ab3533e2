"""Tasks and costs as TOML files, without loss.

A file names its kind and then the fields of the description, as in Python::

    kind = "search"
    n_locations = 2
    drift = 4.0

    [costs]
    time = 0.2

An `[observation]` table (for the tasks that have one) names its own kind. Defaults that nobody
typed are left out; floats are written with the digits that bring back the same number.

Whoever reads a larger file with a task in it (a sweep) builds the parts with `build_task` and
`build_costs`, which record every fault with its line.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from popout.task.costs import Costs
from popout.task.declared import Declared
from popout.task.document import Document, DocumentFaults
from popout.task.faults import NOTHING, InputError, did_you_mean
from popout.task.faults import Path as Place
from popout.task.kinds import Optional, Part, Schema, Table, Tables
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
    costs = build_costs(faults)
    faults.raise_if_any()
    assert costs is not None
    return costs


# -- from tables to objects -------------------------------------------------------------------


def build_task(faults: DocumentFaults, path: Place = (), also: Iterable[str] = ()) -> Task | None:
    r"""Build the task that a table of a document describes, or record every fault of it.

    Parameters
    ----------
    faults : DocumentFaults
        Of the document; nothing is raised here.
    path : tuple
        Where the table is; the document itself by default.
    also : iterable of str
        Further keys that the table may hold, which are not of the task.

    Returns
    -------
    Task or None
        None after a fault.

    Examples
    --------
    >>> from popout.task.toml import Document, DocumentFaults, build_task
    >>> document = Document.parse('seed = 1\n[task]\nkind = "search"\ndrift = [8, 3]')
    >>> build_task(DocumentFaults(document), ("task",)).drifts
    (8.0, 3.0)
    """
    task: Task | None = _build_kind(faults, "task", path, Task, also)
    return task


def build_costs(faults: DocumentFaults, path: Place = ("costs",)) -> Costs | None:
    """Build the costs that a table of a document describes; otherwise as `build_task`."""
    costs: Costs | None = build_declared(faults, Costs, path)
    return costs


def _problem(document: Document) -> tuple[Task, Costs | None]:
    faults = DocumentFaults(document)
    costs = build_costs(faults) if "costs" in document.values else None
    task = build_task(faults, also=["costs"])
    faults.raise_if_any()
    assert task is not None
    return task, costs


def _build_kind(
    faults: DocumentFaults,
    subject: str,
    path: Place,
    family: type[Declared],
    also: Iterable[str] = (),
) -> Any:
    """Build the description whose kind a table names, or record what is wrong with it."""
    table = _table_at(faults, subject, path)
    if table is None:
        return None
    kind, kinds = table.get("kind", NOTHING), family.kinds
    if not isinstance(kind, str) or kind not in kinds:
        names = ", ".join(f'"{name}"' for name in kinds)
        remedy = did_you_mean(kind, kinds, "say what the table describes")
        faults.at((*path, "kind"), f"{subject}.kind", f"one of {names}", kind, remedy)
        return None
    return build_declared(faults, kinds[kind], path, ["kind", *also])


def build_declared(
    faults: DocumentFaults, cls: type[Declared], path: Place = (), also: Iterable[str] = ()
) -> Any:
    """Build the description that a table holds the fields of; otherwise as `build_task`."""
    table = _table_at(faults, cls.__name__, path)
    if table is None:
        return None
    faults.unknown_keys(cls.__name__, path, [*cls.declared, *also])
    given: dict[str, Any] = {}
    reported = set()
    for name, field in cls.declared.items():
        kind = field.kind
        if isinstance(kind, Optional) and table.get(name) is not None:
            kind = kind.item
        if name in table and isinstance(kind, Part | Table | Tables):
            part = _build_part(faults, kind, (*path, name))
            reported |= {name} if part is None else set()
            given[name] = part
        elif name in table or field.is_required:
            given[name] = table.get(name, NOTHING)
    try:
        return cls(**given)
    except InputError as error:
        # A part that could not be built has been reported already; its absence is no new fault.
        news = [fault for fault in error.faults if not reported.intersection(fault.path)]
        faults.absorb(InputError(news), path)
        return None


def _build_part(faults: DocumentFaults, kind: Part | Table | Tables, path: Place) -> Any:
    """Build a description within another, or all of an array of them; None after a fault."""
    if isinstance(kind, Part):
        return _build_kind(faults, str(path[-1]), path, kind.family)
    if isinstance(kind, Table):
        return build_declared(faults, kind.of, path)
    tables: Any = faults.document.values
    for part in path:
        tables = tables[part]
    if not isinstance(tables, list):
        heading = ".".join(str(part) for part in path)
        remedy = f"write [[{heading}]] before each of them"
        faults.at(path, heading, "an array of tables", tables, remedy)
        return None
    built = [build_declared(faults, kind.of, (*path, k)) for k in range(len(tables))]
    return None if None in built else tuple(built)


def _table_at(faults: DocumentFaults, subject: str, path: Place) -> dict[str, Any] | None:
    table: Any = faults.document.values
    for part in path:
        table = table[part]
    if isinstance(table, dict):
        return table
    heading = ".".join(str(part) for part in path)
    faults.at(path, subject, "a table", table, f"write [{heading}] and its fields below it")
    return None


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
