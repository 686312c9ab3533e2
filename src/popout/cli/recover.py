"""``popout recover``: what a design can tell, from synthetic observers whose truth is known."""

from __future__ import annotations

import click

from popout.cli.describe import Pairs, Words, paths_option
from popout.cli.options import INTEGERS, json_option, seed_option, threads_option
from popout.cli.output import write_card, write_json
from popout.cli.progress import progress
from popout.cli.quantities import Whole


@click.command(
    "recover",
    short_help="Judge a design: fit simulated observers whose truth is known.",
    epilog="""\b
Examples:
  popout recover --set-sizes 3,6,12,18 --trials-per-cell 250 --people 5
  popout recover --set-sizes 4,16 --trials-per-cell 100 --models ideal-serial
  popout recover --set-sizes 4,8 --trials-per-cell 200 --values time_cost=0.05""",
)
@click.option("--set-sizes", **INTEGERS, required=True, help="Set sizes of the design.")
@click.option(
    "--trials-per-cell",
    type=Whole(10, 10**6),
    required=True,
    help="Trials of each set size with a target, and as many without.",
)
@click.option(
    "--models",
    type=Words(),
    default="ideal-parallel,ideal-serial",
    show_default=True,
    help="Models that observers are drawn from; each is fitted to all of them.",
)
@click.option(
    "--values",
    type=Pairs("time_cost=0.05", "NAME=NUMBER[,...]"),
    help="Parameters of the observers. [default: those of a typical one]",
)
@click.option(
    "--people",
    type=Whole(1, 10_000),
    default=4,
    show_default=True,
    help="How many synthetic people of each model.",
)
@paths_option
@seed_option
@threads_option
@json_option
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
    """
    from popout.people.fitting.fit_job import check_models
    from popout.people.fitting.model_comparison import Criterion
    from popout.people.fitting.recovery import recover
    from popout.people.fitting.synthetic import Design, check_names, typical_values
    from popout.people.passages.passage_tables import PassageTables

    given = {name: _number(name, text) for name, text in (values or {}).items()}
    candidates = check_models(models, 10.0)
    check_names(candidates, given)
    design = Design(set_sizes, trials_per_cell)
    truth = [(model, typical_values(model, given)) for model in candidates]
    tables = PassageTables(design.set_sizes, n_paths=paths, seed=seed)
    with progress("recovering") as update:
        recovery = recover(design, truth, people, candidates, tables, seed, update)
    if as_json:
        write_json(recovery.as_dict())
        return
    write_card(recovery.card())
    for criterion in Criterion:
        click.echo()
        write_card(recovery.confusion_card(criterion))


def _number(name: str, text: str) -> float:
    try:
        return float(text)
    except ValueError:
        wrong = f"--values: expected a number for {name}, got {text!r:.60}; write e.g. {name}=0.1"
        raise click.UsageError(wrong) from None
