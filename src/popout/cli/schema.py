"""``popout schema``: the JSON Schema of task, sweep or experiment files, for editors."""

from __future__ import annotations

import click

from popout.cli import options
from popout.cli.names import Name
from popout.cli.output import write_document


@options.command
@click.argument(
    "kind", metavar="task|sweep|experiment", type=Name("kind", ("task", "sweep", "experiment"))
)
@options.as_json
def command(kind: str, as_json: bool) -> None:
    """Print the JSON Schema of task, sweep or experiment files.

    Editors check and complete TOML files with it: put "#:schema task.schema.json" on the first
    line. It is JSON with or without --json.

    Examples
    --------
    popout schema task > task.schema.json
    popout schema sweep > sweep.schema.json
    popout schema experiment > experiment.schema.json
    """
    if kind == "task":
        from popout.task.toml import task_schema as made
    elif kind == "sweep":
        from popout.analysis.sweep.case import sweep_schema as made
    else:
        from popout.experiment.design import design_schema as made
    write_document(made())
