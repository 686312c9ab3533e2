"""``popout fit DATA --out DIR``: models fitted to people, and how far from optimal they are."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from popout.cli import options
from popout.cli.describe import Words, paths_option, trials_options
from popout.cli.interrupts import resumable
from popout.cli.output import show
from popout.cli.progress import progress
from popout.cli.quantities import Whole

if TYPE_CHECKING:
    from popout.people.reading.observed import ObservedTrials

EVERYBODY = "*"
"""The value of ``--group`` alone."""


@options.command
@trials_options
@options.folder("Folder for the page, the pictures and the data.", required=True)
@options.option(
    "--models",
    Words(),
    "Models to fit: ideal- or free- thresholds with parallel, guided, guided:1 or serial "
    "attention, as in ideal-serial; +slips; ex-gaussian. Stopping rules, for places of unequal "
    "visibility: rule:a-sprt, rule:sprt, rule:hardmax-per-location, rule:hardmax. [default: nine "
    "of search]",
)
@paths_option
@options.option(
    "--folds", Whole(0, 100), "Cross-validate over blocks, in this many parts.", 0, show=False
)
@options.option(
    "--floor",
    Whole(0, 1000),
    "Ideal observers to simulate and fit, for the floor of the indices; takes long.",
    0,
    show=False,
)
@options.option(
    "--vary",
    str,
    "Parameters that differ between conditions, as in "
    "information=orientation,guidance=orientation*familiarity; a column alone asks what it "
    "changes: information, guidance, thresholds or non-decision time.",
    metavar="[PARAMETER=]COLUMN[,...]",
)
@click.option(
    "--group",
    is_flag=False,
    flag_value=EVERYBODY,
    metavar="[COLUMN]",
    help="Let observers come from a population; with a column, such as age, one with groups whose "
    "means differ.",
)
@options.option(
    "--sweeps", Whole(20, 10**6), "Of each of the four chains that sample the population.", 4000
)
@click.option("--scheduler", metavar="ADDRESS", help="Use a Dask cluster that is running.")
@options.common
def command(
    trials: ObservedTrials,
    out: Path,
    models: tuple[str, ...] | None,
    group: str | None,
    as_json: bool,
    **how: Any,
) -> None:
    """Fit models of search to people, and say how far from optimal they are.

    DATA is read as by `popout describe`. The page (report.html) shows what was read and dropped,
    the data over the best model, parameters with intervals, what the data do not determine, models
    compared, and the distance from optimal, for each observer and side by side; with --vary what a
    condition changes, and with --group the population that observers come from. report.json and
    tables beside it hold every number. After an interruption, of whatever kind, the same command
    goes on where it was.

    Examples
    --------
    popout fit DATA.csv --out results
    popout fit DATA.csv --out results --models ideal-serial,free-guided,ex-gaussian
    popout fit DATA.csv --out results --observers 2,6 --where display=static --json
    popout fit DATA.csv --out results --models ideal-guided --vary display --group
    """
    # Each fit is one thread; BLAS reads this once, when a worker loads NumPy.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    from popout.people.fitting.fit_job import DEFAULT_MODELS
    from popout.people.fitting.fit_observers import fit_observers
    from popout.simulation.simulator import default_threads

    again = f"What was fitted is kept in {out}; the same command goes on from there."
    how |= {"models": models or DEFAULT_MODELS, "workers": default_threads()}
    how["group"] = group == EVERYBODY or (False if group is None else group)
    with resumable(again), progress("fitting") as update:
        fits = fit_observers(trials, out, progress=update, **how)
    show(fits, as_json)
    if fits.n_failed:
        raise click.ClickException(f"{fits.n_failed} fits failed; {fits.report} says why")
