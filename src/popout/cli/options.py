"""Options shared between commands.

Each shared option is written once, so that it has one name, one default and one help text; those of
a task and its costs take them from the declarations of the fields (`popout.task.declared`). A
command takes the options it needs one by one, or `problem_options`, which turns the options of a
task and its costs into these, validated::

    @click.command("solve", cls=ProblemCommand)
    @problem_options(attention="optimal")
    @json_option
    def command(task: po.Task, costs: po.Costs, attention: str | None, as_json: bool) -> None:
        ...
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

import popout as po
from popout.cli.names import ATTENTION, Name
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
MOST_TRIALS = 10**11  # as the library; a test keeps the two together

FLOATS: dict[str, Any] = {"type": Several(float, "number")}
INTEGERS: dict[str, Any] = {"type": Several(int, "integer")}


# -- options that many commands take -----------------------------------------------------------


def number_option(
    name: str, unit: str, example: str, words: str, default: float | None = None
) -> Callable[[Command], Command]:
    """Return an option for a number of some unit; one without a default may be left out."""
    known = default is not None
    return click.option(
        name, type=Quantity(unit, example), default=default, show_default=known, help=words
    )


def trials_option(
    default: int | None,
    words: str,
    name: str = "--trials",
    most: int = MOST_TRIALS,
    least: int | None = None,
) -> Callable[[Command], Command]:
    """Return an option for a number of trials; how few are too few, the library says."""
    known = default is not None
    return click.option(
        name, type=Whole(least, most), default=default, show_default=known, help=words
    )


def preset_option(*names: str) -> Callable[[Command], Command]:
    """Return the option that says how much work to put in; the first name is the default."""
    choice = click.Choice(names)
    words = "How much work to put in."
    return click.option("--preset", type=choice, default=names[0], show_default=True, help=words)


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


rtol_option = number_option("--rtol", "number", "1e-4", "Relative accuracy of the risk.", 1e-4)
seed_option = click.option(
    "--seed", type=Whole(0, 2**64 - 1), default=1, show_default=True, help="Seed of the noise."
)
json_option = click.option(
    "--json", "as_json", is_flag=True, help="Write JSON to stdout, and nothing else."
)
threads_option = click.option(
    "--threads",
    type=Whole(at_least=1),
    callback=_limit_threads,
    expose_value=False,
    help="Threads to use; results do not depend on it. [default: all cores]",
)


# -- a task and its costs ----------------------------------------------------------------------

SECTIONS = {
    "drift": "Fixed rates",
    "information": "Limited information",
    "visibility": "Limited information",
    "attention": "Limited information",
}
"""Options that belong to one kind of task, and where the help shows them."""


class ProblemCommand(click.Command):
    """A command whose help sets apart what belongs to one kind of task."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options, section by section."""
        sections: dict[str, list[tuple[str, str]]] = {title: [] for title in SECTIONS.values()}
        for param in self.get_params(ctx):
            if record := param.get_help_record(ctx):
                title = SECTIONS.get(str(param.name), "Options")
                sections.setdefault(title, []).append(record)
        for title, records in sections.items():
            with formatter.section(title):
                formatter.write_dl(records)


def field_option(
    name: str, owner: str, field: str, note: str = "", **settings: Any
) -> Callable[[Command], Command]:
    """Return the option of a declared field, with the words, the default and the type of that.

    Parameters
    ----------
    name : str
        Of the option.
    owner, field : str
        Name of a public class and of its field.
    note : str
        A remark after the words.
    **settings
        As for `click.option`, in place of what was declared.
    """
    from popout.task.kinds import Integer, OneOrEach

    declared = getattr(po, owner).declared[field]
    known = not declared.is_required and declared.default is not None
    default = declared.default if known else None
    if isinstance(declared.kind, OneOrEach):
        kind = PerClass() if declared.kind.length else FLOATS["type"]
    elif isinstance(declared.kind, Integer):
        kind = Whole()
    else:
        unit = declared.unit if declared.unit.isalpha() else "number"
        kind = Quantity(unit, f"{default or 60:g}")
    taken: dict[str, Any] = {
        "type": kind,
        "help": f"{declared.words} {note}".rstrip(),
        "default": default,
    }
    taken |= {"required": declared.is_required, "show_default": known}
    return click.option(name, **(taken | settings))


def problem_options(
    *,
    attention: str = "",
    locations: bool = True,
    several: bool = False,
    continuous: bool = False,
) -> Callable[[Command], Command]:
    """Add the options of a task and its costs; pass them on as ``task`` and ``costs``.

    Every fault of the task and of the costs is reported in one message.

    Parameters
    ----------
    attention : str
        Default of ``--attention``, for a command that takes limited information as well; it is
        passed on as ``attention``, None for fixed rates.
    locations : bool
        Whether there is ``--locations``; there are as many as drifts otherwise.
    several : bool
        Whether there may be several set sizes, rates of information, costs of time and names of
        attention; ``task``, ``costs`` and ``attention`` are then sequences.
    continuous : bool
        Whether the command knows continuous time, ``--dt 0``, and takes ``continuous``.
    """

    def decorate(function: Command) -> Command:
        @functools.wraps(function)
        def command(*args: Any, **values: Any) -> Any:
            ctx = click.get_current_context()
            if attention:
                _choose_look(ctx, values)
            if continuous:
                values["continuous"] = values["dt"] == 0
                values["dt"] = values["dt"] or po.SearchTask.declared["dt"].default
            elif values["dt"] == 0:
                wrong = "expected a positive number of seconds, got 0; continuous time is for "
                wrong += "`popout solve` and `popout thresholds`, write e.g. 0.001 here"
                raise click.BadParameter(wrong, ctx, param_hint="--dt")
            return function(*args, **_with_problem(values, several))

        made: Command = command
        for option in reversed([*_options_of_problems(attention, locations, several)]):
            made = option(made)
        return made

    return decorate


def _options_of_problems(
    attention: str, locations: bool, several: bool
) -> Iterator[Callable[[Command], Command]]:
    task = functools.partial(field_option, owner="SearchTask")
    limited = functools.partial(field_option, owner="LimitedSearchTask", required=False)
    floats, integers = (FLOATS, INTEGERS) if several else ({}, {})
    note = "[default: as many as drifts]"
    yield task("--drift", field="drift", note="Several as in 8,3.", required=not attention)
    if attention:
        note = "[default: as many as drifts or visibilities]"
        known = "parallel, guided, guided:0.5 (a power of the posterior), serial or optimal."
        names = Name("NAME[,...]" if several else "NAME", ATTENTION, several, is_closed=False)
        yield limited("--information", field="information", note="Not with --drift.", **floats)
        yield limited(
            "--visibility", field="visibility", note="Several as in 1,0.5.", default=(1.0,)
        )
        yield click.option(
            "--attention", type=names, default=attention, show_default=True, help=known
        )
    if locations:
        yield task("--locations", field="n_locations", note=note, **integers)
    yield task("--dt", field="dt")
    yield task("--prior", field="prior")
    pair = "Each class its own as in present=0.1:absent=0.2."
    costs: dict[str, Any] = {"type": PerClass(several=True)} if several else {}
    yield field_option("--time-cost", "Costs", "time", pair, **costs)
    yield field_option("--miss", "Costs", "miss")
    yield field_option("--false-alarm", "Costs", "false_alarm")


def _choose_look(ctx: click.Context, values: dict[str, Any]) -> None:
    """Forget the options of the kind of task that was not given; refuse both, and neither."""
    typed = [name for name in SECTIONS if _was_typed(ctx, name)]
    limited = "information" in typed
    if limited == ("drift" in typed):
        what = "both; leave one of them out" if limited else "neither; the first is what each "
        what += "" if limited else "location tells, the second what attention divides among them"
        raise click.UsageError(f"expected --drift or --information, got {what}", ctx)
    if not limited and typed != ["drift"]:
        wrong = f"expected --{typed[-1]} with --information, got it with --drift"
        raise click.UsageError(f"{wrong}; write e.g. --information 60 in place of --drift", ctx)
    for name in SECTIONS:
        if (name == "drift") == limited:
            values[name] = None
            del ctx.params[name]


def _was_typed(ctx: click.Context, name: str) -> bool:
    return ctx.get_parameter_source(name) is ParameterSource.COMMANDLINE


def _with_problem(values: dict[str, Any], several: bool) -> dict[str, Any]:
    """Return the values of a command, with a task and costs in place of their fields."""
    take = values.pop
    drift, rates, visibility = (take(name, None) for name in ("drift", "information", "visibility"))
    sizes, times, dt, prior = take("locations", None), take("time_cost"), take("dt"), take("prior")
    if several:
        sizes, times = sizes or [None], times or [None]
    else:
        sizes, rates, times = [sizes], [rates], [times]
    kind: Callable[..., Any] = po.SearchTask
    looks: list[dict[str, Any]] = [{"drift": drift}]
    if drift is None:
        kind = po.LimitedSearchTask
        looks = [{"information": rate, "visibility": visibility} for rate in rates]
    fields = [
        {**_for_each(look, size), "dt": dt, "prior": prior} for look in looks for size in sizes
    ]
    errors = {"miss": take("miss"), "false_alarm": take("false_alarm")}
    faults: list[Fault] = []
    tasks = _build(kind, fields, faults)
    costs = _build(po.Costs, [{"time": time, **errors} for time in times], faults)
    if faults:
        raise po.InputError(faults)
    if not several:
        (tasks,), (costs,) = tasks, costs
    return {**values, "task": tasks, "costs": costs}


def _for_each(look: dict[str, Any], size: int | None) -> dict[str, Any]:
    """Return the number of locations and their rates; a rate that stands alone is that of all."""
    alone = {name: x[0] for name, x in look.items() if isinstance(x, tuple) and len(x) == 1}
    return {**look, **alone, "n_locations": 1 if size is None and alone else size}


def _build(kind: Callable[..., Any], tables: list[dict[str, Any]], faults: list[Fault]) -> Any:
    """Build everything once; note the faults of the first that cannot be built."""
    try:
        return list(dict.fromkeys(kind(**table) for table in tables))
    except po.InputError as error:
        faults.extend(error.faults)


# -- faults of the library ---------------------------------------------------------------------


def in_options(error: po.InputError, command: click.Command) -> str:
    """Say what is wrong by the names of the command line: ``--trials``, not ``n_trials``.

    A fault in a file keeps the name that it has there.

    Parameters
    ----------
    error : InputError
    command : Command
        The one that failed.
    """
    options = {param.name: param.opts[0] for param in command.params if param.opts[0][:1] == "-"}
    lines = []
    for fault in error.faults:
        place = str(fault.path[0]) if fault.path else ""
        option = options.get(LIBRARY_NAMES.get(place, place))
        if option is not None and not fault.file:
            fault = replace(fault, subject="", path=(option, *fault.path[1:]))
        lines.append(str(fault))
    return "\n".join(lines)
