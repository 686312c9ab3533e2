"""``popout schema``: the JSON Schema of task and sweep files."""

from __future__ import annotations

import click

from popout.cli.names import Name
from popout.cli.options import json_option
from popout.cli.output import write_json


@click.command(
    "schema",
    epilog="""\b
Examples:
  popout schema task > task.schema.json
  popout schema sweep > sweep.schema.json""",
)
@click.argument("kind", metavar="task|sweep", type=Name("kind", ("task", "sweep")))
@json_option
def command(kind: str, as_json: bool) -> None:
    """Print the JSON Schema of task files or of sweep files.

    Editors check and complete TOML files with it: put "#:schema task.schema.json" on the first
    line. It is JSON with or without --json.
    """
    if kind == "task":
        from popout.task.schema import task_schema as made
    else:
        from popout.analysis.sweep.schema import sweep_schema as made
    write_json(made())
