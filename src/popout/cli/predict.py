"""``popout predict DIR --set prior=0.2``: fitted observers in another experiment, nothing refitted.

With data of that experiment the predictions are scored.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from popout.cli import options
from popout.cli.describe import READING, Words, read_given, reading_options
from popout.cli.interrupts import resumable
from popout.cli.output import show
from popout.cli.progress import progress
from popout.cli.quantities import Whole


class Settings(click.ParamType):  # type: ignore[type-arg]  # generic in new versions of click
    """Names with numbers, ``prior=0.2,miss=2`` or ``set_size=4,8``, as a dict of tuples."""

    name = "NAME=NUMBER[,...]"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the numbers of each name; refuse what is none, and a name that comes twice."""
        if isinstance(value, dict):  # click converts values twice
            return value
        settings: dict[str, tuple[float, ...]] = {}
        last = ""
        for part in str(value).split(","):
            name, sign, said = part.rpartition("=")
            name = name.strip() if sign else last
            try:
                if not name or (sign and name in settings):
                    raise ValueError
                number = int(said) if said.strip().isdecimal() else float(said)
                settings[name] = (*settings.get(name, ()), number)
            except ValueError:
                wrong = f"expected NAME=NUMBER with different names, got {value!r:.60}"
                self.fail(f"{wrong}; write e.g. prior=0.2 or set_size=4,8", param, ctx)
            last = name
        return settings


def _merged(
    ctx: click.Context, param: click.Parameter, given: tuple[dict[str, Any], ...]
) -> dict[str, Any]:
    """Return the settings of all ``--set`` together."""
    merged: dict[str, Any] = {}
    for each in given:
        if twice := merged.keys() & each.keys():
            wrong = f"expected each name once, got {min(twice)} twice"
            raise click.BadParameter(f"{wrong}; join its values by commas", ctx, param)
        merged |= each
    return merged


def _refuse_reading(ctx: click.Context) -> None:
    """Refuse options of reading where nothing is read: --prior is not --set prior=..."""
    for param in ctx.command.params:
        given = ctx.get_parameter_source(str(param.name)) is ParameterSource.COMMANDLINE
        if given and param.name in (*READING, "codes"):
            wrong = f"expected --against DATA with {param.opts[0]}, got none"
            raise click.UsageError(f"{wrong}; what is different is said with --set", ctx)


@options.command
@options.file("folder", "DIR")
@options.option(
    "--set changes",
    Settings(),
    "What is different there: prior, miss, false_alarm, deadline (s), dynamic (s between "
    "reshuffles), set_size. Several values are several conditions.",
    multiple=True,
    callback=_merged,
)
@options.option(
    "--against",
    options.FILE,
    "Trials of the same observers in that experiment; the options of reading are those of popout "
    "describe.",
    metavar="DATA",
)
@options.folder("Folder for a page, the pictures and the data.")
@options.option(
    "--models",
    Words(),
    "Models to choose from, with ideal thresholds; the one of least AIC predicts. [default: all]",
)
@options.option("--draws", Whole(20, 10**5), "Parameters drawn for the intervals.", 200)
@options.option(
    "--folds", Whole(2, 100), "Parts of the cross-validation of what is refitted.", 5, show=False
)
@reading_options
@options.threads
@options.as_json
def command(
    folder: Path,
    changes: dict[str, Any],
    against: Path | None,
    out: Path | None,
    as_json: bool,
    **how: Any,
) -> None:
    """Predict fitted observers in another experiment, nothing refitted.

    DIR is what popout fit wrote. Information, guidance, non-decision time and the cost of time
    are those of the fit; ideal thresholds follow what is at stake. Intervals come from the fit.
    With --against, log scores per trial tell the prediction from the same model refitted, from
    thresholds kept as they were and from one ex-Gaussian per cell, and the share of the ideal
    shift says how far people move.

    Examples
    --------
    popout predict results --set prior=0.2
    popout predict results --set miss=2,set_size=4,8,16 --json
    popout predict results --set prior=0.1,0.5,0.9 --out predicted
    popout predict results --against DATA.csv --pay 1/2 --out predicted
    """
    # Each job is one thread; BLAS reads this once, when a worker loads NumPy.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    from popout.people.prediction.predict_observers import predict_observers
    from popout.simulation.simulator import default_threads

    trials = None
    if against is not None:
        trials = read_given(against, how)
    else:
        _refuse_reading(click.get_current_context())
        for name in (*READING, "codes"):
            how.pop(name, None)
    again = "What was predicted is kept with --out DIR; the same command goes on from there."
    with resumable(again), progress("predicting") as update:
        predicted = predict_observers(
            folder, changes, against=trials, out=out, workers=default_threads(),
            progress=update, **how,
        )  # fmt: skip
    if trials is None:
        show(predicted, as_json)
    else:
        show(predicted, as_json, "", predicted.score_card())
    if predicted.failed:
        words = "; ".join(f"{name}: {why}" for name, why in predicted.failed.items())
        raise click.ClickException(f"{len(predicted.failed)} observers failed: {words}")
