"""``popout solve``: the optimal observer of a search task, and its risk."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

import popout as po
from popout.cli import options
from popout.cli.output import show, write_json
from popout.cli.progress import progress
from popout.machine import total_memory
from popout.progress import UNKNOWN

if TYPE_CHECKING:
    from popout.drawing.representation import Card

NOT_CONVERGED = 1


@options.command
@options.problem(attention="optimal", continuous=True)
@options.number(
    "--rtol",
    "number",
    "1e-4",
    "Relative accuracy of the risk. [default: 1e-4, with limited information 1e-3]",
)
@options.number("--deadline", "seconds", "0.5", "Answer within this many seconds.")
@options.option("--backend", click.Choice(["numpy", "torch", "cupy"]), "Where to compute.", "numpy")
@options.option("--device", str, "Device of the back end, e.g. cuda.")
@options.number(
    "--memory memory_limit", "GiB", "4", "Most memory to use. [default: 70 % of what is free]"
)
@options.threads
@options.as_json
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
    memory_limit: float | None,
    continuous: bool,
    as_json: bool,
) -> None:
    """Find the optimal strategy of a search task and its risk.

    Prints the risk with its error, the one-dimensional thresholds, and the scales with which the
    paper's conjecture fits the exact boundary best. With limited information, where to look and
    when to stop are optimal together, and so are gaze and stopping with --items; with an
    --attention of your choice, the stopping is the best for it. --dt 0 is continuous time: in
    closed form for one location, extrapolated from short steps or bounded for more. Exit code 1 if
    the tolerance cannot be met.

    Examples
    --------
    popout solve --drift 4 --locations 2 --time-cost 0.2
    popout solve --drift 8,3 --time-cost 0.2 --json
    popout solve --drift 4 --locations 5 --time-cost 0.2 --rtol 2e-3
    popout solve --drift 4 --locations 2 --time-cost 0.2 --deadline 0.5
    popout solve --drift 4 --locations 2 --time-cost 0.2 --dt 0
    popout solve --information 60 --locations 3 --time-cost 0.2
    popout solve --information 32 --visibility 1,0.5 --time-cost 0.2 --json
    popout solve --information 60 --locations 3 --time-cost 0.2 --attention serial
    popout solve --items 0:0,1:0,2:0 --information 20 --falloff 0.8 --time-cost 0.2
    """
    from popout.policies.looking.names import named_attention

    for name, alone in (("--dt 0", continuous), ("--deadline", deadline is not None)):
        others = {"--deadline": deadline, "--memory": memory_limit}
        given = [other for other, value in others.items() if value is not None and other != name]
        if alone and given:
            wrong = f"expected {name} alone, got {' and '.join(given)} with it; leave one out"
            raise click.UsageError(wrong, ctx)
    if continuous or deadline is not None:
        _check_takes(ctx, "--dt 0" if continuous else "--deadline", task)
    if rtol is None:
        rtol = ctx.params["rtol"] = 1e-4 if attention is None else 1e-3
    limit = None if memory_limit is None else _bytes(ctx, memory_limit)
    policy = None if attention is None else named_attention(attention, task)
    solution: po.Solution | po.DeadlineSolution | po.ContinuousTime
    more: list[Card | str] = []
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
                fits = solution.has_scales and not math.isnan(solution.scales.a_plus)
                more = [*([solution.scales.card()] if fits else []), *solution.notes]
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
    show(solution, as_json, *more)


def _check_takes(ctx: click.Context, asked: str, task: po.Task) -> None:
    """Refuse a deadline, or continuous time, for a task for which neither is solved."""
    wrong = ""
    if task.steps_per_period:
        wrong = f"expected {asked} without --dynamic, got both; it is solved for items that stay"
    elif asked == "--deadline" and task.equivalent is None:
        given = "--items" if isinstance(task, po.GazeTask) else "--information"
        wrong = f"expected --deadline with --drift, got it with {given}; a deadline is solved "
        wrong += "where every location has a rate of its own"
    if wrong:
        raise click.UsageError(f"{wrong}: leave {asked} out", ctx)


def _bytes(ctx: click.Context, gibibytes: float) -> int:
    most = total_memory() / 2**30
    if not 0.0 < gibibytes <= most:
        raise click.BadParameter(
            f"expected a positive number of GiB, at most the {most:.3g} that are here, "
            f"got {gibibytes:g}; write e.g. 4",
            ctx,
            param_hint="--memory",
        )
    return int(gibibytes * 2**30)
