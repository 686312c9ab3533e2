"""``popout recover``: what a design can tell, from observers whose truth is known."""

from __future__ import annotations

import click

from popout.cli import options
from popout.cli.describe import Pairs, Words, paths_option
from popout.cli.output import show
from popout.cli.progress import progress
from popout.cli.quantities import Whole


@options.command
@options.option("--set-sizes", options.INTEGERS, "Set sizes of the design.", required=True)
@options.option(
    "--trials-per-cell",
    Whole(10, 10**6),
    "Trials of each set size with a target, and as many without.",
    required=True,
)
@options.option(
    "--models",
    Words(),
    "Models that observers are drawn from; each is fitted to all of them.",
    "ideal-parallel,ideal-serial",
)
@options.option(
    "--values",
    Pairs("time_cost=0.05", "NAME=NUMBER[,...]"),
    "Parameters of the observers. [default: those of a typical one]",
)
@options.option("--people", Whole(1, 10_000), "How many synthetic people of each model.", 4)
@paths_option
@options.common
def command(
    set_sizes: tuple[int, ...],
    trials_per_cell: int,
    models: tuple[str, ...],
    values: dict[str, str] | None,
    people: int,
    paths: int,
    seed: int,
    as_json: bool,
) -> None:
    """Judge a design before it is run: fit simulated observers whose truth is known.

    Observers are drawn from each model and fitted with all of them. The result says how far
    estimates are from the truth, how often 95 % intervals hold it, which parameters a design of
    this size determines at all, and how often each model is taken for another.

    Examples
    --------
    popout recover --set-sizes 3,6,12,18 --trials-per-cell 250 --people 5
    popout recover --set-sizes 4,16 --trials-per-cell 100 --models ideal-serial
    popout recover --set-sizes 4,8 --trials-per-cell 200 --values time_cost=0.05
    """
    from popout.people.fitting.fit_job import YARDSTICK
    from popout.people.fitting.model_comparison import Criterion
    from popout.people.fitting.recovery import recover
    from popout.people.fitting.synthetic import Design, check_names, typical_values
    from popout.people.models.search_models import models as models_named
    from popout.people.passages.passage_tables import PassageTables

    given = {name: _number(name, text) for name, text in (values or {}).items()}
    candidates = models_named([name for name in models if name != YARDSTICK], 10.0)
    check_names(candidates, given)
    design = Design(set_sizes, trials_per_cell)
    truth = [(model, typical_values(model, given)) for model in candidates]
    tables = PassageTables(design.set_sizes, n_paths=paths, seed=seed)
    with progress("recovering") as update:
        recovery = recover(design, truth, people, candidates, tables, seed, update)
    show(recovery, as_json, *map(recovery.confusion_card, Criterion))


def _number(name: str, text: str) -> float:
    try:
        return float(text)
    except ValueError:
        wrong = f"--values: expected a number for {name}, got {text!r:.60}; write e.g. {name}=0.1"
        raise click.UsageError(wrong) from None
