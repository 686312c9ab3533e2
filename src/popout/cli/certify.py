"""``popout certify``: what no strategy can beat, and how close the best one comes."""

from __future__ import annotations

import click

import popout as po
from popout.cli.options import (
    json_option,
    number_option,
    problem_options,
    seed_option,
    threads_option,
    trials_option,
)
from popout.cli.output import write_json
from popout.cli.progress import progress


@click.command(
    "certify",
    epilog="""\b
Examples:
  popout certify --drift 2 --locations 8 --time-cost 0.5
  popout certify --drift 4 --locations 3 --time-cost 0.2 --precision 1e-4 --json""",
)
@problem_options()
@number_option(
    "--precision",
    "number",
    "1e-3",
    "Wanted standard error of both bounds and their gap, as a share of the risk.",
    1e-3,
)
@trials_option(100_000, "Most trials behind the bounds.")
@click.option(
    "--method",
    type=click.Choice(["exact", "regression"]),
    default=None,
    help="Where the value function comes from. [default: exact up to 4 locations]",
)
@seed_option
@threads_option
@json_option
def command(
    task: po.SearchTask,
    costs: po.Costs,
    precision: float,
    trials: int,
    method: str | None,
    seed: int,
    as_json: bool,
) -> None:
    """Bound what any strategy can reach.

    The lower bound holds for every strategy, whatever it does, at any number of locations. The
    upper one is the risk of a strategy that exists: tuned a-SPRT, the learned one, or the optimum.
    """
    with progress("certifying") as update:
        certificate = po.certify(
            task,
            costs,
            method=method,
            precision=precision,
            most_trials=trials,
            seed=seed,
            progress=update,
        )
    if as_json:
        write_json(certificate.as_dict())
    else:
        click.echo(str(certificate))
