"""``popout schema``: the JSON Schema of task, sweep and experiment files."""

from __future__ import annotations

import click

from popout.cli.names import Name
from popout.cli.options import json_option
from popout.cli.output import write_document


@click.command(
    "schema",
    epilog="""\b
Examples:
  popout schema task > task.schema.json
  popout schema sweep > sweep.schema.json
  popout schema experiment > experiment.schema.json""",
)
@click.argument(
    "kind", metavar="task|sweep|experiment", type=Name("kind", ("task", "sweep", "experiment"))
)
@json_option
def command(kind: str, as_json: bool) -> None:
    """Print the JSON Schema of task, sweep or experiment files.

    Editors check and complete TOML files with it: put "#:schema task.schema.json" on the first
    line. It is JSON with or without --json.
    """
    if kind == "task":
        from popout.task.toml import task_schema as made
    elif kind == "sweep":
        from popout.analysis.sweep.schema import sweep_schema as made
    else:
        from popout.experiment.reading import design_schema as made
    write_document(made())
