"""``popout solve``, ``simulate`` and ``compare`` where information is limited.

With ``--information`` in place of ``--drift`` these commands are about another problem, with
options of its own: `OrLimited` hands over to the commands below, whose help
``popout solve --information 60 --help`` shows.
"""

from __future__ import annotations

import functools
from typing import Any

import click

import popout as po
from popout.cli.names import STRATEGIES, AttentionNames, Name, Names
from popout.cli.options import (
    FLOATS,
    INTEGERS,
    Command,
    PerClassCost,
    build_both,
    dt_option,
    false_alarm_option,
    field_option,
    json_option,
    miss_option,
    or_continuous,
    prior_option,
    seed_option,
    threads_option,
    time_cost_option,
    trials_option,
    tune_trials_option,
)
from popout.cli.output import write_card, write_json
from popout.cli.progress import progress
from popout.cli.quantities import PerClass, Quantity

NOT_CONVERGED = 1

information_option = click.option(
    "--information",
    type=Quantity("number", "60"),
    expose_value=False,
    help="Total rate of information (1/s) that attention divides among the locations, instead of "
    "--drift; has options of its own, see --information 60 --help.",
)


visibility_option = click.option(
    "--visibility",
    **FLOATS,
    default="1",
    show_default=True,
    help="What a location makes of the information it is given. Several as in 1,0.5.",
)


class OrLimited(click.Command):
    """A command that becomes another one where ``--information`` is given.

    Parameters
    ----------
    *args, **settings
        As for `click.Command`.
    limited : click.Command
        The other one.
    """

    def __init__(self, *args: Any, limited: click.Command, **settings: Any) -> None:
        super().__init__(*args, **settings)
        self.limited = limited

    def make_context(
        self,
        info_name: str | None,
        args: list[str],
        parent: click.Context | None = None,
        **extra: Any,
    ) -> click.Context:
        """Read the arguments, as those of the command that they mean."""
        given = {arg.partition("=")[0] for arg in args}
        if "--information" not in given:
            return super().make_context(info_name, args, parent, **extra)
        if "--drift" in given:
            message = "expected --drift or --information, got both; leave one of them out"
            raise click.UsageError(message, click.Context(self, parent, info_name))
        return self.limited.make_context(info_name, args, parent, **extra)


def limited_options(function: Command) -> Command:
    """Add the options of a task with limited information and its costs, as ``task``, ``costs``."""

    @click.option(
        "--information",
        type=Quantity("number", "60"),
        required=True,
        help="Total rate of information in 1/s: the sum of the squared drifts of all locations.",
    )
    @field_option(
        "--locations", "LimitedSearchTask", "n_locations", "[default: as many as visibilities]"
    )
    @visibility_option
    @dt_option
    @prior_option
    @time_cost_option
    @miss_option
    @false_alarm_option
    @functools.wraps(function)
    def command(
        *args: Any,
        information: float,
        locations: int | None,
        visibility: tuple[float, ...],
        dt: float,
        prior: float,
        time_cost: PerClassCost,
        miss: float,
        false_alarm: float,
        **others: Any,
    ) -> Any:
        dt, others = or_continuous(function, dt, others)
        task, costs = build_limited(
            information, locations, visibility, dt, prior, time_cost, miss, false_alarm
        )
        return function(*args, task=task, costs=costs, **others)

    return command


def build_limited(
    information: float,
    locations: int | None,
    visibility: tuple[float, ...],
    dt: float,
    prior: float,
    time_cost: PerClassCost,
    miss: float,
    false_alarm: float,
) -> tuple[po.LimitedSearchTask, po.Costs]:
    """Build the task and the costs that the options describe; see `options.build_problem`."""
    task_fields = {
        "n_locations": len(visibility) if locations is None else locations,
        "information": information,
        "visibility": visibility[0] if len(visibility) == 1 else visibility,
        "dt": dt,
        "prior": prior,
    }
    cost_fields = {"time": time_cost, "miss": miss, "false_alarm": false_alarm}
    return build_both(po.LimitedSearchTask, task_fields, cost_fields)


def attention_option(default: str) -> Any:
    """Return the option that names an attention policy."""
    return click.option(
        "--attention",
        metavar="NAME",
        default=default,
        show_default=True,
        help="parallel, guided, guided:0.5 (a power of the posterior), serial or optimal.",
    )


@click.command(
    "solve",
    epilog="""\b
Examples:
  popout solve --information 60 --locations 3 --time-cost 0.2
  popout solve --information 32 --visibility 1,0.5 --time-cost 0.2 --json
  popout solve --information 60 --locations 3 --time-cost 0.2 --attention serial""",
)
@limited_options
@attention_option("optimal")
@click.option(
    "--rtol",
    type=Quantity("number", "1e-3"),
    default=1e-3,
    show_default=True,
    help="Relative accuracy of the risk.",
)
@threads_option
@json_option
@click.pass_context
def solve(
    ctx: click.Context,
    task: po.LimitedSearchTask,
    costs: po.Costs,
    attention: str,
    rtol: float,
    continuous: bool,
    as_json: bool,
) -> None:
    """Find where to look and when to stop, optimal together.

    With an --attention of your choice, the best stopping for it. --dt 0 is continuous time: in
    closed form for one location, extrapolated from short steps or bounded for more. Exit code 1 if
    the tolerance cannot be met.
    """
    from popout.cli.solve import cards_of
    from popout.policies.looking.names import named_attention

    policy = named_attention(attention, task)
    found: po.Solution | po.ContinuousTime
    try:
        with progress("solving") as told:
            if continuous:
                found = po.continuous_time(task, costs, rtol, attention=policy, progress=told)
            else:
                found = po.solve(task, costs, rtol, attention=policy, progress=told)
    except po.NotConvergedError as error:
        if as_json:
            write_json({"converged": False, "message": str(error)})
        click.echo(f"Not converged: {error}", err=True)
        ctx.exit(NOT_CONVERGED)
    if as_json:
        write_json(found.as_dict())
    else:
        for card in cards_of(found):
            write_card(card)


@click.command(
    "simulate",
    epilog="""\b
Examples:
  popout simulate --information 20 --attention serial --locations 12 --time-cost 0.1
  popout simulate --information 20 --attention guided:0.5 --locations 6 --time-cost 0.1 --json""",
)
@limited_options
@attention_option("serial")
@click.option(
    "--strategy",
    "name",
    type=Name("NAME", STRATEGIES),
    default="sprt-opt",
    show_default=True,
    help=f"One of {', '.join(STRATEGIES)}.",
)
@trials_option(100_000, "Trials to run.")
@tune_trials_option
@click.option(
    "--time-limit",
    type=Quantity("seconds", "60"),
    default=None,
    help="When a trial counts as undecided. [default: after a minute]",
)
@seed_option
@threads_option
@json_option
def simulate(
    task: po.LimitedSearchTask,
    costs: po.Costs,
    attention: str,
    name: str,
    trials: int,
    tune_trials: int,
    time_limit: float | None,
    seed: int,
    as_json: bool,
) -> None:
    """Simulate trials of an attention policy and a strategy.

    What is free in the strategy is tuned for this attention, on other trials; optimal is the best
    stopping for it, solved for up to four locations.
    """
    from popout.analysis.stopping import make_joint
    from popout.noise.seeds import Purpose, fresh_seed

    with progress("preparing the observer") as told:
        tuning = fresh_seed(seed, Purpose.TUNING)  # on other trials than those below
        observer = make_joint(
            task, costs, attention, name, n_trials=tune_trials, seed=tuning, progress=told
        )
    with progress("simulating") as told:
        found = po.simulate(
            task,
            po.Observer(observer.attention, observer.strategy),
            trials,
            seed,
            time_limit=time_limit,
            progress=told,
        ).summary(costs)
    if as_json:
        named = {"attention": attention, "strategy": name, "seed": seed}
        write_json({**observer.as_dict(), **named, **found.as_dict()})
    else:
        write_card(observer.card())
        write_card(found.card())


@click.command(
    "compare",
    epilog="""\b
Examples:
  popout compare --information 60 --attention parallel,guided,serial \\
    --locations 3,6,12,18 --time-cost 0.1
  popout compare --information 32 --locations 2 --attention serial,optimal \\
    --strategies sprt-opt,optimal --time-cost 0.2 --json""",
)
@click.option(
    "--information",
    **FLOATS,
    required=True,
    help="Total rates of information in 1/s: the sum of the squared drifts of all locations.",
)
@click.option(
    "--locations", **INTEGERS, default=None, help="Set sizes. [default: as many as visibilities]"
)
@visibility_option
@click.option(
    "--attention",
    type=AttentionNames(),
    default="parallel,guided,serial",
    show_default=True,
    help="Names from parallel, guided, guided:0.5 (a power of the posterior), serial, optimal.",
)
@click.option(
    "--strategies",
    type=Names("NAME[,...]", STRATEGIES),
    default="sprt-opt",
    show_default=True,
    help=f"When to stop; names from {', '.join(STRATEGIES)}.",
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
@trials_option(100_000, "Common trials.")
@trials_option(
    20_000, "Trials per candidate while free parameters are tuned.", name="--tune-trials"
)
@seed_option
@threads_option
@json_option
def compare(
    information: tuple[float, ...],
    locations: tuple[int, ...] | None,
    visibility: tuple[float, ...],
    attention: tuple[str, ...],
    strategies: tuple[str, ...],
    time_cost: tuple[PerClassCost, ...],
    dt: float,
    prior: float,
    miss: float,
    false_alarm: float,
    trials: int,
    tune_trials: int,
    seed: int,
    as_json: bool,
) -> None:
    """Compare attention policies and strategies over set sizes, on common trials.

    Prints risks, errors, mean response times and, over several set sizes, slopes in ms/item. What
    is free in a strategy is tuned for each policy and set size. The excess is over the joint
    optimum with at most three locations or where it is asked for, and over the best observer of the
    table (paired) with more.
    """
    problems = [
        build_limited(rate, size, visibility, dt, prior, cost, miss, false_alarm)
        for rate in information
        for size in locations or (None,)
        for cost in time_cost
    ]
    with progress("comparing") as update:
        table = po.compare(
            list(dict.fromkeys(task for task, _ in problems)),
            list(dict.fromkeys(cost for _, cost in problems)),
            strategies,
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
