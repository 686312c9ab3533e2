"""``popout solve``: the exact ideal observer."""

from __future__ import annotations

import math
import os
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

import popout as po
from popout.cli.options import (
    ProblemCommand,
    json_option,
    number_option,
    problem_options,
    threads_option,
)
from popout.cli.output import write_card, write_json
from popout.cli.progress import progress
from popout.progress import UNKNOWN

if TYPE_CHECKING:
    from popout.drawing.representation import Card

NOT_CONVERGED = 1


@click.command(
    "solve",
    cls=ProblemCommand,
    epilog="""\b
Examples:
  popout solve --drift 4 --locations 2 --time-cost 0.2
  popout solve --drift 8,3 --time-cost 0.2 --json
  popout solve --drift 4 --locations 5 --time-cost 0.2 --rtol 2e-3
  popout solve --drift 4 --locations 2 --time-cost 0.2 --deadline 0.5
  popout solve --drift 4 --locations 2 --time-cost 0.2 --dt 0
  popout solve --information 60 --locations 3 --time-cost 0.2
  popout solve --information 32 --visibility 1,0.5 --time-cost 0.2 --json
  popout solve --information 60 --locations 3 --time-cost 0.2 --attention serial""",
)
@problem_options(attention="optimal", continuous=True)
@number_option(
    "--rtol",
    "number",
    "1e-4",
    "Relative accuracy of the risk. [default: 1e-4, with limited information 1e-3]",
)
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
    task: po.Task,
    costs: po.Costs,
    attention: str | None,
    rtol: float | None,
    deadline: float | None,
    backend: str,
    device: str | None,
    memory: float | None,
    continuous: bool,
    as_json: bool,
) -> None:
    """Find the optimal strategy of a search task and its risk.

    Prints the risk with its error, the one-dimensional thresholds, and the scales with which the
    paper's conjecture fits the exact boundary best. With limited information, where to look and
    when to stop are optimal together; with an --attention of your choice, the stopping is the best
    for it. --dt 0 is continuous time: in closed form for one location, extrapolated from short
    steps or bounded for more. Exit code 1 if the tolerance cannot be met.
    """
    from popout.policies.looking.names import named_attention

    for name, alone in (("--dt 0", continuous), ("--deadline", deadline is not None)):
        others = {"--deadline": deadline, "--memory": memory}
        given = [other for other, value in others.items() if value is not None and other != name]
        if alone and given:
            wrong = f"expected {name} alone, got {' and '.join(given)} with it; leave one out"
            raise click.UsageError(wrong, ctx)
    if rtol is None:
        rtol = ctx.params["rtol"] = 1e-4 if attention is None else 1e-3
    limit = None if memory is None else _bytes(ctx, memory)
    policy = None if attention is None else named_attention(attention, task)
    solution: po.Solution | po.DeadlineSolution | po.ContinuousTime
    try:
        with progress("solving") as update:
            how: dict[str, Any] = {"backend": backend, "device": device, "progress": update}
            if deadline is not None:
                solution = po.solve_deadline(task, costs, deadline, rtol, **how)
            elif continuous:
                solution = po.continuous_time(task, costs, rtol, attention=policy, **how)
            else:
                how["memory_limit"] = limit
                solution = po.solve(task, costs, rtol, attention=policy, **how)
            update(UNKNOWN, "scales of the conjecture")
            shown = solution.as_dict() if as_json else _cards(solution)
    except po.MemoryLimitError as error:
        gpu = "compute on a GPU with --backend torch --device cuda, " if backend == "numpy" else ""
        remedy = f"allow a larger --rtol than {rtol:g}, {gpu}allow more with --memory, or do "
        remedy += "without the table: `popout certify` bounds the risk, `popout simulate "
        remedy += "--strategy a-sprt` is nearly optimal"
        fault = replace(error.faults[0], subject="--memory", path=(), remedy=remedy)
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


def _cards(solution: po.Solution | po.DeadlineSolution | po.ContinuousTime) -> list[Card]:
    """Return the card of a solution with what looks wrong, and the scales that fit it."""
    if not isinstance(solution, po.Solution):
        return [solution.card()]
    card = replace(solution.card(), note=" ".join(solution.notes))
    return [card] if math.isnan(solution.scales.a_plus) else [card, solution.scales.card()]


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
