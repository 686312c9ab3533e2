"""``popout sweep SWEEP.toml --out STORE``: a grid of results on this machine or a cluster."""

from __future__ import annotations

import logging
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from popout.cli.options import json_option
from popout.cli.output import write_json, write_table
from popout.cli.progress import progress
from popout.cli.quantities import Whole

if TYPE_CHECKING:
    from popout.analysis.sweep.plan import Plan
    from popout.analysis.sweep.run import Progress, Report

SHOWN = 5  # messages of failed points


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

    grid = Sweep.load(sweep_file)
    if dry_run:
        from popout.analysis.sweep.plan import plan_sweep

        with progress("trying a few points"):
            plan = plan_sweep(grid, workers)
        _show_plan(plan, as_json)
        return
    assert out is not None
    report = _run(grid, out, workers, scheduler, retry_failed)
    _show(report, as_json)
    if report.failed:
        raise click.ClickException(
            f"{report.failed} of {report.points} points failed; their messages are in the store; "
            "--retry-failed takes them up again"
        )


def _run(
    grid: Any, out: Path, workers: int | None, scheduler: str | None, retry_failed: bool
) -> Report:
    from popout.analysis.sweep.run import ClusterLostError, run_sweep

    again = f"What was computed is kept in {out}; the same command goes on from there."
    with progress("sweep", total=1.0) as update:

        def watch(state: Progress) -> None:
            words = f"{state.done} of {state.total} points, {state.rate:.3g} points/s"
            update(state.share, words + (f", {state.failed} failed" if state.failed else ""))

        try:
            return run_sweep(
                grid,
                out,
                workers=workers,
                scheduler=scheduler,
                retry_failed=retry_failed,
                progress=watch,
            )
        except KeyboardInterrupt:
            # The cluster may still be closing in its own thread; what it says is of no use now.
            logging.getLogger("distributed").setLevel(logging.CRITICAL)
            click.echo(again, err=True)
            raise
        except ClusterLostError as error:
            raise click.ClickException(f"{error}. {again}") from error


def _show(report: Report, as_json: bool) -> None:
    rate = report.computed / report.seconds if report.seconds else 0.0
    if as_json:
        write_json(
            {
                "store": str(report.store),
                "points": report.points,
                "done": report.done,
                "failed": report.failed,
                "computed": report.computed,
                "seconds": report.seconds,
                "points_per_second": rate,
            }
        )
        return
    write_table(
        f"Sweep in {report.store}",
        ("points", "done", "failed", "computed now", "seconds", "points/s"),
        [(report.points, report.done, report.failed, report.computed, report.seconds, rate)],
        note="Read it with xarray.open_dataset(STORE, engine='zarr').",
    )
    if report.failed:
        _show_failures(report)


def _show_failures(report: Report) -> None:
    from popout.analysis.sweep.store import open_store

    with open_store(report.store) as data:
        messages = data["message"].to_series()
    failed = messages[messages != ""]
    shown = failed.head(SHOWN)
    write_table(
        f"The first {len(shown)} of {len(failed)} failed points",
        (", ".join(str(name) for name in shown.index.names), "message"),
        [
            (", ".join(str(k) for k in (key if isinstance(key, tuple) else (key,))), text)
            for key, text in shown.items()
        ],
    )


def _show_plan(plan: Plan, as_json: bool) -> None:
    if as_json:
        write_json(asdict(plan))
        return
    from popout.cli.progress import words_for

    write_table(
        f"What the sweep will take on {plan.workers} workers, from {plan.sampled} points",
        ("", ""),
        [
            ("points", plan.points),
            *([("failed of those tried", plan.failed)] if plan.failed else []),
            ("seconds per point", f"{plan.seconds_per_point:.3g}"),
            ("standard error of that", f"{plan.seconds_per_point_se:.2g}"),
            ("time", words_for(plan.seconds)),
            ("store, before compression", _size(plan.store_bytes)),
            ("journal", _size(plan.journal_bytes)),
        ],
        note=f"The last that failed: {plan.message}" if plan.failed else "",
    )


def _size(n_bytes: int) -> str:
    for unit, size in (("GB", 10**9), ("MB", 10**6), ("kB", 10**3)):
        if n_bytes >= size:
            return f"{n_bytes / size:.3g} {unit}"
    return f"{n_bytes} B"
