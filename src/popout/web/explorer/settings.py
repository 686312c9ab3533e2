"""What a visitor may choose beside the task and the costs.

Names and meanings are those of the command line. The bounds are tighter: a server answers many.
"""

from __future__ import annotations

from popout.policies.names import STRATEGIES
from popout.task.declared import Declared, Field, Stored, optional
from popout.task.faults import Faults
from popout.task.kinds import Choice, Each, Integer, Number, Optional, Text

MOST_LOCATIONS = 64
"""Of a task in the explorer; nothing is left to see beyond."""
STOPPING = ("optimal", "sprt-opt", "sprt")
BETWEEN = "choose a number in between"


def _whole(low: int, high: int) -> Integer:
    return Integer(low, high, expected=f"an integer from {low} to {high}")


def _rtol(default: float) -> Field:
    kind = Number(low=1e-6, high=0.1, expected="a number from 1e-6 to 0.1")
    return Field(kind, "Relative accuracy of the risk.", BETWEEN, default=default)


STRATEGY = Field(
    Optional(Choice(STRATEGIES)),
    "Strategy; the best that is quick to find when left out.",
    "choose one",
    default=None,
)
ATTENTION = Field(
    Optional(Text(40, 1)),
    "Where information is limited: parallel, guided, guided:0.5, serial or optimal.",
    "choose one",
    default=None,
)
TRIALS = Field(_whole(100, 1_000_000), "Trials to run.", BETWEEN, default=20_000)
TUNE_TRIALS = Field(
    _whole(1000, 200_000), "Trials per candidate while tuning.", BETWEEN, default=5_000
)
SEED = Field(_whole(0, 2**53), "Seed of the noise.", BETWEEN, default=1)
SIZES = Each(_whole(1, MOST_LOCATIONS), "one to eight different set sizes", distinct=True, most=8)
COST = Number(above=0.0, expected="a positive number")


class Solve(Declared):
    """The exact ideal observer."""

    attention: Stored[str | None] = optional(ATTENTION)
    rtol: Stored[float] = optional(_rtol(1e-3))


class Thresholds(Declared):
    """The optimal thresholds at one location."""

    rtol: Stored[float] = optional(_rtol(1e-4))


class Boundary(Declared):
    """The decision boundary in the plane of two locations."""

    strategy: Stored[str | None] = optional(STRATEGY)
    attention: Stored[str | None] = optional(ATTENTION)
    plane: Stored[tuple[int, ...]] = optional(
        Field(
            Each(_whole(0, MOST_LOCATIONS - 1), "two different locations", True, least=2, most=2),
            "The two locations, from 0.",
            "name two different ones",
            default=(0, 1),
        )
    )
    others: Stored[float | None] = optional(
        Field(
            Optional(Number(low=-80.0, high=80.0)),
            "Log likelihood ratio of all other locations; they are ruled out when left out.",
            BETWEEN,
            "nats",
            None,
        )
    )
    tune_trials: Stored[int] = optional(TUNE_TRIALS)
    seed: Stored[int] = optional(SEED)
    rtol: Stored[float] = optional(_rtol(1e-2))


class Observer(Declared):
    """Who answers, and how it is tuned."""

    strategy: Stored[str | None] = optional(STRATEGY)
    attention: Stored[str | None] = optional(ATTENTION)
    tune_trials: Stored[int] = optional(TUNE_TRIALS)
    seed: Stored[int] = optional(SEED)
    rtol: Stored[float] = optional(_rtol(1e-2))


class Simulate(Observer):
    """Trials of one strategy."""

    trials: Stored[int] = optional(TRIALS)
    time_limit: Stored[float | None] = optional(
        Field(
            Optional(Number(above=0.0, high=3600.0)),
            "When a trial counts as undecided.",
            "give seconds, at most 3600",
            "seconds",
            None,
        )
    )
    bins: Stored[int] = optional(
        Field(_whole(5, 200), "Bins of the histogram of response times.", BETWEEN, default=40)
    )


class Slopes(Observer):
    """Response times and errors over set sizes."""

    trials: Stored[int] = optional(TRIALS)
    locations: Stored[tuple[int, ...]] = optional(
        Field(SIZES, "Set sizes.", "name one to eight different ones", default=(2, 4, 8))
    )

    @classmethod
    def _relate(cls, faults: Faults, known: dict[str, object]) -> None:
        """Ask for two set sizes: one has no slope."""
        sizes = known["locations"]
        if isinstance(sizes, tuple) and len(sizes) < 2:
            faults.add("locations", "two set sizes or more", sizes, "name another")


class Compare(Declared):
    """Strategies side by side."""

    strategies: Stored[tuple[str, ...]] = optional(
        Field(
            Each(Choice(STRATEGIES), "different strategies", distinct=True),
            "Strategies to compare.",
            "choose different ones",
            default=("a-sprt", "sprt-opt", "sprt", "hardmax"),
        )
    )
    locations: Stored[tuple[int, ...] | None] = optional(
        Field(Optional(SIZES), "Set sizes; the task's when left out.", "name some", default=None)
    )
    time_costs: Stored[tuple[float, ...] | None] = optional(
        Field(
            Optional(Each(COST, "one to eight different costs", distinct=True, most=8)),
            "Costs of time; that of the costs when left out.",
            "give positive numbers",
            "1/s",
            None,
        )
    )
    trials: Stored[int] = optional(TRIALS)
    tune_trials: Stored[int] = optional(TUNE_TRIALS)
    seed: Stored[int] = optional(SEED)


class Frontier(Observer):
    """Speed against accuracy as the cost of time changes."""

    trials: Stored[int] = optional(TRIALS)
    points: Stored[int] = optional(
        Field(_whole(3, 25), "Costs of time that are tried.", BETWEEN, default=9)
    )
    span: Stored[float] = optional(
        Field(
            Number(above=1.0, high=1e4, expected="a number above 1, at most 10000"),
            "The largest cost of time over the smallest.",
            BETWEEN,
            default=30.0,
        )
    )


class Examples(Observer):
    """A few trials, step by step."""

    n: Stored[int] = optional(Field(_whole(1, 24), "Trials to show.", BETWEEN, default=4))
