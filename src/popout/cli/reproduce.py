"""``popout reproduce``: the figures and claims of the paper, and a report."""

from __future__ import annotations

import os
from pathlib import Path

import click

from popout.cli import options
from popout.cli.output import show
from popout.cli.progress import progress


def part_names(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[str]:
    """Complete the name of a figure or table."""
    from popout.paper.reproduce import PARTS

    return [part.name for part in PARTS if part.name.startswith(incomplete)]


@options.command
@click.argument("figures", metavar="[FIGURE]...", nargs=-1, shell_complete=part_names)
@options.preset("quick", "paper")
@options.folder("Folder for data and pictures.", Path("results"))
@options.common
def command(figures: tuple[str, ...], preset: str, out: Path, seed: int, as_json: bool) -> None:
    """Make every figure of the paper, examine its claims and write a report.

    Each figure leaves its data (NAME.nc, NetCDF) and pictures (NAME.png, NAME.svg) in the folder,
    each table of further numbers its data; a chapter beyond the paper, with limited information,
    comes last. Then claims.json and report.html follow. Name figures or
    tables to make those alone; claims that need others are then left out. A repeated or interrupted
    run continues where it was.

    Examples
    --------
    popout reproduce
    popout reproduce homogeneous-search --out results
    popout reproduce --preset paper --out results/paper --json
    """
    # The matrices are small: a pool of BLAS threads gains nothing and contends with other work.
    # BLAS reads this once, when NumPy is imported.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    from popout.paper.reproduce import reproduce

    with progress("figures") as update:
        run = reproduce(figures, preset, out, seed, update)
    show(run, as_json)
