"""A question of the explorer, and how the body of a request is read.

A body is the task and the costs as in a task file, and settings beside them::

    {"task": {"kind": "search", "n_locations": 2, "drift": 4.0}, "costs": {"time": 0.2}, "seed": 1}

Every fault of all three comes in one `InputError`, with paths from the outside of the body.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from popout.progress import Progress
from popout.task import Costs, InputError, Task
from popout.task.declared import Declared
from popout.task.document import Document, DocumentFaults
from popout.task.faults import Fault, show
from popout.task.toml import build_costs, build_declared, build_task
from popout.web.explorer import settings
from popout.web.explorer.settings import MOST_LOCATIONS

Answer = Callable[[Task, Costs, Any, Progress], Any]


@dataclass(frozen=True)
class Question:
    """A question that may be asked.

    Attributes
    ----------
    name : str
        Of its route.
    settings : type of Declared
    words : str
        One sentence for the description of the routes.
    """

    name: str
    settings: type[Declared]
    words: str

    def answer(self, asked: Asked, progress: Progress) -> Any:
        """Compute the answer; heavy, and loaded when first called."""
        from popout.web.explorer import answers

        compute: Answer = getattr(answers, self.name.replace("-", "_"))
        return compute(asked.task, asked.costs, asked.settings, progress)


QUESTIONS = {
    question.name: question
    for question in (
        Question("boundary", settings.Boundary, "The decision boundary of two locations."),
        Question("solve", settings.Solve, "The exact ideal observer."),
        Question("thresholds", settings.Thresholds, "The optimal thresholds of each location."),
        Question("simulate", settings.Simulate, "Trials of one strategy."),
        Question("slopes", settings.Slopes, "Response times over set sizes."),
        Question("compare", settings.Compare, "Strategies side by side."),
        Question("frontier", settings.Frontier, "Speed against accuracy."),
        Question("example-trials", settings.Examples, "A few trials, step by step."),
    )
}
"""By route."""


@dataclass(frozen=True)
class Asked:
    """A question as somebody asked it.

    Attributes
    ----------
    name : str
        Of the question.
    task : Task
    costs : Costs
    settings : Declared
    """

    name: str
    task: Task
    costs: Costs
    settings: Declared

    @property
    def problem(self) -> str:
        """What is the same for all questions about one task and its costs."""
        return json.dumps([self.task.as_dict(), self.costs.as_dict()], sort_keys=True)

    @property
    def observer(self) -> str:
        """What is the same for all questions about one observer, who is made for the first."""
        who = [getattr(self.settings, name, None) for name in ("strategy", "attention")]
        return json.dumps([self.problem, who])

    @property
    def key(self) -> str:
        """What is the same for two that ask the same, whatever they left to defaults."""
        return json.dumps([self.name, self.problem, self.settings.as_dict()], sort_keys=True)

    def answer(self, progress: Progress) -> Any:
        """Compute the answer."""
        return QUESTIONS[self.name].answer(self, progress)


def read_question(name: str, body: object, table: tuple[str, ...] = ()) -> Asked:
    """Read the body of a request.

    Parameters
    ----------
    name : str
        Of a question.
    body : object
        As `json.loads` returns it.
    table : tuple of str
        Where the body stands in a larger one; it goes before every path.

    Examples
    --------
    >>> body = {"task": {"kind": "search", "drift": [8, 3]}, "costs": {"time": 0.2}}
    >>> read_question("solve", body).task.drifts
    (8.0, 3.0)
    >>> read_question("solve", {**body, "rtoll": 1})
    Traceback (most recent call last):
    popout.task.faults.InputError: Solve.rtoll: expected one of attention, rtol, task, costs, \
got 'rtoll'; did you mean rtol?
    """
    if not isinstance(body, Mapping):
        remedy = 'write {"task": {...}, "costs": {...}}'
        raise InputError([Fault("body", (), "an object", show(body), remedy, table=table)])
    values = {str(key): value for key, value in body.items()}
    values = {"task": None, "costs": None, **values}
    faults = DocumentFaults(Document(values, {}))
    task = build_task(faults, ("task",))
    costs = build_costs(faults)
    chosen = build_declared(faults, QUESTIONS[name].settings, (), ["task", "costs"])
    if task is not None and task.n_locations > MOST_LOCATIONS:
        expected = f"at most {MOST_LOCATIONS} locations"
        remedy = "ask the command line for more"
        faults.at(("task", "n_locations"), "n_locations", expected, task.n_locations, remedy)
    if table and faults:
        outer = DocumentFaults(Document({}, {}))
        outer.absorb(InputError(faults.faults), table)
        outer.raise_if_any()
    faults.raise_if_any()
    assert task is not None
    assert costs is not None
    return Asked(name, task, costs, chosen)
