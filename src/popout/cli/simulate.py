"""``popout simulate``: trials of one strategy, with its errors and response times."""

from __future__ import annotations

from typing import Any

import popout as po
from popout.cli import options
from popout.cli.names import STRATEGIES, Name
from popout.cli.output import show, write_json
from popout.cli.progress import progress


@options.command
@options.problem(attention="serial")
@options.option(
    "--strategy",
    Name("NAME", STRATEGIES),
    f"When to stop: {', '.join(STRATEGIES[:-1])} or {STRATEGIES[-1]}.",
    "sprt-opt",
)
@options.trials("--trials n_trials", 100_000, "Trials to run.")
@options.trials(
    "--tune-trials", 200_000, "Trials per candidate while free parameters are tuned.", least=1
)
@options.number(
    "--time-limit",
    "seconds",
    "60",
    "When a trial counts as undecided. [default: when practically none is left]",
)
@options.common
def command(
    task: po.Task,
    costs: po.Costs,
    strategy: str,
    attention: str | None,
    seed: int,
    as_json: bool,
    **how: Any,
) -> None:
    """Simulate trials of one strategy.

    Thresholds are those of discrimination, solved exactly; scales (a-sprt) or thresholds (sprt-opt)
    that are free are tuned first, on other trials, with limited information for the --attention
    that is named.

    Examples
    --------
    popout simulate --strategy sprt --drift 4 --locations 2 --time-cost 0.2
    popout simulate --strategy a-sprt --drift 4 --locations 8 --time-cost 0.2 --json
    popout simulate --information 20 --attention serial --locations 6 --time-cost 1
    popout simulate --items 0:0,1:0 --information 20 --falloff 0.8 --time-cost 0.2
    """
    from popout.analysis.simulate_by_name import perform

    with progress("simulating") as update:
        how |= {"seed": seed, "keep": False, "progress": update}
        workshop, observer, tally = perform(task, costs, strategy, attention, **how)
    summary = tally.summary(costs)
    notes = workshop.notes(summary)
    if as_json:
        asked = {"strategy": strategy, "seed": seed}
        asked |= {"attention": attention} if attention else {}
        write_json({**observer.as_dict(), **asked, **summary.as_dict(), "notes": notes})
    else:
        show(observer, False, summary.card(), *notes)
