"""The task in words and numbers: the first part of the report."""

from __future__ import annotations

import re

from popout.report.page import Code, Section, Table, Text
from popout.report.words import cost_words, fixed, listing
from popout.study.assignment import Assignment
from popout.task import (
    DiscriminationTask,
    GaussianWalk,
    MixtureSearchTask,
    SceneSearchTask,
    SearchTask,
    Task,
)

__all__ = ["describe_task", "task_section"]


def describe_task(task: Task) -> tuple[str, ...]:
    """Say in words what the observer faces.

    Examples
    --------
    >>> describe_task(SearchTask(n_locations=2, drift=4.0))[0]
    'Search over 2 locations for one target among identical distractors.'
    """
    M = task.n_locations
    places = "1 location" if M == 1 else f"{M} locations"
    if isinstance(task, SearchTask):
        drifts = "drift" if task.is_homogeneous else "drifts"
        values = listing([f"±{v:g}" for v in dict.fromkeys(task.drifts)])
        return (
            f"Search over {places} for one target among identical distractors.",
            f"Each location observes a random walk with {drifts} {values} per second: plus at the "
            "target, minus at a distractor; the variance grows by one per second.",
            *_where(task),
        )
    if isinstance(task, DiscriminationTask):
        targets, others = _possible(task, task.target_prior), _possible(task, task.distractor_prior)
        return (
            f"One item: is it a target ({targets}) or a distractor ({others})?",
            *_observation(task),
        )
    targets = _possible(task, task.target_prior)
    if isinstance(task, SceneSearchTask):
        others = _possible(task, task.item_prior)
        counts = listing([str(n) for n in task.counts], "or")
        return (
            f"Search over {places} of which {counts} carry an item, the others being blank: one "
            f"target ({targets}) or none, among distractors ({others}).",
            *_observation(task),
            *_where(task),
        )
    kinds = [_possible(task, mixture) for mixture in task.mixtures]
    if len(kinds) == 1:
        among = f"distractors that are drawn at each location anew ({kinds[0]})"
    else:
        among = (
            f"distractors from one of {len(kinds)} mixtures, drawn anew on each trial: "
            f"{'; '.join(kinds)}"
        )
    return (
        f"Search over {places} for one target ({targets}) among {among}.",
        *_observation(task),
        *_where(task),
    )


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
    words = list(describe_task(task))
    if assignment.search is not None and not isinstance(task, SearchTask):
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


def _possible(
    task: DiscriminationTask | MixtureSearchTask | SceneSearchTask, weights: tuple[float, ...]
) -> str:
    """Return the orientations that can occur, with their probabilities where they differ."""
    pairs = [(o, w) for o, w in zip(task.orientations, weights, strict=True) if w > 0]
    same = len({round(w, 9) for _, w in pairs}) == 1
    names = [o if isinstance(o, str) else f"{o:g}°" for o, _ in pairs]
    if same:
        return listing(names, "or")
    return listing([f"{n} with {w:.3g}" for n, (_, w) in zip(names, pairs, strict=True)], "or")


def _observation(task: DiscriminationTask | MixtureSearchTask | SceneSearchTask) -> tuple[str, ...]:
    law, n = task.observation, task.observation.n_channels
    channels = "one channel" if n == 1 else f"{n} channels"
    if isinstance(law, GaussianWalk):
        return (f"Each location is observed through {channels} of Gaussian noise.",)
    return (f"Each location is observed through {channels} of Poisson spikes.",)


def _where(task: SearchTask | MixtureSearchTask | SceneSearchTask) -> tuple[str, ...]:
    prior = task.location_prior
    if task.n_locations == 1 or max(prior) - min(prior) < 1e-9:
        return ()
    return (
        f"A target takes the locations with probabilities {listing([f'{p:.3g}' for p in prior])}.",
    )
