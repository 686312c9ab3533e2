"""What visitors of the explorer may ask.

A question is the task and the costs as in a task file, and settings beside them::

    {"task": {"kind": "search", "n_locations": 2, "drift": 4.0}, "costs": {"time": 0.2}, "seed": 1}

Names and meanings are those of the command line. The bounds are tighter: a server answers many.
A question is checked when it is made, with every fault at once; it can be sent to another process,
and two that ask the same are equal, whatever they left to defaults.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Annotated, Any, ClassVar, Literal, TypeVar

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    PlainValidator,
    WithJsonSchema,
)
from typing_extensions import TypeAliasType

from popout.policies.vocabulary import STRATEGIES
from popout.progress import Progress
from popout.task import Costs, Fault, InputError, Task
from popout.task.declared import Declared
from popout.task.document import Document, DocumentFaults
from popout.task.faults import show
from popout.task.toml import kind_schemas
from popout.web.explorer.effort import observer_effort, trial_effort

S = TypeVar("S", bound=Sequence[object])
T = TypeVar("T")
MOST_LOCATIONS = 64
"""Of a task in the explorer; nothing is left to see beyond."""


def _refuse(expected: str, got: object, remedy: str, *path: str) -> InputError:
    return InputError([Fault("", path, expected, show(got), remedy)])


def _read_table(table: Any, build: Callable[[DocumentFaults, tuple[()]], T | None]) -> Any:
    """Read what a table of a task file may hold; what is read already is taken as it is."""
    if isinstance(table, Declared):
        return table
    if not isinstance(table, dict):
        raise _refuse("an object", table, "write it as the table of a task file")
    faults = DocumentFaults(Document(table, {}))
    built = build(faults, ())
    faults.raise_if_any()
    return built


def _longest(value: Any) -> int:
    """Return the length of the longest list in a table, which has been read and is not deep."""
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    own = len(value) if isinstance(value, list) else 0
    return max([own, *map(_longest, parts)])


def _read_task(table: Any) -> Task:
    # Before anything is made of it: a display of n items and n gazes is n x n visibilities.
    if (longest := _longest(table)) > MOST_LOCATIONS:
        expected, remedy = f"lists of at most {MOST_LOCATIONS}", "ask the command line for more"
        raise _refuse(expected, longest, remedy)
    task: Task = _read_table(table, Task.read)
    if task.n_locations > MOST_LOCATIONS:
        expected, remedy = f"at most {MOST_LOCATIONS} locations", "ask the command line for more"
        raise _refuse(expected, task.n_locations, remedy, "n_locations")
    return task


def _task_schema() -> dict[str, Any]:
    """Return the JSON Schema of every kind of task, with all parts in their places."""
    kinds = kind_schemas()

    def whole(schema: Any) -> Any:
        if isinstance(schema, list):
            return [whole(item) for item in schema]
        if not isinstance(schema, dict):
            return schema
        part = kinds.get(str(schema.get("$ref")).removeprefix("#/$defs/"), {})
        own = {key: value for key, value in schema.items() if key != "$ref"}
        return {key: whole(value) for key, value in {**part, **own}.items()}

    return {"oneOf": [whole(kinds[kind]) for kind in Task.kinds]}


def _different(values: S) -> S:
    if len(set(values)) < len(values):
        raise _refuse("different ones", values, "name each once")
    return values


TaskTable = TypeAliasType(
    "TaskTable", Annotated[Task, PlainValidator(_read_task), WithJsonSchema(_task_schema())]
)
CostsTable = TypeAliasType(
    "CostsTable",
    Annotated[
        Costs,
        PlainValidator(partial(_read_table, build=Costs.read)),
        WithJsonSchema(Costs.schema()),
    ],
)
StrategyName = Literal[STRATEGIES]  # type: ignore[valid-type]
_LOOKING = (
    "parallel, guided, guided:0.5, serial or optimal, where information is limited; "
    "map, elm, ideal, random:3, stay:2 or optimal, of gazes; elm:0.2 where durations are free."
)
Attention = Annotated[str, Field(max_length=40, description=_LOOKING)]
Amount = Annotated[int, Field(ge=100, le=1_000_000, description="Trials to run.")]
Size = Annotated[int, Field(ge=1, le=MOST_LOCATIONS)]
Place = Annotated[int, Field(ge=0, lt=MOST_LOCATIONS)]
Tunings = Annotated[int, Field(ge=1000, le=200_000, description="Trials per candidate, in tuning.")]


class Question(BaseModel):
    """A question about one observer, and how it is tuned.

    Attributes
    ----------
    name : str
        Of its route.

    Examples
    --------
    >>> task = {"kind": "search", "drift": [8, 3]}
    >>> question = BoundaryQuestion(task=task, costs={"time": 0.2})
    >>> question.task.drifts, question.rtol
    ((8.0, 3.0), 0.01)
    """

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, allow_inf_nan=False)
    name: ClassVar[str]
    task: TaskTable
    costs: CostsTable
    strategy: StrategyName | None = Field(None, description="The best that is quick to find.")
    attention: Attention | None = None
    tune_trials: Tunings = 5_000
    seed: int = Field(1, ge=0, le=2**53, description="Seed of the noise.")
    rtol: float = Field(1e-2, ge=1e-6, le=0.1, description="Relative accuracy of the risk.")

    @property
    def observer(self) -> tuple[Task, Costs, str | None, str | None]:
        """What is the same for all questions about one observer, who is made for the first."""
        return self.task, self.costs, self.strategy, self.attention

    @property
    def work(self) -> float:
        """Seconds that it takes, roughly, on a slow core."""
        return self._made(self.task) + self.n_trials * self._trial(self.task)

    @property
    def n_trials(self) -> int:
        """Trials that are run for the answer."""
        return 0

    def _made(self, task: Task) -> float:
        tuning = self.tune_trials, self.rtol, self.attention
        return observer_effort(task, self.costs, self.strategy, *tuning)

    def _trial(self, task: Task) -> float:
        return trial_effort(task, self.costs, self.attention)

    def answer(self, progress: Progress) -> Any:
        """Compute the answer; heavy, and loaded when first called."""
        from popout.web.explorer.answers import answer

        return answer(self, progress)


class BoundaryQuestion(Question):
    """The decision boundary of two locations."""

    name = "boundary"
    plane: Annotated[
        tuple[Place, Place],
        Field(strict=False, description="Two locations, from 0."),
        AfterValidator(_different),
    ] = (0, 1)
    others: float | None = Field(
        None, ge=-80.0, le=80.0, description="Log likelihood ratio of all others, in nats."
    )


class SolveQuestion(Question):
    """The optimum, or the best stopping for attention of a name."""

    name = "solve"
    strategy: Literal["optimal"] = "optimal"


class SimulateQuestion(Question):
    """Trials of one strategy."""

    name = "simulate"
    trials: Amount = 20_000
    time_limit: float | None = Field(
        None, gt=0.0, le=3600.0, description="Seconds after which a trial counts as undecided."
    )
    bins: int = Field(40, ge=5, le=200, description="Of the histogram of response times.")

    @property
    def n_trials(self) -> int:
        """Trials that are run for the answer."""
        return self.trials


class SlopesQuestion(Question):
    """Response times over set sizes."""

    name = "slopes"
    trials: Amount = 20_000
    locations: Annotated[
        tuple[Size, ...],
        Field(min_length=2, max_length=8, strict=False),  # a list of JSON is no tuple yet
        AfterValidator(_different),
    ] = (2, 4, 8)

    @property
    def work(self) -> float:
        """Seconds that it takes, roughly: an observer for each set size, and its trials."""
        seconds = 0.0
        for size in self.locations:
            try:
                task: Task = replace(self.task, **{"n_locations": size})
            except (InputError, TypeError):  # which the answer says
                continue
            seconds += self._made(task) + self.trials * self._trial(task)
        return seconds


class FrontierQuestion(Question):
    """Speed against accuracy."""

    name = "frontier"
    trials: Amount = 20_000
    points: int = Field(9, ge=3, le=25, description="Costs of time that are tried.")
    span: float = Field(30.0, gt=1.0, le=1e4, description="Of the largest cost to the smallest.")

    @property
    def work(self) -> float:
        """Seconds that it takes, roughly: an observer for each cost, and its trials."""
        one = self._made(self.task) + self.trials * self._trial(self.task)
        return self.points * one


class ExamplesQuestion(Question):
    """A few trials, step by step."""

    name = "example-trials"
    n: int = Field(4, ge=1, le=24, description="Trials to show.")


KINDS = (
    SolveQuestion,
    BoundaryQuestion,
    SimulateQuestion,
    SlopesQuestion,
    FrontierQuestion,
    ExamplesQuestion,
)
QUESTIONS: dict[str, type[Question]] = {kind.name: kind for kind in KINDS}
"""By route."""
