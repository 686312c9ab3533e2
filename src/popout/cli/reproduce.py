"""``popout reproduce``: the figures of the paper."""

from __future__ import annotations

import os
from dataclasses import asdict
from pathlib import Path

import click

from popout.cli.options import json_option, seed_option, threads_option
from popout.cli.output import write_json, write_table
from popout.cli.progress import progress


@click.command(
    "reproduce",
    epilog="""\b
Examples:
  popout reproduce
  popout reproduce homogeneous-search --out results
  popout reproduce --preset paper --out results/paper --json""",
)
@click.argument("figures", metavar="[FIGURE]...", nargs=-1)
@click.option(
    "--preset",
    type=click.Choice(["quick", "paper"]),
    default="quick",
    show_default=True,
    help="How much work to put in.",
)
@click.option(
    "--out",
    type=click.Path(path_type=Path, file_okay=False),
    default=Path("results"),
    show_default=True,
    help="Folder for data and pictures.",
)
@seed_option
@threads_option
@json_option
def command(figures: tuple[str, ...], preset: str, out: Path, seed: int, as_json: bool) -> None:
    """Make the figures of the paper, all of them or those that are named.

    Each figure leaves its data (NAME.nc, NetCDF) and pictures (NAME.png, NAME.svg) in the folder. A
    repeated or interrupted run continues where it was.
    """
    # The matrices are small: a pool of BLAS threads gains nothing and contends with other work.
    # BLAS reads this once, when NumPy is imported.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    from popout.paper import part_names
    from popout.paper.reproduce import reproduce

    wanted = part_names(figures)
    with progress("figures", total=len(wanted)) as update:

        def watch(name: str, share: float, words: str) -> None:
            update(wanted.index(name) + share, f"{name}: {words}" if words else name)

        run = reproduce(wanted, preset, out, seed, watch)
    if as_json:
        write_json(
            {
                "figures": [asdict(one) for one in run.figures],
                "tables": [asdict(one) for one in run.tables],
                "claims": [claim.as_dict() for claim in run.claims],
                "not_examined": run.not_examined,
                "report": run.report,
            }
        )
        return
    write_table(
        f"Figures of the paper, preset {preset}, seed {seed}, in {out}",
        ("figure", "in the paper", "data", "seconds"),
        [
            (one.name, one.paper_label, "kept" if one.from_store else "computed", one.seconds)
            for one in (*run.figures, *run.tables)
        ],
    )
