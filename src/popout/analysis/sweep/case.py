"""One point of a sweep, checked: its task, its costs and its settings.

A case is read from a `Document`, so that every fault has the line of the sweep file it came from.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cache
from typing import Any

from popout.analysis.making import OPTIMAL, strategy_names
from popout.strategies import RECIPES
from popout.task import Costs, SearchTask, Task
from popout.task.document import NOTHING, Document, DocumentFaults
from popout.task.faults import as_float, did_you_mean
from popout.task.toml import build_costs, build_task

__all__ = ["KEYS", "SETTINGS", "THRESHOLDS", "Case", "Result", "free_parameters", "read_settings"]

THRESHOLDS = ("tau_minus", "tau_plus")
"""Parameters that every recipe takes: the thresholds of discrimination."""
FEWEST_TRIALS = 1000  # `tune` takes no fewer trials


class Result(StrEnum):
    """What is computed at a point."""

    EXACT = "exact"
    SIMULATED = "simulated"
    TUNED = "tuned"


SETTINGS: dict[str, Any] = {
    "result": None,
    "strategy": OPTIMAL,
    "n_trials": 100_000,
    "tune_trials": 100_000,
    "rtol": 1e-3,
    "rates": True,
    "time_limit": None,
    "seed": 1,
}
"""Names and defaults of what is neither task nor costs.

``n_trials`` are simulated at a point, ``tune_trials`` for each candidate while free parameters are
tuned. ``rtol`` is the relative accuracy of exact risks. ``rates`` says whether the error rates and
response times of the exact optimum are wanted, which take longer than its risk. ``time_limit`` is
in seconds.
"""
KEYS = (*SETTINGS, "parameters", "costs", "grid")
"""What a sweep file holds at its top beside the task."""


@dataclass(frozen=True)
class Case:
    """Everything the numbers of one point depend on."""

    task: Task
    costs: Costs
    result: Result
    strategy: str
    n_trials: int
    tune_trials: int
    rtol: float
    rates: bool
    time_limit: float | None
    seed: int
    parameters: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, values: Mapping[str, Any]) -> Case:
        """Read a case from nested tables.

        Examples
        --------
        >>> table = {"kind": "search", "n_locations": 2, "drift": 4.0, "costs": {"time": 0.2}}
        >>> Case.of({**table, "result": "exact"}).strategy
        'optimal'
        """
        faults = DocumentFaults(Document(dict(values), {}))
        task, costs = build_task(faults, also=KEYS), read_costs(faults)
        settings = read_settings(faults)
        faults.raise_if_any()
        assert task is not None
        assert costs is not None
        return cls(task, costs, **settings)


def read_costs(faults: DocumentFaults) -> Costs | None:
    """Read the costs of a case, or record what is wrong with them."""
    if "costs" not in faults.document.values:
        faults.add("costs", "a table [costs]", NOTHING, "add [costs], time = ...")
        return None
    return build_costs(faults)


def read_settings(faults: DocumentFaults) -> dict[str, Any]:
    """Read the settings of a case; every fault is recorded, none raised."""
    values = faults.document.values
    given = {**SETTINGS, **{name: values[name] for name in SETTINGS if name in values}}
    is_search = values.get("kind") == "search"

    def whole(name: str, at_least: int, at_most: int) -> None:
        found = given[name]
        good = isinstance(found, int) and not isinstance(found, bool)
        if not (good and at_least <= found <= at_most):
            expected = f"an integer from {at_least} to {at_most}"
            faults.at((name,), name, expected, found, "choose a number in between")

    def positive(name: str, below: float, remedy: str) -> None:
        number = as_float(given[name])
        if number is None or not 0.0 < number < below:
            expected = "a positive number" + (f" below {below:g}" if below < math.inf else "")
            faults.at((name,), name, expected, given[name], remedy)

    whole("n_trials", 2, 10**9)
    whole("tune_trials", FEWEST_TRIALS, 10**8)
    whole("seed", 0, 2**63 - 1)
    positive("rtol", 1.0, "give the relative accuracy of the risk, e.g. 1e-3")
    if given["time_limit"] is not None:
        positive("time_limit", math.inf, "give seconds, or leave it out")
    if not isinstance(given["rates"], bool):
        faults.at(("rates",), "rates", "true or false", given["rates"], "say true or false")
    result = _choice(faults, "result", values.get("result", NOTHING), tuple(Result))
    strategy = _choice(faults, "strategy", given["strategy"], strategy_names())
    if result and strategy:
        _check_pair(faults, result, strategy, is_search)
    given["parameters"] = _read_parameters(faults, result, strategy)
    return given | {"result": Result(result) if result else None}


def _choice(faults: DocumentFaults, name: str, value: Any, known: tuple[str, ...]) -> str:
    if isinstance(value, str) and value in known:
        return value
    remedy = did_you_mean(value, known, "choose one")
    faults.at((name,), name, f"one of {', '.join(known)}", value, remedy)
    return ""


def _check_pair(faults: DocumentFaults, result: str, strategy: str, is_search: bool) -> None:
    if result == Result.TUNED and strategy == OPTIMAL:
        expected = f"one of {', '.join(RECIPES)} for tuned results"
        faults.at(("strategy",), "strategy", expected, strategy, "name what is to be tuned")
    if not is_search and result == Result.EXACT:
        expected = 'simulated or tuned unless kind is "search"'
        faults.at(("result",), "result", expected, result, "the solver knows search alone")
    elif not is_search and strategy == OPTIMAL:
        expected = f'one of {", ".join(RECIPES)} unless kind is "search"'
        faults.at(("strategy",), "strategy", expected, strategy, "the optimum is not known there")


def _read_parameters(faults: DocumentFaults, result: str, strategy: str) -> dict[str, Any]:
    """Check the parameters: those of the strategy, numbers, and all free ones or none."""
    values = faults.document.values.get("parameters", {})
    if not isinstance(values, Mapping):
        faults.at(("parameters",), "parameters", "a table", values, "write [parameters]")
        return {}
    if not values or not strategy:
        return {}
    free = () if strategy == OPTIMAL else free_parameters(strategy)
    known = () if strategy == OPTIMAL else (*THRESHOLDS, *free)
    for name, value in values.items():
        place, what = ("parameters", name), f"parameters.{name}"
        numbers = value if name in THRESHOLDS and isinstance(value, list | tuple) else (value,)
        if name not in known:
            expected = f"one of {', '.join(known)} with {strategy}" if known else "no parameters"
            remedy = did_you_mean(name, known, f"{strategy} has no such parameter")
            faults.at(place, what, expected, value, remedy)
        elif (
            not numbers
            or not all(math.isfinite(as_float(one) or 0.0) for one in numbers)
            or any(as_float(one) is None for one in numbers)
        ):
            faults.at(place, what, "a finite number", value, "give the value of the parameter")
        elif result == Result.TUNED and name in free:
            remedy = "leave it out, or ask for simulated results"
            faults.at(place, what, "no value for what is tuned", value, remedy)
    missing = [name for name in free if name not in values]
    if missing and len(missing) < len(free):
        remedy = f"add {', '.join(missing)}, or leave all out to have them tuned"
        faults.at(("parameters",), "parameters", f"all of {', '.join(free)}", [*values], remedy)
    return dict(values)


@cache
def free_parameters(strategy: str) -> tuple[str, ...]:
    """Return the names of what may be tuned in a strategy.

    Examples
    --------
    >>> free_parameters("a-sprt")
    ('a_minus', 'a_plus')
    """
    example = SearchTask(n_locations=2, drift=4.0)
    return tuple(p.name for p in RECIPES[strategy].tunable(example, -3.0, 3.0).parameters)
