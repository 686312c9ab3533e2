"""``popout compare``: observers side by side."""

from __future__ import annotations

import click

import popout as po
from popout.cli.names import STRATEGIES, Name
from popout.cli.options import (
    ProblemCommand,
    json_option,
    problem_options,
    seed_option,
    threads_option,
    trials_option,
)
from popout.cli.output import write_card, write_json
from popout.cli.progress import progress

USUAL = ("a-sprt", "sprt-opt", "sprt", "hardmax")
USUAL_LIMITED = ("sprt-opt",)


@click.command(
    "compare",
    cls=ProblemCommand,
    epilog="""\b
Examples:
  popout compare --drift 4 --locations 2 --time-cost 0.2
  popout compare --drift 12 --locations 2,4,8 --time-cost 0.2,0.5,1 --json
  popout compare --information 60 --locations 3,6,12,18 --time-cost 0.1
  popout compare --information 32 --locations 2 --attention serial,optimal \\
    --strategies sprt-opt,optimal --time-cost 0.2 --json""",
)
@problem_options(attention="parallel,guided,serial", several=True)
@click.option(
    "--strategies",
    type=Name("NAME[,...]", STRATEGIES, several=True),
    help=f"When to stop; names from {', '.join(STRATEGIES)}. [default: {','.join(USUAL)}; with "
    f"limited information {','.join(USUAL_LIMITED)}]",
)
@trials_option(None, "Common trials. [default: a million, a tenth with limited information]")
@trials_option(
    None,
    "Trials per candidate while free parameters are tuned. [default: a fifth of that]",
    "--tune-trials",
)
@seed_option
@threads_option
@json_option
def command(
    task: list[po.Task],
    costs: list[po.Costs],
    attention: tuple[str, ...] | None,
    strategies: tuple[str, ...] | None,
    trials: int | None,
    tune_trials: int | None,
    seed: int,
    as_json: bool,
) -> None:
    """Compare strategies over set sizes and costs of time, on common trials.

    Prints risks, errors, mean response times and, over several set sizes, slopes in ms/item. Free
    parameters are tuned on other trials. The excess is over the exact optimum with at most three
    locations or where it is among the strategies, and over tuned a-SPRT (paired) with more. Where
    few trials lose anything, more of them are looked at; the column "trials" says how many. With
    limited information every --attention is combined with every strategy, and beyond three
    locations the excess is over the best of them.
    """
    with progress("comparing") as update:
        table = po.compare(
            task,
            costs,
            strategies or (USUAL if attention is None else USUAL_LIMITED),
            attention=attention,
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
