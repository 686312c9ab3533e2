"""``popout simulate``: trials of one observer."""

from __future__ import annotations

import click

import popout as po
from popout.cli.names import STRATEGIES, Name
from popout.cli.options import (
    ProblemCommand,
    json_option,
    number_option,
    problem_options,
    seed_option,
    threads_option,
    trials_option,
)
from popout.cli.output import write_card, write_json
from popout.cli.progress import progress


@click.command(
    "simulate",
    cls=ProblemCommand,
    epilog="""\b
Examples:
  popout simulate --strategy sprt --drift 4 --locations 2 --time-cost 0.2
  popout simulate --strategy a-sprt --drift 4 --locations 8 --time-cost 0.2 --json
  popout simulate --information 20 --attention serial --locations 6 --time-cost 1""",
)
@problem_options(attention="serial")
@click.option(
    "--strategy",
    "name",
    type=Name("NAME", STRATEGIES),
    default="sprt-opt",
    show_default=True,
    help=f"When to stop: {', '.join(STRATEGIES[:-1])} or {STRATEGIES[-1]}.",
)
@trials_option(100_000, "Trials to run.")
@trials_option(
    200_000, "Trials per candidate while free parameters are tuned.", "--tune-trials", least=1
)
@number_option(
    "--time-limit",
    "seconds",
    "60",
    "When a trial counts as undecided. [default: when practically none is left]",
)
@seed_option
@threads_option
@json_option
def command(
    task: po.Task,
    costs: po.Costs,
    attention: str | None,
    name: str,
    trials: int,
    tune_trials: int,
    time_limit: float | None,
    seed: int,
    as_json: bool,
) -> None:
    """Simulate trials of one strategy.

    Thresholds are those of discrimination, solved exactly; scales (a-sprt) or thresholds (sprt-opt)
    that are free are tuned first, on other trials, with limited information for the --attention
    that is named.
    """
    from popout.analysis.making import perform

    with progress("simulating") as update:
        done = perform(
            task,
            costs,
            name,
            attention,
            trials,
            seed,
            tune_trials=tune_trials,
            time_limit=time_limit,
            progress=update,
        )
    if as_json:
        asked = {"strategy": name, "seed": seed} | ({"attention": attention} if attention else {})
        numbers = {**done.observer.as_dict(), **asked, **done.summary.as_dict()}
        write_json({**numbers, "notes": done.notes})
    else:
        write_card(done.observer.card())
        write_card(done.summary.card())
        for note in done.notes:
            click.echo(note)
