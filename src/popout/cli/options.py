"""Options shared between commands, and what a command is.

Each shared option is written once, so that it has one name, one default and one help text; those of
a task and its costs take them from the declarations of the fields (`popout.task.declared`). An
option goes by the name that the library has for it, so that a command can pass on what it does not
use itself, and faults of the library can be told in options::

    @options.command
    @options.problem(attention="optimal")
    @options.trials("--trials n_trials", 100_000, "Trials to run.")
    @options.common
    def command(task: po.Task, costs: po.Costs, as_json: bool, **how: Any) -> None:
        ...
"""

from __future__ import annotations

import functools
import inspect
import textwrap
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

import popout as po
from popout.cli.names import ATTENTION, Name
from popout.cli.quantities import NumberPairs, PerClass, Quantity, Several, Value, Whole

if TYPE_CHECKING:
    from popout.task import Fault

Function = Callable[..., Any]
Decorator = Callable[[Function], Function]
MOST_TRIALS = 10**11  # as the library; a test keeps the two together
FILE = click.Path(path_type=Path)
FLOATS, INTEGERS = Several(float, "number"), Several(int, "integer")
SECTIONS = {
    "drift": "Fixed rates",
    "information": "Limited information",
    "visibility": "Limited information",
    "attention": "Limited information",
    "items": "Gaze",
    "gazes": "Gaze",
    "falloff": "Gaze",
    "fixation": "Gaze",
    "saccade": "Gaze",
    "step": "Gaze",
    "start": "Gaze",
    "answer": "Gaze",
}
"""Options that belong to one kind of task, and where the help shows them."""
GAZE = tuple(name for name, section in SECTIONS.items() if section == "Gaze")
NOT_OF_GAZE = {
    "drift": "--drift",
    "visibility": "--visibility",
    "n_locations": "--locations",
    "dt": "--dt",
    "period": "--dynamic",
}
EXAMPLES = "\nExamples\n--------\n"


class Command(click.Command):
    """A command whose docstring ends with examples, which the help shows last.

    What belongs to one kind of task is set apart.
    """

    def __init__(self, name: str | None, help: str | None = None, **settings: Any) -> None:
        words, _, examples = inspect.cleandoc(help or "").partition(EXAMPLES)
        settings["epilog"] = "\b\nExamples:\n" + textwrap.indent(examples, "  ")
        super().__init__(name, help=words, **settings)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options, section by section."""
        apart = SECTIONS if any(param.name == "items" for param in self.params) else {}
        sections: dict[str, list[tuple[str, str]]] = {title: [] for title in apart.values()}
        for param in self.get_params(ctx):
            if record := param.get_help_record(ctx):
                sections.setdefault(apart.get(str(param.name), "Options"), []).append(record)
        for title, records in sections.items():
            with formatter.section(title):
                formatter.write_dl(records)


def command(function: Function) -> Command:
    """Make a command of a function; its docstring is the help."""
    return click.command(cls=Command)(function)


# -- options that many commands take -----------------------------------------------------------


def option(
    names: str, kind: Any, words: str, default: Any = None, show: bool = True, **more: Any
) -> Decorator:
    """Return an option.

    Parameters
    ----------
    names : str
        As it is typed, and what the library calls it if that is something else.
    kind : click.ParamType
    words : str
        The help.
    default : object
        One that is None, or not shown, is explained in the words.
    show : bool
    **more
        As for `click.option`.
    """
    known = show and default is not None
    settings = {"type": kind, "help": words, "default": default, "show_default": known, **more}
    return click.option(*names.split(), **settings)


def number(
    name: str, unit: str, example: str, words: str, default: float | None = None
) -> Decorator:
    """Return an option for a number of some unit; one without a default may be left out."""
    return option(name, Quantity(unit, example), words, default)


def trials(
    names: str,
    default: int | None,
    words: str,
    most: int = MOST_TRIALS,
    least: int | None = None,
) -> Decorator:
    """Return an option for a number of trials; how few are too few, the library says."""
    return option(names, Whole(least, most), words, default)


def file(name: str, metavar: str) -> Decorator:
    """Return the argument that names a file to be read."""
    return click.argument(name, metavar=metavar, type=FILE)


def folder(words: str, default: Path | None = None, required: bool = False) -> Decorator:
    """Return the option ``--out``, a folder to write to."""
    kind = click.Path(path_type=Path, file_okay=False)
    return option("--out", kind, words, default, required=required)


def preset(*names: str) -> Decorator:
    """Return the option that says how much work to put in; the first name is the default."""
    return option("--preset", click.Choice(names), "How much work to put in.", names[0])


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


seed = option("--seed", Whole(0, 2**64 - 1), "Seed of the noise.", 1)
as_json = click.option(
    "--json", "as_json", is_flag=True, help="Write JSON to stdout, and nothing else."
)
threads = option(
    "--threads",
    Whole(at_least=1),
    "Threads to use; results do not depend on it. [default: all cores]",
    callback=_limit_threads,
    expose_value=False,
)


def common(function: Function) -> Function:
    """Add the options of a command that computes: seed, threads and JSON."""
    return seed(threads(as_json(function)))


# -- a task and its costs ----------------------------------------------------------------------


def field(
    name: str, owner: str, field: str, note: str = "", kind: Any = None, **settings: Any
) -> Decorator:
    """Return the option of a declared field, with the words, the default and the type of that.

    Parameters
    ----------
    name : str
        Of the option.
    owner, field : str
        Name of a public class and of its field.
    note : str
        A remark after the words.
    kind : click.ParamType, optional
        In place of what follows from the declaration.
    **settings
        As for `click.option`, in place of what was declared.
    """
    from popout.task.kinds import Integer, OneOrEach

    declared = getattr(po, owner).declared[field]
    default = None if declared.is_required else declared.default
    if kind is not None:
        usual: Any = kind
    elif isinstance(declared.kind, OneOrEach):
        usual = PerClass() if declared.kind.length else FLOATS
    elif isinstance(declared.kind, Integer):
        usual = Whole()
    else:
        unit = declared.unit if declared.unit.isalpha() else "number"
        usual = Quantity(unit, f"{default or 60:g}")
    taken = {"required": declared.is_required, "default": default, **settings}
    return option(f"{name} {field}", usual, f"{declared.words} {note}".rstrip(), **taken)


def problem(
    *,
    attention: str = "",
    locations: bool = True,
    several: bool = False,
    continuous: bool = False,
    looks: bool = False,
) -> Decorator:
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
    looks : bool
        Whether a command without ``--attention`` takes limited information and gaze, too.
    """

    def decorate(function: Function) -> Function:
        @functools.wraps(function)
        def command(*args: Any, **values: Any) -> Any:
            ctx = click.get_current_context()
            if attention or looks:
                _choose_look(ctx, values)
            if continuous:
                values["continuous"] = values["dt"] == 0
                values["dt"] = values["dt"] or po.SearchTask.declared["dt"].default
            elif values["dt"] == 0:
                wrong = "expected a positive number of seconds, got 0; continuous time is for "
                wrong += "`popout solve` and `popout thresholds`, write e.g. 0.001 here"
                raise click.BadParameter(wrong, ctx, param_hint="--dt")
            return function(*args, **_with_problem(values, several))

        made: Function = command
        for option in reversed([*_options_of_problems(attention, locations, several, looks)]):
            made = option(made)
        return made

    return decorate


def _options_of_problems(
    attention: str, locations: bool, several: bool, looks: bool
) -> Iterator[Decorator]:
    task = functools.partial(field, owner="SearchTask")
    limited = functools.partial(field, owner="LimitedSearchTask", required=False)
    note = "[default: as many as drifts]"
    yield task(
        "--drift", field="drift", note="Several as in 8,3.", required=not (attention or looks)
    )
    if attention or looks:
        note = "[default: as many as drifts or visibilities]"
        known = "parallel, guided, guided:0.5 (a power of the posterior), serial or optimal."
        names = Name("NAME[,...]" if several else "NAME", ATTENTION, several, is_closed=False)
        rates = FLOATS if several else None
        yield limited("--information", field="information", note="Not with --drift.", kind=rates)
        seen = "Several as in 1,0.5."
        yield limited("--visibility", field="visibility", note=seen, default=(1.0,))
        known += (
            " Of gazes: map, elm, ideal, random:3 (none of the last three places), stay:2 (the "
        )
        known += "second place) or optimal; elm:0.2 where fixations are free."
        if attention:
            if attention != "optimal":
                of_gazes = "map,elm,ideal,random and stay in the middle" if several else "elm"
                known += f" [default: {attention}; with --items {of_gazes}]"
            yield option("--attention", names, known, attention, show=attention == "optimal")
        gaze = functools.partial(field, owner="GazeTask", required=False)
        places = NumberPairs("x and y of each place")
        yield gaze("--items", field="items", note="With --information and --falloff.", kind=places)
        yield gaze("--gazes", field="gazes", kind=places)
        table = NumberPairs("eccentricity and visibility", number=True)
        yield gaze("--falloff", field="falloff", kind=table)
        length = Value("seconds|free", _seconds_or_free, "seconds, or free", "write e.g. 0.2")
        yield gaze("--fixation", field="fixation", kind=length)
        yield gaze("--saccade", field="saccade", kind=Quantity("seconds", "0.03"))
        yield gaze("--step", field="step", kind=Quantity("seconds", "0.01"))
        yield gaze("--start", field="start", kind=Whole())
        yield gaze("--answer", field="answer", kind=click.Choice(["presence", "place"]))
    if locations:
        sizes = INTEGERS if several else None
        yield task("--locations", field="n_locations", note=note, kind=sizes)
    yield task("--dt", field="dt")
    if attention:
        yield task("--dynamic", field="period", kind=Quantity("seconds", "0.1"))
    yield task("--prior", field="prior")
    pair = "Each class its own as in present=0.1:absent=0.2."
    yield field("--time-cost", "Costs", "time", pair, PerClass(several=True) if several else None)
    yield field("--miss", "Costs", "miss")
    yield field("--false-alarm", "Costs", "false_alarm")


def _seconds_or_free(text: str) -> float | str:
    return text if text == "free" else float(text)


def _choose_look(ctx: click.Context, values: dict[str, Any]) -> None:
    """Forget the options of the kind of task that was not given; refuse both, and neither."""
    typed = [name for name in SECTIONS if _was_typed(ctx, name)]
    limited = "information" in typed
    if set(typed) & set(GAZE):
        _choose_gaze(ctx, values, typed)
        return
    if limited == ("drift" in typed):
        what = "both; leave one of them out" if limited else "neither; the first is what each "
        what += "" if limited else "location tells, the second what attention divides among them"
        raise click.UsageError(f"expected --drift or --information, got {what}", ctx)
    if not limited and typed != ["drift"]:
        wrong = f"expected --{typed[-1]} with --information, got it with --drift"
        raise click.UsageError(f"{wrong}; write e.g. --information 60 in place of --drift", ctx)
    for name in SECTIONS:
        if name in values and ((name == "drift") == limited or name in GAZE):
            values[name] = None
            del ctx.params[name]


def _choose_gaze(ctx: click.Context, values: dict[str, Any], typed: list[str]) -> None:
    """Forget the options of tasks without gazes; refuse them, and gazes without items."""
    missing = [name for name in ("items", "information", "falloff") if name not in typed]
    stray = [opt for name, opt in NOT_OF_GAZE.items() if name in values and _was_typed(ctx, name)]
    if missing or stray:
        wrong = f"expected --{missing[0]} with --{typed[-1]}, got none" if missing else ""
        wrong = wrong or f"expected --items without {stray[0]}, got both"
        remedy = "write e.g. --items 0:0,1:0,2:0 --information 20 --falloff 0.8"
        raise click.UsageError(f"{wrong}; {remedy}", ctx)
    for name in NOT_OF_GAZE:
        if name in values:
            values[name] = None
            del ctx.params[name]
    if "attention" not in typed and values.get("attention", "optimal") != "optimal":
        usual: str | None = "elm:0.2" if values["fixation"] == "free" else "elm"
        if isinstance(values["attention"], tuple):
            usual = None  # `compare` knows which it takes
        values["attention"] = ctx.params["attention"] = usual


def _was_typed(ctx: click.Context, name: str) -> bool:
    return ctx.get_parameter_source(name) is ParameterSource.COMMANDLINE


def _with_problem(values: dict[str, Any], several: bool) -> dict[str, Any]:
    """Return the values of a command, with a task and costs in place of their fields."""
    take = values.pop
    drift, rates, visibility = (take(name, None) for name in ("drift", "information", "visibility"))
    sizes, times = take("n_locations", None), take("time")
    gaze = {name: take(name, None) for name in GAZE}
    if several:
        sizes, times = sizes or [None], times or [None]
    else:
        sizes, rates, times = [sizes], [rates], [times]
    kind: Callable[..., Any] = po.SearchTask
    looks: list[dict[str, Any]] = [{"drift": drift}]
    if drift is None:
        kind = po.LimitedSearchTask
        looks = [{"information": rate, "visibility": visibility} for rate in rates]
    shared = {"dt": take("dt"), "prior": take("prior"), "period": take("period", None)}
    errors = {"miss": take("miss"), "false_alarm": take("false_alarm")}
    faults: list[Fault] = []
    fields = [{**_for_each(look, size), **shared} for look in looks for size in sizes]
    if gaze["items"] is not None:
        kind, prior = po.GazeTask, shared["prior"]
        fields = [{**gaze, "information": rate, "prior": prior} for rate in rates]
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
    from popout.task.faults import listed

    typed = {param.name: param.opts[0] for param in command.params if param.opts[0][:1] == "-"}
    faults = []
    for fault in error.faults:
        option = typed.get(str(fault.path[0])) if fault.path else None
        if option is not None and not fault.file:
            rest = fault.path[1:]
            if rest and isinstance(rest[0], str):  # the name within, as in --set prior
                option, rest = f"{option} {rest[0]}", rest[1:]
            fault = replace(fault, subject="", path=(option, *rest))
        faults.append(fault)
    return "\n".join(listed(faults))
