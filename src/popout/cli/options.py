"""Options shared between commands, and the comma lists of ``--drift 8,3``.

Each shared option is written once, so that it has one name, one default and one help text. A
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
import os
import sys
from collections.abc import Callable
from typing import Any, TypeVar

import click

import popout as po
from popout.cli.quantities import Quantity, Whole

__all__ = [
    "FLOATS",
    "INTEGERS",
    "drift_option",
    "dt_option",
    "false_alarm_option",
    "json_option",
    "locations_option",
    "miss_option",
    "prior_option",
    "problem_options",
    "rtol_option",
    "seed_option",
    "threads_option",
    "time_cost_option",
    "trials_option",
    "tune_trials_option",
]

Number = TypeVar("Number", int, float)
Command = Callable[..., Any]


def comma_list(one: Callable[[str], Number], item: str) -> dict[str, Any]:
    """Make the settings of an option that takes numbers separated by commas, as a tuple.

    Parameters
    ----------
    one : type
        `int` or `float`, applied to each item.
    item : str
        What one item is called in the help and in the error message.

    Returns
    -------
    dict
        Keywords for `click.option`.
    """

    def convert(
        ctx: click.Context, param: click.Parameter, text: str | None
    ) -> tuple[Number, ...] | None:
        if text is None:
            return None
        try:
            return tuple(one(part) for part in text.split(","))
        except ValueError:
            raise click.BadParameter(
                f"expected one {item}, or several separated by commas, got {text!r}; "
                "write e.g. 8 or 8,3 without spaces",
                ctx,
                param,
            ) from None

    return {"callback": convert, "metavar": f"{item.upper()}[,...]"}


FLOATS = comma_list(float, "number")
INTEGERS = comma_list(int, "integer")

dt_option = click.option(
    "--dt",
    type=Quantity("seconds", "0.01"),
    default=0.01,
    show_default=True,
    help="Time step, in seconds.",
)
prior_option = click.option(
    "--prior",
    type=Quantity("number", "0.5"),
    default=0.5,
    show_default=True,
    help="Probability of a target.",
)
miss_option = click.option(
    "--miss", type=Quantity("number", "1"), default=1.0, show_default=True, help="Cost of a miss."
)
false_alarm_option = click.option(
    "--false-alarm",
    type=Quantity("number", "1"),
    default=1.0,
    show_default=True,
    help="Cost of a false alarm.",
)
MOST_TRIALS = 10**11  # hours on a large machine; more is a slip of the hand


def trials_option(
    default: int, words: str, name: str = "--trials", most: int = MOST_TRIALS
) -> Callable[..., Any]:
    """Make an option for a number of trials; how few are too few, the library says."""
    return click.option(
        name, type=Whole(at_most=most), default=default, show_default=True, help=words
    )


tune_trials_option = trials_option(
    100_000, "Trials per candidate while free parameters are tuned.", "--tune-trials"
)
rtol_option = click.option(
    "--rtol",
    type=Quantity("number", "1e-4"),
    default=1e-4,
    show_default=True,
    help="Relative accuracy of the risk.",
)
seed_option = click.option(
    "--seed",
    type=Whole(0, 2**64 - 1),
    default=1,
    show_default=True,
    help="Seed of the noise.",
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
drift_option = click.option(
    "--drift",
    **FLOATS,
    required=True,
    help="Drift rate in 1/s: +drift at a target, -drift elsewhere. "
    "One number for all locations, or one each as in 8,3.",
)
locations_option = click.option(
    "--locations",
    type=Whole(),
    default=None,
    help="Number of search locations. [default: as many as drifts]",
)
time_cost_option = click.option(
    "--time-cost",
    **FLOATS,
    required=True,
    help="Risk per second; two numbers are target absent, target present.",
)


def _limit_threads(ctx: click.Context, param: click.Parameter, threads: int | None) -> int | None:
    """Give compiled kernels and matrix products at most so many threads, for this command."""
    if threads is None:
        return None
    if "numpy" not in sys.modules:  # BLAS reads these once, when NumPy is imported
        for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
            os.environ[name] = str(threads)
    import numba

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

    Every fault of the task and of the costs is reported in one message.
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
        time_cost: tuple[float, ...],
        miss: float,
        false_alarm: float,
        **others: Any,
    ) -> Any:
        task, costs = build_problem(drift, locations, dt, prior, time_cost, miss, false_alarm)
        return function(*args, task=task, costs=costs, **others)

    return command


def build_problem(
    drift: tuple[float, ...],
    locations: int | None,
    dt: float,
    prior: float,
    time_cost: tuple[float, ...],
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
    lines: list[str] = []

    def build(make: Callable[..., Any], **fields: Any) -> Any:
        try:
            return make(**fields)
        except po.InputError as error:
            lines.extend(error.lines)

    task = build(
        po.SearchTask,
        n_locations=len(drift) if locations is None else locations,
        drift=drift[0] if len(drift) == 1 else drift,
        dt=dt,
        prior=prior,
    )
    costs = build(
        po.Costs,
        time=time_cost[0] if len(time_cost) == 1 else time_cost,
        miss=miss,
        false_alarm=false_alarm,
    )
    if lines:
        raise po.InputError(lines)
    return task, costs
