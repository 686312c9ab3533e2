"""``popout certify``: what no strategy can beat, and how close the best one comes."""

from __future__ import annotations

from typing import Any

import click

import popout as po
from popout.cli import options
from popout.cli.output import show
from popout.cli.progress import progress


def _refuse_dynamic(ctx: click.Context, param: click.Parameter, period: float | None) -> None:
    if period is not None:
        wrong = f"expected items that stay where they are, got --dynamic {period:g}; no bounds are "
        wrong += "known for displays that are reshuffled: leave it out, or see `popout solve` and "
        raise click.UsageError(f"{wrong}`popout compare`, which take it", ctx)


@options.command
@options.problem(looks=True)
@options.number(
    "--precision",
    "number",
    "1e-3",
    "Wanted standard error of both bounds and their gap, as a share of the risk.",
    1e-3,
)
@options.option(
    "--dynamic period", float, "", hidden=True, expose_value=False, callback=_refuse_dynamic
)
@options.trials("--trials most_trials", 100_000, "Most trials behind the bounds.")
@options.option(
    "--method",
    click.Choice(["exact", "regression"]),
    "Where the value function comes from. [default: exact up to 4 locations, up to 3 with gaze or "
    "limited information]",
)
@options.common
def command(task: po.Task, costs: po.Costs, as_json: bool, **how: Any) -> None:
    """Bound what any strategy can reach.

    The lower bound holds for every strategy, whatever it does, at any number of locations. The
    upper one is the risk of a strategy that exists: tuned a-SPRT, the learned one, or the optimum.
    With gaze it holds wherever the observer looks; where information is limited, for all who look
    at one location at a time.

    Examples
    --------
    popout certify --drift 2 --locations 8 --time-cost 0.5
    popout certify --drift 4 --locations 3 --time-cost 0.2 --precision 1e-4 --json
    popout certify --items 0:0,1:0 --information 20 --falloff 0.8 --time-cost 0.2
    """
    with progress("certifying") as update:
        certificate = po.certify(task, costs, progress=update, **how)
    show(certificate, as_json)
