"""``popout thresholds``: the optimal pair of thresholds at one location."""

from __future__ import annotations

import click

import popout as po
from popout.cli.options import json_option, problem_options, rtol_option
from popout.cli.output import write_card, write_json, write_table
from popout.cli.progress import progress


@click.command(
    "thresholds",
    epilog="""\b
Examples:
  popout thresholds --drift 4 --time-cost 0.2
  popout thresholds --drift 8,3 --time-cost 0.2 --json
  popout thresholds --drift 4 --time-cost 0.2 --dt 0""",
)
@problem_options(locations=False, continuous=True)
@rtol_option
@json_option
def command(
    task: po.SearchTask, costs: po.Costs, continuous: bool, rtol: float, as_json: bool
) -> None:
    """Find the optimal thresholds for telling a target from a distractor at one location.

    Thresholds are log posterior odds: say "absent" at or below the lower, "present" at or above the
    upper. Several drifts give a table with one row each. --dt 0 is continuous time, in closed form.
    """
    dt = 0.0 if continuous else task.dt
    with progress("solving") as update:
        pairs = [
            po.thresholds(drift, costs, dt=dt, prior=task.prior, rtol=rtol, progress=update)
            for drift in task.drifts
        ]
    rows = [pair.as_dict() for pair in pairs]
    if as_json:
        write_json(rows[0] if len(rows) == 1 else rows)
    elif len(pairs) == 1:
        write_card(pairs[0].card())
    else:
        columns = ("drift", "lower", "upper", "risk", "risk_error")
        write_table(
            f"Optimal thresholds (log posterior odds) and risk, dt = {dt:g} s",
            ("drift (1/s)", "lower", "upper", "risk", "error of risk"),
            [tuple(row[name] for name in columns) for row in rows],
        )
        for pair in pairs:
            for note in pair.notes:
                click.echo(f"Drift {pair.drift:g}: {note}")
