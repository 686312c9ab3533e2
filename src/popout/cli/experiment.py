"""``popout experiment check``: what a design will be like, before anybody takes part."""

from __future__ import annotations

import os
from pathlib import Path

import click

from popout.cli.names import Name
from popout.cli.options import json_option, threads_option, trials_option
from popout.cli.output import show
from popout.cli.progress import progress


@click.command(
    "experiment",
    short_help="Examine the design of an experiment.",
    epilog="""\b
Examples:
  popout experiment check examples/experiments/set_size.toml --out results/design
  popout experiment check FILE.toml --recover 20
  popout experiment check FILE.toml --rivals known
  popout experiment check FILE.toml --json""",
)
@click.argument("action", metavar="check", type=Name("action", ("check",)))
@click.argument("design_file", metavar="FILE.toml", type=click.Path(path_type=Path))
@click.option(
    "--out",
    type=click.Path(path_type=Path, file_okay=False),
    default=None,
    help="Folder for a picture of sample displays (displays.png).",
)
@trials_option(
    40_000, "Simulated paths behind each table, trials behind each rule; at least 4000.", most=10**7
)
@trials_option(
    0,
    "Synthetic participants to fit as `popout fit` does; some ten seconds each.",
    "--recover",
    most=1000,
    least=0,
)
@click.option(
    "--rivals",
    type=Name("rivals", ("known", "free")),
    default=None,
    help="Trials that tell stopping rules apart: known parameters, or free ones (minutes).",
)
@threads_option
@json_option
def command(
    action: str,
    design_file: Path,
    out: Path | None,
    trials: int,
    recover: int,
    rivals: str | None,
    as_json: bool,
) -> None:
    """Draw sample displays of a design, and predict what it will tell.

    Prints how long it takes, how even its conditions are, and the standard errors that drift, cost
    of time and non-decision time will have when they are fitted to one participant: at best, and
    with --recover as they are when synthetic participants are fitted. With --rivals, how many
    trials tell SPRT, SPRT-opt and Hardmax from a-SPRT. `popout serve --experiment` runs it.
    """
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    from popout.experiment.check import check_design
    from popout.experiment.design import load_design

    design = load_design(design_file)
    with progress("simulating") as update:
        result = check_design(design, out, trials, recover, rivals, update)
    show(result, as_json)
