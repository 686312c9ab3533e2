"""A task and its costs from a file, with costs from the command line on top."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from popout.task import Costs, Faults, Task
from popout.task.document import Document, DocumentFaults
from popout.task.toml import build_costs, build_task


def read_task_and_costs(
    path: Path,
    *,
    time: Sequence[float] | None = None,
    miss: float | None = None,
    false_alarm: float | None = None,
) -> tuple[Task, Costs]:
    r"""Read a task and its costs.

    Parameters
    ----------
    path : Path
        Of a TOML file, see `popout.load_task`.
    time : sequence of float, optional
        Risk per second; two numbers are target absent, target present.
    miss, false_alarm : float, optional
        What is given replaces the entry of the file's ``[costs]``.

    Returns
    -------
    task, costs : Task, Costs

    Raises
    ------
    InputError
        With every fault of the file, or of the costs, or if there are none.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder) / "task.toml"
    ...     _ = path.write_text('kind = "search"\nn_locations = 2\ndrift = 4.0')
    ...     read_task_and_costs(path, time=(0.2,))[1]
    Costs(time=0.2, miss=1.0, false_alarm=1.0)
    """
    document = Document.load(path)
    pair = None if time is None else time[0] if len(time) == 1 else tuple(time)
    options = {"time": pair, "miss": miss, "false_alarm": false_alarm}
    given = {key: value for key, value in options.items() if value is not None}
    table = document.values.get("costs", {})
    if isinstance(table, dict) and "costs" in document.values:  # it may leave out what is given
        values = {**document.values, "costs": {**given, **table}}
        document = replace(document, values=values)
    faults = DocumentFaults(document)
    task = build_task(faults, also=["costs"])
    if "costs" in document.values:
        build_costs(faults)
    faults.raise_if_any()
    assert task is not None
    table = {**table, **given}
    if "time" not in table:
        missing = Faults("")
        expected = "a cost of time in the file's [costs] or with --time-cost"
        missing.add("costs.time", expected, None, "add [costs] with time = 0.2, say")
        missing.raise_if_any()
    return task, Costs(**table)
