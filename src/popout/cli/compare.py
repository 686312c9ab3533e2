"""``popout compare``: strategies side by side."""

from __future__ import annotations

import click

from popout.cli import limited
from popout.cli.limited import OrLimited, information_option
from popout.cli.names import STRATEGIES, Names
from popout.cli.options import (
    INTEGERS,
    PerClassCost,
    build_problem,
    drift_option,
    dt_option,
    false_alarm_option,
    json_option,
    miss_option,
    prior_option,
    seed_option,
    threads_option,
    trials_option,
    tune_trials_option,
)
from popout.cli.output import write_card, write_json
from popout.cli.progress import progress
from popout.cli.quantities import PerClass


@click.command(
    "compare",
    cls=OrLimited,
    limited=limited.compare,
    short_help="Compare strategies over set sizes and costs of time.",
    epilog="""\b
Examples:
  popout compare --drift 4 --locations 2 --time-cost 0.2
  popout compare --drift 12 --locations 2,4,8 --time-cost 0.2,0.5,1 --json
  popout compare --information 60 --locations 3,6,12,18 --time-cost 0.1""",
)
@drift_option
@information_option
@click.option(
    "--locations", **INTEGERS, default=None, help="Set sizes. [default: as many as drifts]"
)
@click.option(
    "--time-cost",
    type=PerClass(several=True),
    required=True,
    help="Risks per second; each class its own as in present=0.1:absent=0.2.",
)
@dt_option
@prior_option
@miss_option
@false_alarm_option
@click.option(
    "--strategies",
    type=Names("NAME[,...]", STRATEGIES),
    default="a-sprt,sprt-opt,sprt,hardmax",
    show_default=True,
    help=f"Names from {', '.join(STRATEGIES)}.",
)
@trials_option(1_000_000, "Common trials.")
@tune_trials_option
@seed_option
@threads_option
@json_option
def command(
    drift: tuple[float, ...],
    locations: tuple[int, ...] | None,
    time_cost: tuple[PerClassCost, ...],
    dt: float,
    prior: float,
    miss: float,
    false_alarm: float,
    strategies: tuple[str, ...],
    trials: int,
    tune_trials: int,
    seed: int,
    as_json: bool,
) -> None:
    """Compare strategies over set sizes and costs of time, on common trials.

    Prints risks, errors, mean response times and, over several set sizes, slopes in ms/item. Free
    parameters are tuned on other trials. The excess is over the exact optimum with at most three
    locations or where it is among the strategies, and over tuned a-SPRT (paired) with more. Where
    few trials lose anything, more of them are looked at; the column "trials" says how many.
    """
    from popout.analysis.compare import compare

    sizes = locations or (len(drift),)
    problems = [
        build_problem(drift, size, dt, prior, cost, miss, false_alarm)
        for size in sizes
        for cost in time_cost
    ]
    tasks = list(dict.fromkeys(task for task, _ in problems))
    costs = list(dict.fromkeys(cost for _, cost in problems))
    with progress("comparing") as update:
        table = compare(
            tasks,
            costs,
            strategies,
            n_trials=trials,
            tune_trials=tune_trials,
            seed=seed,
            progress=update,
        )
    if as_json:
        write_json(table)
    else:
        for card in table.cards():
            write_card(card)
