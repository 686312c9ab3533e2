"""``popout solve``: the exact ideal observer."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import click

import popout as po
from popout.cli.options import json_option, problem_options, rtol_option, threads_option
from popout.cli.output import write_json, write_table
from popout.cli.progress import progress
from popout.cli.quantities import Quantity
from popout.progress import UNKNOWN

NOT_CONVERGED = 1


@contextmanager
def solver_progress() -> Iterator[Any]:
    """Show the level of refinement and the residual while a solver runs."""
    with progress("solving") as update:

        def report(level: str, iteration: int, residual: float) -> None:
            update(UNKNOWN, f"{level}, iteration {iteration}, residual {residual:.1e}")

        yield report


@click.command(
    "solve",
    epilog="""\b
Examples:
  popout solve --drift 4 --locations 2 --time-cost 0.2
  popout solve --drift 8,3 --time-cost 0.2 --json
  popout solve --drift 4 --locations 5 --time-cost 0.2 --rtol 2e-3
  popout solve --drift 4 --locations 2 --time-cost 0.2 --deadline 0.5
  popout solve --drift 4 --locations 2 --time-cost 0.2 --grid -10,10,2000""",
)
@problem_options
@rtol_option
@click.option(
    "--deadline",
    type=Quantity("seconds", "0.5"),
    default=None,
    help="Answer within so many seconds.",
)
@click.option(
    "--grid",
    "grid_text",
    metavar="LOWER,UPPER,BINS",
    default=None,
    help="Use this grid on every axis instead of choosing one for --rtol.",
)
@click.option(
    "--backend",
    type=click.Choice(["numpy", "torch", "cupy"]),
    default="numpy",
    show_default=True,
    help="Where to compute.",
)
@click.option("--device", default=None, help="Device of the back end, e.g. cuda.")
@click.option(
    "--memory",
    type=Quantity("GiB", "4"),
    default=None,
    help="Most memory to use. [default: 70 % of what is free]",
)
@threads_option
@json_option
@click.pass_context
def command(
    ctx: click.Context,
    task: po.SearchTask,
    costs: po.Costs,
    rtol: float,
    deadline: float | None,
    grid_text: str | None,
    backend: str,
    device: str | None,
    memory: float | None,
    as_json: bool,
) -> None:
    """Find the optimal strategy of a search task and its risk.

    Prints the risk with its error, the one-dimensional thresholds, and the scales with which the
    paper's conjecture fits the exact boundary best. Exit code 1 if the tolerance cannot be met.
    """
    if deadline is not None and (grid_text is not None or memory is not None):
        raise click.UsageError(
            "expected --deadline alone, got --grid or --memory with it; leave those out", ctx
        )
    try:
        with solver_progress() as report:
            if deadline is not None:
                result = _deadline(task, costs, deadline, rtol, backend, device, report)
            else:
                solution = po.solve(
                    task,
                    costs,
                    rtol,
                    grid=None if grid_text is None else _grid(ctx, grid_text),
                    backend=backend,
                    device=device,
                    memory_limit=None if memory is None else _bytes(ctx, memory),
                    report=report,
                )
                result = _stationary(solution)
    except po.NotConvergedError as error:
        if as_json:
            write_json({"converged": False, "message": str(error)})
        click.echo(f"Not converged: {error}", err=True)
        ctx.exit(NOT_CONVERGED)
    if as_json:
        write_json(result)
        return
    _show(task, result)


def _stationary(solution: po.Solution) -> dict[str, Any]:
    found = solution.diagnostics
    scales = solution.scales
    return {
        "risk": solution.risk,
        "risk_error": solution.risk_error,
        "converged": solution.converged,
        "thresholds": [{"lower": low, "upper": up} for low, up in solution.thresholds],
        "a_plus": scales.a_plus,
        "a_minus": scales.a_minus,
        "misfit_plus": {"rms": scales.plus.rms, "max": scales.plus.largest},
        "misfit_minus": {"rms": scales.minus.rms, "max": scales.minus.largest},
        "grid": {"nodes_per_axis": found.nodes_per_axis, "nodes": found.nodes},
        "iterations": found.iterations,
        "residual": found.residual,
        "seconds": found.seconds,
        "peak_bytes": found.peak_bytes,
        "backend": found.backend,
    }


def _deadline(
    task: po.SearchTask,
    costs: po.Costs,
    deadline: float,
    rtol: float,
    backend: str,
    device: str | None,
    report: Any,
) -> dict[str, Any]:
    found = po.solve_deadline(
        task, costs, deadline, rtol, backend=backend, device=device, report=report
    )
    return {
        "risk": found.risk,
        "risk_error": found.risk_error,
        "converged": True,
        "deadline": found.deadline,
        "grid": {"nodes_per_axis": found.nodes_per_axis},
        "seconds": found.seconds,
    }


def _show(task: po.SearchTask, result: dict[str, Any]) -> None:
    rows: list[tuple[object, ...]] = [
        ("risk", f"{result['risk']:.6g}"),
        ("error of the risk, at most", f"{result['risk_error']:.1g}"),
    ]
    if "deadline" in result:
        rows.append(("deadline (s)", f"{result['deadline']:g}"))
    for place, pair in enumerate(result.get("thresholds", ())):
        name = f"1-D thresholds, location {place + 1}"
        rows.append((name, f"{pair['lower']:.4f}, {pair['upper']:.4f}"))
    for side in ("plus", "minus"):
        if result.get(f"a_{side}") is not None and result[f"a_{side}"] > 0:  # NaN: no such scale
            misfit = result[f"misfit_{side}"]
            text = f"{result[f'a_{side}']:.4f} (rms {misfit['rms']:.2g}, max {misfit['max']:.2g})"
            rows.append((f"conjecture's a_{side} (misfit in Z)", text))
    nodes = " x ".join(str(n) for n in result["grid"]["nodes_per_axis"])
    rows += [("nodes per axis", nodes), ("seconds", f"{result['seconds']:.2g}")]
    drifts = ", ".join(f"{mu:g}" for mu in task.drifts)
    write_table(f"Ideal observer, drifts {drifts} (1/s), dt = {task.dt:g} s", ("", ""), rows)


def _grid(ctx: click.Context, text: str) -> po.GridSpec:
    try:
        lower, upper, bins = text.split(",")
        return po.GridSpec(float(lower), float(upper), int(bins))
    except po.InputError:
        raise
    except ValueError:
        raise click.BadParameter(
            f"expected LOWER,UPPER,BINS, got {text!r}; write e.g. -10,10,2000",
            ctx,
            param_hint="--grid",
        ) from None


def _bytes(ctx: click.Context, gibibytes: float) -> int:
    most = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    if not 0.0 < gibibytes <= most:
        raise click.BadParameter(
            f"expected a positive number of GiB, at most the {most:.3g} that are here, "
            f"got {gibibytes:g}; write e.g. 4",
            ctx,
            param_hint="--memory",
        )
    return int(gibibytes * 2**30)
