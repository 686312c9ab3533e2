"""``popout sweep SWEEP.toml --out STORE``: a grid of results on this machine or a cluster."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from popout.cli import options
from popout.cli.interrupts import resumable
from popout.cli.output import show
from popout.cli.progress import progress
from popout.cli.quantities import Whole


@options.command
@options.file("sweep_file", "SWEEP.toml")
@options.option(
    "--out", options.FILE, "Folder of the Zarr store; made if need be.", metavar="STORE"
)
@options.option(
    "--workers",
    Whole(1, 1000),
    "Processes on this machine, one thread each. [default: all cores]",
)
@click.option("--scheduler", metavar="ADDRESS", help="Use a Dask cluster that is running.")
@click.option("--retry-failed", is_flag=True, help="Take failed points up again.")
@click.option("--dry-run", is_flag=True, help="Say what it would take, from a few points.")
@options.as_json
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

    Examples
    --------
    popout sweep examples/sweeps/set_size.toml --out set_size.zarr
    popout sweep SWEEP.toml --dry-run
    popout sweep SWEEP.toml --out STORE --scheduler tcp://node1:8786 --json
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
        how: dict[str, Any] = {"workers": workers, "scheduler": scheduler, "progress": update}
        summary = run_sweep(grid, out, retry_failed=retry_failed, **how)
    show(summary, as_json)
    if summary.failed:
        raise click.ClickException(
            f"{summary.failed} of {summary.points} points failed; their messages are in the store; "
            "--retry-failed takes them up again"
        )
