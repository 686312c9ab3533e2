"""The task in words and numbers: the first part of the report."""

from __future__ import annotations

import re

from popout.report.page import Code, Section, Table, Text
from popout.report.words import cost_words, fixed
from popout.study.assignment import Assignment


def task_section(assignment: Assignment, toml: str) -> Section:
    """Return the part of the page that says what was analysed."""
    task, costs = assignment.task, assignment.costs
    rows = [
        ("locations", str(task.n_locations)),
        ("probability of a target", f"{task.prior:g}"),
        ("time step", f"{1000 * task.dt:g} ms"),
        ("cost of time", cost_words(costs.time_absent, costs.time_present)),
        ("cost of a miss, of a false alarm", f"{costs.miss:g}, {costs.false_alarm:g}"),
        ("risk of guessing at once", fixed(assignment.guess_risk)),
    ]
    words = list(task.describe())
    if assignment.search is not None and task.search is not task:
        drift = assignment.search.drifts[0]
        words.append(
            "With one target and one distractor orientation this is search with drift "
            f"±{drift:.4g} per second, and is solved as such."
        )
    if len(assignment.places) < task.n_locations:
        words.append("Locations that never hold the target tell nothing and are left out below.")
    return Section(
        "task",
        "The task",
        (
            Text((" ".join(words),)),
            Table(("", ""), tuple(rows)),
            Code(_compact(toml), title="As a task file, defaults included"),
        ),
    )


def _compact(toml: str) -> str:
    """Put every array on one line."""
    joined = re.sub(r"\n[ \t]+", " ", toml)
    return re.sub(r",?\s*\n?\]", "]", joined.replace("[ ", "[")).strip()
