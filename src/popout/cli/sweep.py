"""``popout sweep SWEEP.toml --out STORE``: a grid of results on this machine or a cluster."""

from __future__ import annotations

from pathlib import Path

import click

from popout.cli.interrupts import resumable
from popout.cli.options import json_option
from popout.cli.output import show
from popout.cli.progress import progress
from popout.cli.quantities import Whole


@click.command(
    "sweep",
    short_help="Compute a grid of results into a Zarr store.",
    epilog="""\b
Examples:
  popout sweep examples/sweeps/set_size.toml --out set_size.zarr
  popout sweep SWEEP.toml --dry-run
  popout sweep SWEEP.toml --out STORE --scheduler tcp://node1:8786 --json""",
)
@click.argument("sweep_file", metavar="SWEEP.toml", type=click.Path(path_type=Path))
@click.option(
    "--out",
    metavar="STORE",
    type=click.Path(path_type=Path),
    help="Folder of the Zarr store; made if need be.",
)
@click.option(
    "--workers",
    type=Whole(1, 1000),
    help="Processes on this machine, one thread each. [default: all cores]",
)
@click.option("--scheduler", metavar="ADDRESS", help="Use a Dask cluster that is running.")
@click.option("--retry-failed", is_flag=True, help="Take failed points up again.")
@click.option("--dry-run", is_flag=True, help="Say what it would take, from a few points.")
@json_option
def command(
    sweep_file: Path,
    out: Path | None,
    workers: int | None,
    scheduler: str | None,
    retry_failed: bool,
    dry_run: bool,
    as_json: bool,
) -> None:
    """Compute a grid of results, point by point, into a labelled Zarr store.

    The file holds a task, its costs, what is computed (exact, simulated or tuned) and a table
    [grid] with a list of values for each axis. Read the store with xarray.open_dataset. After an
    interruption, of whatever kind, the same command goes on where it was.
    """
    if out is None and not dry_run:
        raise click.UsageError("Missing option '--out'; name a folder, e.g. --out sweep.zarr")
    if workers is not None and scheduler is not None:
        raise click.UsageError("expected --workers or --scheduler, got both; leave one out")
    from popout.analysis.sweep import Sweep
    from popout.analysis.sweep.running import plan_sweep, run_sweep

    grid = Sweep.load(sweep_file)
    if out is None or dry_run:
        with progress("trying a few points") as update:
            plan = plan_sweep(grid, workers, progress=update)
        show(plan, as_json)
        return
    again = f"What was computed is kept in {out}; the same command goes on from there."
    with resumable(again), progress("sweep") as update:
        summary = run_sweep(
            grid,
            out,
            workers=workers,
            scheduler=scheduler,
            retry_failed=retry_failed,
            progress=update,
        )
    show(summary, as_json)
    if summary.failed:
        raise click.ClickException(
            f"{summary.failed} of {summary.points} points failed; their messages are in the store; "
            "--retry-failed takes them up again"
        )
