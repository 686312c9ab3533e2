"""``popout describe DATA``: how a file of trials is read, and what is in it before any model."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from popout.cli.options import json_option
from popout.cli.output import write_card, write_json
from popout.cli.trials import trials_options

if TYPE_CHECKING:
    from popout.people.reading.observed import ObservedTrials


@click.command(
    "describe",
    short_help="Read trials of people: means, errors and slopes.",
    epilog="""\b
Examples:
  popout describe examples/people/two_observers.csv
  popout describe DATA.csv --columns rt=RT,observer=Subject --rt-unit ms
  popout describe DATA.csv --where display=static --json""",
)
@trials_options
@json_option
def command(trials: ObservedTrials, as_json: bool) -> None:
    """Read trials of people and describe them, before any model.

    DATA is CSV, TSV or Parquet with one trial a row: response time, set size, whether the target
    was present, and the answer or whether it was correct. Columns, units and the meaning of keys
    are found and said; the options overrule them. Slopes are in ms per item.
    """
    description = trials.describe()
    if as_json:
        write_json({**trials.as_dict(), **description.as_dict(), "trials": trials.n_trials})
        return
    write_card(trials.card())
    click.echo()
    write_card(description.card())
