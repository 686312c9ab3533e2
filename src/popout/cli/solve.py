"""``popout solve``: the exact ideal observer."""

from __future__ import annotations

import math
import os
from dataclasses import replace
from typing import Any

import click

import popout as po
from popout.cli import limited
from popout.cli.limited import OrLimited, information_option
from popout.cli.options import (
    json_option,
    number_option,
    problem_options,
    rtol_option,
    threads_option,
)
from popout.cli.output import write_card, write_json
from popout.cli.progress import progress
from popout.drawing.representation import Card
from popout.progress import UNKNOWN

NOT_CONVERGED = 1


@click.command(
    "solve",
    cls=OrLimited,
    limited=limited.solve,
    epilog="""\b
Examples:
  popout solve --drift 4 --locations 2 --time-cost 0.2
  popout solve --drift 8,3 --time-cost 0.2 --json
  popout solve --drift 4 --locations 5 --time-cost 0.2 --rtol 2e-3
  popout solve --drift 4 --locations 2 --time-cost 0.2 --deadline 0.5
  popout solve --drift 4 --locations 2 --time-cost 0.2 --dt 0
  popout solve --information 60 --locations 3 --time-cost 0.2""",
)
@problem_options
@information_option
@rtol_option
@number_option("--deadline", "seconds", "0.5", "Answer within this many seconds.")
@click.option(
    "--backend",
    type=click.Choice(["numpy", "torch", "cupy"]),
    default="numpy",
    show_default=True,
    help="Where to compute.",
)
@click.option("--device", default=None, help="Device of the back end, e.g. cuda.")
@number_option("--memory", "GiB", "4", "Most memory to use. [default: 70 % of what is free]")
@threads_option
@json_option
@click.pass_context
def command(
    ctx: click.Context,
    task: po.SearchTask,
    costs: po.Costs,
    rtol: float,
    deadline: float | None,
    backend: str,
    device: str | None,
    memory: float | None,
    continuous: bool,
    as_json: bool,
) -> None:
    """Find the optimal strategy of a search task and its risk.

    Prints the risk with its error, the one-dimensional thresholds, and the scales with which the
    paper's conjecture fits the exact boundary best. --dt 0 is continuous time: in closed form for
    one location, extrapolated from short steps or bounded for more. Exit code 1 if the tolerance
    cannot be met.
    """
    if continuous and (deadline is not None or memory is not None):
        raise click.UsageError(
            "expected --dt 0 alone, got --deadline or --memory with it; leave those out, "
            "or write e.g. --dt 0.001",
            ctx,
        )
    if deadline is not None and memory is not None:
        raise click.UsageError("expected --deadline alone, got --memory with it; leave it out", ctx)
    found: po.Solution | po.DeadlineSolution | po.ContinuousTime
    try:
        with progress("solving") as told:
            how: dict[str, Any] = {"backend": backend, "device": device, "progress": told}
            if continuous:
                found = po.continuous_time(task, costs, rtol, **how)
            elif deadline is not None:
                found = po.solve_deadline(task, costs, deadline, rtol, **how)
            else:
                limit = None if memory is None else _bytes(ctx, memory)
                found = po.solve(task, costs, rtol, memory_limit=limit, **how)
            told(UNKNOWN, "scales of the conjecture")
            shown = found.as_dict() if as_json else cards_of(found)
    except po.MemoryLimitError as error:
        fault = replace(error.faults[0], subject="--memory", remedy=_ways_out(rtol, backend))
        raise po.InputError([fault]) from None
    except po.NotConvergedError as error:
        if as_json:
            write_json({"converged": False, "message": str(error)})
        click.echo(f"Not converged: {error}", err=True)
        ctx.exit(NOT_CONVERGED)
    if isinstance(shown, dict):
        write_json(shown)
    else:
        for card in shown:
            write_card(card)


def cards_of(found: po.Solution | po.DeadlineSolution | po.ContinuousTime) -> list[Card]:
    """Return what is shown of a solution: its own card, its notes, and the fitted scales."""
    if not isinstance(found, po.Solution):
        return [found.card()]
    cards = [replace(found.card(), note=" ".join(found.notes))]
    return cards if math.isnan(found.scales.a_plus) else [*cards, found.scales.card()]


def _ways_out(rtol: float, backend: str) -> str:
    """Return what to do instead of work that takes too much memory."""
    gpu = "compute on a GPU with --backend torch --device cuda, " if backend == "numpy" else ""
    return (
        f"allow a larger --rtol than {rtol:g}, {gpu}allow more with --memory, or do without the "
        "table: `popout certify` bounds the risk, `popout simulate --strategy a-sprt` is nearly "
        "optimal"
    )


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
