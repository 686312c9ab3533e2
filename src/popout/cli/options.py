"""Options shared between commands.

Each shared option is written once, so that it has one name, one default and one help text; those of
a task and its costs take them from the declarations of the fields (`popout.task.declared`). A
command takes the options it needs one by one, or `problem_options`, which turns the options of a
search task and its costs into a validated `SearchTask` and `Costs`::

    @click.command("solve")
    @problem_options
    @rtol_option
    @json_option
    def command(task: po.SearchTask, costs: po.Costs, rtol: float, as_json: bool) -> None:
        ...
"""

from __future__ import annotations

import functools
import inspect
import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

import popout as po
from popout.cli.quantities import PerClass, Quantity, Several, Whole

if TYPE_CHECKING:
    from popout.task import Fault

Command = Callable[..., Any]
PerClassCost = float | tuple[float, float]
"""A cost of time: one number, or (absent, present)."""
LIBRARY_NAMES = {
    "n_trials": "trials",
    "n_locations": "locations",
    "time": "time_cost",
    "memory_limit": "memory",
}
"""Names of the library that an option has another name for."""

FLOATS: dict[str, Any] = {"type": Several(float, "number")}
INTEGERS: dict[str, Any] = {"type": Several(int, "integer")}


class FieldOption(click.Option):
    """An option for a field of a description, with the words, the default and the type of that.

    The declaration is looked up when the option is shown or read: to list commands, the task layer
    need not be loaded.

    Parameters
    ----------
    names : list of str
    owner, field : str
        Name of a public class and of its field.
    note : str
        A remark after the words.
    **settings
        As for `click.Option`.
    """

    def __init__(
        self, names: list[str], owner: str, field: str, note: str = "", **settings: Any
    ) -> None:
        self.owner, self.field, self.note = owner, field, note
        super().__init__(names, **settings)

    def _look_up(self) -> None:
        from popout.task.kinds import Integer, OneOrEach

        field = getattr(po, self.owner).declared[self.field]
        self.help = f"{field.words} {self.note}".rstrip()
        self.required = field.is_required
        if not field.is_required and field.default is not None:
            self.default, self.show_default = field.default, True
        if isinstance(field.kind, OneOrEach):
            self.type = PerClass() if field.kind.length else FLOATS["type"]
        elif isinstance(field.kind, Integer):
            self.type = Whole()
        else:
            unit = field.unit if field.unit.isalpha() else "number"
            self.type = Quantity(unit, f"{field.default:g}")

    def get_help_record(self, ctx: click.Context) -> tuple[str, str] | None:
        """Return name and words."""
        self._look_up()
        if self.field == "drift" and hasattr(ctx.command, "limited"):
            self.help, self.required = f"{self.help} [this or --information]", False
        return super().get_help_record(ctx)

    def handle_parse_result(
        self, ctx: click.Context, opts: Mapping[str, Any], args: list[str]
    ) -> tuple[Any, list[str]]:
        """Read the value."""
        self._look_up()
        return super().handle_parse_result(ctx, opts, args)


def field_option(name: str, owner: str, field: str, note: str = "") -> Callable[[Command], Command]:
    """Return a `FieldOption`, to decorate a command with."""
    return click.option(name, cls=FieldOption, owner=owner, field=field, note=note)


drift_option = field_option("--drift", "SearchTask", "drift", "Several as in 8,3.")
locations_option = field_option(
    "--locations", "SearchTask", "n_locations", "[default: as many as drifts]"
)
dt_option = field_option("--dt", "SearchTask", "dt")
prior_option = field_option("--prior", "SearchTask", "prior")
time_cost_option = field_option(
    "--time-cost", "Costs", "time", "Each class its own as in present=0.1:absent=0.2."
)
miss_option = field_option("--miss", "Costs", "miss")
false_alarm_option = field_option("--false-alarm", "Costs", "false_alarm")
MOST_TRIALS = 10**11  # as the library; a test keeps the two together


def trials_option(
    default: int,
    words: str,
    name: str = "--trials",
    most: int = MOST_TRIALS,
    least: int | None = None,
) -> Callable[..., Any]:
    """Make an option for a number of trials; how few are too few, the library says."""
    return click.option(
        name, type=Whole(least, most), default=default, show_default=True, help=words
    )


tune_trials_option = trials_option(
    200_000, "Trials per candidate while free parameters are tuned.", "--tune-trials"
)


def number_option(
    name: str, unit: str, example: str, words: str, default: float | None = None
) -> Callable[..., Any]:
    """Return an option for a number of some unit; one without a default may be left out."""
    known = default is not None
    return click.option(
        name, type=Quantity(unit, example), default=default, show_default=known, help=words
    )


rtol_option = number_option("--rtol", "number", "1e-4", "Relative accuracy of the risk.", 1e-4)
seed_option = click.option(
    "--seed", type=Whole(0, 2**64 - 1), default=1, show_default=True, help="Seed of the noise."
)


def preset_option(*names: str) -> Callable[[Command], Command]:
    """Return the option that says how much work to put in; the first name is the default."""
    return click.option(
        "--preset",
        type=click.Choice(names),
        default=names[0],
        show_default=True,
        help="How much work to put in.",
    )


json_option = click.option(
    "--json", "as_json", is_flag=True, help="Write JSON to stdout, and nothing else."
)


def _limit_threads(ctx: click.Context, param: click.Parameter, threads: int | None) -> int | None:
    """Give compiled kernels and matrix products at most this many threads, for this command."""
    if threads is None:
        return None
    import numba
    from threadpoolctl import threadpool_limits

    available = numba.config.NUMBA_NUM_THREADS
    if threads > available:
        raise click.BadParameter(
            f"expected at most {available}, the number of cores here, got {threads}; "
            "leave --threads out to use them all",
            ctx,
            param,
        )
    ctx.call_on_close(functools.partial(numba.set_num_threads, numba.get_num_threads()))
    numba.set_num_threads(threads)
    ctx.with_resource(threadpool_limits(threads, user_api="blas"))
    return threads


threads_option = click.option(
    "--threads",
    type=Whole(at_least=1),
    callback=_limit_threads,
    expose_value=False,
    help="Threads to use; results do not depend on it. [default: all cores]",
)


def problem_options(function: Command) -> Command:
    """Add the options of a search task and its costs; pass them on as ``task`` and ``costs``.

    Every fault of the task and of the costs is reported in one message. ``--dt 0`` is continuous
    time: a command that knows it takes ``continuous``, any other says that it does not.
    """

    @drift_option
    @locations_option
    @dt_option
    @prior_option
    @time_cost_option
    @miss_option
    @false_alarm_option
    @functools.wraps(function)
    def command(
        *args: Any,
        drift: tuple[float, ...],
        locations: int | None,
        dt: float,
        prior: float,
        time_cost: PerClassCost,
        miss: float,
        false_alarm: float,
        **others: Any,
    ) -> Any:
        dt, others = or_continuous(function, dt, others)
        task, costs = build_problem(drift, locations, dt, prior, time_cost, miss, false_alarm)
        return function(*args, task=task, costs=costs, **others)

    return command


def or_continuous(
    function: Command, dt: float, others: dict[str, Any]
) -> tuple[float, dict[str, Any]]:
    """Tell a command that knows continuous time whether ``--dt 0`` asks for it.

    Returns
    -------
    dt : float
        Some step for the task, whose length plays no part then.
    others : dict
        The arguments of the command.
    """
    if "continuous" in inspect.signature(function).parameters:
        return dt or po.SearchTask.declared["dt"].default, {**others, "continuous": dt == 0}
    if dt == 0:
        raise click.BadParameter(
            "expected a positive number of seconds, got 0; continuous time is for `popout solve` "
            "and `popout thresholds`, write e.g. 0.001 here",
            param_hint="--dt",
        )
    return dt, others


def build_problem(
    drift: tuple[float, ...],
    locations: int | None,
    dt: float,
    prior: float,
    time_cost: PerClassCost,
    miss: float,
    false_alarm: float,
) -> tuple[po.SearchTask, po.Costs]:
    """Build the task and the costs that the options describe.

    A single drift is shared by all locations (one, if ``--locations`` is left out).

    Raises
    ------
    InputError
        With the faults of both.
    """
    task_fields = {
        "n_locations": len(drift) if locations is None else locations,
        "drift": drift[0] if len(drift) == 1 else drift,
        "dt": dt,
        "prior": prior,
    }
    cost_fields = {"time": time_cost, "miss": miss, "false_alarm": false_alarm}
    return build_both(po.SearchTask, task_fields, cost_fields)


def build_both(
    make: Callable[..., Any], task_fields: Mapping[str, Any], cost_fields: Mapping[str, Any]
) -> tuple[Any, po.Costs]:
    """Build a task and its costs, or raise the faults of both."""
    faults: list[Fault] = []

    def build(make: Callable[..., Any], fields: Mapping[str, Any]) -> Any:
        try:
            return make(**fields)
        except po.InputError as error:
            faults.extend(error.faults)

    task, costs = build(make, task_fields), build(po.Costs, cost_fields)
    if faults:
        raise po.InputError(faults)
    return task, costs


def in_options(error: po.InputError, command: click.Command) -> str:
    """Say what is wrong by the names of the command line: ``--trials``, not ``n_trials``.

    A fault in a file keeps the name that it has there.

    Parameters
    ----------
    error : InputError
    command : Command
        The one that failed.
    """
    params = [*command.params, *getattr(getattr(command, "limited", None), "params", ())]
    options = {option.name: option.opts[0] for option in params if option.opts[0][:1] == "-"}
    lines = []
    for fault in error.faults:
        place = str(fault.path[0]) if fault.path else ""
        option = options.get(LIBRARY_NAMES.get(place, place))
        if option is not None and not fault.file:
            fault = replace(fault, subject="", path=(option, *fault.path[1:]))
        lines.append(str(fault))
    text = "\n".join(lines)
    for name, own in (*LIBRARY_NAMES.items(), *((name, name) for name in options)):
        if own in options and "_" in str(name):  # no word of a sentence
            text = re.sub(rf"(?<![\w.-]){name}(?![\w:=])", options[own], text)
    return text
