"""``popout reproduce``: the figures and claims of the paper, and a report."""

from __future__ import annotations

import os
from dataclasses import asdict
from itertools import accumulate
from pathlib import Path
from typing import TYPE_CHECKING

import click

from popout.cli.names import FIGURES, TABLES, Name
from popout.cli.options import json_option, preset_option, seed_option, threads_option
from popout.cli.output import write_json, write_table
from popout.cli.progress import progress

if TYPE_CHECKING:
    from popout.paper.reproduce import Reproduction


@click.command(
    "reproduce",
    short_help="Make the figures, claims and report of the paper.",
    epilog="""\b
Examples:
  popout reproduce
  popout reproduce homogeneous-search --out results
  popout reproduce --preset paper --out results/paper --json""",
)
@click.argument(
    "figures", metavar="[FIGURE]...", nargs=-1, type=Name("FIGURE", (*FIGURES, *TABLES))
)
@preset_option("quick", "paper")
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
    """Make every figure of the paper, examine its claims and write a report.

    Each figure leaves its data (NAME.nc, NetCDF) and pictures (NAME.png, NAME.svg) in the folder,
    each table of further numbers its data; then claims.json and report.html follow. Name figures or
    tables to make those alone; claims that need others are then left out. A repeated or interrupted
    run continues where it was.
    """
    # The matrices are small: a pool of BLAS threads gains nothing and contends with other work.
    # BLAS reads this once, when NumPy is imported.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    from popout.paper import EFFORT, part_names
    from popout.paper.reproduce import reproduce

    wanted = part_names(figures)
    *starts, total = accumulate((EFFORT[name] for name in wanted), initial=0.0)
    before = dict(zip(wanted, starts, strict=True))
    with progress("figures") as update:

        def watch(name: str, share: float, words: str) -> None:
            done = before[name] + share * EFFORT[name]
            update(done / total, f"{name}: {words}" if words else name)

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
        f"Figures and tables, preset {preset}, seed {seed}, in {out}",
        ("name", "in the paper", "data", "seconds"),
        [
            (one.name, one.paper_label, "kept" if one.from_store else "computed", one.seconds)
            for one in (*run.figures, *run.tables)
        ],
    )
    _write_claims(run)
    click.echo(f"\nReport: {run.report}")


def _write_claims(run: Reproduction) -> None:
    """Write one row for each claim that was examined."""
    click.echo()
    count = len(run.not_examined)
    left_out = f"Not examined, for want of data: {count} other claims; --json names them."
    write_table(
        "Claims of the paper",
        ("claim", "verdict", "checks passed"),
        [
            (claim.name, claim.verdict.value, f"{claim.passed} of {len(claim.checks)}")
            for claim in run.claims
        ],
        left_out if count else "",
    )
