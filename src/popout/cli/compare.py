"""``popout compare``: strategies side by side, over set sizes and costs of time."""

from __future__ import annotations

from typing import Any

import popout as po
from popout.cli import options
from popout.cli.names import STRATEGIES, Name
from popout.cli.output import show
from popout.cli.progress import progress

USUAL = ("a-sprt", "sprt-opt", "sprt", "hardmax")
USUAL_LIMITED = ("sprt-opt",)


@options.command
@options.problem(attention="parallel,guided,serial", several=True)
@options.option(
    "--strategies",
    Name("NAME[,...]", STRATEGIES, several=True),
    f"When to stop; names from {', '.join(STRATEGIES)}. [default: {','.join(USUAL)}; with "
    f"limited information {','.join(USUAL_LIMITED)}]",
)
@options.trials(
    "--trials n_trials",
    None,
    "Common trials. [default: a million, a tenth with limited information]",
)
@options.trials(
    "--tune-trials",
    None,
    "Trials per candidate while free parameters are tuned. [default: a fifth of that]",
)
@options.common
def command(
    task: list[po.Task],
    costs: list[po.Costs],
    attention: tuple[str, ...] | None,
    strategies: tuple[str, ...] | None,
    as_json: bool,
    **how: Any,
) -> None:
    r"""Compare strategies over set sizes and costs of time, on common trials.

    Prints risks, errors, mean response times and, over several set sizes, slopes in ms/item. Free
    parameters are tuned on other trials. The excess is over the exact optimum with at most three
    locations or where it is among the strategies, and over tuned a-SPRT (paired) with more. Where
    few trials lose anything, more of them are looked at; the column "trials" says how many. With
    limited information every --attention is combined with every strategy, and beyond three
    locations the excess is over the best of them.

    Examples
    --------
    popout compare --drift 4 --locations 2 --time-cost 0.2
    popout compare --drift 12 --locations 2,4,8 --time-cost 0.2,0.5,1 --json
    popout compare --information 60 --locations 3,6,12,18 --time-cost 0.1
    popout compare --items 0:0,1:0 --information 20 --falloff 0.8 --time-cost 0.2
    popout compare --information 32 --locations 2 --attention serial,optimal \
      --strategies sprt-opt,optimal --time-cost 0.2 --json
    """
    usual = USUAL_LIMITED if task[0].look.is_chosen else USUAL
    with progress("comparing") as update:
        how |= {"attention": attention, "progress": update}
        table = po.compare(task, costs, strategies or usual, **how)
    show(table, as_json, *table.cards()[1:])
