"""``popout thresholds``: the optimal pair of thresholds at one location."""

from __future__ import annotations

import click

import popout as po
from popout.cli import options
from popout.cli.output import show, write_card, write_json
from popout.cli.progress import progress
from popout.drawing.representation import Card

COLUMNS = {
    "drift": "drift (1/s)",
    "lower": "lower",
    "upper": "upper",
    "risk": "risk",
    "risk_error": "error of risk",
}
"""Of the table of several drifts."""


@options.command
@options.problem(locations=False, continuous=True)
@options.number("--rtol", "number", "1e-4", "Relative accuracy of the risk.", 1e-4)
@options.as_json
def command(
    task: po.SearchTask, costs: po.Costs, continuous: bool, rtol: float, as_json: bool
) -> None:
    """Find the optimal thresholds for telling a target from a distractor at one location.

    Thresholds are log posterior odds: say "absent" at or below the lower, "present" at or above the
    upper. Several drifts give a table with one row each. --dt 0 is continuous time, in closed form.

    Examples
    --------
    popout thresholds --drift 4 --time-cost 0.2
    popout thresholds --drift 8,3 --time-cost 0.2 --json
    popout thresholds --drift 4 --time-cost 0.2 --dt 0
    """
    dt = 0.0 if continuous else task.dt
    with progress("solving") as update:
        pairs = [
            po.thresholds(drift, costs, dt=dt, prior=task.prior, rtol=rtol, progress=update)
            for drift in task.drifts
        ]
    if len(pairs) == 1:
        show(pairs[0], as_json)
        return
    rows = [pair.as_dict() for pair in pairs]
    if as_json:
        write_json(rows)
        return
    title = f"Optimal thresholds (log posterior odds) and risk, dt = {dt:g} s"
    table = [[row[name] for name in COLUMNS] for row in rows]
    write_card(Card(title, headings=list(COLUMNS.values()), rows=table))
    for pair in pairs:
        for note in pair.notes:
            click.echo(f"Drift {pair.drift:g}: {note}")
