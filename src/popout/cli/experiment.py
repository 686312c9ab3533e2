"""``popout experiment check FILE.toml``: what a design will be like, before anybody takes part."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import click

from popout.cli import options
from popout.cli.names import Name
from popout.cli.output import show
from popout.cli.progress import progress


@options.command
@click.argument("action", metavar="check", type=Name("action", ("check",)))
@options.file("design_file", "FILE.toml")
@options.folder("Folder for a picture of sample displays (displays.png).")
@options.trials(
    "--trials n_trials",
    40_000,
    "Simulated paths behind each table, trials behind each rule; at least 4000.",
    most=10**7,
)
@options.trials(
    "--recover participants",
    0,
    "Synthetic participants to fit as `popout fit` does; some ten seconds each.",
    most=1000,
    least=0,
)
@options.option(
    "--rivals",
    Name("rivals", ("known", "free")),
    "Trials that tell stopping rules apart: known parameters, or free ones (minutes).",
)
@options.threads
@options.as_json
def command(action: str, design_file: Path, as_json: bool, **how: Any) -> None:
    """Draw sample displays of a design, and predict what it will tell.

    Prints how long it takes, how even its conditions are, and the standard errors that drift, cost
    of time and non-decision time will have when they are fitted to one participant: at best, and
    with --recover as they are when synthetic participants are fitted. With --rivals, how many
    trials tell SPRT, SPRT-opt and Hardmax from a-SPRT. `popout serve --experiment` runs it.

    Examples
    --------
    popout experiment check examples/experiments/set_size.toml --out results/design
    popout experiment check FILE.toml --recover 20
    popout experiment check FILE.toml --rivals known
    popout experiment check FILE.toml --json
    """
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    from popout.experiment.check import check_design
    from popout.experiment.design import load_design

    design = load_design(design_file)
    with progress("simulating") as update:
        result = check_design(design, progress=update, **how)
    show(result, as_json)
