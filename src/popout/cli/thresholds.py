"""``popout thresholds``: the optimal pair of thresholds at one location."""

from __future__ import annotations

from dataclasses import asdict

import click

import popout as po
from popout.cli.options import (
    build_problem,
    drift_option,
    dt_option,
    false_alarm_option,
    json_option,
    miss_option,
    prior_option,
    rtol_option,
    time_cost_option,
)
from popout.cli.output import write_json, write_table
from popout.cli.solve import solver_progress


@click.command(
    "thresholds",
    short_help="Find the optimal thresholds of one location.",
    epilog="""\b
Examples:
  popout thresholds --drift 4 --time-cost 0.2
  popout thresholds --drift 8,3 --time-cost 0.2 --json""",
)
@drift_option
@dt_option
@prior_option
@time_cost_option
@miss_option
@false_alarm_option
@rtol_option
@json_option
def command(
    drift: tuple[float, ...],
    dt: float,
    prior: float,
    time_cost: tuple[float, ...],
    miss: float,
    false_alarm: float,
    rtol: float,
    as_json: bool,
) -> None:
    """Find the optimal thresholds for telling a target from a distractor at one location.

    Thresholds are log posterior odds: say "absent" at or below the lower, "present" at or above the
    upper. Several drifts give one row each.
    """
    rows = []
    for one in drift:
        task, costs = build_problem((one,), 1, dt, prior, time_cost, miss, false_alarm)
        with solver_progress() as report:
            found = po.thresholds(
                task.drifts[0], costs, dt=task.dt, prior=task.prior, rtol=rtol, report=report
            )
        rows.append({"drift": one, **asdict(found)})
    if as_json:
        write_json(rows[0] if len(rows) == 1 else rows)
        return
    columns = ("drift", "lower", "upper", "risk", "risk_error")
    write_table(
        f"Optimal thresholds (log posterior odds) and risk, dt = {dt:g} s",
        ("drift (1/s)", "lower", "upper", "risk", "error of risk"),
        [tuple(row[name] for name in columns) for row in rows],
    )
